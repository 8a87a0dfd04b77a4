package store

import (
	"errors"

	win "golang.org/x/sys/windows"
)

// openAtOnce lets opening a pipe return, which it does by itself here.
const openAtOnce = 0

// freeBytes returns how much the user may still write on the disk that holds dir.
func freeBytes(dir string) (int64, error) {
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

// diskFull reports whether an error says that nothing more can be written.
func diskFull(err error) bool {
	return errors.Is(err, win.ERROR_DISK_FULL) || errors.Is(err, win.ERROR_HANDLE_DISK_FULL)
}

// syncDir has nothing to do: NTFS journals renames, and folders cannot be flushed there.
func syncDir(string) error { return nil }
