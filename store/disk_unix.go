//go:build unix

package store

import (
	"errors"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// openAtOnce lets opening a pipe that nobody writes return.
const openAtOnce = unix.O_NONBLOCK

// freeBytes returns how much an ordinary user may still write on the disk that holds dir.
func freeBytes(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil //nolint:unconvert // Bsize has another type on other systems
}

// diskFull reports whether an error says that nothing more can be written: the disk, the user's
// share of it, or the largest file that the process may write is full. Why its file could not grow
// bbolt tells in text alone.
func diskFull(err error) bool {
	return slices.ContainsFunc([]unix.Errno{unix.ENOSPC, unix.EDQUOT, unix.EFBIG}, func(full unix.Errno) bool {
		return errors.Is(err, full) || strings.Contains(err.Error(), full.Error())
	})
}

// syncDir makes renames and removals in a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil {
		d.Close()
		return err
	}
	return d.Close()
}
