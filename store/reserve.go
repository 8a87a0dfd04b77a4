package store

import (
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
	"sync"
)

const (
	reserveFile  = "ballast"
	reserveBytes = 8 << 20  // most that one deletion adds to the database, with room to spare
	reserveStep  = 16 << 10 // the reserve comes this close to the largest size that fits
)

// diskReserve is a file that occupies disk space, so that deleting works on a full disk: the
// database has to write pages before files go away. The reserve is as large as the disk allows, at
// most reserveBytes.
type diskReserve struct {
	path string
	mu   sync.Mutex
	size int64 // bytes that the file has now
}

// newDiskReserve adopts the reserve in a data directory, if there is one.
func newDiskReserve(dir string) *diskReserve {
	r := &diskReserve{path: filepath.Join(dir, reserveFile)}
	if st, err := os.Lstat(r.path); err == nil && st.Mode().IsRegular() {
		r.size = st.Size()
	}
	return r
}

// fill grows the reserve to the largest size that the disk has room for. A full disk is not an
// error.
func (r *diskReserve) fill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.grow()
}

func (r *diskReserve) grow() {
	for step := reserveBytes - r.size; step >= reserveStep; step = min(step/2, reserveBytes-r.size) {
		if r.extend(step) == nil {
			r.size += step
		}
	}
}

// extend adds bytes to the reserve. If that fails, the reserve keeps its size.
func (r *diskReserve) extend(more int64) error {
	file, err := os.OpenFile(r.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := allocate(file, r.size, more); err != nil {
		_ = file.Truncate(r.size) // a longer file does no harm
		return err
	}

	return nil
}

// writeRandom writes bytes that no file system can compress at an offset of a file.
func writeRandom(file *os.File, offset, size int64) error {
	if _, err := io.CopyN(io.NewOffsetWriter(file, offset), rand.Reader, size); err != nil {
		return err
	}
	return file.Sync()
}

// spend deletes the reserve, runs fn, and makes a reserve of the space that fn has left.
func (r *diskReserve) spend(fn func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := removeIfExists(r.path); err != nil {
		return err
	}
	r.size = 0
	defer r.grow()
	return fn()
}

// updateOnReserve is update for a transaction that deletes, ends work, or lets a person sign in to
// delete. On a full disk it spends the reserve. It may call fn twice, so fn must only assign to
// variables outside.
func (s *Store) updateOnReserve(fn func(*txn) error) error { return s.retryOnReserve(s.update, fn) }

// batchOnReserve is updateOnReserve for transactions that may share one commit, as batch does.
func (s *Store) batchOnReserve(fn func(*txn) error) error { return s.retryOnReserve(s.batch, fn) }

// retryOnReserve runs fn, and if the disk is full, runs it again in the space of the reserve.
func (s *Store) retryOnReserve(run func(func(*txn) error) error, fn func(*txn) error) error {
	err := run(fn)
	if !IsKind(err, StorageFull) || inEffect(err) {
		return err
	}
	return s.reserve.spend(func() error { return run(fn) })
}
