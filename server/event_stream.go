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

// eventStreams serves the event streams. Each connection has its own stream in the sse server, so a
// stalled one does not delay the others.
//
// The sse library interprets the Last-Event-ID header and writes the fields of a frame in another
// order than the contract. The surrounding code corrects both. Replay comes from the store's log.
type eventStreams struct {
	server    *Server
	sse       *sse.Server
	frameTime time.Duration // for writing one frame; a slower client is disconnected and may resume
}

func newEventStreams(s *Server) *eventStreams {
	registry := sse.New()
	registry.AutoReplay = false
	registry.BufferSize = 64 // of each connection; its feed waits while the buffer is full
	return &eventStreams{server: s, sse: registry, frameTime: 10 * time.Second}
}

// streamEvents sends a project's events until the client leaves, its session ends, the project is
// deleted, or the server closes. After all checks it hijacks the connection and continues in the
// background. This frees the goroutine of the request and its stack.
func (s *Server) streamEvents(c echo.Context) error {
	r := c.Request()
	f := infoOf(r.Context())
	header := c.Response().Header()
	header.Set("X-Accel-Buffering", "no")
	if f.head {
		announceEvents(header)
		return c.NoContent(http.StatusOK)
	}

	ctx, leave, err := s.transfers.join(context.Background(), transferOwner{
		user:    f.caller.user.UUID,
		session: f.caller.session.Hash,
		project: c.Param("project_uuid"),
	})
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

// announceEvents sets the header of a stream.
func announceEvents(header http.Header) {
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache")
}

// lastEventID returns the last event that a resuming client has received. garbled reports an ID
// that this server never sent.
func lastEventID(r *http.Request) (id uint64, resume, garbled bool) {
	text := strings.TrimSpace(r.Header.Get("Last-Event-ID"))
	if text == "" {
		return 0, false, false
	}
	id, err := strconv.ParseUint(text, 10, 64)
	return id, true, err != nil
}

// eventFeed sends the events of a project to one connection, in order and without duplicates.
type eventFeed struct {
	server     *Server
	project    string
	connection string
	request    string // request ID, for the log
	caller     caller
	lastID     uint64 // of the last event sent
	resume     bool   // whether lastID is set
	garbled    bool
}

// serve sends events until the context of the connection ends.
func (f *eventFeed) serve(out *eventConn) {
	var workers sync.WaitGroup
	registry := f.server.streams.sse
	defer func() {
		out.cancel()
		registry.RemoveStream(f.connection) // unblocks a feed that waits for buffer space
		out.end()
		workers.Wait()
	}()
	workers.Go(out.watch)
	registry.CreateStream(f.connection)
	events, unsubscribe := f.server.Events.Subscribe(f.project)
	workers.Go(func() {
		defer out.cancel()
		defer f.server.recoverBackgroundPanic(f.request)
		f.run(out.ctx, out.opened, events, unsubscribe)
	})
	request := &http.Request{URL: &url.URL{RawQuery: "stream=" + url.QueryEscape(f.connection)}}
	registry.ServeHTTP(out, request.WithContext(out.ctx))
}

// run forwards events until ctx ends. It starts after the connection has subscribed to its stream.
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
				f.deliver(event)
				continue
			}

			// The hub dropped this slow subscriber: subscribe again and read the gap from the log.
			unsubscribe()
			events, unsubscribe = f.server.Events.Subscribe(f.project)
			if !f.catchUp() {
				return
			}
		}
	}
}

// catchUp sends the log after lastID, or RESYNC if the log no longer reaches back to lastID. It
// reports whether the stream can continue.
func (f *eventFeed) catchUp() bool {
	missed, lost, err := f.server.Store.EventsSince(f.project, f.lastID)
	if err != nil {
		f.server.Log.Error("reading event log failed", "error", err, "project", f.project)
		return false
	}

	if !lost && !f.garbled {
		for _, event := range missed {
			f.deliver(event)
		}
		return true
	}

	f.garbled, f.lastID = false, 0 // an ID from another server must not suppress new events
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

// deliver sends one event unless the client already has it.
func (f *eventFeed) deliver(event store.Event) {
	if f.resume && event.ID <= f.lastID {
		return
	}
	f.lastID, f.resume = event.ID, true
	f.publish(event.Type, event.Data, event.ID)
}

// publish blocks while the buffer of the connection is full, until the stream is removed.
func (f *eventFeed) publish(kind string, data []byte, id uint64) {
	f.server.streams.sse.Publish(
		f.connection,
		&sse.Event{Event: []byte(kind), Data: data, ID: strconv.AppendUint(nil, id, 10)},
	)
}

// keepAlive sends a comment and reports whether the caller is still signed in and the project still
// exists.
func (f *eventFeed) keepAlive() bool {
	if !f.server.stillThere(f.caller) || f.server.Store.Access(f.caller.user.UUID, "project", f.project) != nil {
		return false
	}
	f.server.streams.sse.TryPublish(f.connection, &sse.Event{Comment: []byte("keepalive")})
	return true
}
