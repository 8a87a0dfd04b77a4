package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"roughcut/store"
)

// statuses is the one table from what a user can cause to the status that answers it.
var statuses = map[store.Kind]int{
	store.Invalid:         http.StatusBadRequest,
	store.Unauthenticated: http.StatusUnauthorized,
	store.PaymentRequired: http.StatusPaymentRequired,
	store.Forbidden:       http.StatusForbidden,
	store.NotFound:        http.StatusNotFound,
	store.Conflict:        http.StatusConflict,
	store.Precondition:    http.StatusPreconditionFailed,
	store.TooLarge:        http.StatusRequestEntityTooLarge,
	store.Unprocessable:   http.StatusUnprocessableEntity,
	store.RateLimited:     http.StatusTooManyRequests,
	store.Unavailable:     http.StatusServiceUnavailable,
	store.StorageFull:     http.StatusInsufficientStorage,
}

// problem is the body of an error after RFC 9457.
type problem struct {
	Type       string         `json:"type"`
	Title      string         `json:"title"`
	Status     int            `json:"status"`
	Detail     string         `json:"detail"`
	Code       string         `json:"code"`
	Errors     []fieldProblem `json:"errors,omitzero"` // nil but for 422, where there may be no field to name
	retryAfter time.Duration
}

type fieldProblem struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

func internalProblem() problem {
	return problem{
		Status: http.StatusInternalServerError,
		Code:   "internal",
		Detail: "Something went wrong on the server; the operator finds it in the log by the id of this request. Try again.",
	}
}

func notFoundProblem() problem {
	return problem{Status: http.StatusNotFound, Code: "not_found", Detail: "There is nothing at this address."}
}

func methodProblem(method string) problem {
	return problem{
		Status: http.StatusMethodNotAllowed,
		Code:   "method_not_allowed",
		Detail: fmt.Sprintf("This address does not answer to %s.", method),
	}
}

// refuse makes an error that a user can cause.
func refuse(kind store.Kind, code, format string, args ...any) *store.Error {
	return &store.Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// refuseField makes the error of one field of a request.
func refuseField(field, message string) *store.Error {
	return &store.Error{
		Kind:    store.Unprocessable,
		Code:    "unprocessable",
		Message: fmt.Sprintf("%s: %s.", field, message),
		Fields:  []store.FieldError{{Field: field, Message: message}},
	}
}

// problemOf says how an error is answered, and whether it is a fault of ours.
func problemOf(err error, method string) (p problem, fault bool) {
	var user *store.Error
	if errors.As(err, &user) {
		if status, ok := statuses[user.Kind]; ok {
			p = problem{Status: status, Code: user.Code, Detail: user.Message, retryAfter: user.RetryAfter}
			for _, f := range user.Fields {
				p.Errors = append(p.Errors, fieldProblem{f.Field, f.Message})
			}
			return p, false
		}
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return problem{
			Status: http.StatusRequestEntityTooLarge,
			Code:   "too_large",
			Detail: fmt.Sprintf("The request is larger than %d bytes.", tooLarge.Limit),
		}, false
	}
	var beyond *json.UnmarshalTypeError
	if errors.As(err, &beyond) {
		return problemOf(
			refuseField(
				orBody(beyond.Field),
				"must be a number that 64 bits hold, a whole one without a point or an exponent",
			),
			method,
		)
	}
	var routing *echo.HTTPError
	if errors.As(err, &routing) {
		switch routing.Code {
		case http.StatusNotFound:
			return notFoundProblem(), false
		case http.StatusMethodNotAllowed:
			return methodProblem(method), false
		case http.StatusBadRequest, http.StatusUnsupportedMediaType:
			return problem{
				Status: http.StatusUnprocessableEntity,
				Code:   "unprocessable",
				Detail: "The request could not be read: " + fmt.Sprint(routing.Message),
			}, false
		}
	}
	return internalProblem(), true
}

// handleError answers an error of a handler or middleware; it is the only place where an internal
// fault is logged.
func (s *Server) handleError(err error, c echo.Context) {
	r := c.Request()
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the client is gone
	}
	p, fault := problemOf(err, r.Method)
	if fault {
		s.Log.Error(
			"request failed",
			"error",
			err,
			"method",
			r.Method,
			"route",
			c.Path(),
			"request_id",
			factsOf(r.Context()).id,
		)
	}
	if c.Response().Committed {
		return
	}
	writeProblem(c.Response(), p)
}

// writeProblem writes an error body. Type and title are filled in here.
func writeProblem(w http.ResponseWriter, p problem) {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	if p.Status == http.StatusUnprocessableEntity && p.Errors == nil {
		p.Errors = []fieldProblem{}
	}
	if p.Status == http.StatusTooManyRequests && p.retryAfter < time.Second {
		p.retryAfter = time.Second
	}
	if p.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(p.retryAfter.Seconds()))))
	}
	body, err := json.Marshal(p)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(body, '\n')) // a client that is gone needs no answer
}
