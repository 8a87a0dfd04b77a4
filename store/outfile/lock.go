package outfile

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"github.com/gofrs/flock"
)

// lockSuffix ends the names of the files that carry locks.
const lockSuffix = ".lock"

// lockTries bounds how often lock opens a file that the owner of the lock has just removed.
const lockTries = 100

// Lock reserves a file for this process until unlock, or until the process ends. On file systems
// without locks it does nothing. Errors: ErrBusy; errors of the file system.
func Lock(path string) (unlock func(), err error) {
	unlock, _, err = lock(path)
	return unlock, err
}

// lock is Lock that also reports whether the file system has locks. The lock is on a separate file,
// and unlock removes that file. The temporary file cannot carry the lock, because Windows lets no
// other handle write to a locked file.
func lock(path string) (unlock func(), held bool, err error) {
	name := hiddenPath(path) + lockSuffix
	for range lockTries {
		l := flock.New(name, flock.SetPermissions(newMode))
		ok, err := l.TryLock()
		switch {
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK):
			_ = os.Remove(name)
			return func() {}, false, nil
		case err != nil && runtime.GOOS == "windows" && errors.Is(err, os.ErrPermission):
			continue // the owner of the lock removes the file
		case err != nil:
			return nil, false, err
		case !ok:
			return nil, false, ErrBusy
		}

		locked, err := l.Stat()
		current, lost := os.Lstat(name)
		if err == nil && lost == nil && os.SameFile(locked, current) {
			return func() { release(l) }, true, nil
		}
		_ = l.Close() // the owner has removed this file, so the next process does not see its lock
	}

	return nil, false, fmt.Errorf("%s cannot be locked; delete it", name)
}

// release removes the file of a lock. A process that has opened it notices that it is gone. Windows
// removes no open file, so it fails there if another process has the file open, which then removes
// it.
func release(l *flock.Flock) {
	if runtime.GOOS != "windows" {
		_ = os.Remove(l.Path())
	}
	_ = l.Close()
	if runtime.GOOS == "windows" {
		_ = os.Remove(l.Path())
	}
}
