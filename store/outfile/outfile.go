// Package outfile writes videos, timelines and backups into folders that other programs and people
// also use. A file gets its name only when it is complete, and until then the file that it replaces
// stays. Only one process writes a file at a time.
package outfile

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Errors of Claim, Write and File.Commit. They do not contain the path.
var (
	ErrBusy       = errors.New("another Roughcut process is writing this file")
	ErrExists     = errors.New("the file already exists")
	ErrNotRegular = errors.New("this is not a regular file")
)

// Options say how a file is written.
type Options struct {
	Replace bool // an existing file; without it, Claim and Commit return ErrExists
	// Mode of the file before the umask. Zero stands for the mode of the replaced file, or 0666.
	Mode fs.FileMode
}

// File is a claimed file. It is written under a temporary name.
type File struct {
	path, temp string
	replace    bool
	mode       fs.FileMode // of the replaced file, zero for none
	unlock     func()
}

// newMode is the mode of a new file before the umask.
const newMode fs.FileMode = 0o666

// Claim reserves a file for this process until Close. It creates a temporary file in the folder of
// the file and removes temporary files of killed processes. A claim ends with its process. File
// systems without locks accept several claims; the last Commit wins. Errors: ErrBusy, ErrExists,
// ErrNotRegular; errors of the file system.
func Claim(path string, o Options) (*File, error) {
	unlock, held, err := lock(path)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, replace: o.Replace, unlock: unlock}
	create := o.Mode
	existing, err := os.Stat(path)
	switch {
	case err == nil && !existing.Mode().IsRegular():
		unlock()
		return nil, ErrNotRegular
	case err == nil && o.Mode == 0:
		f.mode, create = existing.Mode().Perm(), 0o600
	case o.Mode == 0:
		create = newMode
	}

	if _, err := os.Lstat(path); err == nil && !o.Replace {
		unlock()
		return nil, ErrExists
	}

	prefix := hiddenPath(path) + "."
	if held {
		removeStale(prefix)
	}
	if f.temp, err = newTemp(prefix, create); err != nil {
		unlock()
		return nil, err
	}

	return f, nil
}

// Write claims a file, calls write and commits. If it fails, an existing file is unchanged. Errors:
// see Claim and Commit; also the error of write.
func Write(path string, o Options, write func(io.Writer) error) error {
	f, err := Claim(path, o)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Write(write)
}

// Temp returns the path of the temporary file, which exists and is empty.
func (f *File) Temp() string { return f.temp }

// Write calls write with the temporary file and commits.
func (f *File) Write(write func(io.Writer) error) error {
	temp, err := os.OpenFile(f.temp, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(write(temp), temp.Close()); err != nil {
		return err
	}
	return f.Commit()
}

// Commit makes the temporary file durable and moves it to the path of the file. Errors: ErrExists
// if another program has created a file there that must not be replaced.
func (f *File) Commit() error {
	if err := f.flush(); err != nil {
		return err
	}
	if err := f.place(); err != nil {
		return err
	}
	return syncDir(folder(f.path))
}

// Close ends the claim. It removes the temporary file unless it was committed.
func (f *File) Close() {
	_ = os.Remove(f.temp) // fails after Commit; the next claim removes a file that stays
	f.unlock()
}

// flush writes the temporary file to the disk and gives it the mode of the file that it replaces.
func (f *File) flush() error {
	temp, err := os.OpenFile(f.temp, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = temp.Sync()
	// file systems without modes accept no other one
	if info, statErr := temp.Stat(); err == nil && statErr == nil && f.mode != 0 && info.Mode().Perm() != f.mode {
		err = temp.Chmod(f.mode)
	}
	return errors.Join(err, temp.Close())
}

// place renames the temporary file. Renames replace, so a file that must be new is linked. File
// systems without hard links get an empty file first, which the rename replaces.
func (f *File) place() error {
	if f.replace {
		return os.Rename(f.temp, f.path)
	}
	err := os.Link(f.temp, f.path)
	if err == nil {
		return nil // Close removes the other name
	}
	if !errors.Is(err, fs.ErrExist) {
		var empty *os.File
		if empty, err = os.OpenFile(f.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, newMode); err == nil {
			_ = empty.Close() // nothing was written
			if err = os.Rename(f.temp, f.path); err != nil {
				return errors.Join(err, os.Remove(f.path))
			}
		}
	}

	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	return err
}

// maxStem bounds the part of a file name in the names next to it, in bytes. Most file systems
// accept names of 255 bytes.
const maxStem = 200

// hiddenPath returns the path of a file with a dot before its name. It cuts a name to maxStem and
// adds a checksum, which tells the files apart that begin alike.
func hiddenPath(path string) string {
	dir, whole := filepath.Split(path)
	name := whole
	for len(name) > maxStem {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}

	if name != whole {
		name += fmt.Sprintf("-%08x", crc32.ChecksumIEEE([]byte(whole)))
	}
	return dir + "." + name
}

// partSuffix ends the names of temporary files.
const partSuffix = ".part"

// newTemp creates a file whose name begins with prefix.
func newTemp(prefix string, mode fs.FileMode) (path string, err error) {
	for range 100 {
		path = fmt.Sprintf("%s%d%s", prefix, rand.Uint32(), partSuffix)
		var file *os.File
		if file, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, mode); err == nil {
			return path, file.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}

	return "", err
}

// Writable reports whether files can be created in a folder, by creating an empty one. Modes do not
// tell, for example on a read-only disk.
func Writable(folder string) bool {
	path, err := newTemp(filepath.Join(folder, ".roughcut"), newMode)
	return err == nil && os.Remove(path) == nil
}

// removeStale removes the temporary files with a prefix. The caller holds the lock of their file.
func removeStale(prefix string) {
	dir, start := filepath.Split(prefix)
	entries, _ := os.ReadDir(folder(prefix)) // temporary files stay in an unreadable folder
	for _, e := range entries {
		name, part := strings.CutSuffix(e.Name(), partSuffix)
		random, ours := strings.CutPrefix(name, start)
		if part && ours && e.Type().IsRegular() && strings.Trim(random, "0123456789") == "" {
			_ = os.Remove(dir + e.Name()) // the next claim tries again
		}
	}
}

// syncDir makes a rename in a folder durable if the file system can. Windows cannot flush folders,
// and NTFS journals renames.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err == nil {
		err = d.Sync()
		_ = d.Close() // nothing was written
	}

	if errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil // the file has its name, and nothing else can be done
	}
	return err
}
