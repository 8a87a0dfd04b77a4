package store

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"roughcut/store/table"
)

// txn is one transaction, with what is to happen once it is committed. No txn outlives the function
// that store.update, store.batch or store.view calls, and nothing in such a function waits for a
// file, the network or media work.
type txn struct {
	*bolt.Tx
	s   *Store
	now time.Time // UTC, whole milliseconds: what this transaction calls now

	drops       []string // keys of files that lost their row
	dropParts   []string // ids of files whose resumable upload was dropped
	cancels     []string // jobs whose work shall stop
	recuts      []string // projects whose cuts have changed
	wakeJobs    bool
	wakeImports bool
	wakeMails   bool
	wakeIndex   bool

	read map[string]*bolt.Bucket // those that a reading transaction has opened
}

// Bucket is bolt's, which looks a bucket up anew each time that a reading transaction asks for it.
func (t *txn) Bucket(name []byte) *bolt.Bucket {
	if t.Writable() {
		return t.Tx.Bucket(name)
	}
	b, ok := t.read[string(name)]
	if !ok {
		if b = t.Tx.Bucket(name); t.read == nil {
			t.read = map[string]*bolt.Bucket{}
		}
		t.read[string(name)] = b
	}
	return b
}

// Cache returns the rows that were decoded recently.
func (t *txn) Cache() *table.Cache { return t.s.cache }

// update runs fn in a writing transaction of its own.
func (s *Store) update(fn func(*txn) error) error {
	var t *txn
	err := s.db.Update(func(tx *bolt.Tx) error {
		t = s.begin(tx)
		return fn(t)
	})
	return s.end(t, err)
}

// batch runs fn in a writing transaction that it may share with others, which is several times
// faster under load. fn may run more than once: it must only assign to what is outside.
func (s *Store) batch(fn func(*txn) error) error {
	var t *txn
	err := s.db.Batch(func(tx *bolt.Tx) error {
		t = s.begin(tx)
		return fn(t)
	})
	return s.end(t, err)
}

// view runs fn in a reading transaction.
func (s *Store) view(fn func(*txn) error) error {
	return userError(s.db.View(func(tx *bolt.Tx) error { return fn(s.begin(tx)) }))
}

func (s *Store) begin(tx *bolt.Tx) *txn { return &txn{Tx: tx, s: s, now: s.Now()} }

// end does what a transaction left to be done after its commit.
func (s *Store) end(t *txn, err error) error {
	if err != nil {
		return userError(err)
	}
	if t.wakeJobs {
		wake(s.jobQueued)
	}
	if t.wakeImports {
		wake(s.importQueued)
	}
	if t.wakeMails {
		wake(s.mailQueued)
	}
	if t.wakeIndex {
		s.index.Wake()
	}
	for _, job := range t.cancels {
		select {
		case s.cancellations <- job:
		default: // nobody reads: the worker learns it from JobCancelled
		}
	}
	for _, project := range t.recuts {
		select {
		case s.edited <- project:
		default: // nobody reads: nothing is prepared for it
		}
	}
	s.removeParts(t.dropParts)
	if err := s.unlink(t.drops); err != nil {
		s.o.Log.Warn("a deleted file could not be removed; it will be at the next start", "error", err)
	}
	return nil
}

// wake leaves one token in a channel of capacity one.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// unlink removes files whose rows are tombstones, then the tombstones.
func (s *Store) unlink(keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	var faults []error
	var gone []string
	s.removal.RLock()
	for _, k := range keys {
		if err := os.Remove(s.FilePath(k)); err != nil && !errors.Is(err, os.ErrNotExist) {
			faults = append(faults, fmt.Errorf("removing %s: %w", k, err))
			continue
		}
		gone = append(gone, k)
		if strings.HasPrefix(k, "clips/") { // the original itself may lie elsewhere
			if err := s.dropChunks(footageID(k)); err != nil {
				faults = append(faults, fmt.Errorf("removing what was made of %s: %w", k, err))
			}
		}
		s.removeFolder(k)
	}
	s.removal.RUnlock()
	err := s.db.Batch(func(tx *bolt.Tx) error {
		for _, k := range gone {
			if err := tx.Bucket([]byte(bucketTombstones)).Delete([]byte(k)); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(append(faults, err)...)
}
