// Package fault has the errors that a user can cause, with their kinds. The packages of the store
// return them; callers of the store use its names for them.
package fault

import (
	"fmt"
	"time"
)

// Kind classifies the errors that a user can cause. The server maps each kind to one HTTP status.
type Kind int

// Kinds of errors, with their HTTP status.
const (
	Invalid         Kind = iota + 1 // 400: the request breaks a rule
	Unauthenticated                 // 401: no user is signed in
	PaymentRequired                 // 402: not enough credits
	Forbidden                       // 403: belongs to another user, or not in the tier
	NotFound                        // 404: does not exist
	Conflict                        // 409: not possible in the current state
	Precondition                    // 412: unsupported protocol version
	TooLarge                        // 413: larger than allowed
	Misdirected                     // 421: sent to a host name that does not belong to the server
	Unprocessable                   // 422: the value is not valid
	RateLimited                     // 429: too many requests
	Unavailable                     // 503: not available for the moment
	StorageFull                     // 507: the disk is full
)

// FieldError describes the problem with one field of a request. Field is its JSON name.
type FieldError struct{ Field, Message string }

// Error is an error that a user can cause. All other errors of the store are internal.
type Error struct {
	Kind       Kind
	Code       string // stable, snake_case, for programs
	Message    string // sentences for people: what failed, why, and what to do
	Fields     []FieldError
	RetryAfter time.Duration // when to try again; 0 if that is unknown
	// UUIDs that the message is about, empty for most errors
	RunUUID     string // of the run that is in the way
	CreatedUUID string // of what an earlier request created
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// New returns an error with a formatted message.
func New(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Field returns an Unprocessable error of one field of a request.
func Field(field, format string, args ...any) *Error {
	e := New(Unprocessable, "unprocessable", format, args...)
	e.Fields = []FieldError{{Field: field, Message: e.Message}}
	return e
}

// Missing returns the NotFound error of an object, which it calls what.
func Missing(what string) *Error {
	return New(NotFound, "not_found", "This %s does not exist. It may have been deleted.", what)
}

// NotYours returns the Forbidden error of an object of another user.
func NotYours(what string) *Error {
	return New(Forbidden, "forbidden", "This %s belongs to another user.", what)
}
