package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate makes a file take size bytes of the disk.
func allocate(file *os.File, size int64) error {
	err := unix.Fallocate(int(file.Fd()), 0, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return writeRandom(file, size)
	}
	return err
}
