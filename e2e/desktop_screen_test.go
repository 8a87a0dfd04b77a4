//go:build desktop

package e2e

import (
	"bufio"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// thing is an object in the accessibility tree of the screen.
type thing struct {
	Role, Name, Text string
	Usable           bool // shown and enabled
	X, Y             int  // center
}

// python returns a command for a script of the desktop tests, with the Python of Debian because
// that has the GTK bindings.
func (s *screen) python(script string, args ...string) *exec.Cmd {
	path := filepath.Join("..", "desktop", "testdata", script)
	return s.command("/usr/bin/python3", append([]string{path}, args...)...)
}

// things returns all objects on the screen.
func (s *screen) things() []thing {
	s.t.Helper()
	var failed strings.Builder
	cmd := s.python("see.py")
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("reading the screen: %v\n%s", err, &failed)
	}
	return decode[[]thing](s.t, out)
}

// find returns the last usable object of a role whose name or text matches a pattern. The last one
// is in front.
func (s *screen) find(role, pattern string) (last thing, found bool) {
	s.t.Helper()
	name := regexp.MustCompile(pattern)
	for _, one := range s.things() {
		if one.Role == role && one.Usable &&
			(name.MatchString(one.Name) || (one.Text != "" && name.MatchString(one.Text))) {
			last, found = one, true
		}
	}
	return last, found
}

// await waits until a usable object is on the screen.
func (s *screen) await(role, pattern string) (one thing) {
	s.t.Helper()
	s.waits(fmt.Sprintf("a %s like %s", role, pattern), func() (found bool) {
		one, found = s.find(role, pattern)
		return found
	})
	return one
}

// gone waits until an object has left the screen.
func (s *screen) gone(role, pattern string) {
	s.t.Helper()
	s.waits(fmt.Sprintf("no %s like %s", role, pattern), func() bool {
		_, found := s.find(role, pattern)
		return !found
	})
}

// waits waits for a condition. It logs the screen if the condition does not become true.
func (s *screen) waits(what string, ready func() bool) {
	s.t.Helper()
	reached := false
	defer func() {
		if reached {
			return
		}
		s.picture("stuck")
		var list strings.Builder
		for _, one := range s.things() {
			if one.Name+one.Text != "" {
				fmt.Fprintf(&list, "%s %q %q %t\n", one.Role, one.Name, one.Text, one.Usable)
			}
		}
		s.t.Logf("waited for %s; the screen:\n%s", what, &list)
	}()
	poll(s.t, func() bool {
		reached = ready()
		return reached
	})
}

// click waits for an object and clicks it.
func (s *screen) click(role, pattern string) {
	s.t.Helper()
	one := s.await(role, pattern)
	s.do("mousemove", fmt.Sprint(one.X), fmt.Sprint(one.Y), "click", "1")
}

// opens clicks the link of a project until the project is open. One click may meet a page that is
// still moving.
func (s *screen) opens(project string) {
	s.t.Helper()
	s.waits("the project "+project, func() bool {
		if _, open := s.find("entry", "^Project name$"); open {
			return true
		}
		if link, found := s.find("link", "^"+regexp.QuoteMeta(project)+"$"); found {
			s.do("mousemove", fmt.Sprint(link.X), fmt.Sprint(link.Y), "click", "1")
		}
		return false
	})
}

// said waits until the screen shows a text.
func (s *screen) said(pattern string) {
	s.t.Helper()
	words := regexp.MustCompile(pattern)
	s.waits("a text like "+pattern, func() bool {
		for _, one := range s.things() {
			if words.MatchString(one.Name) || words.MatchString(one.Text) {
				return true
			}
		}
		return false
	})
}

// answer types a path into a native file dialog, confirms it and waits until the dialog is closed.
func (s *screen) answer(title, path string) {
	s.t.Helper()
	s.typed(title, path)
	s.agrees(func() bool {
		_, open := s.find("file chooser", title)
		return !open
	})
}

// agrees clicks the button of a native file dialog until that has an effect. GTK ignores clicks
// while it reads the folder of the typed path.
func (s *screen) agrees(done func() bool) {
	s.t.Helper()
	s.clicksUntil("push button", "^(Open|Save)$", done)
}

// clicksUntil clicks an object until that has an effect. It waits until the object no longer moves.
func (s *screen) clicksUntil(role, pattern string, done func() bool) {
	s.t.Helper()
	var clicked time.Time
	var before thing
	s.waits("an effect of the "+role+" "+pattern, func() bool {
		if done() {
			return true
		}
		button, found := s.find(role, pattern)
		if found && button == before && time.Since(clicked) > 4*time.Second {
			s.do("mousemove", fmt.Sprint(button.X), fmt.Sprint(button.Y), "click", "1")
			clicked = time.Now()
		}

		before = button
		return false
	})
}

// typed types a path into a native file dialog.
func (s *screen) typed(title, path string) {
	s.t.Helper()
	s.await("file chooser", title)
	s.do("search", "--sync", "--onlyvisible", "--name", title, "windowfocus", "--sync")
	s.do("key", "ctrl+l")
	s.await("text", "")
	s.do("key", "ctrl+a")
	s.do("type", "--delay", "4", path)
	s.await("text", "^"+regexp.QuoteMeta(path)+"$")
}

// cancelled closes a native dialog with Escape.
func (s *screen) cancelled(title string) {
	s.t.Helper()
	s.await("file chooser", title)
	s.do("search", "--sync", "--onlyvisible", "--name", title, "windowfocus", "--sync")
	s.do("key", "Escape")
	s.gone("file chooser", title)
}

// drags drags files out of another window and drops them on the middle of the Roughcut window. It
// drops them when the page accepts them and over has returned.
func (s *screen) drags(over func(), addresses ...string) {
	s.t.Helper()
	s.dragsTo(thing{X: 640, Y: 300}, over, addresses...)
}

// dragsTo does the same at the center of an object.
func (s *screen) dragsTo(target thing, over func(), addresses ...string) {
	s.t.Helper()
	source := s.python("drag.py", addresses...)
	var failed lockedBuffer
	source.Stderr = &failed
	taken, err := source.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := source.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = source.Process.Kill() // usually it has exited after the drop
		if s.t.Failed() {
			s.t.Logf("drag source: %s", &failed)
		}
	})
	grip := s.await("label", "^Drag$")
	s.do("mousemove", fmt.Sprint(grip.X), fmt.Sprint(grip.Y), "mousedown", "1")
	for step := range 10 { // a drag starts with a movement
		s.do("mousemove", fmt.Sprint(grip.X-8*step), fmt.Sprint(grip.Y-4*step))
	}
	for step := range 2 {
		s.do("mousemove", fmt.Sprint(target.X+4*step), fmt.Sprint(target.Y+4*step))
	}

	if _, err := bufio.NewReader(taken).ReadString('\n'); err != nil {
		s.t.Fatalf("nothing accepts the drag: %v", err)
	}
	over()
	s.do("mouseup", "1")
	if err := source.Wait(); err != nil {
		s.t.Fatalf("drag source: %v", err)
	}
}

// fileManager starts a file manager and returns a function that waits for the next address that it
// is asked to show.
func (s *screen) fileManager() (shown func() string) {
	s.t.Helper()
	manager := s.python("filemanager.py")
	said, err := manager.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := manager.Start(); err != nil {
		s.t.Fatal(err)
	}
	ends(s.t, manager)
	lines := bufio.NewReader(said)
	shown = func() string {
		s.t.Helper()
		line, err := lines.ReadString('\n')
		if err != nil {
			s.t.Fatalf("the file manager ended: %v", err)
		}
		return strings.TrimSpace(line)
	}
	if line := shown(); line != "ready" {
		s.t.Fatalf("the file manager says %q", line)
	}
	return shown
}

// addressOf returns the address of a file as a file manager writes it.
func addressOf(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }

// folderOf returns a new folder for recordings whose path has no symbolic links.
func folderOf(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// project starts the window with a recording, which creates a project.
func (s *screen) project(dir, recording string) *shell {
	s.t.Helper()
	w := s.window(dir, recording)
	w.until(`"msg":"job done"`, 1)
	s.await("push button", "^Play$")
	return w
}
