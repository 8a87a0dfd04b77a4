package server

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/r3labs/sse/v2"

	"roughcut/store"
)

const retryMS = "3000" // how soon a client comes back

// eventStreams serves the event streams. Each connection has a stream of its own in the sse server, so that one that stalls holds up
// nobody else.
//
// The sse library reads the Last-Event-ID header as its own and writes the fields of a frame in another order than the contract; both
// are put right around it. Replay comes from the store's log.
type eventStreams struct {
	server    *Server
	sse       *sse.Server
	frameTime time.Duration // to write one frame; who takes longer is cut off, and may resume
}

func newEventStreams(s *Server) *eventStreams {
	registry := sse.New()
	registry.AutoReplay = false
	registry.BufferSize = 64 // of each connection; its feed waits when it is full
	return &eventStreams{server: s, sse: registry, frameTime: 10 * time.Second}
}

// streamEvents sends a project's events until the client leaves, its session ends, or the server closes.
func (s *Server) streamEvents(c echo.Context) error {
	r := c.Request()
	f := factsOf(r.Context())
	project := c.Param("project_uuid")
	header := c.Response().Header()
	header.Set("X-Accel-Buffering", "no")
	if f.head {
		header.Set("Cache-Control", "no-cache")
		header.Set("Content-Type", "text/event-stream")
		return c.NoContent(http.StatusOK)
	}
	ctx, leave, err := s.live.join(r.Context(), liveFor{user: f.caller.user.UUID, session: f.caller.session.Hash})
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	connection := s.Store.NewID()
	s.streams.sse.CreateStream(connection)
	feed := &eventFeed{server: s, project: project, connection: connection, caller: f.caller}
	feed.lastID, feed.resume, feed.garbled = lastEventID(r)
	events, unsubscribe := s.Events.Subscribe(project)

	out := &frameWriter{ResponseWriter: c.Response(), pace: newPace(ctx, c.Response().Writer), frameTime: s.streams.frameTime, cancel: cancel, opened: make(chan struct{})}
	defer out.pace.close()

	var feeding sync.WaitGroup
	feeding.Go(func() {
		defer cancel()
		feed.run(ctx, out.opened, events, unsubscribe)
	})
	request := r.Clone(ctx)
	request.Header.Del("Last-Event-ID")
	request.URL = &url.URL{RawQuery: "stream=" + url.QueryEscape(connection)}
	s.streams.sse.ServeHTTP(out, request)
	cancel()
	s.streams.sse.RemoveStream(connection) // unblocks a feed that waits for room
	feeding.Wait()
	return nil
}

// lastEventID returns where a client wants to go on. Garbled is an id that was never ours.
func lastEventID(r *http.Request) (id uint64, resume, garbled bool) {
	text := strings.TrimSpace(r.Header.Get("Last-Event-ID"))
	if text == "" {
		return 0, false, false
	}
	id, err := strconv.ParseUint(text, 10, 64)
	return id, true, err != nil
}

// eventFeed brings the events of a project to one connection, in order, none twice.
type eventFeed struct {
	server     *Server
	project    string
	connection string
	caller     caller
	lastID     uint64 // of the last event that was handed on
	resume     bool   // whether lastID means something yet
	garbled    bool
}

// run hands events on until ctx ends. It begins once the connection has subscribed to its stream.
func (f *eventFeed) run(ctx context.Context, opened <-chan struct{}, events <-chan store.Event, unsubscribe func()) {
	defer func() { unsubscribe() }()
	select {
	case <-opened:
	case <-ctx.Done():
		return
	}
	if f.resume && !f.catchUp() {
		return
	}
	keepalive := time.NewTicker(f.server.Settings.EventsKeepalive)
	defer keepalive.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-keepalive.C:
			if !f.keepAlive() {
				return
			}
		case event, ok := <-events:
			if ok {
				f.hand(event)
				continue
			}
			// The hub let us fall behind: subscribe anew and read the gap from the log.
			unsubscribe()
			events, unsubscribe = f.server.Events.Subscribe(f.project)
			if !f.catchUp() {
				return
			}
		}
	}
}

// catchUp hands on what the log has after lastID, or RESYNC where the log no longer has it. It reports whether the stream can go on.
func (f *eventFeed) catchUp() bool {
	missed, lost, err := f.server.Store.EventsSince(f.project, f.lastID)
	if err != nil {
		f.server.Log.Error("read the event log", "error", err, "project", f.project)
		return false
	}
	if !lost && !f.garbled {
		for _, event := range missed {
			f.hand(event)
		}
		return true
	}
	f.garbled, f.lastID = false, 0 // an id from elsewhere must not hide what comes
	if n := len(missed); n > 0 {
		f.lastID = missed[n-1].ID
	}
	data, err := json.Marshal(map[string]string{"timestamp": timestamp(f.server.Store.Now())})
	if err != nil {
		return false
	}
	f.publish("RESYNC", data, f.lastID)
	return true
}

// hand passes one event on unless the client has it already.
func (f *eventFeed) hand(event store.Event) {
	if f.resume && event.ID <= f.lastID {
		return
	}
	f.lastID, f.resume = event.ID, true
	f.publish(event.Type, event.Data, event.ID)
}

// publish waits while the connection's stream is full, until the stream is removed.
func (f *eventFeed) publish(kind string, data []byte, id uint64) {
	f.server.streams.sse.Publish(f.connection, &sse.Event{Event: []byte(kind), Data: data, ID: strconv.AppendUint(nil, id, 10)})
}

// keepAlive sends a comment, and reports whether the caller is still signed in.
func (f *eventFeed) keepAlive() bool {
	if !f.server.stillThere(f.caller) {
		return false
	}
	f.server.streams.sse.TryPublish(f.connection, &sse.Event{Comment: []byte("keepalive")})
	return true
}

// frameWriter collects what the sse library writes between two flushes, puts the fields in the contract's order, and sends them
// under a deadline. After a failed write it swallows everything, so that the library can wind down.
type frameWriter struct {
	http.ResponseWriter
	pace      *pace
	frameTime time.Duration
	cancel    context.CancelFunc
	opened    chan struct{} // closed when the library has subscribed and sent the header
	began     bool
	failed    bool
	frame     bytes.Buffer
}

// Write collects.
func (w *frameWriter) Write(p []byte) (int, error) { return w.frame.Write(p) }

// Flush sends what was collected.
func (w *frameWriter) Flush() {
	frame := ordered(w.frame.Bytes())
	w.frame.Reset()
	if !w.began {
		frame = append([]byte("retry: "+retryMS+"\n\n"), frame...)
	}
	if !w.failed {
		w.failed = w.send(frame) != nil
	}
	if w.failed {
		w.cancel()
	}
	if !w.began {
		w.began = true
		close(w.opened)
	}
}

func (w *frameWriter) send(frame []byte) error {
	if err := w.pace.extend(w.frameTime); err != nil {
		return err
	}
	if _, err := w.ResponseWriter.Write(frame); err != nil {
		return err
	}
	return w.pace.control.Flush()
}

// ordered puts the lines of one frame into the order event, data, id.
func ordered(frame []byte) []byte {
	var event, id, rest []byte
	for _, line := range bytes.SplitAfter(frame, []byte("\n")) {
		switch {
		case bytes.HasPrefix(line, []byte("event: ")):
			event = line
		case bytes.HasPrefix(line, []byte("id: ")):
			id = line
		default:
			rest = append(rest, line...)
		}
	}
	if event == nil {
		return rest // a comment
	}
	data := bytes.TrimSuffix(rest, []byte("\n"))
	return bytes.Join([][]byte{event, data, id, []byte("\n")}, nil)
}
