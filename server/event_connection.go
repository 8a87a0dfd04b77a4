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
	opening   = "retry: 3000\n\n" // starts every stream: the client's reconnection delay in milliseconds
	lastChunk = "0\r\n\r\n"       // ends a chunked body
	endTime   = time.Second       // to send the end of a stream
	frameKept = 4 << 10           // bytes; buffers of larger frames are released
)

// eventConn is the connection of one event stream, hijacked from net/http. The sse library uses it
// as its http.ResponseWriter. eventConn collects writes until a flush, orders the fields as the
// contract says, and sends them as one chunk under a deadline. After a failed write it discards
// everything, so that the library can finish.
type eventConn struct {
	net.Conn
	ctx       context.Context // of the stream
	cancel    context.CancelFunc
	pace      *pace
	frameTime time.Duration // for writing one frame
	chunked   bool          // an HTTP/1.0 client sees the end of the stream as the end of the connection
	unsent    []byte        // response header and start of the stream, until the first flush
	opened    chan struct{} // closed by the first flush, after which the library has subscribed
	began     bool
	failed    bool
	torn      bool // a frame was sent only in part
	frame     bytes.Buffer
	sent      int64 // bytes sent on the stream
}

// takeOver hijacks the connection of a request from net/http and prepares a response header for a
// stream that lasts until ctx ends. The header contains the fields that middleware has set and
// those that net/http adds.
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
		return nil, fmt.Errorf("write the header of an event stream: %w", err)
	}
	head.WriteString("\r\n")
	head.Write(w.chunk([]byte(opening)))
	w.unsent, w.sent = head.Bytes(), int64(len(opening))
	var err error
	if w.Conn, _, err = response.Hijack(); err != nil {
		return nil, fmt.Errorf("hijack the connection of an event stream: %w", err)
	}
	w.ctx, w.cancel = context.WithCancel(ctx)
	w.pace = newPace(w.ctx, w.Conn)
	return w, nil
}

// Header accepts the fields of the library, which the prepared header already contains.
func (w *eventConn) Header() http.Header { return http.Header{} }

// WriteHeader does nothing, because the header is already prepared.
func (w *eventConn) WriteHeader(int) {}

// Write buffers p until Flush.
func (w *eventConn) Write(p []byte) (int, error) { return w.frame.Write(p) }

// Flush sends the buffered frame.
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
	if err := w.writeAfterHeader(w.chunk(frame)); err != nil {
		return err
	}
	w.sent += int64(len(frame))
	return nil
}

// writeAfterHeader writes bytes after the unsent header.
func (w *eventConn) writeAfterHeader(p []byte) error {
	p = append(w.unsent, p...)
	n, err := w.Conn.Write(p)
	if err != nil {
		w.torn = w.torn || n > 0
		return err
	}

	w.unsent = nil
	return nil
}

// chunk encodes a frame for sending.
func (w *eventConn) chunk(frame []byte) []byte {
	if !w.chunked || len(frame) == 0 {
		return frame
	}
	return fmt.Appendf(nil, "%x\r\n%s\r\n", len(frame), frame)
}

// watch returns when the client has left or end was called. It discards whatever a client sends
// after its request.
func (w *eventConn) watch() {
	defer w.cancel()
	said := make([]byte, 64)
	for {
		if _, err := w.Read(said); err != nil {
			return
		}
	}
}

// end tells the client that the stream is over and closes the connection. After an incomplete frame
// it only closes the connection.
func (w *eventConn) end() {
	w.pace.close()
	if !w.torn {
		_ = w.SetWriteDeadline(time.Now().Add(endTime))
		if w.chunked {
			_ = w.writeAfterHeader([]byte(lastChunk))
		} else {
			_ = w.writeAfterHeader(nil)
		}
	}

	_ = w.Close()
}

// ordered sorts the lines of one frame: event, data, id.
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
		return rest // comment
	}
	data := bytes.TrimSuffix(rest, []byte("\n"))
	return bytes.Join([][]byte{event, data, id, []byte("\n")}, nil)
}
