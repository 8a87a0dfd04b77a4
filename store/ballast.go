package store

import (
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
	"sync"
)

const (
	ballastFile  = "ballast"
	ballastBytes = 8 << 20  // most that one deletion adds to the database, with room to spare
	ballastStep  = 16 << 10 // the ballast comes this close to the largest size that fits
)

// ballast is a file that holds disk space back, so that deleting works on a full disk: the database
// has to write pages before files go away. It is as large as the disk allows, at most ballastBytes.
type ballast struct {
	path string
	mu   sync.Mutex
	size int64 // bytes that the file holds now
}

// newBallast adopts the ballast in a data directory, if there is one.
func newBallast(dir string) *ballast {
	b := &ballast{path: filepath.Join(dir, ballastFile)}
	if st, err := os.Lstat(b.path); err == nil && st.Mode().IsRegular() {
		b.size = st.Size()
	}
	return b
}

// fill grows the ballast to the largest size that the disk has room for. A full disk is not an
// error.
func (b *ballast) fill() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.grow()
}

func (b *ballast) grow() {
	for step := ballastBytes - b.size; step >= ballastStep; step = min(step/2, ballastBytes-b.size) {
		if b.allocate(step) == nil {
			b.size += step
		}
	}
}

// allocate reserves more bytes of the disk for the file. If that fails, the file keeps its size.
func (b *ballast) allocate(more int64) error {
	file, err := os.OpenFile(b.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := allocate(file, b.size, more); err != nil {
		_ = file.Truncate(b.size) // a longer file does no harm
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

// without frees the space of the ballast, runs fn, and takes back the space that fn has left.
func (b *ballast) without(fn func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := removeIfExists(b.path); err != nil {
		return err
	}
	b.size = 0
	defer b.grow()
	return fn()
}

// free is update for a transaction that deletes, ends work, or lets a person sign in to delete. On
// a full disk it uses the ballast. It may call fn twice, so fn must only assign to variables
// outside.
func (s *Store) free(fn func(*txn) error) error { return s.onFullDisk(s.update, fn) }

// freeBatch is free for transactions that may share one commit, as batch does.
func (s *Store) freeBatch(fn func(*txn) error) error { return s.onFullDisk(s.batch, fn) }

func (s *Store) onFullDisk(run func(func(*txn) error) error, fn func(*txn) error) error {
	err := run(fn)
	if !IsKind(err, StorageFull) || inEffect(err) {
		return err
	}
	return s.ballast.without(func() error { return run(fn) })
}
