package store

import (
	"errors"
	"fmt"
	"time"

	"roughcut/store/table"
)

// Kind sorts what a user can cause. The server maps each kind to one status.
type Kind int

// The kinds, with the status that each is answered with.
const (
	Invalid         Kind = iota + 1 // a broken rule: 400
	Unauthenticated                 // nobody is signed in: 401
	PaymentRequired                 // not enough credits: 402
	Forbidden                       // not yours, or not in your plan: 403
	NotFound                        // no such thing: 404
	Conflict                        // not in this state: 409
	Precondition                    // a protocol version that is not spoken: 412
	TooLarge                        // more bytes than allowed: 413
	Unprocessable                   // a value that makes no sense: 422
	RateLimited                     // later: 429
	Unavailable                     // for the moment: 503
	StorageFull                     // the disk is full: 507
)

// FieldError says what is wrong with one field of a request, named as in JSON.
type FieldError struct{ Field, Message string }

// Error is what a user can cause. Everything else that store returns is an internal fault.
type Error struct {
	Kind       Kind
	Code       string // stable, snake_case, for machines
	Message    string // a sentence that a person can act on
	Fields     []FieldError
	RetryAfter time.Duration // for RateLimited and Unavailable: when it is worth trying again
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Errors of Open.
var (
	// ErrInUse says that another process has the data directory open.
	ErrInUse = errors.New(
		"the data directory is in use by another roughcut; stop it first, or give this one its own DATA_DIR",
	)
	// ErrDamaged says that the database cannot be read.
	ErrDamaged = errors.New(
		"the data directory is damaged; restore the newest backup into an empty directory (roughcut restore FILE), or move roughcut.db aside together with media/ to start anew",
	)
	// ErrNewer says that a newer version of the program has written the data.
	ErrNewer = errors.New(
		"the data directory was written by a newer roughcut; install that version, or restore a backup made by this one",
	)
)

// ErrStaleJob refuses the result of a job that was cancelled, deleted, finished, or handed to a
// later attempt.
var ErrStaleJob = errors.New("the job is no longer this worker's: it was cancelled, deleted or tried again")

// IsKind reports whether err is an *Error of the given kind.
func IsKind(err error, kind Kind) bool {
	var e *Error
	return errors.As(userError(err), &e) && e.Kind == kind
}

func fail(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

func failField(field, format string, args ...any) *Error {
	e := fail(Unprocessable, "unprocessable", format, args...)
	e.Fields = []FieldError{{Field: field, Message: e.Message}}
	return e
}

func notFound(what string) *Error {
	return fail(NotFound, "not_found", "There is no such %s; it may have been deleted.", what)
}

func notYours(what string) *Error {
	return fail(Forbidden, "forbidden", "This %s belongs to another user.", what)
}

func storageFull() *Error {
	return fail(
		StorageFull,
		"storage_full",
		"The server's disk is full. Delete what you no longer need, or ask the operator for more space, then try again.",
	)
}

// userError turns the fault of a full disk into what a user can act on, and leaves every other
// error as it is.
func userError(err error) error {
	var e *Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	var missing *table.NotFoundError
	if errors.As(err, &missing) {
		return notFound(missing.Noun)
	}
	if diskFull(err) {
		return storageFull()
	}
	return err
}
