package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate makes a file take size bytes of the disk at an offset.
func allocate(file *os.File, offset, size int64) error {
	err := unix.Fallocate(int(file.Fd()), 0, offset, size)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return writeRandom(file, offset, size)
	}
	return err
}
