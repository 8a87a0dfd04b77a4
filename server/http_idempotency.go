package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"roughcut/server/contract"
	"roughcut/server/problem"
	"roughcut/store"
)

// Headers of requests that can be sent again, as in draft-ietf-httpapi-idempotency-key-header.
const (
	idempotencyHeader = "Idempotency-Key"
	replayedHeader    = "Idempotent-Replayed"
)

var idempotencyPattern = regexp.MustCompile(`^[!-~]{1,255}$`)

// idempotencyKey returns the key of a request, "" without the header. The draft wants quotation
// marks around it; most clients send none. Errors: Unprocessable for anything that is no key.
func idempotencyKey(h http.Header) (string, error) {
	values := h.Values(idempotencyHeader)
	if len(values) == 0 {
		return "", nil
	}
	key := values[0]
	if unquoted, ok := strings.CutPrefix(key, `"`); ok && strings.HasSuffix(unquoted, `"`) {
		key = strings.TrimSuffix(unquoted, `"`)
	}
	if len(values) > 1 || !idempotencyPattern.MatchString(key) {
		return "", problem.FieldError(idempotencyHeader, "must be one text of 1 to 255 visible ASCII characters")
	}
	return key, nil
}

// replay sends the kept response to a request whose key its account has used before. It lets only
// one request with a key pass at a time. It comes before checkResources, because the first request
// may have removed what the path names.
func (s *Server) replay(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		op, f := operationOf(c), infoOf(c.Request().Context())
		if op == nil || !op.TakesKey {
			return next(c)
		}
		key, err := idempotencyKey(c.Request().Header)
		if err != nil {
			return err
		}
		if key == "" {
			return next(c)
		}
		used := f.caller.user.UUID + " " + key
		if _, running := s.keysInUse.LoadOrStore(used, true); running {
			return &store.Error{
				Kind: store.Conflict, Code: "request_in_progress", RetryAfter: time.Second,
				Message: "The first request with this Idempotency-Key is still running. Send it again in a moment.",
			}
		}

		defer s.keysInUse.Delete(used)
		first, err := s.Store.Response(f.caller.user.UUID, key)
		if err != nil {
			return err
		}
		if first != nil {
			return repeat(c, first)
		}
		f.idempotencyKey = key
		return next(c)
	}
}

// repeat sends the kept response to the first request with a key. Errors: Unprocessable key_reused;
// Conflict response_unknown, response_not_kept.
func repeat(c echo.Context, first *store.Response) error {
	hash := requestHash(c.Request())
	if _, err := io.Copy(hash, c.Request().Body); err != nil {
		return err
	}
	switch {
	case !bytes.Equal(hash.Sum(nil), first.Request):
		return problem.Errorf(
			store.Unprocessable, "key_reused",
			"Another request had this Idempotency-Key: its path, query or body was different. Use a new key for each "+
				"request.",
		)
	case first.Status == 0:
		return problem.Errorf(
			store.Conflict, "response_unknown",
			"The first request with this Idempotency-Key ended without a response, because the server stopped or "+
				"failed. It may have acted. Look at what has changed. If the request is still needed, send it with a "+
				"new key.",
		)
	case first.Created != "":
		return &store.Error{
			Kind: store.Conflict, Code: "response_not_kept", CreatedUUID: first.Created,
			Message: "The first request with this Idempotency-Key succeeded, but its response held a secret, which " +
				"is shown only once. Revoke " + first.Created + " and create another one with a new key.",
		}
	}

	h := c.Response().Header()
	h.Set(replayedHeader, "true")
	if first.ContentType != "" {
		h.Set(echo.HeaderContentType, first.ContentType)
	}
	c.Response().WriteHeader(first.Status)
	_, _ = c.Response().Write(first.Body) // fails only when the client has left
	return nil
}

// requestHash returns the hash of a request without its body, to which the caller writes the body.
func requestHash(r *http.Request) hash.Hash {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s?%s\n", r.Method, contract.TrimPath(r.URL.Path), r.URL.RawQuery)
	return sum
}

// keepResponse keeps the response to a request with a key. It notes the request before the
// operation acts, so that a retry after a crash does not act twice.
func (s *Server) keepResponse(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		f := infoOf(c.Request().Context())
		if f.idempotencyKey == "" {
			return next(c)
		}
		body, err := io.ReadAll(c.Request().Body)
		if err != nil {
			return err
		}
		c.Request().Body = io.NopCloser(bytes.NewReader(body))
		hash := requestHash(c.Request())
		_, _ = hash.Write(body)
		response := store.Response{UserUUID: f.caller.user.UUID, Key: f.idempotencyKey, Request: hash.Sum(nil)}
		if err := s.Store.BeginResponse(response.UserUUID, response.Key, response.Request); err != nil {
			return err
		}

		// The operation ends also if the client leaves, so that its response is known.
		c.SetRequest(c.Request().WithContext(context.WithoutCancel(c.Request().Context())))
		copied := &copiedResponse{ResponseWriter: c.Response().Writer}
		c.Response().Writer = copied
		failed := next(c)
		if failed != nil {
			s.handleError(failed, c)
		}
		if err := s.endResponse(c, response, copied.body.Bytes(), failed); err != nil {
			s.Log.Error("a response was not kept", "error", err, "request_id", f.id)
		}
		return nil
	}
}

// endResponse keeps the response that was sent, or forgets the request if it has changed nothing.
// After a fault of the server, which may have come after a change, the note stays as it is.
func (s *Server) endResponse(c echo.Context, response store.Response, body []byte, failed error) error {
	status := c.Response().Status
	switch {
	case failed != nil && changedNothing(failed):
		return s.Store.ForgetResponse(response.UserUUID, response.Key)
	case !c.Response().Committed || status >= http.StatusInternalServerError:
		return nil
	}

	response.Status, response.ContentType = status, c.Response().Header().Get(echo.HeaderContentType)
	response.Body = body
	if operationOf(c).Secret && status < http.StatusBadRequest {
		var created struct{ UUID string }
		if err := json.Unmarshal(body, &created); err != nil {
			return err
		}
		response.Created, response.Body = created.UUID, nil
	}

	return s.Store.EndResponse(response)
}

// changedNothing reports whether an operation failed before it changed anything, for a reason that
// passes.
func changedNothing(err error) bool {
	passes := store.IsKind(err, store.RateLimited) || store.IsKind(err, store.Unavailable) ||
		store.IsKind(err, store.StorageFull)
	return passes && !store.MayHaveChanged(err)
}

// copiedResponse copies the body of a response.
type copiedResponse struct {
	http.ResponseWriter
	body bytes.Buffer
}

// Write writes a part of the body.
func (w *copiedResponse) Write(p []byte) (int, error) {
	w.body.Write(p)
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController find the connection.
func (w *copiedResponse) Unwrap() http.ResponseWriter { return w.ResponseWriter }
