package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roughcut/pipeline"
	"roughcut/store"
)

// listen requests the event stream of a project on a raw connection, with additional header lines.
func (p *person) listen(project, version string, more ...string) net.Conn {
	p.w.t.Helper()
	head := "GET /api/v1/projects/" + project + "/events " + version + "\r\nHost: localhost\r\n" +
		"Cookie: " + sessionCookie + "=" +
		p.cookie + "\r\n"
	for _, line := range more {
		head += line + "\r\n"
	}
	conn := p.w.dial(head + "\r\n")
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		p.w.t.Fatal(err)
	}
	return conn
}

// readUntil reads up to the end of a text.
func readUntil(t *testing.T, conn net.Conn, text string) string {
	t.Helper()
	var read []byte
	for b := make([]byte, 1); !strings.HasSuffix(string(read), text); read = append(read, b...) {
		if _, err := conn.Read(b); err != nil {
			t.Fatalf("%v after %q, which lacks %q", err, read, text)
		}
	}
	return string(read)
}

// narrowed restarts the server behind a listener whose connections have small buffers.
func (w *world) narrowed() {
	wide := w.http
	w.t.Cleanup(wide.Close)
	w.http = httptest.NewUnstartedServer(nil)
	w.http.Config, w.http.Listener = NewHTTPServer(w.server), narrow{w.http.Listener}
	w.http.Start()
}

// The client sees a proper end of every stream, because a proxy would report a cut connection as a
// fault.
func TestEventStreamEndsWithLastChunk(t *testing.T) {
	t.Parallel()
	ends := map[string]func(w *world, p *person){
		"the server closes": func(w *world, _ *person) {
			if err := w.server.Close(w.t.Context()); err != nil {
				w.t.Error(err)
			}
		},
		"the session ends": func(_ *world, p *person) { p.do("POST", "/api/v1/auth/logout", nil).want(204, "") },
		"the sessions end on another connection": func(w *world, p *person) {
			if _, err := w.store.DeleteSessions(p.user.UUID); err != nil {
				w.t.Error(err)
			}
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(o *Options, _ *store.Options) { o.Settings.EventsKeepalive = 50 * time.Millisecond })
			p := w.person("p")
			project := p.project("Talk")
			conn := p.listen(project, "HTTP/1.1")
			readUntil(t, conn, "\r\n\r\nd\r\nretry: 3000\n\n\r\n")
			w.publish(project, 1)
			readUntil(t, conn, "id: 1\n\n\r\n")
			end(w, p)
			rest, err := io.ReadAll(conn)
			if !strings.HasSuffix(string(rest), lastChunk) || err != nil {
				t.Errorf("the stream ends with %q, %v", rest, err)
			}
		})
	}
}

// The hand-written header of a stream has the same fields as other responses.
func TestEventStreamHasUsualHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	asked := p.do("HEAD", "/api/v1/projects/"+project+"/events", nil).want(200, "").header
	conn := p.listen(project, "HTTP/1.1")
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	defer conn.Close() // otherwise the body is read to its end
	if response.Status != "200 OK" || !slices.Equal(response.TransferEncoding, []string{"chunked"}) ||
		response.Header.Get("Connection") != "keep-alive" {
		t.Errorf("response %s, %v, %v", response.Status, response.TransferEncoding, response.Header)
	}
	if date, err := http.ParseTime(response.Header.Get("Date")); err != nil || time.Since(date).Abs() > time.Minute {
		t.Errorf("Date is %q", response.Header.Get("Date"))
	}
	if id := response.Header.Get("X-Request-Id"); !requestIDPattern.MatchString(id) || id == asked.Get("X-Request-Id") {
		t.Errorf("X-Request-Id is %q", id)
	}
	for _, header := range []http.Header{asked, response.Header} {
		for _, its := range []string{"Date", "X-Request-Id", "Connection"} {
			header.Del(its)
		}
	}
	if fmt.Sprint(response.Header) != fmt.Sprint(asked) || asked.Get("Content-Security-Policy") == "" {
		t.Errorf("header %v, want %v", response.Header, asked)
	}
	if got := p.listen(project, "HTTP/1.1", "Connection: close"); !strings.Contains(
		readUntil(t, got, "\r\n\r\n"),
		"\r\nConnection: close\r\n",
	) {
		t.Error("the response to Connection: close lacks it")
	}
}

// Old proxies use HTTP/1.0, which has no chunks: the stream is plain and ends with the connection.
func TestEventStreamOverHTTP10(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	for _, more := range [][]string{{"Connection: close"}, {"Connection: keep-alive"}, nil} {
		conn := p.listen(project, "HTTP/1.0", more...)
		head := readUntil(t, conn, "\r\n\r\n")
		if !strings.HasPrefix(head, "HTTP/1.0 200 OK\r\n") || strings.Contains(head, "chunked") ||
			!strings.Contains(head, "\r\nConnection: close\r\n") {
			t.Errorf("with %q the header is %q", more, head)
		}
		w.publish(project, 1)
		if got := readUntil(t, conn, "\nid: "); !strings.HasPrefix(got, opening+"event: ANALYSIS_PROGRESS\ndata: {") {
			t.Errorf("with %q the stream is %q", more, got)
		}
	}
	last := p.listen(project, "HTTP/1.0")
	readUntil(t, last, opening)
	p.do("POST", "/api/v1/auth/logout", nil).want(204, "")
	if rest, err := io.ReadAll(last); len(rest) > 0 || err != nil {
		t.Errorf("it ends with %q, %v", rest, err)
	}
}

// The server notices that a client leaves even if it sends nothing. It ignores data that a client
// sends after its request.
func TestEventStreamNoticesClientLeaving(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	leaves, talks := p.listen(project, "HTTP/1.1"), p.listen(project, "HTTP/1.1", "Content-Length: 9")
	readUntil(t, leaves, opening+"\r\n")
	readUntil(t, talks, opening+"\r\n")
	if _, err := io.WriteString(talks, strings.Repeat("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 100)); err != nil {
		t.Fatal(err)
	}
	leaves.Close()
	w.eventually("the client's departure is noticed", func() bool { return w.server.transfers.count() == 1 })
	w.publish(project, 1)
	readUntil(t, talks, "id: 1\n\n\r\n")
}

// A stream uses five goroutines while it is open and leaves none behind, whatever ended it.
func TestEventStreamsLeakNothing(t *testing.T) {
	t.Parallel()
	const each, goroutines = 20, 5
	w := newWorld(t)
	w.narrowed()
	w.server.streams.frameTime = 500 * time.Millisecond
	gone, out, stalls := w.person("gone"), w.person("out"), w.person("stalls")
	gones, outs, stalled := gone.project("a"), out.project("b"), stalls.project("c")
	w.client.CloseIdleConnections()
	w.http.CloseClientConnections()
	var leave []net.Conn
	for range each {
		conn := gone.listen(gones, "HTTP/1.1")
		leave = append(leave, conn)
		readUntil(t, conn, opening+"\r\n")
		readUntil(t, out.listen(outs, "HTTP/1.1"), opening+"\r\n")
		readUntil(t, stalls.listen(stalled, "HTTP/1.1"), opening+"\r\n")
	}
	w.eventually("the requests end and the streams stay open", func() bool {
		requests, streams := goroutinesOfServers()
		return requests == 0 && streams == 3*each*goroutines
	})
	if n := w.server.transfers.count(); n != 3*each {
		t.Errorf("%d streams are open", n)
	}
	for _, conn := range leave {
		conn.Close()
	}
	w.server.transfers.endUser(out.user.UUID)
	large := strings.Repeat("x", 1<<20)
	for w.server.transfers.count() > 0 { // the sockets of this machine take megabytes
		if err := w.events.Publish(stalled, pipeline.ClipFailed, map[string]any{"error": large}); err != nil {
			t.Fatal(err)
		}
	}
	w.eventually("all goroutines end", func() bool {
		_, streams := goroutinesOfServers()
		return streams == 0
	})
}

// goroutinesOfServers counts the goroutines of requests and of event streams.
func goroutinesOfServers() (requests, streams int) {
	stacks := make([]byte, 4<<20)
	for _, stack := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if strings.Contains(stack, "net/http.(*conn).serve(") {
			requests++
		} else if strings.Contains(stack, "(*eventFeed)") || strings.Contains(stack, "(*eventConn)") ||
			strings.Contains(stack, "r3labs/sse") {
			streams++
		}
	}
	return requests, streams
}

// A client that reads nothing delays the shutdown only for the time that the last frame may take.
func TestStalledClientDoesNotDelayShutdown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.narrowed()
	w.server.streams.frameTime = time.Hour
	p := w.person("p")
	project := p.project("Talk")
	stalled := p.listen(project, "HTTP/1.1")
	if err := stalled.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	readUntil(t, stalled, opening+"\r\n")
	reads := p.events(project, "")
	large := strings.Repeat("x", 256<<10)
	for i := range 4 {
		if err := w.events.Publish(project, pipeline.ClipFailed, map[string]any{"error": large}); err != nil {
			t.Fatal(err)
		}
		if got := readLarge(reads); got != fmt.Sprintf("id: %d", i+1) {
			t.Fatalf("event %d: %s", i+1, got)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- w.server.Close(ctx) }()
	w.eventually("the reading client sees the end", reads.ended)
	if reads.err != nil {
		t.Errorf("the reading client ends with %v", reads.err)
	}
	rest, err := io.ReadAll(stalled)
	if err != nil {
		t.Error(err)
	}
	_, broken := io.Copy(io.Discard, httputil.NewChunkedReader(bytes.NewReader(rest)))
	if said := strings.HasSuffix(string(rest), lastChunk); said != (broken == nil) {
		t.Errorf("the %d bytes, which end with %v, contain the last chunk: %t", len(rest), broken, said)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// faultyEvents is a source that panics from its nth subscription on.
type faultyEvents struct {
	EventSource
	bearing atomic.Int32
}

func (f *faultyEvents) Subscribe(string) (<-chan store.Event, func()) {
	if f.bearing.Add(-1) < 0 {
		panic("injected fault")
	}
	events := make(chan store.Event)
	close(events) // a lagging reader subscribes again
	return events, func() {}
}

// A panic in a stream ends that stream and is logged. The server continues.
func TestPanicEndsOnlyItsEventStream(t *testing.T) {
	t.Parallel()
	for name, bearing := range map[string]int32{"at its start": 0, "while it runs": 1} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.faulty = true
			p := w.person("p")
			project := p.project("Talk")
			well := p.listen(project, "HTTP/1.1")
			readUntil(t, well, opening+"\r\n")
			sound := w.server.Events
			source := &faultyEvents{}
			source.bearing.Store(bearing)
			w.server.Events = source
			rest, err := io.ReadAll(p.listen(project, "HTTP/1.1"))
			if !strings.HasPrefix(string(rest), "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(string(rest), lastChunk) ||
				err != nil {
				t.Errorf("the stream is %q, %v", rest, err)
			}
			w.eventually("the stream is closed", func() bool { return w.server.transfers.count() == 1 })
			if log := w.logs.String(); !strings.Contains(log, "injected fault") ||
				!strings.Contains(log, "route=/api/v1/projects/:project_uuid/events status=200") {
				t.Errorf("the log lacks the panic or the request: %s", log)
			}
			w.server.Events = sound
			w.publish(project, 1)
			readUntil(t, well, "id: 1\n\n\r\n")
		})
	}
}

// The access log and the metrics count a stream as one request with the duration of the stream, at
// its end.
func TestEventStreamIsLoggedAtItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	const counted = `roughcut_http_requests_total{method="GET",` +
		`route="/api/v1/projects/:project_uuid/events",status="200"} 1`
	line := regexp.MustCompile(
		`msg=request method=GET route=/api/v1/projects/:project_uuid/events status=200 bytes=(\d+) ` +
			`ms=(\d+) ip=127.0.0.1 user=(\S+) request_id=(\S+)\n`,
	)
	conn := p.listen(project, "HTTP/1.1")
	head := readUntil(t, conn, "\r\n\r\n")
	began := time.Now()
	w.publish(project, 1)
	body := readUntil(t, conn, "id: 1\n\n\r\n")
	w.eventually("some time passes", func() bool { return time.Since(began) > 50*time.Millisecond })
	if line.MatchString(w.logs.String()) || strings.Contains(w.metrics(), counted) {
		t.Error("the stream was logged before its end")
	}
	if !strings.Contains(w.metrics(), "roughcut_open_streams 1\n") {
		t.Error("the stream is not counted as open")
	}
	conn.Close()
	w.eventually("the stream is over", func() bool { return w.server.transfers.count() == 0 })
	lines := line.FindAllStringSubmatch(w.logs.String(), -1)
	if n := strings.Count(w.logs.String(), "uuid/events"); len(lines) != 1 || n != 1 {
		t.Fatalf("the stream is logged %d times", n)
	}
	if got := w.metrics(); !strings.Contains(got, counted) || strings.Count(got, `uuid/events",status=`) != 1 {
		t.Errorf("the stream is counted as %s", got)
	}
	event := body[strings.Index(body, "event: "):strings.LastIndex(body, "\r\n")]
	if got, want := lines[0][1], fmt.Sprint(len(opening)+len(event)); got != want {
		t.Errorf("the log has %s bytes, want %s", got, want)
	}
	if len(lines[0][2]) < 2 || lines[0][3] != p.user.UUID ||
		!strings.Contains(head, "\r\nX-Request-Id: "+lines[0][4]+"\r\n") {
		t.Errorf("the log says %q of %q", lines[0], head)
	}
}
