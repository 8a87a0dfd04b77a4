//go:build desktop

package e2e

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"roughcut/media/mediatest"
)

// TestDesktopGuide takes the screenshots of docs/desktop.md, in the window on a light and a dark
// desktop. With ROUGHCUT_DOCS=1 it replaces them in docs/images.
func TestDesktopGuide(t *testing.T) {
	s, dir, images := newScreen(t), t.TempDir(), t.TempDir()
	if os.Getenv("ROUGHCUT_DOCS") != "" {
		images = filepath.Join("..", "docs", "images")
	}
	const name = "Light in a small kitchen"
	talk := guideTalk(t)
	server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	server.owner(t).guideProject(name, talk, true)
	server.stop()

	tell, _ := s.bus()
	w := s.window(dir)
	s.opens(name)
	for _, scheme := range []string{"light", "dark"} {
		tell(scheme)
		s.click("menu", "^File$")
		s.await("menu item", "^Save frame")
		s.settled(filepath.Join(images, "window-"+scheme+".webp"))
		s.do("key", "Escape")
		if out, err := s.program(dir, talk).CombinedOutput(); err != nil {
			t.Fatalf("opening a recording: %v\n%s", err, out)
		}
		s.await("push button", "^Add to this project")
		s.settled(filepath.Join(images, "received-"+scheme+".webp"))
		s.do("key", "Escape")
		s.gone("push button", "^Add to this project")
	}

	s.do("key", "ctrl+q")
	w.closed()
}

// settled writes the screen to a WebP file when it no longer changes.
func (s *screen) settled(path string) {
	s.t.Helper()
	before := s.picture("guide")
	s.waits("a screen that no longer changes", func() bool {
		now := s.picture("guide")
		same := reflect.DeepEqual(now, before)
		before = now
		return same
	})
	command := s.command("import", "-silent", "-window", "root", "-quality", "82", path)
	if out, err := command.CombinedOutput(); err != nil {
		s.t.Fatalf("import: %v\n%s", err, out)
	}
}
