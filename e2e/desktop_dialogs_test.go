//go:build desktop

package e2e

import (
	"bytes"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roughcut/store"
)

// nobodyCopied fails the test where the data directory holds the bytes of a recording.
func nobodyCopied(t *testing.T, dir, recording string) {
	t.Helper()
	original, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		held, err := os.ReadFile(path)
		if bytes.Contains(held, original) {
			t.Errorf("%s holds %s", path, filepath.Base(recording))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// stayed fails the test unless the clips of the project are made of recordings that stayed where
// they are.
func stayed(t *testing.T, dir string, recordings ...string) {
	t.Helper()
	clips := kept(t, dir)
	if len(clips) != len(recordings) {
		t.Fatalf("%d clips of %d recordings: %+v", len(clips), len(recordings), clips)
	}
	for i, clip := range clips {
		if clip.Status != store.ClipReady || clip.Reference == nil || clip.Reference.Path != recordings[i] {
			t.Errorf("the clip of %s: %+v", recordings[i], clip)
		}
		nobodyCopied(t, dir, recordings[i])
	}
	doctor(t, dir)
}

// Recordings are chosen in the desktop's own dialog, and stay where they are. Whoever thinks better
// of it has nothing happen.
func TestDesktopOpenDialog(t *testing.T) {
	s, dir, videos := newScreen(t), t.TempDir(), folderOf(t)
	talk := recordingFor(t, filepath.Join(videos, "My talk.mp4"), 3)
	w := s.window(dir)
	s.click("push button", "^New project$")
	s.await("entry", "^Name$")
	s.do("type", "Chosen")
	s.click("push button", "^Create project$")
	s.click("push button", "Choose files")
	s.cancelled("Choose recordings")
	w.until(answered("POST", "/api/v1/desktop/choose-files", 200), 1)
	s.click("push button", "Choose files")
	s.answer("Choose recordings", talk)
	w.until(`"msg":"job done"`, 1)
	s.await("push button", `^1\. My talk\.mp4`)
	s.shown("chosen", image.Rect(400, 150, 900, 450), 60)
	s.do("key", "alt+F4")
	w.closed()
	stayed(t, dir, talk)
}

// Files that are dragged from a file manager onto the window become clips, in their order; of those
// that cannot, the page says why. A drop never takes the page away, also where nothing takes files.
func TestDesktopDrop(t *testing.T) {
	s, dir, videos := newScreen(t), t.TempDir(), folderOf(t)
	talk := recordingFor(t, filepath.Join(videos, "My talk.mp4"), 3)
	second, third := recordingFor(t, filepath.Join(videos, "100% #2.mp4"), 2), recordingFor(
		t,
		filepath.Join(videos, "Küche.mp4"),
		2,
	)
	notes := filepath.Join(videos, "notes.txt")
	if err := os.WriteFile(notes, []byte("no video"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := s.project(dir, talk)
	s.drags(func() { s.said("^Drop to add clips$") }, addressOf(second), addressOf(notes), addressOf(third))
	s.said("notes.txt is no recording that can be used here")
	w.until(`"msg":"job done"`, 3)
	s.await("push button", `^3\. Küche\.mp4`)
	s.picture("dropped")

	s.drags(func() {}, "https://example.org/talk.mp4")
	s.said("Only files of this machine can be dropped here")

	s.click("link", "^All projects$")
	s.click("link", "^Library$")
	s.await("push button", "New group")
	s.drags(func() {}, addressOf(second))
	s.said("Drop recordings on your projects")
	s.click("link", "^Projects$")
	s.await("link", "^My talk$")
	s.drags(func() { s.said("^Drop to make a project$") }, addressOf(third))
	s.said("1 recording will be added to it, and stays where it is")
	s.do("key", "alt+F4")
	w.closed()
	stayed(t, dir, talk, second, third)
}

// A recording that was moved is reported where it is missed, and found again through the desktop's
// dialog; another file is not taken for it.
func TestDesktopMovedRecording(t *testing.T) {
	s, dir, videos := newScreen(t), t.TempDir(), folderOf(t)
	talk := recordingFor(t, filepath.Join(videos, "My talk.mp4"), 4)
	other, moved := recordingFor(t, filepath.Join(videos, "other.mp4"), 2), filepath.Join(
		videos,
		"archive",
		"talk of May.mp4",
	)
	w := s.project(dir, talk)
	s.do("key", "alt+F4")
	w.closed()
	if err := os.Mkdir(filepath.Dir(moved), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(talk, moved); err != nil {
		t.Fatal(err)
	}

	w = s.window(dir)
	s.click("link", "^My talk$")
	s.said("^Linked file not found$")
	s.picture("moved")
	s.click("push button", "^Locate…$")
	s.said(regexp.QuoteMeta(talk))
	s.click("push button", "^Choose file")
	s.answer("Choose recordings", other)
	s.said("other.mp4 is another recording than the one this clip was made of")
	s.picture("refused")
	s.click("push button", "^Choose file")
	s.cancelled("Choose recordings")
	s.click("push button", "^Choose file")
	s.answer("Choose recordings", moved)
	s.said("^My talk.mp4 is linked again$")
	s.gone("dialog", "Locate the recording")
	s.said("^Linked file: ?" + regexp.QuoteMeta(moved))
	s.click("push button", "^Play$")
	s.await("push button", "^Pause$")
	s.shown("found", image.Rect(400, 150, 900, 450), 60)
	s.do("key", "alt+F4")
	w.closed()
	stayed(t, dir, moved)
}

// onlyFile returns the path of the one file in a folder and those below it.
func onlyFile(t *testing.T, dir string) string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) != 1 {
		t.Fatalf("in %s: %v, %v", dir, files, err)
	}
	return files[0]
}

// holds fails the test unless a folder holds files of these names and nothing else.
func holds(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if !slices.Equal(got, names) {
		t.Errorf("%s holds %q, want %q", dir, got, names)
	}
}

// same fails the test unless two files hold the same bytes.
func same(t *testing.T, a, b string) {
	t.Helper()
	first, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(b)
	if err != nil || len(first) == 0 || !bytes.Equal(first, second) {
		t.Errorf("%s has %d bytes, %s has %d; %v", a, len(first), b, len(second), err)
	}
}

// exports has the project that the window shows rendered.
func (s *screen) exports() {
	s.t.Helper()
	s.click("push button", "^Export$")
	s.await("dialog", "^Export video$")
	s.click("push button", "^Export$") // the one in the dialog: those behind it are hidden
	s.gone("dialog", "^Export video$")
	s.click("page tab", "^Exports")
}

// A finished video is saved where the person says, in the desktop's own dialog: byte for byte, over
// another file only after a question, and not at all where they think better of it.
func TestDesktopSaveDialog(t *testing.T) {
	s, dir, videos := newScreen(t), t.TempDir(), folderOf(t)
	talk := recordingFor(t, filepath.Join(videos, "My talk.mp4"), 3)
	target := filepath.Join(videos, "final.mp4")
	w := s.project(dir, talk)
	s.exports()
	s.await("push button", "^Save as")
	rendered := onlyFile(t, filepath.Join(dir, "media", "exports"))

	s.click("push button", "^Save as")
	s.cancelled("Save the video")
	w.until(answered("POST", "/api/v1/exports/:export_uuid/save", 200), 1)
	holds(t, videos, "My talk.mp4")

	s.click("push button", "^Save as")
	s.answer("Save the video", target)
	s.said("^Video saved$")
	s.picture("saved")
	same(t, rendered, target)

	if err := os.WriteFile(target, []byte("an older one"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.click("push button", "^Save as")
	s.await("toggle button", "^"+filepath.Base(videos)+"$") // the dialog begins where the last one ended
	asked := func() bool {
		_, asks := s.find("alert", "")
		return asks
	}
	s.typed("Save the video", target)
	s.agrees(asked)
	s.picture("replace")
	s.click("push button", "^Cancel$")
	s.gone("alert", "")
	s.cancelled("Save the video")
	w.until(answered("POST", "/api/v1/exports/:export_uuid/save", 200), 3)
	if older, err := os.ReadFile(target); err != nil || string(older) != "an older one" {
		t.Errorf("a file was replaced though the person said no: %q, %v", older, err)
	}
	s.click("push button", "^Save as")
	s.typed("Save the video", target)
	s.agrees(asked)
	s.click("push button", "^Replace$")
	s.gone("file chooser", "Save the video")
	w.until(answered("POST", "/api/v1/exports/:export_uuid/save", 200), 4)
	same(t, rendered, target)
	holds(t, videos, "My talk.mp4", "final.mp4")
	s.do("key", "alt+F4")
	w.closed()
	doctor(t, dir)
}

// While something is rendered the window asks before it closes. What was stopped goes on at the
// next start, by itself. A program that is told to end does so at once, also with a dialog open.
func TestDesktopQuits(t *testing.T) {
	s, dir, videos := newScreen(t), t.TempDir(), folderOf(t)
	w := s.project(dir, recordingFor(t, filepath.Join(videos, "My talk.mp4"), 25))
	s.exports()
	s.await("push button", "^Cancel the export$")
	s.do("key", "alt+F4")
	s.await("label", "^An export is being rendered. It stops now and goes on by itself")
	s.picture("close")
	s.click("push button", "^No$")
	s.gone("alert", "")
	s.await("push button", "^Cancel the export$")
	s.do("key", "alt+F4")
	s.click("push button", "^Yes$")
	w.closed()
	doctor(t, dir)

	w = s.window(dir)
	w.until(`"msg":"job done".*"kind":"export"`, 1)
	onlyFile(t, filepath.Join(dir, "media", "exports"))
	s.click("link", "^My talk$")
	s.click("push button", "^Add clips$")
	s.await("file chooser", "Choose recordings")
	w.stop()
	if strings.Contains(w.log.String(), `"level":"WARN"`) {
		t.Errorf("it did not end quietly:\n%s", w.log)
	}
	doctor(t, dir)
}
