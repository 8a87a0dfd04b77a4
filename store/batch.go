package store

import (
	"errors"
	"sync"

	bolt "go.etcd.io/bbolt"
)

// group collects the calls of batch that wait for their turn. The first of them that gets the
// writer runs them all in one transaction. bbolt has a batch as well, which commits in a goroutine
// that no caller can guard.
type group struct {
	mu      sync.Mutex
	waiting []*call
}

// call is one call of batch.
type call struct {
	fn   func(*txn) error
	t    *txn
	err  error
	done chan struct{} // closed when t and err are set by another call
}

// errAlone says that a call failed in a shared transaction and runs again alone.
var errAlone = errors.New("this call has to run alone")

// batch runs fn in a write transaction that it may share with other calls, which is several times
// faster under load. It may call fn more than once, so fn must only assign to variables outside.
func (s *Store) batch(fn func(*txn) error) error {
	c := &call{fn: fn, done: make(chan struct{})}
	s.group.mu.Lock()
	s.group.waiting = append(s.group.waiting, c)
	s.group.mu.Unlock()
	select {
	case s.writer <- struct{}{}:
		s.runGroup()
	case <-c.done:
	case <-s.damage.found:
		return s.damage.err
	}

	<-c.done
	if errors.Is(c.err, errAlone) {
		return s.update(fn)
	}
	return s.endTxn(c.t, c.err)
}

// runGroup runs all calls that wait, and gives up the writer.
func (s *Store) runGroup() {
	s.group.mu.Lock()
	calls := s.group.waiting
	s.group.waiting = nil
	s.group.mu.Unlock()
	defer func() { <-s.writer }()
	for len(calls) > 0 {
		failed := -1
		err := s.guard(func() error {
			return s.write(func(tx *bolt.Tx) error {
				for i, c := range calls {
					c.t = s.begin(tx)
					if err := c.try(); err != nil {
						failed = i
						return err
					}
				}

				return nil
			})
		})
		if failed >= 0 && s.Damage() == nil {
			calls[failed].err = errAlone
			close(calls[failed].done)
			calls = append(calls[:failed], calls[failed+1:]...)
			continue
		}

		for _, c := range calls {
			c.err = err
			close(c.done)
		}

		return
	}
}

// try calls the function of a call. A panic of the function becomes errAlone, so that it panics
// again in the goroutine of its caller.
func (c *call) try() (err error) {
	ended := false
	defer func() {
		if !ended && !panicsOverData() {
			_ = recover()
			err = errAlone
		}
	}()
	err = c.fn(c.t)
	ended = true
	return err
}
