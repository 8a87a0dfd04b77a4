package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"roughcut/store/outfile"
	"roughcut/store/table"
)

// CheckOutput returns an error if a file that is written to path would replace a linked file of any
// user, or a file of the data directory. Errors: Conflict not_saved.
func (s *Store) CheckOutput(path string) error {
	linked, err := s.LinkedPaths()
	if err != nil {
		return err
	}
	return CheckOutput(s.o.Dir, linked, path)
}

// CheckOutput is Store.CheckOutput for a data directory and the paths of its linked files.
func CheckOutput(dir string, linked []string, path string) error {
	if slices.ContainsFunc(linked, func(l string) bool { return outfile.Same(l, path) }) {
		return fail(
			Conflict,
			"not_saved",
			"%s is a recording that a project uses, and Roughcut never changes recordings. "+
				"Choose another name. Nothing has changed.",
			path,
		)
	}

	if belongsToData(dir, path) {
		return fail(
			Conflict,
			"not_saved",
			"%s belongs to Roughcut's data directory. Choose another folder. Nothing has changed.",
			path,
		)
	}

	return nil
}

// dataNames are the files and folders in a data directory that Roughcut writes.
var dataNames = []string{
	reserveFile, "chunks", "index", "media", "models", "outbox", restoring, DatabaseFile, lockFile, "roughcut.sock",
	"tmp", "uploads", "webview2", "window.json",
}

// belongsToData reports whether Roughcut writes the file at a path in a data directory.
func belongsToData(dir, path string) bool {
	data, err := os.Stat(dir)
	if err != nil {
		return false
	}
	folder, name := filepath.Split(path)
	if folder, err = filepath.EvalSymlinks(cmp.Or(folder, ".")); err == nil {
		path = filepath.Join(folder, name)
	}
	if path, err = filepath.Abs(path); err != nil {
		return false
	}
	for parent := filepath.Dir(path); parent != path; path, parent = parent, filepath.Dir(parent) {
		// the spelling of the folder may differ
		if folder, err := os.Stat(parent); err == nil && os.SameFile(folder, data) {
			name := strings.ToLower(filepath.Base(path))
			return slices.Contains(dataNames, name) || strings.HasPrefix(name, DatabaseFile+".before-")
		}
	}

	return false
}

// LinkedPaths returns the paths of all linked files, also of clips that failed. It reads all clips.
func (s *Store) LinkedPaths() (paths []string, err error) {
	err = s.view(func(t *txn) error {
		return clips.Each(t, func(row *clipRow) error {
			if row.LinkedFile != nil {
				paths = append(paths, row.LinkedFile.Path)
			}
			return nil
		})
	})
	slices.Sort(paths)
	return slices.Compact(paths), err
}

// ReadLinkedPaths is LinkedPaths for a data directory that no process has open. It changes nothing.
// A directory without a database has no linked files. Errors: ErrInUse, ErrDamaged.
func ReadLinkedPaths(dir string) (paths []string, err error) {
	path := filepath.Join(dir, DatabaseFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	o := Options{Dir: dir, Log: slog.New(slog.DiscardHandler)}
	s := &Store{o: o.withDefaults(), cache: table.NewCache(tables()...), damage: damage{found: make(chan struct{})}}
	err = s.guard(func() (err error) {
		s.db, err = bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true, Timeout: lockWait})
		return err
	})
	if err == nil {
		err = s.checkOpened(path)
	}
	if err == nil {
		paths, err = s.LinkedPaths()
	}
	_ = s.closeData() // nothing was written
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, ErrInUse
	}
	if err != nil {
		return nil, fmt.Errorf("reading the linked files of %s: %w", dir, err)
	}
	return paths, nil
}
