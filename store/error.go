package store

import (
	"errors"

	"roughcut/store/fault"
	"roughcut/store/table"
)

// Names of package fault.
type (
	// Error is an error that a user can cause. All other errors of this package are internal.
	Error = fault.Error
	// FieldError describes the problem with one field of a request.
	FieldError = fault.FieldError
	// Kind classifies the errors that a user can cause.
	Kind = fault.Kind
)

// Kinds of errors.
const (
	Invalid         = fault.Invalid
	Unauthenticated = fault.Unauthenticated
	PaymentRequired = fault.PaymentRequired
	Forbidden       = fault.Forbidden
	NotFound        = fault.NotFound
	Conflict        = fault.Conflict
	Precondition    = fault.Precondition
	TooLarge        = fault.TooLarge
	Misdirected     = fault.Misdirected
	Unprocessable   = fault.Unprocessable
	RateLimited     = fault.RateLimited
	Unavailable     = fault.Unavailable
	StorageFull     = fault.StorageFull
)

// Errors of Open.
var (
	// ErrInUse says that another process has the data directory open.
	ErrInUse = errors.New(
		"another roughcut process is using the data directory; stop it, or set DATA_DIR to another directory",
	)
	// ErrDamaged says that the database cannot be read.
	ErrDamaged = errors.New(
		"the data directory is damaged; check it with roughcut doctor, restore the latest backup into an empty " +
			"directory (roughcut restore FILE), or move roughcut.db and media/ away to start with an empty database",
	)
	// ErrNewer says that a newer version of Roughcut wrote the data.
	ErrNewer = errors.New(
		"a newer version of roughcut wrote the data directory; install that version, " +
			"or restore a backup from this version",
	)
)

// ErrStaleJob refuses the result of a job that was cancelled or finished, whose subject was
// deleted, or that another attempt holds.
var ErrStaleJob = errors.New("the lease of the job is no longer valid: the job was cancelled, deleted or retried")

// IsKind reports whether err is an error of a kind.
func IsKind(err error, kind Kind) bool {
	var e *Error
	return errors.As(userError(err), &e) && e.Kind == kind
}

func fail(kind Kind, code, format string, args ...any) *Error {
	return fault.New(kind, code, format, args...)
}

// conflict returns a Conflict error with the code conflict.
func conflict(format string, args ...any) *Error {
	return fail(Conflict, "conflict", format, args...)
}

func failField(field, format string, args ...any) *Error { return fault.Field(field, format, args...) }

func notFound(what string) *Error { return fault.Missing(what) }

func notYours(what string) *Error { return fault.NotYours(what) }

func storageFull() *Error {
	return fail(
		StorageFull,
		"storage_full",
		"The server's disk is full. Delete files that you no longer need, "+
			"or ask the operator for more space. Then try again.",
	)
}

// ErrDisk says that a disk reports errors. The *Error in the same chain tells users what to do.
var ErrDisk = errors.New("the disk reports errors")

// DiskErrorText tells users what to do when a disk reports errors.
const DiskErrorText = "The server's disk reported an error. Try again. If the error returns, ask the operator to " +
	"check the disk; the server log has the details."

// OpenFilesText tells users what to do when the system opens no more files for the process.
const OpenFilesText = "The server has too many files open. Try again in a moment. If the error returns, ask the " +
	"operator to raise the limit of open files; the server log has the details."

// diskError is an error of the disk.
type diskError struct {
	cause    error
	inEffect bool // of a transaction: its changes show until a power cut
}

func (e *diskError) Error() string { return e.cause.Error() }

func (e *diskError) Unwrap() []error {
	user := fail(Unavailable, "unavailable", "%s", DiskErrorText)
	if DiskFull(e.cause) {
		user = storageFull()
	}
	return []error{ErrDisk, user, e.cause}
}

// inEffect reports whether a transaction failed but its changes show until a power cut.
func inEffect(err error) bool {
	var disk *diskError
	return errors.As(err, &disk) && disk.inEffect
}

// MayHaveChanged reports whether a disk failed at a transaction, so that its changes may be in
// effect.
func MayHaveChanged(err error) bool {
	return inEffect(err) || (errors.Is(err, ErrDisk) && !IsKind(err, StorageFull))
}

// userError adds an *Error to an error of the disk, and turns a missing row and a full disk into an
// *Error. It returns any other error unchanged.
func userError(err error) error {
	var e *Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	var missing *table.NotFoundError
	if errors.As(err, &missing) {
		return notFound(missing.Noun)
	}
	if DiskFull(err) {
		return storageFull()
	}
	if DiskBroken(err) {
		return &diskError{cause: err}
	}
	return err
}
