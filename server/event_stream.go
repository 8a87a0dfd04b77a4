package server

import (
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

// eventStreams serves the event streams. Each connection has a stream of its own in the sse server,
// so that one that stalls holds up nobody else.
//
// The sse library reads the Last-Event-ID header as its own and writes the fields of a frame in
// another order than the contract; both are put right around it. Replay comes from the store's log.
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

// streamEvents sends a project's events until the client leaves, its session ends, or the server
// closes. Once everything is checked it takes the connection over and goes on beside the request,
// whose goroutine, with the stack that all checks needed, ends.
func (s *Server) streamEvents(c echo.Context) error {
	r := c.Request()
	f := infoOf(r.Context())
	header := c.Response().Header()
	header.Set("X-Accel-Buffering", "no")
	if f.head {
		announceEvents(header)
		return c.NoContent(http.StatusOK)
	}
	ctx, leave, err := s.transfers.join(
		context.Background(),
		transferOwner{user: f.caller.user.UUID, session: f.caller.session.Hash},
	)
	if err != nil {
		return err
	}
	announceEvents(header)
	out, err := takeOver(ctx, c.Response(), r, s.streams.frameTime)
	if err != nil {
		leave()
		return err
	}
	feed := &eventFeed{
		server:     s,
		project:    c.Param("project_uuid"),
		connection: s.Store.NewID(),
		request:    f.id,
		caller:     f.caller,
	}
	feed.lastID, feed.resume, feed.garbled = lastEventID(r)
	method := r.Method
	f.streaming = true
	go func() {
		defer leave()
		defer func() { s.requestEnded(method, f, http.StatusOK, out.sent) }()
		defer s.recoverBackgroundPanic(f.id)
		feed.serve(out)
	}()
	return nil
}

// announceEvents sets what a header says of a stream.
func announceEvents(header http.Header) {
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache")
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
	request    string // its id, for the log
	caller     caller
	lastID     uint64 // of the last event that was handed on
	resume     bool   // whether lastID means something yet
	garbled    bool
}

// serve sends the events until the context of the connection ends.
func (f *eventFeed) serve(out *eventConn) {
	var beside sync.WaitGroup
	registry := f.server.streams.sse
	defer func() {
		out.cancel()
		registry.RemoveStream(f.connection) // unblocks a feed that waits for room
		out.end()
		beside.Wait()
	}()
	beside.Go(out.watch)
	registry.CreateStream(f.connection)
	events, unsubscribe := f.server.Events.Subscribe(f.project)
	beside.Go(func() {
		defer out.cancel()
		defer f.server.recoverBackgroundPanic(f.request)
		f.run(out.ctx, out.opened, events, unsubscribe)
	})
	request := &http.Request{URL: &url.URL{RawQuery: "stream=" + url.QueryEscape(f.connection)}}
	registry.ServeHTTP(out, request.WithContext(out.ctx))
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

// catchUp hands on what the log has after lastID, or RESYNC where the log no longer has it. It
// reports whether the stream can go on.
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
	f.server.streams.sse.Publish(
		f.connection,
		&sse.Event{Event: []byte(kind), Data: data, ID: strconv.AppendUint(nil, id, 10)},
	)
}

// keepAlive sends a comment, and reports whether the caller is still signed in.
func (f *eventFeed) keepAlive() bool {
	if !f.server.stillThere(f.caller) {
		return false
	}
	f.server.streams.sse.TryPublish(f.connection, &sse.Event{Comment: []byte("keepalive")})
	return true
}
