//go:build desktop

package e2e

import (
	"bufio"
	"fmt"
	"image"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roughcut/desktop"
	"roughcut/store"
)

// bus starts the services of a desktop on the session bus, which prefers light windows. tell writes
// a line to it, and said waits for a line of it that matches a pattern.
func (s *screen) bus() (tell, said func(text string)) {
	s.t.Helper()
	services := s.python("bus.py")
	in, err := services.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := services.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := services.Start(); err != nil {
		s.t.Fatal(err)
	}
	ends(s.t, services)
	lines := bufio.NewReader(out)
	said = func(pattern string) {
		s.t.Helper()
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				s.t.Fatalf("the services of the desktop did not print %s: %v", pattern, err)
			}
			if regexp.MustCompile(pattern).MatchString(strings.TrimSpace(line)) {
				return
			}
		}
	}
	said("owned")
	said("owned")
	return func(text string) {
		if _, err := io.WriteString(in, text+"\n"); err != nil {
			s.t.Fatal(err)
		}
	}, said
}

// titled waits until the title of the active window matches a pattern.
func (s *screen) titled(pattern string) {
	s.t.Helper()
	s.waits("a title like "+pattern, func() bool {
		title, err := s.command("xdotool", "getactivewindow", "getwindowname").Output()
		return err == nil && regexp.MustCompile(pattern).MatchString(strings.TrimSpace(string(title)))
	})
}

// The menu follows the page: it enables what can run, lists recent projects, and runs commands of
// the page. The window has its own shortcuts for files, size and end.
func TestDesktopMenu(t *testing.T) {
	s, dir, videos := newScreen(t), t.TempDir(), folderOf(t)
	w := s.project(dir, recordingFor(t, filepath.Join(videos, "My talk.mp4"), 6))
	s.titled("^My talk · Roughcut$")
	s.click("menu", "^File$")
	s.await("menu item", "^Save frame")
	s.picture("menu-file")
	s.click("menu item", "^Export")
	s.await("dialog", "^Export video$")
	s.do("key", "Escape")
	s.gone("dialog", "^Export video$")
	s.do("key", "ctrl+shift+s")
	s.await("dialog", "^Export video$")
	s.do("key", "Escape")
	s.gone("dialog", "^Export video$")

	s.do("key", "i", "Right", "Right", "Right", "Right", "Right", "o", "Delete")
	w.until(answered("POST", "/api/v1/projects/:project_uuid/edits", 201), 1)
	s.click("menu", "^Edit$")
	s.await("menu item", "^Undo$") // usable
	s.picture("menu-edit")
	s.click("menu item", "^Undo$")
	w.until(`"method":"(POST|PATCH|DELETE)","route":"/api/v1/projects/:project_uuid/edit-history.*"status":20`, 1)
	s.click("menu", "^View$")
	s.await("menu item", "^Library$")
	s.picture("menu-view")
	s.click("menu item", "^Library$")
	s.await("push button", "New group")
	s.click("menu", "^Edit$")
	s.await("menu item", "^Settings$")
	if _, usable := s.find("menu item", "^Undo$"); usable {
		t.Error("the menu offers to undo without a project")
	}
	s.do("key", "Escape")
	s.click("menu", "^File$")
	s.click("menu", "^Open recent$")
	s.await("menu item", "^My talk$")
	s.picture("menu-recent")
	s.click("menu item", "^My talk$")
	s.await("entry", "^Project name$")

	s.do("key", "ctrl+plus")
	s.do("key", "ctrl+plus")
	s.do("key", "F11")
	s.waits("a window on the whole screen", func() bool { return s.size() == "1280x800" })
	s.picture("fullscreen")
	s.do("key", "F11")
	s.waits("a window with a frame", func() bool { return s.size() != "1280x800" })
	s.do("key", "ctrl+o")
	s.cancelled("Choose recordings")
	s.do("key", "ctrl+q")
	w.closed()
	if place := desktop.ReadPlace(filepath.Join(dir, "window.json")); place.Zoom != 1.25 {
		t.Errorf("the size of the page was not kept: %+v", place)
	}
}

// Text that the person is still typing is saved when the window closes.
func TestDesktopSavesTypedText(t *testing.T) {
	s, dir, videos := newScreen(t), t.TempDir(), folderOf(t)
	w := s.project(dir, recordingFor(t, filepath.Join(videos, "My talk.mp4"), 3))
	s.click("entry", "^Project name$")
	s.do("key", "ctrl+a")
	s.do("type", "Keynote")
	s.await("entry", "^Keynote$") // by its text
	s.do("key", "ctrl+q")
	w.closed()
	stored(t, dir, func(_ *store.Store, _ string, projects []store.Project) {
		if len(projects) != 1 || projects[0].Name != "Keynote" {
			t.Errorf("projects: %+v", projects)
		}
	})
}

// size returns the size of the active window.
func (s *screen) size() string {
	s.t.Helper()
	out, err := s.command("xdotool", "getactivewindow", "getwindowgeometry").Output()
	if err != nil {
		return ""
	}
	_, size, _ := strings.Cut(string(out), "Geometry: ")
	return strings.TrimSpace(size)
}

// A maximized window is maximized at the next start, and then gets its earlier size back.
func TestDesktopKeepsMaximized(t *testing.T) {
	s, dir := newScreen(t), t.TempDir()
	start := func() *shell {
		w := s.window(dir)
		w.until(answered("PUT", "/api/v1/desktop/page", 204), 1)
		s.titled("^Roughcut$")
		return w
	}
	w := start()
	s.do("getactivewindow", "windowsize", "--sync", "1000", "640")
	s.waits("a smaller window", func() bool { return s.size() == "1000x640" })
	s.do("key", "alt+space") // the menu of the window manager
	s.picture("window-menu")
	s.do("key", "x")
	s.waits("a maximized window", func() bool { return strings.HasPrefix(s.size(), "12") })
	s.do("key", "ctrl+q")
	w.closed()
	if place := desktop.ReadPlace(filepath.Join(dir, "window.json")); !place.Maximised || place.Width != 1000 {
		t.Errorf("kept %+v", place)
	}
	start()
	s.waits("a maximized window", func() bool { return strings.HasPrefix(s.size(), "12") })
	s.do("key", "alt+space", "e") // Restore
	s.waits("the earlier size", func() bool { return s.size() == "1000x640" })
}

// bright returns the brightness of the menu and of the page at a point, from 0 to 1.
func bright(shot image.Image, x, y int) float64 {
	r, g, b, _ := shot.At(x, y).RGBA()
	return float64(r+g+b) / 3 / 0xffff
}

// The window follows the theme of the desktop, also while it is open, until the person chooses one.
// The choice holds from the first frame of the next start.
func TestDesktopTheme(t *testing.T) {
	s, dir := newScreen(t), t.TempDir()
	tell, _ := s.bus()
	theme := func(name string, dark bool) {
		t.Helper()
		s.waits("a window that is dark: "+fmt.Sprint(dark), func() bool {
			shot := s.picture("theme-" + name)
			bar, page := bright(shot, 900, s.menuY()), bright(shot, 20, 500)
			return bar < 0.4 == dark && page < 0.4 == dark && (bar > 0.6) == !dark && (page > 0.6) == !dark
		})
	}
	w := s.window(dir)
	s.await("push button", "^New project$")
	theme("system-light", false)
	tell("dark")
	theme("system-dark", true)
	s.click("push button", "^Switch to light theme$")
	theme("chosen-light", false)
	s.do("key", "ctrl+q")
	w.closed()
	if place := desktop.ReadPlace(filepath.Join(dir, "window.json")); place.Theme != "light" {
		t.Errorf("kept %+v", place)
	}
	w = s.window(dir)
	s.await("push button", "^New project$")
	theme("chosen-again", false)
	s.do("key", "ctrl+w")
	w.closed()
}

// menuY returns the height of the menu on the screen.
func (s *screen) menuY() int {
	s.t.Helper()
	return s.await("menu", "^File$").Y
}

// starts runs the program as a desktop does, without a command and a terminal.
func (s *screen) starts(dir string, env ...string) *exec.Cmd {
	s.t.Helper()
	cmd := program(s.t.Context(), dir)
	cmd.Env = append(cmd.Env, "LIBGL_ALWAYS_SOFTWARE=1")
	cmd.Env = append(cmd.Env, slices.Concat(s.env, env)...)
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	return cmd
}

// A dialog says why the window does not open, and what to do.
func TestDesktopSaysWhyItDoesNotStart(t *testing.T) {
	for _, c := range []struct {
		name, says string
		code       int
		prepare    func(t *testing.T, dir string) (env []string)
	}{
		{"served", "without a window.*roughcut open.*The data directory is /", exitInUse,
			func(t *testing.T, dir string) []string {
				serve(t, dir, nil, "--owner")
				return nil
			}},
		{"damaged", "data directory is damaged.*roughcut doctor", exitDamaged, func(t *testing.T, dir string) []string {
			if err := os.WriteFile(filepath.Join(dir, "roughcut.db"), []byte("garbage"), 0o600); err != nil {
				t.Fatal(err)
			}
			return nil
		}},
		// The window is already open then.
		{"late", "METRICS_ADDR.*address already in use", 1, func(t *testing.T, _ string) []string {
			taken, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { taken.Close() })
			return []string{"METRICS_ADDR=" + taken.Addr().String()}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, dir := newScreen(t), t.TempDir()
			cmd := s.starts(dir, c.prepare(t, dir)...)
			s.said("(?s)" + c.says)
			s.picture("start-" + c.name)
			s.click("push button", "^Close$")
			_ = cmd.Wait() // the exit code follows
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
		})
	}
}

// The program opens the window without a command, and its page keeps its origin.
func TestDesktopKeepsOrigin(t *testing.T) {
	s, dir := newScreen(t), t.TempDir()
	var addresses []string
	for range 2 {
		cmd := s.starts(dir)
		s.await("push button", "^New project$")
		link, err := program(t.Context(), dir, "open", "--print").Output()
		if err != nil {
			t.Fatal(err)
		}
		address, _, _ := strings.Cut(string(link), "/?")
		addresses = append(addresses, address)
		s.do("key", "ctrl+q")
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}

	if !regexp.MustCompile(`^http://127\.[1-9]\d*\.\d+\.\d+:8420$`).MatchString(addresses[0]) ||
		addresses[1] != addresses[0] {
		t.Errorf("the page was at %q", addresses)
	}
}
