package server

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"roughcut/pipeline"
	"roughcut/store"
)

// stream is an open event stream, read frame by frame.
type stream struct {
	t        *testing.T
	response *http.Response
	frames   chan string // closed at the end of the stream
	err      error       // the error at the end, once frames is closed
}

func (p *person) events(project, lastID string) *stream {
	p.w.t.Helper()
	ctx, cancel := context.WithCancel(p.w.t.Context())
	p.w.t.Cleanup(cancel)
	r := p.request("GET", "/api/v1/projects/"+project+"/events", nil).WithContext(ctx)
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	response, err := p.w.client.Do(r)
	if err != nil {
		p.w.t.Fatal(err)
	}
	s := &stream{t: p.w.t, response: response, frames: make(chan string, 1000)}
	go func() {
		defer close(s.frames)
		defer response.Body.Close()
		var frame strings.Builder
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if lines.Text() != "" {
				frame.WriteString(lines.Text() + "\n")
				continue
			}
			s.frames <- frame.String()
			frame.Reset()
		}
		s.err = lines.Err()
	}()
	if opening := s.next(); opening != "retry: 3000\n" {
		p.w.t.Fatalf("the stream starts with %q", opening)
	}
	return s
}

// next returns the next frame, or "" at the end of the stream.
func (s *stream) next() string {
	s.t.Helper()
	select {
	case frame := <-s.frames:
		return frame
	case <-time.After(patience):
		s.t.Fatal("no frame arrived")
		return ""
	}
}

// event returns the type and ID of the next frame that is not a comment.
func (s *stream) event() string {
	s.t.Helper()
	for {
		frame := s.next()
		if strings.HasPrefix(frame, ":") {
			continue
		}
		lines := strings.Split(frame, "\n")
		if len(lines) != 4 || !strings.HasPrefix(lines[0], "event: ") || !strings.HasPrefix(lines[1], "data: {") ||
			!strings.HasPrefix(lines[2], "id: ") {
			s.t.Fatalf("frame %q", frame)
		}
		return strings.TrimPrefix(lines[0], "event: ") + " " + strings.TrimPrefix(lines[2], "id: ")
	}
}

func (w *world) publish(project string, count int) {
	w.t.Helper()
	for i := range count {
		if err := w.events.Report(
			project,
			pipeline.AnalysisProgress,
			map[string]any{"step": "transcribe", "progress": i},
		); err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestEventStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project, other := p.project("Talk"), p.project("Other")
	s := p.events(project, "")
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no",
		"Content-Encoding": "",
	} {
		if got := s.response.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	w.publish(other, 1)
	if err := w.events.Publish(
		project,
		pipeline.ClipReady,
		map[string]any{"clip_uuid": "c", "duration_ms": 5},
	); err != nil {
		t.Fatal(err)
	}
	frame := s.next()
	want := `event: CLIP_READY
data: {"clip_uuid":"c","duration_ms":5,"timestamp":"2026-01-31T12:00:00.000+00:00"}
id: 1
`
	if frame != want {
		t.Errorf("frame %q, want %q", frame, want)
	}
	w.publish(project, 2)
	if a, b := s.event(), s.event(); a != "ANALYSIS_PROGRESS 2" || b != "ANALYSIS_PROGRESS 3" {
		t.Errorf("next events: %s, %s", a, b)
	}
}

func TestEventStreamReplays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	w.publish(project, 5)
	s := p.events(project, "2")
	w.publish(project, 2)
	for id := 3; id <= 7; id++ {
		if got := s.event(); got != fmt.Sprintf("ANALYSIS_PROGRESS %d", id) {
			t.Fatalf("event %d is %s", id, got)
		}
	}
	for _, unknown := range []string{"99", "not-a-number", "-1"} {
		s := p.events(project, unknown)
		if got := s.event(); !strings.HasPrefix(got, "RESYNC ") {
			t.Errorf("after %s: %s", unknown, got)
		}
		w.publish(project, 1)
		if got := s.event(); !strings.HasPrefix(got, "ANALYSIS_PROGRESS ") {
			t.Errorf("after RESYNC: %s", got)
		}
	}
}

func TestEventStreamResyncsAfterLogGap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	w.publish(project, 600)
	s := p.events(project, "3")
	if got := s.event(); got != "RESYNC 600" {
		t.Errorf("got %s", got)
	}
	w.publish(project, 1)
	if got := s.event(); got != "ANALYSIS_PROGRESS 601" {
		t.Errorf("after RESYNC: %s", got)
	}
}

// TestEventStreamLosesNothingUnderLoad reads with reconnects while events are published, and
// expects each ID exactly once.
func TestEventStreamLosesNothingUnderLoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	const total = 300
	w.publish(project, 1)
	published := make(chan struct{})
	go func() {
		defer close(published)
		for range total - 1 {
			if err := w.events.Report(project, pipeline.AnalysisProgress, map[string]any{}); err != nil {
				t.Error(err)
			}
		}
	}()
	last := 0
	for last < total {
		s := p.events(project, fmt.Sprint(last))
		for range min(40, total-last) {
			if got := s.event(); got != fmt.Sprintf("ANALYSIS_PROGRESS %d", last+1) {
				t.Fatalf("after %d: %s", last, got)
			}
			last++
		}
	}
	<-published
}

func TestEventStreamKeepsAliveAndEndsWithTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options, _ *store.Options) { o.Settings.EventsKeepalive = 20 * time.Millisecond })
	p := w.person("p")
	project := p.project("Talk")
	s := p.events(project, "")
	if got := s.next(); got != ": keepalive\n" {
		t.Errorf("keepalive %q", got)
	}
	same, elsewhere := p.events(project, ""), w.signIn(p.user).events(project, "")
	p.do("POST", "/api/v1/auth/logout", nil).want(204, "")
	for _, closed := range []*stream{s, same} {
		w.eventually("the streams of the session end", closed.ended)
	}
	if err := w.events.Publish(project, pipeline.ClipReady, map[string]any{}); err != nil {
		t.Fatal(err)
	}
	if got := elsewhere.event(); got != "CLIP_READY 1" {
		t.Errorf("the other session's stream: %s", got)
	}
	if _, err := w.store.DeleteSessions(p.user.UUID); err != nil { // as another process would
		t.Fatal(err)
	}
	w.eventually("the keepalive notices it", elsewhere.ended)
}

// ended reads on and reports whether the stream is over.
func (s *stream) ended() bool {
	for {
		select {
		case _, open := <-s.frames:
			if !open {
				return true
			}
		default:
			return false
		}
	}
}

func TestCloseEndsStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	s := p.events(project, "")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := w.server.Close(ctx); err != nil {
		t.Fatal(err)
	}
	w.eventually("the stream ends", s.ended)
	if s.err != nil {
		t.Errorf("it ended with %v", s.err)
	}
}

// TestStalledClientDelaysNoOther has one client read nothing while the server publishes far more
// than buffers hold.
func TestStalledClientDelaysNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options, _ *store.Options) { o.Settings.EventsKeepalive = time.Hour })
	p := w.person("p")
	project := p.project("Talk")
	w.dial(
		"GET /api/v1/projects/" + project + "/events HTTP/1.1\r\nHost: x\r\nCookie: " + sessionCookie + "=" + p.cookie +
			"\r\n\r\n",
	)
	w.eventually("the stalled stream is open", func() bool { return w.server.transfers.count() == 1 })
	s := p.events(project, "")
	large := strings.Repeat("x", 64<<10)
	for i := range 200 {
		if err := w.events.Publish(project, pipeline.ClipFailed, map[string]any{"error": large}); err != nil {
			t.Fatal(err)
		}
		if got := readLarge(s); got != fmt.Sprintf("id: %d", i+1) {
			t.Fatalf("event %d: %s", i+1, got)
		}
	}
}

func readLarge(s *stream) string {
	lines := strings.Split(s.next(), "\n")
	return lines[len(lines)-2]
}

func TestHeadRequestOfEventStreamEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	r := p.do("HEAD", "/api/v1/projects/"+p.project("Talk")+"/events", nil).want(200, "")
	if got := r.header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type is %q", got)
	}
}

// narrow is a listener whose connections have small buffers.
type narrow struct{ net.Listener }

func (l narrow) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		err = conn.(*net.TCPConn).SetWriteBuffer(4096)
	}
	return conn, err
}

// TestStalledStreamAmongMany has 200 clients read while one does not. The 200 receive every event.
// The server disconnects the stalled client, which may resume.
func TestStalledStreamAmongMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.streams.frameTime = 2 * time.Second
	w.narrowed()
	p := w.person("p")
	project := p.project("Talk")
	stalled := w.dial(
		"GET /api/v1/projects/" + project + "/events HTTP/1.1\r\nHost: x\r\nCookie: " + sessionCookie + "=" + p.cookie +
			"\r\n\r\n",
	)
	if err := stalled.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	const clients, events = 200, 100
	streams := make([]*stream, clients)
	for i := range streams {
		streams[i] = p.events(project, "")
	}
	w.eventually("all streams are open", func() bool { return w.server.transfers.count() == clients+1 })
	large := strings.Repeat("x", 2<<10)
	for range events {
		if err := w.events.Publish(project, pipeline.ClipFailed, map[string]any{"error": large}); err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range streams {
		for id := 1; id <= events; id++ {
			if got := s.event(); got != fmt.Sprintf("CLIP_FAILED %d", id) {
				t.Fatalf("client %d: event %d is %s", i, id, got)
			}
		}
	}
	w.eventually("the stalled client is disconnected", func() bool { return w.server.transfers.count() == clients })
	resumed := p.events(project, "2")
	for id := 3; id <= events; id++ {
		if got := resumed.event(); got != fmt.Sprintf("CLIP_FAILED %d", id) {
			t.Fatalf("resumed: event %d is %s", id, got)
		}
	}
}

// Streams of a deleted project end at once.
func TestEventStreamEndsWithItsProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project, other := p.project("Talk"), p.project("Other")
	deleted, kept := p.events(project, ""), p.events(other, "")
	p.do("DELETE", "/api/v1/projects/"+project, nil).want(204, "")
	if frame := deleted.next(); frame != "" {
		t.Errorf("the stream of a deleted project sent %q", frame)
	}
	w.publish(other, 1)
	if got := kept.event(); got != "ANALYSIS_PROGRESS 1" {
		t.Errorf("the other stream sent %q", got)
	}
}
