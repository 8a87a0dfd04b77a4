package store

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"roughcut/store/pages"
)

// damage records that the open database is damaged. bbolt panics on damaged pages and may keep its
// locks, so no further transaction can start.
type damage struct {
	once  sync.Once
	found chan struct{} // closed by set
	err   error         // a *damagedError; readable once found is closed
}

// damagedError is the error of every transaction after the damage showed. Operators read ErrDamaged
// with the details, clients of the server an *Error.
type damagedError struct{ details string }

func (e *damagedError) Error() string { return fmt.Sprintf("%v (%s)", ErrDamaged, e.details) }

func (e *damagedError) Unwrap() []error {
	return []error{ErrDamaged, fail(
		Unavailable, "unavailable", "The server's database is damaged, so the server stops. "+
			"Ask the operator to restore a backup.",
	)}
}

// Damaged returns a channel that is closed when the database turns out to be damaged. After that
// every method fails with Damage, and the process should end.
func (s *Store) Damaged() <-chan struct{} { return s.damage.found }

// Damage returns an error that wraps ErrDamaged, or nil while no damage has shown.
func (s *Store) Damage() error {
	select {
	case <-s.damage.found:
		return s.damage.err
	default:
		return nil
	}
}

// setDamaged records the first damage and logs the stack of the access that found it.
func (s *Store) setDamaged(details string, stack []byte) error {
	s.damage.once.Do(func() {
		s.damage.err = &damagedError{details}
		close(s.damage.found)
		s.o.Log.Error("the database is damaged", "details", details, "stack", string(stack))
	})
	return s.damage.err
}

// guard runs fn, which reads or writes the database, unless the database is damaged. A panic of
// bbolt and a fault in the mapped file become a damagedError. Other panics pass through.
func (s *Store) guard(fn func() error) (err error) {
	if err := s.Damage(); err != nil {
		return err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	ended := false
	defer func() {
		if ended || !panicsOverData() {
			return
		}
		stack := debug.Stack()
		err = s.setDamaged(fmt.Sprint(recover()), stack)
	}()
	err = fn()
	ended = true
	if errors.Is(err, berrors.ErrChecksum) || errors.Is(err, berrors.ErrInvalid) {
		err = s.setDamaged(err.Error(), nil)
	}
	return err
}

// panicsOverData reports whether the current panic comes from bbolt or from an access to memory at
// an invalid address, which is the mapped database. Deferred functions call it before they recover.
func panicsOverData() bool {
	var callers [256]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for panicking, more := false, true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		switch name := frame.Function; {
		case name == "runtime.panicmemAddr":
			return true // nil pointers have other frames
		case name == "runtime.gopanic":
			panicking = true
		case strings.HasPrefix(name, "runtime."), !panicking:
		case strings.HasPrefix(name, "go.etcd.io/bbolt"):
			return true
		default:
			panicking = false // code of others panics; look for an earlier panic
		}
	}

	return false
}

// exclusively runs fn while no write transaction runs.
func (s *Store) exclusively(fn func() error) error {
	select {
	case s.writer <- struct{}{}:
	case <-s.damage.found:
		return s.damage.err
	}

	defer func() { <-s.writer }()
	return s.guard(fn)
}

// write runs fn in a write transaction. The caller runs exclusively. If only the last flush of a
// transaction fails, bbolt returns an error, but the transaction is in effect until a power cut.
// The error is then a diskError that says so.
func (s *Store) write(fn func(tx *bolt.Tx) error) error {
	if err := pages.CheckHead(s.file); err != nil {
		return s.setDamaged(err.Error(), nil)
	}
	number := 0
	fault := s.db.Update(func(tx *bolt.Tx) error {
		number = tx.ID()
		return fn(tx)
	})
	if fault == nil {
		return nil
	}
	last := 0
	if err := s.db.View(func(tx *bolt.Tx) error { last = tx.ID(); return nil }); err != nil || last < number {
		return fault
	}
	s.o.Log.Error("a change of the database could not be flushed; a power cut would undo it", "error", fault)
	return &diskError{cause: fault, inEffect: true}
}
