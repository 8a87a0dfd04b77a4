//go:build unix

package store

import (
	"errors"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// openNonblock keeps os.OpenFile from waiting for the writer of a pipe.
const openNonblock = unix.O_NONBLOCK

// FreeBytes returns the bytes that an ordinary user can still write on the disk of a folder.
func FreeBytes(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil //nolint:unconvert // the type of Bsize depends on the system
}

// DiskFull reports whether an error means that no more can be written: the disk is full, or the
// user's quota or the process's file size limit is reached. bbolt reports the cause only as text.
func DiskFull(err error) bool { return causedBy(err, unix.ENOSPC, unix.EDQUOT, unix.EFBIG) }

// DiskBroken reports whether an error means that the disk failed to read or write.
func DiskBroken(err error) bool { return causedBy(err, unix.EIO) }

// TooManyFiles reports whether an error means that the system opens no more files for now.
func TooManyFiles(err error) bool { return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) }

func causedBy(err error, causes ...unix.Errno) bool {
	return err != nil && slices.ContainsFunc(causes, func(cause unix.Errno) bool {
		return errors.Is(err, cause) || strings.Contains(err.Error(), cause.Error())
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
