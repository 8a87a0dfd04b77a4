//go:build desktop

package e2e

import (
	"bytes"
	"fmt"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roughcut/media/mediatest"
	"roughcut/store"
)

// notCopied fails the test if a file in the data directory contains the bytes of a recording.
func notCopied(t *testing.T, dir, recording string) {
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
			t.Errorf("%s contains %s", path, filepath.Base(recording))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// linked fails the test unless the clips of the project are linked files with these paths.
func linked(t *testing.T, dir string, recordings ...string) {
	t.Helper()
	clips := storedClips(t, dir)
	if len(clips) != len(recordings) {
		t.Fatalf("%d clips for %d recordings: %+v", len(clips), len(recordings), clips)
	}
	for i, clip := range clips {
		if clip.Status != store.ClipReady || clip.LinkedFile == nil || clip.LinkedFile.Path != recordings[i] {
			t.Errorf("clip of %s: %+v", recordings[i], clip)
		}
		notCopied(t, dir, recordings[i])
	}
	doctor(t, dir)
}

// Recordings that are chosen in the native dialog become linked files. Canceling the dialog
// changes nothing.
func TestDesktopOpenDialog(t *testing.T) {
	s, dir, videos := newScreen(t), t.TempDir(), folderOf(t)
	talk := recordingFor(t, filepath.Join(videos, "My talk.mp4"), 3)
	w := s.window(dir)
	s.click("push button", "^New project$")
	s.await("entry", "^Name$")
	s.do("type", "Chosen")
	s.click("push button", "^Create project$")
	s.await("entry", "^Project name$")
	s.click("push button", "Choose files")
	s.cancelled("Choose recordings")
	w.until(answered("POST", "/api/v1/desktop/choose-files", 200), 1)
	s.click("push button", "Choose files")
	s.answer("Choose recordings", talk)
	w.until(`"msg":"job done"`, 2) // the clip and its analysis
	s.await("push button", `^1\. My talk\.mp4`)
	s.shown("chosen", image.Rect(400, 150, 900, 450), 60)
	s.do("key", "alt+F4")
	w.closed()
	linked(t, dir, talk)
}

// Files that are dropped on a project become its clips in their order, if the person says so. On
// the projects page, they become clips of a new project. The page explains why it refuses other
// files. A drop never navigates away, not even on a page that accepts no files.
func TestDesktopDrop(t *testing.T) {
	s, dir, videos := newScreen(t), t.TempDir(), folderOf(t)
	talk := recordingFor(t, filepath.Join(videos, "My talk.mp4"), 3)
	second, third := recordingFor(t, filepath.Join(videos, "100% #2.mp4"), 2), recordingFor(
		t, filepath.Join(videos, "Küche.mp4"), 2,
	)
	notes := filepath.Join(videos, "notes.txt")
	if err := os.WriteFile(notes, []byte("no video"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := s.project(dir, talk)
	s.drags(func() { s.said("^Drop to add clips$") }, addressOf(second), addressOf(notes), addressOf(third))
	s.click("push button", "^Add to this project")
	s.said("The type of the file notes.txt is not supported")
	w.until(`"msg":"job done"`, 3)
	s.await("push button", `^3\. Küche\.mp4`)
	s.picture("dropped")

	s.drags(func() {}, "https://example.org/talk.mp4")
	s.said("You can drop only files from this computer here")

	s.click("link", "^All projects$")
	s.click("link", "^Library$")
	s.await("push button", "New group")
	s.drags(func() {}, addressOf(second))
	s.said("Drop recordings on the projects page")
	s.click("link", "^Projects$")
	s.await("link", "^My talk$")
	s.drags(func() { s.said("^Drop to create a project$") }, addressOf(third))
	s.await("entry", "^Project name$")
	w.until(`"msg":"job done"`, 5) // four clips and the analysis of the last one
	s.do("key", "alt+F4")
	w.closed()
	linked(t, dir, talk, second, third, third)
}

// The page reports a missing recording. The person can choose its new path in the native dialog,
// which refuses other files.
func TestDesktopMovedRecording(t *testing.T) {
	s, dir, videos := newScreen(t), t.TempDir(), folderOf(t)
	talk := recordingFor(t, filepath.Join(videos, "My talk.mp4"), 60) // still plays when the screen is read
	other, moved := recordingFor(t, filepath.Join(videos, "other.mp4"), 2), filepath.Join(
		videos, "archive", "talk of May.mp4",
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
	s.opens("My talk")
	s.said("^Linked file not found$")
	s.picture("moved")
	s.click("push button", "^Locate")
	s.said(regexp.QuoteMeta(talk))
	s.click("push button", "^Choose file")
	s.answer("Choose recordings", other)
	s.said("The file other.mp4 is not the recording of this clip")
	s.picture("refused")
	s.click("push button", "^Choose file")
	s.cancelled("Choose recordings")
	s.click("push button", "^Choose file")
	s.answer("Choose recordings", moved)
	w.until(answered("POST", "/api/v1/clips/:clip_uuid/relink", 200), 1) // its message is short-lived
	s.gone("dialog", "^Locate the recording$")
	s.said("^(Linked file: *)?" + regexp.QuoteMeta(moved))
	s.click("push button", "^Play$")
	s.await("push button", "^Pause$")
	s.shown("found", image.Rect(400, 150, 900, 450), 60)
	s.do("key", "alt+F4")
	w.closed()
	linked(t, dir, moved)
}

// onlyFile returns the path of the only file in a folder and its subfolders.
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

// holds fails the test unless a folder contains exactly these names.
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
		t.Errorf("%s contains %q, want %q", dir, got, names)
	}
}

// same fails the test unless two files are equal.
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

// exports exports the project that the window shows, in the format for YouTube if encode is set.
// The keyboard chooses that, because WebKit tells a wrong position of it.
func (s *screen) exports(encode bool) {
	s.t.Helper()
	s.click("push button", "^Export$")
	s.await("dialog", "^Export video$")
	if encode {
		s.do("key", "Tab", "Tab", "space")
		s.await("description value", "1920×1080")
	}
	s.clicksUntil("push button", "^Export$", func() bool { // in the dialog, which hides the others
		_, open := s.find("dialog", "^Export video$")
		return !open
	})
	s.click("page tab", "^Exports")
}

// The native dialog saves a finished export byte for byte, and the file manager shows it. It asks
// before it replaces a file, and canceling changes nothing.
func TestDesktopSaveDialog(t *testing.T) {
	s, dir, videos := newScreen(t), t.TempDir(), folderOf(t)
	shown := s.fileManager()
	talk := recordingFor(t, filepath.Join(videos, "My talk.mp4"), 3)
	target := filepath.Join(videos, "final.mp4")
	w := s.project(dir, talk)
	s.exports(false)
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
	s.click("push button", "^Show in folder$")
	if got := shown(); got != addressOf(target) {
		t.Errorf("the file manager shows %s, want %s", got, addressOf(target))
	}

	if err := os.WriteFile(target, []byte("an older one"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.click("push button", "^Save as")
	s.await("toggle button", "^"+filepath.Base(videos)+"$") // the dialog starts in the folder of the last one
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
		t.Errorf("the file was replaced without consent: %q, %v", older, err)
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

// placements returns the active placed assets of the only project, in order of time.
func placements(t *testing.T, dir string) (all []store.Edit) {
	t.Helper()
	stored(t, dir, func(data *store.Store, owner string, projects []store.Project) {
		edits, err := data.Edits(owner, projects[0].UUID, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range edits {
			if e.Placement != nil {
				all = append(all, e)
			}
		}
	})
	return all
}

// An image that is dropped on the timeline, and an asset that is dragged there from its pane,
// appear at the time of the drop.
func TestDesktopPlacesAssets(t *testing.T) {
	s, dir, videos := newScreen(t), t.TempDir(), folderOf(t)
	talk := recordingFor(t, filepath.Join(videos, "My talk.mp4"), 40)
	lamp := filepath.Join(videos, "lamp.png")
	if out, err := mediatest.Command(t, "convert", "-size", "320x180", "xc:teal", lamp).CombinedOutput(); err != nil {
		t.Fatalf("convert: %v\n%s", err, out)
	}
	w := s.project(dir, talk)
	lane := s.await("paragraph", "^Drag images, videos and audio from")
	lane.X = 640
	s.dragsTo(lane, func() {
		x := lane.X
		s.waits("the timeline to take the drag", func() bool {
			x++ // the page looks for the target of a drag that moves
			s.do("mousemove", fmt.Sprint(x), fmt.Sprint(lane.Y))
			_, takes := s.find("paragraph", "^Drop to place")
			return takes
		})
	}, addressOf(lamp))
	w.until(answered("POST", "/api/v1/desktop/assets", 202), 1)
	w.until(answered("POST", "/api/v1/projects/:project_uuid/edits", 201), 1)
	s.picture("placed")
	s.click("push button", "^All assets$") // instead of the options of the new one
	card := s.await("list item", "^lamp.png")
	s.do("mousemove", fmt.Sprint(card.X), fmt.Sprint(card.Y), "mousedown", "1")
	for step := range 10 {
		s.do("mousemove", fmt.Sprint(card.X+6*step), fmt.Sprint(card.Y+4*step))
	}
	for step := range 10 {
		s.do("mousemove", fmt.Sprint(960+step), fmt.Sprint(lane.Y))
	}
	s.picture("dragging") // takes long enough for the page to notice the pointer
	s.do("mouseup", "1")
	w.until(answered("POST", "/api/v1/projects/:project_uuid/edits", 201), 2)
	s.picture("dragged")
	w.quits()
	edits := placements(t, dir)
	if len(edits) != 2 || edits[0].StartMS < 15_000 || edits[0].StartMS > 25_000 || edits[1].StartMS < 25_000 {
		t.Errorf("placed %+v", edits)
	}
}

// Shift and S save the frame at the playhead with the native dialog. Canceling writes nothing.
func TestDesktopSavesFrame(t *testing.T) {
	s, dir, videos := newScreen(t), t.TempDir(), folderOf(t)
	talk := recordingFor(t, filepath.Join(videos, "My talk.mp4"), 3)
	target := filepath.Join(videos, "frame.png")
	w := s.project(dir, talk)
	s.await("push button", "^Play$")
	s.do("key", "shift+s")
	s.cancelled("Save the frame")
	w.until(answered("POST", "/api/v1/projects/:project_uuid/still/save", 200), 1)
	holds(t, videos, "My talk.mp4")
	s.do("key", "shift+s")
	s.answer("Save the frame", target)
	s.said("^Frame saved$")
	s.picture("frame")
	file, err := os.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if frame, format, err := image.DecodeConfig(file); err != nil || format != "png" || frame.Width < 320 {
		t.Errorf("the frame is %+v in %q: %v", frame, format, err)
	}
	s.do("key", "alt+F4")
	w.closed()
}

// The window shows the progress of an export in its title and on the icon, and closes without a
// question, because the export resumes at the next start. Its end is notified. A signal ends the
// program at once, even if a dialog is open.
func TestDesktopQuits(t *testing.T) {
	s, dir, videos := newScreen(t), t.TempDir(), folderOf(t)
	_, said := s.bus()
	w := s.project(dir, recordingFor(t, filepath.Join(videos, "My talk.mp4"), 40))
	s.exports(true) // encodes all frames, which takes longer than the steps below
	s.await("push button", "^Cancel export$")
	said(`^icon application://roughcut-desktop.desktop 0\.\d\d True$`)
	s.titled(`%.*My talk`)
	s.click("link", "^All projects$")
	s.titled(`^Exporting \d+% · `)
	s.do("key", "alt+F4")
	w.closed()
	doctor(t, dir)

	w = s.window(dir)
	w.until(`"msg":"job done".*"kind":"export"`, 1)
	said(`^notification Export finished: My talk cut$`)
	said(`^icon .* False$`)
	s.titled(`^[^%]*$`)
	onlyFile(t, filepath.Join(dir, "media", "exports"))
	s.opens("My talk")
	s.click("page tab", "^Clips")
	s.click("push button", "^Add clips$")
	s.await("file chooser", "Choose recordings")
	w.stop()
	if strings.Contains(w.log.String(), `"level":"WARN"`) {
		t.Errorf("the program logged a warning at its end:\n%s", w.log)
	}
	doctor(t, dir)
}
