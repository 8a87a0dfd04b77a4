package server

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

const (
	opening   = "retry: 3000\n\n" // begins every stream: how soon a client comes back, in milliseconds
	lastChunk = "0\r\n\r\n"       // ends a chunked body
	endTime   = time.Second       // to say that a stream is over
	frameKept = 4 << 10           // bytes; the room of larger frames is given back
)

// eventConn is the connection of one event stream, taken over from net/http. To the sse library it
// is the http.ResponseWriter: it collects what is written between two flushes, puts the fields in
// the contract's order, and sends them as one chunk under a deadline. After a failed write it
// swallows everything, so that the library can wind down.
type eventConn struct {
	net.Conn
	ctx       context.Context // of the stream
	cancel    context.CancelFunc
	pace      *pace
	frameTime time.Duration // to write one frame
	chunked   bool          // to a client of HTTP/1.0 the end of the connection is the end of the stream
	unsent    []byte        // head of the answer and the opening of the stream, until the first flush
	opened    chan struct{} // closed by the first flush, when the library has subscribed
	began     bool
	failed    bool
	torn      bool // a frame went out in part
	frame     bytes.Buffer
	sent      int64 // bytes of the stream
}

// takeOver takes the connection of a request from net/http and prepares the head of an answer that
// goes on until ctx ends: the header that the stages before have set, and what net/http adds of
// itself.
func takeOver(
	ctx context.Context,
	response *echo.Response,
	r *http.Request,
	frameTime time.Duration,
) (*eventConn, error) {
	w := &eventConn{frameTime: frameTime, chunked: r.ProtoAtLeast(1, 1), opened: make(chan struct{})}
	header, version := response.Header().Clone(), "HTTP/1.0"
	header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	if w.chunked {
		version = "HTTP/1.1"
		header.Set("Transfer-Encoding", "chunked")
	}
	header.Set("Connection", "keep-alive")
	if r.Close || !w.chunked {
		header.Set("Connection", "close")
	}
	head := bytes.NewBufferString(version + " 200 OK\r\n")
	if err := header.Write(head); err != nil {
		return nil, fmt.Errorf("write the head of a stream: %w", err)
	}
	head.WriteString("\r\n")
	head.Write(w.chunk([]byte(opening)))
	w.unsent, w.sent = head.Bytes(), int64(len(opening))
	var err error
	if w.Conn, _, err = response.Hijack(); err != nil {
		return nil, fmt.Errorf("take the connection of a stream over: %w", err)
	}
	w.ctx, w.cancel = context.WithCancel(ctx)
	w.pace = newPace(w.ctx, w.Conn)
	return w, nil
}

// Header takes what the library sets, which the head says already.
func (w *eventConn) Header() http.Header { return http.Header{} }

// WriteHeader does nothing: the head is ready.
func (w *eventConn) WriteHeader(int) {}

// Write collects.
func (w *eventConn) Write(p []byte) (int, error) { return w.frame.Write(p) }

// Flush sends what was collected.
func (w *eventConn) Flush() {
	frame := ordered(w.frame.Bytes())
	if !w.failed {
		w.failed = w.send(frame) != nil
	}
	if w.failed {
		w.cancel()
	}
	if w.frame.Reset(); w.frame.Cap() > frameKept {
		w.frame = bytes.Buffer{}
	}
	if !w.began {
		w.began = true
		close(w.opened)
	}
}

func (w *eventConn) send(frame []byte) error {
	if err := w.pace.extend(w.frameTime); err != nil {
		return err
	}
	if err := w.put(w.chunk(frame)); err != nil {
		return err
	}
	w.sent += int64(len(frame))
	return nil
}

// put writes bytes after those that are still unsent.
func (w *eventConn) put(p []byte) error {
	p = append(w.unsent, p...)
	n, err := w.Conn.Write(p)
	if err != nil {
		w.torn = w.torn || n > 0
		return err
	}
	w.unsent = nil
	return nil
}

// chunk puts a frame into the form in which it is sent.
func (w *eventConn) chunk(frame []byte) []byte {
	if !w.chunked || len(frame) == 0 {
		return frame
	}
	return fmt.Appendf(nil, "%x\r\n%s\r\n", len(frame), frame)
}

// watch returns when the client has left, or end was called. What a client says after its request
// is nothing to a stream.
func (w *eventConn) watch() {
	defer w.cancel()
	said := make([]byte, 64)
	for {
		if _, err := w.Read(said); err != nil {
			return
		}
	}
}

// end tells the client that the stream is over, unless a frame broke off, and closes the
// connection.
func (w *eventConn) end() {
	w.pace.close()
	if !w.torn {
		_ = w.SetWriteDeadline(time.Now().Add(endTime))
		if w.chunked {
			_ = w.put([]byte(lastChunk))
		} else {
			_ = w.put(nil)
		}
	}
	_ = w.Close()
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
