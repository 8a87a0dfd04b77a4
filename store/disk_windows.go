package store

import (
	"errors"

	win "golang.org/x/sys/windows"
)

// openNonblock is not needed on Windows, where opening a pipe does not wait.
const openNonblock = 0

// FreeBytes returns the bytes that the user can still write on the disk of a folder.
func FreeBytes(dir string) (int64, error) {
	path, err := win.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	if err := win.GetDiskFreeSpaceEx(path, &free, nil, nil); err != nil {
		return 0, err
	}
	return int64(free), nil
}

// DiskFull reports whether an error means that no more can be written.
func DiskFull(err error) bool {
	return errors.Is(err, win.ERROR_DISK_FULL) || errors.Is(err, win.ERROR_HANDLE_DISK_FULL)
}

// DiskBroken reports whether an error means that the disk failed to read or write.
func DiskBroken(err error) bool {
	return errors.Is(err, win.ERROR_CRC) || errors.Is(err, win.ERROR_IO_DEVICE)
}

// TooManyFiles reports whether an error means that the system opens no more files for now.
func TooManyFiles(err error) bool { return errors.Is(err, win.ERROR_TOO_MANY_OPEN_FILES) }

// syncDir does nothing: NTFS journals renames, and Windows cannot flush folders.
func syncDir(string) error { return nil }
