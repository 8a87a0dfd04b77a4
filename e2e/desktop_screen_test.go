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

// thing is something on the screen, as assistive technology is told of it.
type thing struct {
	Role, Name, Text string
	Usable           bool // it is shown, and can be used
	X, Y             int  // its middle
}

// python runs a script of the window's tests, with Debian's own Python: that one has GTK.
func (s *screen) python(script string, args ...string) *exec.Cmd {
	return s.command("/usr/bin/python3", append([]string{filepath.Join("..", "desktop", "testdata", script)}, args...)...)
}

// things returns all that is on the screen.
func (s *screen) things() []thing {
	s.t.Helper()
	var failed strings.Builder
	cmd := s.python("see.py")
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("looking at the screen: %v\n%s", err, &failed)
	}
	return decode[[]thing](s.t, out)
}

// find returns the last usable thing of a role whose name or text a pattern matches: what was
// opened last is in front.
func (s *screen) find(role, pattern string) (last thing, found bool) {
	s.t.Helper()
	name := regexp.MustCompile(pattern)
	for _, one := range s.things() {
		if one.Role == role && one.Usable &&
			(name.MatchString(one.Name) || one.Text != "" && name.MatchString(one.Text)) {
			last, found = one, true
		}
	}
	return last, found
}

// await waits until something is on the screen that can be used.
func (s *screen) await(role, pattern string) (one thing) {
	s.t.Helper()
	s.waits(fmt.Sprintf("a %s like %s", role, pattern), func() (found bool) {
		one, found = s.find(role, pattern)
		return found
	})
	return one
}

// gone waits until something is on the screen no more.
func (s *screen) gone(role, pattern string) {
	s.t.Helper()
	s.waits(fmt.Sprintf("no %s like %s", role, pattern), func() bool {
		_, found := s.find(role, pattern)
		return !found
	})
}

// waits waits until something is so, and says what is on the screen where it does not become so.
func (s *screen) waits(what string, so func() bool) {
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
		reached = so()
		return reached
	})
}

// click waits for something and clicks on it.
func (s *screen) click(role, pattern string) {
	s.t.Helper()
	one := s.await(role, pattern)
	s.do("mousemove", fmt.Sprint(one.X), fmt.Sprint(one.Y), "click", "1")
}

// said waits until the page says something in words.
func (s *screen) said(pattern string) {
	s.t.Helper()
	words := regexp.MustCompile(pattern)
	s.waits("words like "+pattern, func() bool {
		for _, one := range s.things() {
			if words.MatchString(one.Name) || words.MatchString(one.Text) {
				return true
			}
		}
		return false
	})
}

// answer types into a native file dialog, as a person does who knows where a file lies, and waits
// until the dialog is gone.
func (s *screen) answer(title, path string) {
	s.t.Helper()
	s.typed(title, path)
	s.agrees(func() bool {
		_, open := s.find("file chooser", title)
		return !open
	})
}

// agrees clicks on the button of a native file dialog until that has an effect: while it still
// looks at the folder that was typed, GTK lets a click pass by.
func (s *screen) agrees(done func() bool) {
	s.t.Helper()
	var clicked time.Time
	s.waits("an effect of the dialog's button", func() bool {
		if done() {
			return true
		}
		if button, found := s.find("push button", "^(Open|Save)$"); found && time.Since(clicked) > 4*time.Second {
			s.do("mousemove", fmt.Sprint(button.X), fmt.Sprint(button.Y), "click", "1")
			clicked = time.Now()
		}
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

// cancelled ends a native dialog with the Escape key.
func (s *screen) cancelled(title string) {
	s.t.Helper()
	s.await("file chooser", title)
	s.do("search", "--sync", "--onlyvisible", "--name", title, "windowfocus", "--sync")
	s.do("key", "Escape")
	s.gone("file chooser", title)
}

// drags drags files out of another program's window and drops them in the middle of ours, once that
// would take them and over has returned.
func (s *screen) drags(over func(), addresses ...string) {
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
		_ = source.Process.Kill() // as a rule it has ended with the drop
		if s.t.Failed() {
			s.t.Logf("the source of the drag: %s", &failed)
		}
	})
	grip := s.await("label", "^Drag$")
	s.do("mousemove", fmt.Sprint(grip.X), fmt.Sprint(grip.Y), "mousedown", "1")
	for step := range 10 { // a drag begins with a movement
		s.do("mousemove", fmt.Sprint(grip.X-8*step), fmt.Sprint(grip.Y-4*step))
	}
	s.do("mousemove", "640", "300", "mousemove", "644", "304")
	if _, err := bufio.NewReader(taken).ReadString('\n'); err != nil {
		s.t.Fatalf("nothing would take the drag: %v", err)
	}
	over()
	s.do("mouseup", "1")
	if err := source.Wait(); err != nil {
		s.t.Fatalf("the source of the drag: %v", err)
	}
}

// addressOf is the address that a file manager gives of a file.
func addressOf(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }

// folderOf returns a new folder for recordings, without symbolic links in its path.
func folderOf(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// project starts the window with a recording, and makes a project of it.
func (s *screen) project(dir, recording string) *shell {
	s.t.Helper()
	w := s.window(dir, recording)
	s.click("push button", "^Create project$")
	w.until(`"msg":"job done"`, 1)
	s.await("push button", "^Play$")
	return w
}
