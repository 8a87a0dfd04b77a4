package store

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	bolt "go.etcd.io/bbolt"

	"roughcut/store/table"
)

// txn is one transaction, with the work of the store to do after its commit. A txn must not outlive
// the function that update, batch or view calls. That function must not wait for a file, the
// network or media work.
type txn struct {
	table.Tx
	s *Store

	drops     []string // keys of files whose row was deleted
	dropParts []string // file ids of resumable uploads that were dropped
	wakeIndex bool

	actor     string         // uuid of the user whose access was checked; empty for the program
	written   []written      // rows of tables with Undoable, and the changes of noteChange
	writtenAt map[string]int // indices in written, by table and key
}

// update runs fn in a write transaction.
func (s *Store) update(fn func(*txn) error) error {
	var t *txn
	err := s.exclusively(func() error {
		return s.write(func(tx *bolt.Tx) error {
			t = s.begin(tx)
			return fn(t)
		})
	})
	return s.endTxn(t, err)
}

// view runs fn in a read transaction.
func (s *Store) view(fn func(*txn) error) error {
	return userError(s.guard(func() error {
		return s.db.View(func(tx *bolt.Tx) error { return fn(s.begin(tx)) })
	}))
}

// updated runs fn in a write transaction and returns its result.
func updated[T any](s *Store, fn func(*txn) (T, error)) (T, error) { return resultOf(s.update, fn) }

// viewed runs fn in a read transaction and returns its result.
func viewed[T any](s *Store, fn func(*txn) (T, error)) (T, error) { return resultOf(s.view, fn) }

// resultOf runs fn in a transaction that run starts, such as Store.updateOnReserve, and returns its
// result, the zero value after an error.
func resultOf[T any](
	run func(func(*txn) error) error, fn func(*txn) (T, error),
) (result T, err error) {
	err = run(func(t *txn) (err error) {
		result, err = fn(t)
		return err
	})
	if err != nil {
		return *new(T), err
	}
	return result, nil
}

// viewedPage runs fn in a read transaction and returns one page of a list and the number of all.
func viewedPage[T any](s *Store, fn func(*txn) ([]T, int, error)) (list []T, total int, err error) {
	err = s.view(func(t *txn) (err error) {
		list, total, err = fn(t)
		return err
	})
	return list, total, err
}

func (s *Store) begin(tx *bolt.Tx) *txn {
	t := &txn{s: s}
	t.Tx = table.Tx{
		Tx:      tx,
		Cache:   s.cache,
		Now:     s.Now(),
		NewID:   s.o.NewID,
		Room:    math.MaxInt,
		Changed: t.noteSearchable,
		Wrote:   t.noteWrite,
	}
	return t
}

// endTxn does the work that a transaction left for after its commit. Files that were dropped stay
// if the commit may be undone; the next start removes them.
func (s *Store) endTxn(t *txn, err error) error {
	if err != nil && !inEffect(err) {
		return userError(err)
	}
	t.Committed()
	if t.wakeIndex {
		s.index.Wake()
	}
	if err != nil {
		return userError(err)
	}
	s.removeParts(t.dropParts)
	if err := s.unlinkFiles(t.drops); err != nil {
		s.o.Log.Warn("cannot remove a deleted file; the next start removes it", "error", err)
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

// wakeOnCommit leaves a token in a channel after the commit.
func (t *txn) wakeOnCommit(c chan struct{}) { t.OnCommit(func() { wake(c) }) }

// unlinkFiles removes files that have tombstones, then the tombstones.
func (s *Store) unlinkFiles(keys []string) error {
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
		if strings.HasPrefix(k, "clips/") { // a linked clip has no original here, but may have chunks
			if err := s.dropChunks(footageID(k)); err != nil {
				faults = append(faults, fmt.Errorf("removing the chunks of %s: %w", k, err))
			}
		}

		s.removeFolder(k)
	}

	s.removal.RUnlock()
	err := s.batch(func(t *txn) error {
		for _, k := range gone {
			if err := t.Bucket([]byte(bucketTombstones)).Delete([]byte(k)); err != nil {
				return err
			}
		}

		return nil
	})
	return errors.Join(append(faults, err)...)
}
