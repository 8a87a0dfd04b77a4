package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"roughcut/server/auth"
	"roughcut/server/problem"
	"roughcut/store"
)

const (
	uploadTime   = 60 * time.Second // for the next bytes of an upload
	uploadBuffer = 256 << 10
	// Limits on reading and discarding a body after the response to an error. Closing the
	// connection at once could lose the response of a client that is still sending.
	drainBytes = 64 << 20
	drainTime  = 10 * time.Second
)

// upload stores the body of a PUT. An interrupted upload leaves nothing behind.
func (s *Server) upload(c echo.Context) error {
	body := &rollingReader{body: c.Request().Body, control: http.NewResponseController(c.Response().Writer)}
	if err := s.receiveUpload(c, body); err != nil {
		refuseUpload(c, body, err)
		return nil
	}

	_ = body.control.SetWriteDeadline(time.Now().Add(responseTime))
	return c.NoContent(http.StatusOK)
}

func (s *Server) receiveUpload(c echo.Context, body *rollingReader) error {
	claims, err := s.claims(c, auth.Upload)
	if err != nil {
		return err
	}
	target, err := s.Store.OpenUpload(claims.Object)
	if err != nil {
		return err
	}
	defer func() { _ = target.Abort() }() // no effect after Commit
	r := c.Request()
	ctx, leave, err := s.transfers.join(r.Context(), transferOwner{user: claims.User, upload: true})
	if err != nil {
		return err
	}
	defer leave()
	if r.ContentLength > 0 {
		if err := target.DeclareSize(r.ContentLength); err != nil {
			return err
		}
	}

	buffer := make([]byte, uploadBuffer)
	for {
		n, readErr := body.Read(buffer)
		if ctx.Err() != nil && r.Context().Err() == nil {
			return errBadAddress // the account's sessions have ended
		}
		if n > 0 {
			if _, err := target.Write(buffer[:n]); err != nil {
				return err
			}
		}

		if errors.Is(readErr, io.EOF) {
			break
		}
		if readErr != nil {
			return problem.Errorf(
				store.Invalid,
				"validation_error",
				"The upload stopped after %d bytes. Send it again.",
				body.count,
			)
		}
	}

	if r.ContentLength >= 0 && body.count != r.ContentLength {
		return problem.Errorf(
			store.Invalid,
			"validation_error",
			"The upload has %d bytes instead of the declared %d. Send it again.",
			body.count,
			r.ContentLength,
		)
	}

	if err := target.Commit(); err != nil {
		return fmt.Errorf("store an upload: %w", err)
	}
	return nil
}

// rollingReader reads a body with a new deadline for each read.
type rollingReader struct {
	body    io.Reader
	control *http.ResponseController
	count   int64
}

func (b *rollingReader) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(uploadTime))
	n, err := b.body.Read(p)
	b.count += int64(n)
	return n, err
}

// refuseUpload responds to an upload with an error and then discards the rest of the body, within
// limits. It skips clients that wait for 100 Continue.
func refuseUpload(c echo.Context, body *rollingReader, err error) {
	_ = body.control.EnableFullDuplex() // otherwise net/http reads a short rest before it responds
	_ = body.control.SetWriteDeadline(time.Now().Add(responseTime))
	c.Response().Header().Set("Connection", "close")
	c.Error(err)
	_ = body.control.Flush()
	if body.count == 0 && c.Request().Header.Get("Expect") != "" {
		return
	}
	_ = body.control.SetReadDeadline(time.Now().Add(drainTime))
	_, _ = io.CopyN(io.Discard, body.body, drainBytes)
}
