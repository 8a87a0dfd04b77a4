// Package problem owns the error bodies of the service, which follow RFC 9457, and the one table
// that maps error kinds of the store to HTTP statuses.
package problem

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"roughcut/store"
)

// ContentType is the content type of error bodies.
const ContentType = "application/problem+json"

// Challenge is the header WWW-Authenticate of responses with the status 401, which RFC 9110 wants
// there. It makes no browser ask for a password.
const Challenge = `Bearer realm="Roughcut"`

// maxResponseBytes bounds the body that Read accepts.
const maxResponseBytes = 1 << 20

// statuses maps each kind of error that a user can cause to its HTTP status.
var statuses = map[store.Kind]int{
	store.Invalid:         http.StatusBadRequest,
	store.Unauthenticated: http.StatusUnauthorized,
	store.PaymentRequired: http.StatusPaymentRequired,
	store.Forbidden:       http.StatusForbidden,
	store.NotFound:        http.StatusNotFound,
	store.Conflict:        http.StatusConflict,
	store.Precondition:    http.StatusPreconditionFailed,
	store.TooLarge:        http.StatusRequestEntityTooLarge,
	store.Misdirected:     http.StatusMisdirectedRequest,
	store.Unprocessable:   http.StatusUnprocessableEntity,
	store.RateLimited:     http.StatusTooManyRequests,
	store.Unavailable:     http.StatusServiceUnavailable,
	store.StorageFull:     http.StatusInsufficientStorage,
}

// Problem is an error body. Write fills in Type and Title.
type Problem struct {
	Type   string  `json:"type"`
	Title  string  `json:"title"`
	Status int     `json:"status"`
	Detail string  `json:"detail"`
	Code   string  `json:"code"`
	Errors []Field `json:"errors,omitzero"` // nil unless the status is 422
	// UUIDs that the detail is about
	RunUUID     string        `json:"run_uuid,omitempty"`
	CreatedUUID string        `json:"created_uuid,omitempty"`
	RetryAfter  time.Duration `json:"-"` // 0: the response has no Retry-After header
}

// Field describes the error of one field of a request.
type Field struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Internal returns the problem for a fault of the server.
func Internal() Problem {
	return Problem{
		Status: http.StatusInternalServerError,
		Code:   "internal",
		Detail: "The server failed to answer. Try again. The operator can find the cause in the log by the request ID.",
	}
}

// NotFound returns the problem for an address that does not exist.
func NotFound() Problem {
	return Problem{Status: http.StatusNotFound, Code: "not_found", Detail: "This address does not exist."}
}

// MethodNotAllowed returns the problem for an address that does not accept a method.
func MethodNotAllowed(method string) Problem {
	return Problem{
		Status: http.StatusMethodNotAllowed,
		Code:   "method_not_allowed",
		Detail: fmt.Sprintf("This address does not accept the method %s.", method),
	}
}

// Errorf returns an error that a user can cause.
func Errorf(kind store.Kind, code, format string, args ...any) *store.Error {
	return &store.Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Conflictf returns a Conflict error with the code conflict.
func Conflictf(format string, args ...any) *store.Error {
	return Errorf(store.Conflict, "conflict", format, args...)
}

// NotFoundf returns a NotFound error with the code not_found.
func NotFoundf(format string, args ...any) *store.Error {
	return Errorf(store.NotFound, "not_found", format, args...)
}

// Unprocessablef returns an Unprocessable error that concerns the whole request.
func Unprocessablef(format string, args ...any) *store.Error {
	return Errorf(store.Unprocessable, "unprocessable", format, args...)
}

// FieldError returns the error of one field of a request. An empty field stands for the whole body.
// The message follows the field's name, as in "must not be blank".
func FieldError(field, message string) *store.Error {
	field = FieldOrBody(field)
	return &store.Error{
		Kind:    store.Unprocessable,
		Code:    "unprocessable",
		Message: fmt.Sprintf("%s: %s.", field, message),
		Fields:  []store.FieldError{{Field: field, Message: message}},
	}
}

// FieldOrBody returns field, or "body" if field is empty.
func FieldOrBody(field string) string {
	if field == "" {
		return "body"
	}
	return field
}

// Of returns the problem that answers an error. internal reports a fault of the server, which the
// caller must log.
func Of(err error) (p Problem, internal bool) {
	var user *store.Error
	if errors.As(err, &user) {
		if status, ok := statuses[user.Kind]; ok {
			p = Problem{
				Status: status, Code: user.Code, Detail: user.Message, RetryAfter: user.RetryAfter,
				RunUUID: user.RunUUID, CreatedUUID: user.CreatedUUID,
			}
			for _, f := range user.Fields {
				p.Errors = append(p.Errors, Field{f.Field, f.Message})
			}
			return p, errors.Is(err, store.ErrDisk)
		}
	}

	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return Problem{
			Status: http.StatusRequestEntityTooLarge,
			Code:   "too_large",
			Detail: fmt.Sprintf("The request is larger than %d MB. Send a smaller one.", tooLarge.Limit>>20),
		}, false
	}

	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) {
		return Of(
			FieldError(mistyped.Field, "must be a number that fits 64 bits, whole and without a point or an exponent"),
		)
	}

	if store.TooManyFiles(err) {
		p, _ = Of(Errorf(store.Unavailable, "unavailable", "%s", store.OpenFilesText))
		return p, true
	}

	return Internal(), true
}

// Write answers a request with a problem.
func Write(w http.ResponseWriter, p Problem) {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	if p.Status == http.StatusUnprocessableEntity && p.Errors == nil {
		p.Errors = []Field{}
	}
	if p.Status == http.StatusTooManyRequests && p.RetryAfter < time.Second {
		p.RetryAfter = time.Second
	}
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", Challenge)
	}
	if p.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(p.RetryAfter.Seconds()))))
	}
	body, err := json.Marshal(p)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}

	w.Header().Set("Content-Type", ContentType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(body, '\n')) // fails only when the client has left
}

// Read returns the error that a response with an error status reports.
func Read(response *http.Response) error {
	var p Problem
	err := json.NewDecoder(io.LimitReader(response.Body, maxResponseBytes)).Decode(&p)
	if err != nil || p.Detail == "" {
		return fmt.Errorf("the server responded with %s", response.Status)
	}
	for kind, status := range statuses {
		if status == p.Status {
			return Errorf(kind, p.Code, "%s", p.Detail)
		}
	}

	return errors.New(p.Detail)
}
