package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Linked files of all users and the files of the data directory are protected, others are not.
func TestCheckOutputProtectsLinkedFilesAndData(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	mine, theirs := w.recording("mine.mp4", 10), w.recording("theirs.mp4", 10)
	for user, path := range map[string]string{"ada": mine, "bob": theirs} {
		p := w.project(w.user(user))
		get(w.LinkClip(p.UserUUID, p.UUID, path))(t)
	}
	hard := filepath.Join(filepath.Dir(mine), "hard.mp4")
	must(t, os.Link(mine, hard))
	data := w.opts.Dir
	for _, path := range []string{
		mine, theirs, hard, filepath.Join(data, "roughcut.db"), filepath.Join(data, "roughcut.db.before-2"),
		filepath.Join(data, "media", "clips", "x.mp4"), filepath.Join(data, "tmp", "..", "models", "x.bin"),
	} {
		wantCode(t, w.CheckOutput(path), Conflict, "not_saved")
	}
	for _, path := range []string{
		filepath.Join(filepath.Dir(mine), "mine cut.mp4"),
		filepath.Join(data, "backup.tar"),
		filepath.Join(data, "x", "a"),
	} {
		must(t, w.CheckOutput(path))
	}
}

// The linked files can be read while no process has the data directory open. Reading changes
// nothing.
func TestReadLinkedPaths(t *testing.T) {
	t.Parallel()
	if paths, err := ReadLinkedPaths(filepath.Join(t.TempDir(), "none")); err != nil || len(paths) > 0 {
		t.Errorf("a missing directory: %v, %v", paths, err)
	}
	w := open(t, ownerMode)
	p := w.project(w.user("ada"))
	path := w.recording("talk.mp4", 10)
	get(w.LinkClip(p.UserUUID, p.UUID, path))(t)
	get(w.LinkClip(p.UserUUID, p.UUID, path))(t)
	if _, err := ReadLinkedPaths(w.opts.Dir); !errors.Is(err, ErrInUse) {
		t.Errorf("an open directory: %v", err)
	}
	must(t, w.Close())
	file := filepath.Join(w.opts.Dir, DatabaseFile)
	before := get(os.ReadFile(file))(t)
	if paths := get(ReadLinkedPaths(w.opts.Dir))(t); !slices.Equal(paths, []string{path}) {
		t.Errorf("linked files %v, want %s", paths, path)
	}
	if after := get(os.ReadFile(file))(t); !slices.Equal(after, before) {
		t.Error("the database was changed")
	}
	must(t, os.WriteFile(file, []byte("rubbish"), 0o600))
	if _, err := ReadLinkedPaths(w.opts.Dir); err == nil {
		t.Error("a damaged database has no linked files")
	}
}
