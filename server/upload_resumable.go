package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/tus/tusd/v2/pkg/handler"
	"github.com/tus/tusd/v2/pkg/memorylocker"
	"golang.org/x/exp/slog" // tusd accepts no other logger

	"roughcut/server/auth"
	"roughcut/server/problem"
	"roughcut/store"
)

// tusRequests handles requests of the tus protocol on an upload address: OPTIONS, HEAD and PATCH.
// The presign operation has already created the upload with its declared size, so tus creates none.
// A new request interrupts the one that still holds the upload, as a client with a lost connection
// needs.
type tusRequests struct {
	protocol *handler.UnroutedHandler
}

func newTus(maxBytes int64) (*tusRequests, error) {
	parts := handler.NewStoreComposer()
	parts.UseCore(transfers{})
	memorylocker.New().UseIn(parts)
	protocol, err := handler.NewUnroutedHandler(handler.Config{
		StoreComposer: parts, MaxSize: maxBytes, NetworkTimeout: uploadTime, Cors: &handler.CorsConfig{Disable: true},
		GracefulRequestCompletionTimeout: time.Nanosecond, // no other code waits for its context
		Logger:                           slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	return &tusRequests{protocol}, err
}

// resumeUpload handles a request of the tus protocol. It checks the token each time, and the
// request ends with the account's sessions.
func (s *Server) resumeUpload(c echo.Context) error {
	r := c.Request()
	body := &rollingReader{body: r.Body, control: http.NewResponseController(c.Response().Writer)}
	err := s.serveTus(c, body)
	if r.Method == http.MethodPatch && err != nil {
		refuseUpload(c, body, err)
		return nil
	}

	_ = body.control.SetWriteDeadline(time.Now().Add(responseTime))
	return err
}

func (s *Server) serveTus(c echo.Context, body *rollingReader) error {
	claims, err := s.claims(c, auth.Upload)
	if err != nil {
		return err
	}
	r := c.Request()
	ctx, leave, err := s.transfers.join(r.Context(), transferOwner{user: claims.User, upload: true})
	if err != nil {
		return err
	}
	defer leave()
	t := &transfer{store: s.Store, fileID: claims.Object, live: ctx, gone: r.Context()}
	r = r.Clone(context.WithValue(ctx, transferKey{}, t))
	r.URL.Path = "/" + claims.Object // the upload's name in the protocol
	r.Body = struct {
		io.Reader
		io.Closer
	}{body, r.Body}
	response := &tusResponse{ResponseWriter: c.Response()}
	s.tus.protocol.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			s.tus.protocol.PatchFile(w, r)
		} else {
			s.tus.protocol.HeadFile(w, r)
		}
	})).ServeHTTP(response, r)
	switch {
	case t.err != nil:
		return t.err
	case response.refused != 0:
		return tusRefusal(response.refused, t.begun)
	}

	return nil
}

// tusRefusal converts an error of the tus library into a problem.
func tusRefusal(status int, begun bool) error {
	switch {
	case status == http.StatusPreconditionFailed:
		return problem.Errorf(store.Precondition, "unsupported_version", "Send the header Tus-Resumable: 1.0.0.")
	case status == http.StatusConflict:
		return problem.Conflictf(
			"The upload has another offset. Request it with HEAD and continue from there.",
		)
	case status == http.StatusRequestEntityTooLarge:
		return problem.Errorf(store.TooLarge, "too_large", "The upload exceeds the declared size of the file.")
	case begun || status == http.StatusInternalServerError || status == http.StatusServiceUnavailable:
		return problem.Errorf(
			store.Unavailable,
			"unavailable",
			"The upload was interrupted. Request the offset with HEAD and continue from there.",
		)
	}

	return problem.Errorf(
		store.Invalid,
		"validation_error",
		"Send Content-Type: application/offset+octet-stream and the Upload-Offset from HEAD, without Upload-Length.",
	)
}

// tusResponse passes the responses of the tus library on and replaces its errors with problems.
type tusResponse struct {
	http.ResponseWriter
	refused int // status of an error
}

// WriteHeader passes a status on.
func (r *tusResponse) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		r.refused = status
		r.Header().Del("Content-Length")
		r.Header().Set("Tus-Version", "1.0.0")
		return
	}

	r.Header().Del("Tus-Extension") // only presign creates uploads
	r.ResponseWriter.WriteHeader(status)
}

// Write passes the body of a response on.
func (r *tusResponse) Write(p []byte) (int, error) {
	if r.refused != 0 {
		return len(p), nil
	}
	return r.ResponseWriter.Write(p)
}

// Unwrap lets the tus library set deadlines.
func (r *tusResponse) Unwrap() http.ResponseWriter { return r.ResponseWriter }

type transferKey struct{}

// errNoRoute is the error of interface methods that no route reaches.
var errNoRoute = errors.New("no route leads to this request")

// transfers finds the transfer of a request.
type transfers struct{}

// NewUpload is never called, because no route creates uploads.
func (transfers) NewUpload(context.Context, handler.FileInfo) (handler.Upload, error) {
	return nil, errNoRoute
}

// GetUpload returns the upload of the token in the request.
func (transfers) GetUpload(ctx context.Context, _ string) (handler.Upload, error) {
	t, _ := ctx.Value(transferKey{}).(*transfer)
	if t == nil {
		return nil, handler.ErrNotFound
	}
	return t, nil
}

// transfer is one request on one upload.
type transfer struct {
	store  *store.Store
	fileID string
	live   context.Context // ends with the account's sessions
	gone   context.Context // ends when the client leaves
	size   int64           // declared size in bytes
	begun  bool            // the request reads bytes
	err    error           // the error for the client if the tus library does not know it
}

// GetInfo returns the offset of the upload. If all bytes have arrived but storing the file failed
// for lack of space or a crash, GetInfo stores it now.
func (t *transfer) GetInfo(context.Context) (handler.FileInfo, error) {
	size, offset, stored, err := t.store.UploadState(t.fileID)
	if err == nil && offset == size && !stored {
		err = t.finish()
	}
	if t.err = err; err != nil {
		return handler.FileInfo{}, err
	}
	t.size = size
	return handler.FileInfo{ID: t.fileID, Size: size, Offset: offset}, nil
}

func (t *transfer) finish() error {
	up, err := t.store.ResumeUpload(t.fileID)
	if err != nil {
		return err
	}
	return up.Commit()
}

// WriteChunk appends bytes and keeps those that arrived before an interruption. It stores the file
// once it is complete.
func (t *transfer) WriteChunk(_ context.Context, offset int64, src io.Reader) (n int64, err error) {
	t.begun = true
	defer func() { t.err = err }()
	up, err := t.store.ResumeUpload(t.fileID)
	if err != nil {
		return 0, err
	}
	if err = up.DeclareSize(t.size); err == nil {
		n, err = t.receive(up, src)
	}
	if err == nil && offset+n == t.size {
		return n, up.Commit()
	}
	return n, errors.Join(err, up.Abort())
}

func (t *transfer) receive(up *store.Upload, src io.Reader) (n int64, err error) {
	buffer := make([]byte, uploadBuffer)
	for {
		got, readErr := src.Read(buffer)
		if t.live.Err() != nil && t.gone.Err() == nil {
			return n, errBadAddress // the account's sessions have ended
		}
		if got > 0 {
			wrote, err := up.Write(buffer[:got])
			n += int64(wrote)
			if err != nil {
				return n, err
			}
		}

		if readErr != nil {
			return n, nil // the tus library reports why the body ended early
		}
	}
}

// FinishUpload does nothing, because the last chunk has stored the file.
func (t *transfer) FinishUpload(context.Context) error { return nil }

// GetReader is never called, because no route serves uploads.
func (t *transfer) GetReader(context.Context) (io.ReadCloser, error) {
	return nil, errNoRoute
}
