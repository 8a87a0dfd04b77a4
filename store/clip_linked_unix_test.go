//go:build unix

package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// linked creates a clip of a linked file and finishes its job.
func (w *world) linked(p Project, path string) Clip {
	w.t.Helper()
	get(w.LinkClip(p.UserUUID, p.UUID, path))(w.t)
	return w.ingest(5_000)
}

// A linked file is not copied and not counted. Changes and deletions of its clip, project or
// account leave it unchanged.
func TestLinkedFileIsNotCopiedOrChanged(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(*world, Project, Clip) error{
		"clip": func(w *world, p Project, c Clip) error {
			return errors.Join(w.DeleteClip(p.UserUUID, c.UUID), w.EmptyTrash(p.UserUUID, p.UUID))
		},
		"project": func(w *world, p Project, _ Clip) error { return w.DeleteProject(p.UserUUID, p.UUID) },
		"account": func(w *world, p Project, _ Clip) error { return w.DeleteUser(p.UserUUID, "hash") },
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t, ownerMode)
			p := w.project(w.user("ada"))
			path := w.recording("talk.MP4", 3<<20)
			before, err := os.Stat(path)
			must(t, err)
			c := w.linked(p, path)
			if c.Source != SourceLocal || c.Name != "talk.MP4" || c.SizeBytes != 3<<20 || c.LinkedFile.Path != path ||
				c.Status != ClipReady {
				t.Fatalf("%+v", c)
			}
			if u := get(w.User(p.UserUUID))(t); u.StorageUsedBytes != 0 {
				t.Errorf("%d bytes count towards the quota", u.StorageUsedBytes)
			}
			if kept := w.filesUnder("media/clips/" + c.ClipFileID); len(kept) < 4 ||
				slices.ContainsFunc(kept, func(path string) bool { return filepath.Base(path) == fileOriginal }) {
				t.Errorf("files of the clip: %v, want derived files only", kept)
			}
			must(t, os.MkdirAll(filepath.Join(w.ChunkDir(), c.ClipFileID), 0o700))
			w.reopen()
			w.clean()
			must(t, remove(w, p, c))
			w.clean()
			if _, err := os.Stat(filepath.Join(w.ChunkDir(), c.ClipFileID)); err == nil {
				t.Error("the chunks of the clip still exist")
			}
			after, err := os.Stat(path)
			must(t, err)
			if !os.SameFile(before, after) || after.Size() != before.Size() ||
				!after.ModTime().Equal(before.ModTime()) {
				t.Error("the linked file was changed")
			}
		})
	}
}

// Only regular files with the extension of a recording can be linked, and not through a link into
// the data directory.
func TestLinkClipAcceptsOnlyRecordings(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	p := w.project(w.user("ada"))
	good := w.recording("talk.mp4", 10)
	dir := filepath.Dir(good)
	link := filepath.Join(dir, "link.mp4")
	pipe := filepath.Join(dir, "pipe.mp4")
	folder := filepath.Join(dir, "folder.mp4")
	empty := filepath.Join(dir, "empty.mp4")
	must(t, os.Symlink(good, link))
	must(t, syscall.Mkfifo(pipe, 0o600))
	must(t, os.Mkdir(folder, 0o700))
	must(t, os.WriteFile(empty, nil, 0o600))
	device, disguised, notes := filepath.Join(dir, "device.mp4"), filepath.Join(
		dir,
		"disguised.mp4",
	), filepath.Join(dir, "notes.txt")
	must(t, os.Symlink("/dev/zero", device))
	must(t, os.WriteFile(notes, []byte("secret"), 0o600))
	must(t, os.Symlink(notes, disguised))
	own := filepath.Join(w.opts.Dir, "media", "own.mp4")
	must(t, os.WriteFile(own, []byte("x"), 0o600))
	for path, code := range map[string]string{
		"talk.mp4":      "unprocessable",
		"":              "unprocessable",
		dir + "/no.mp4": "unprocessable",
		good + "\x00":   "unprocessable",
		pipe:            "unprocessable",
		folder:          "unprocessable",
		empty:           "unprocessable",
		own:             "unprocessable",
		device:          "content_type_not_allowed",
		disguised:       "content_type_not_allowed",
		notes:           "content_type_not_allowed",
	} {
		_, err := w.LinkClip(p.UserUUID, p.UUID, path)
		if err == nil {
			t.Fatalf("%q was accepted", path)
		}
		wantCode(t, err, Unprocessable, code)
	}
	must(t, os.Remove(own))
	if c := get(w.LinkClip(p.UserUUID, p.UUID, link))(t); c.LinkedFile.Path != good || c.Name != "talk.mp4" {
		t.Errorf("the linked path is %q", c.LinkedFile.Path)
	}
	stranger := w.user("bob")
	_, err := w.LinkClip(stranger.UUID, p.UUID, good)
	wantCode(t, err, Forbidden, "forbidden")
	w.clean()
}

// Exports fail with the name of the linked file while it is missing or changed. The clip can still
// be edited.
func TestExportsNeedTheLinkedFile(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	p := w.project(w.user("ada"))
	path := w.recording("talk.mp4", 3<<20)
	c := w.linked(p, path)
	export := func() error { _, err := w.CreateExport(p.UserUUID, p.UUID, NewExport{Name: "x"}); return err }
	must(t, os.Rename(path, path+".moved"))
	wantCode(t, export(), Conflict, "reference_missing")
	must(t, os.WriteFile(path, make([]byte, 3<<20), 0o600))
	wantCode(t, export(), Conflict, "reference_changed")
	must(t, os.WriteFile(path, []byte("short"), 0o600))
	wantCode(t, export(), Conflict, "reference_changed")
	must(t, os.Rename(path+".moved", path))
	must(t, os.Chtimes(path, time.Time{}, time.Unix(1e9, 0))) // copied back, with another modification time
	must(t, export())
	job := w.claim()
	in := get(w.ExportInput(job))(t)
	if in.Clips[0].Path != path || in.Clips[0].ID != c.ClipFileID {
		t.Errorf("the worker reads %+v", in.Clips[0])
	}
	must(t, in.CheckLinkedFiles())
	must(t, os.Remove(path))
	wantCode(t, in.CheckLinkedFiles(), Conflict, "reference_missing")
	_, err := w.OriginalPath(c)
	wantCode(t, err, Conflict, "reference_missing")
	must(t, w.FailExport(job, "gone"))
	w.clean()
}

// A clip can be relinked to a new path of the same recording, but not to another recording.
func TestRelinkNeedsTheSameRecording(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	p := w.project(w.user("ada"))
	path := w.recording("talk.mp4", 3<<20)
	c := w.linked(p, path)
	get(w.CreateExport(p.UserUUID, p.UUID, NewExport{Name: "x"}))(t)
	moved := filepath.Join(filepath.Dir(path), "elsewhere.mp4")
	must(t, os.Rename(path, moved))
	for name, change := range map[string]func([]byte) []byte{
		"longer":            func(b []byte) []byte { return append(b, 'a') },
		"another beginning": func(b []byte) []byte { b[7] = 'b'; return b },
		"another end":       func(b []byte) []byte { b[len(b)-1] = 'b'; return b },
	} {
		other := w.recording("other.mp4", 0)
		must(t, os.WriteFile(other, change(bytes.Repeat([]byte{'a'}, 3<<20)), 0o600))
		if _, err := w.RelinkClip(p.UserUUID, c.UUID, other); err == nil ||
			!strings.Contains(err.Error(), "not the recording of this clip") {
			t.Errorf("%s: %v", name, err)
		} else {
			wantCode(t, err, Conflict, "reference_mismatch")
		}
	}
	_, err := w.RelinkClip(p.UserUUID, c.UUID, path)
	wantCode(t, err, Unprocessable, "unprocessable")
	_, err = w.RelinkClip(w.user("bob").UUID, c.UUID, moved)
	wantCode(t, err, Forbidden, "forbidden")
	if r := get(w.RelinkClip(p.UserUUID, c.UUID, moved))(
		t,
	); r.LinkedFile.Path != moved || r.LinkedFile.State() != LinkedFilePresent ||
		r.Name != c.Name {
		t.Errorf("%+v", r.LinkedFile)
	}
	if in := get(w.ExportInput(w.claim()))(t); in.Clips[0].Path != moved {
		t.Errorf("a queued export reads %s", in.Clips[0].Path)
	}
	copied := w.ready(p, 5_000)
	_, err = w.RelinkClip(p.UserUUID, copied.UUID, moved)
	wantCode(t, err, Conflict, "not_a_reference")
	w.clean()
}

// A backup names the linked files that it does not contain.
func TestBackupNamesLinkedFiles(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	p := w.project(w.user("ada"))
	path := w.recording("talk.mp4", 1000)
	w.linked(p, path)
	w.linked(p, path)
	held := get(w.OpenBackup(context.Background(), "1", false))(t)
	if r := held.Label.References; len(r) != 1 || r[0].Path != path || r[0].Size != 1000 {
		t.Errorf("references: %+v", r)
	}
	must(t, held.Close())
}
