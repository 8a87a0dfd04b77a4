//go:build desktop

package e2e

import (
	"bufio"
	"context"
	"fmt"
	"image"
	_ "image/png"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"roughcut/desktop"
	"roughcut/media/mediatest"
	"roughcut/store"
	"roughcut/store/account"
	"roughcut/store/billing"
)

// screen is an X server without a monitor, with a window manager and an accessibility bus.
type screen struct {
	t   *testing.T
	env []string
}

// newScreen starts an X server of 1280x800 pixels.
func newScreen(t *testing.T) *screen {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	server := mediatest.Command(t, "Xvfb", "-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp")
	server.ExtraFiles = []*os.File{write}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	ends(t, server)
	number, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb names no display: %v", err)
	}
	s := &screen{t: t, env: []string{"DISPLAY=:" + strings.TrimSpace(number), "XDG_RUNTIME_DIR=" + t.TempDir()}}
	bus := s.command("dbus-daemon", "--session", "--nofork", "--print-address")
	said, err := bus.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := bus.Start(); err != nil {
		t.Fatal(err)
	}
	ends(t, bus)
	address, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatalf("the bus names no address: %v", err)
	}
	s.env = append(s.env, "DBUS_SESSION_BUS_ADDRESS="+strings.TrimSpace(address))
	manager := s.command("openbox")
	if err := manager.Start(); err != nil {
		t.Fatal(err)
	}
	ends(t, manager)
	return s
}

// ends kills a command at the end of the test.
func ends(t *testing.T, cmd *exec.Cmd) {
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have exited already
		_ = cmd.Wait()
	})
}

func (s *screen) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), s.env...)
	return cmd
}

// do sends keyboard and mouse input to the screen.
func (s *screen) do(args ...string) {
	s.t.Helper()
	if out, err := s.command("xdotool", args...).CombinedOutput(); err != nil {
		s.t.Fatalf("xdotool %v: %v\n%s", args, err, out)
	}
}

// picture takes a screenshot and stores it in ROUGHCUT_SCREENSHOTS.
func (s *screen) picture(name string) image.Image {
	s.t.Helper()
	dir := os.Getenv("ROUGHCUT_SCREENSHOTS")
	if dir == "" {
		dir = s.t.TempDir()
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		s.t.Fatal(err)
	}
	path := filepath.Join(dir, "desktop-"+name+".png")
	if out, err := s.command("import", "-silent", "-window", "root", path).CombinedOutput(); err != nil {
		s.t.Fatalf("import: %v\n%s", err, out)
	}
	file, err := os.Open(path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer file.Close()
	shot, _, err := image.Decode(file)
	if err != nil {
		s.t.Fatal(err)
	}
	return shot
}

// colors counts the colors in a part of a screenshot.
func colors(shot image.Image, part image.Rectangle) int {
	seen := map[string]bool{}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			r, g, b, _ := shot.At(x, y).RGBA()
			seen[fmt.Sprint(r>>11, g>>11, b>>11)] = true
		}
	}
	return len(seen)
}

// shown waits until a part of the screen has more than many colors.
func (s *screen) shown(name string, part image.Rectangle, many int) {
	s.t.Helper()
	poll(s.t, func() bool { return colors(s.picture(name), part) > many })
}

// shell is the running program with its window.
type shell struct {
	*running
	screen *screen
}

// window starts the program with files.
func (s *screen) window(dir string, files ...string) *shell {
	s.t.Helper()
	cmd := s.program(dir, files...)
	r := &running{t: s.t, dir: dir, cmd: cmd, exited: make(chan error, 1), log: &lockedBuffer{}}
	cmd.Stderr = r.log
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() { r.exited <- cmd.Wait() }()
	s.t.Cleanup(r.kill)
	return &shell{r, s}
}

func (s *screen) program(dir string, files ...string) *exec.Cmd {
	cmd := program(context.Background(), dir, append([]string{"desktop"}, files...)...)
	cmd.Env = append(cmd.Env, "LISTEN_ADDR=127.0.0.1:0", "LOG_LEVEL=info", "LIBGL_ALWAYS_SOFTWARE=1")
	cmd.Env = append(cmd.Env, s.env...)
	return cmd
}

// until waits until n lines of the log match a pattern.
func (s *shell) until(pattern string, n int) {
	s.t.Helper()
	lines := regexp.MustCompile(pattern)
	found := func() bool { return len(lines.FindAllString(s.log.String(), -1)) >= n }
	defer func() {
		if !found() {
			s.screen.picture("stuck")
			s.t.Logf("no %d lines like %s:\n%s", n, pattern, s.log)
		}
	}()
	poll(s.t, found)
}

// answered returns the pattern of the log line of an answered request.
func answered(method, route string, status int) string {
	return fmt.Sprintf(`"method":"%s","route":"%s","status":%d`, method, regexp.QuoteMeta(route), status)
}

// closed waits until the program exits.
func (s *shell) closed() {
	s.t.Helper()
	select {
	case err := <-s.exited:
		s.exited = nil
		if err != nil {
			s.t.Fatalf("the program did not exit cleanly: %v\n%s", err, s.log)
		}
	case <-time.After(patience()):
		s.screen.picture("stuck")
		_ = s.cmd.Process.Signal(syscall.SIGQUIT) // it prints what each goroutine does
		<-s.exited
		s.exited = nil
		s.t.Fatalf("the program did not exit\n%s", s.log)
	}
}

// quits presses Alt+F4 until the program exits. A drag keeps the keyboard for a moment after its
// end.
func (s *shell) quits() {
	s.t.Helper()
	var exited error
	s.screen.waits("the end of the program", func() bool {
		s.screen.do("key", "alt+F4")
		select {
		case exited = <-s.exited:
			return true
		case <-time.After(time.Second):
			return false
		}
	})
	if s.exited = nil; exited != nil {
		s.t.Fatalf("the program did not exit cleanly: %v\n%s", exited, s.log)
	}
}

// recordingFor makes a short recording of a test picture with a tone.
func recordingFor(t *testing.T, path string, seconds int) string {
	t.Helper()
	length := fmt.Sprint(seconds)
	out, err := mediatest.Command(
		t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=30", "-f", "lavfi", "-i",
		"sine=frequency=300", "-t", length, "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p",
		"-c:a", "aac", path,
	).CombinedOutput()
	if err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
	return path
}

// stored opens the data directory dir, which no program uses, and passes its owner and projects to
// use, in the order of their creation.
func stored(t *testing.T, dir string, use func(data *store.Store, owner string, projects []store.Project)) {
	t.Helper()
	tiers := billing.DefaultTierTable()
	tiers.Unlimited = true
	data, err := store.Open(
		t.Context(), store.Options{Dir: dir, TierTable: tiers, MinFreeBytes: 1, Log: slog.New(slog.DiscardHandler)},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	owner, err := data.Owner(func() account.User { return account.User{} })
	if err != nil {
		t.Fatal(err)
	}
	projects, _, err := data.Projects(owner.UUID, store.ProjectFilter{}, store.Page{Number: 1, Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(projects, func(a, b store.Project) int { return a.CreatedAt.Compare(b.CreatedAt) })
	use(data, owner.UUID, projects)
}

// storedClips returns the clips in the data directory dir.
func storedClips(t *testing.T, dir string) (all []store.Clip) {
	t.Helper()
	stored(t, dir, func(data *store.Store, owner string, projects []store.Project) {
		for _, p := range projects {
			clips, err := data.Clips(owner, p.UUID)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, clips...)
		}
	})
	return all
}

// TestDesktopWindow opens the window with a file, which becomes a project. A second start passes
// another file to the window and raises it, and the window asks what the file becomes. After a
// close by the window manager, the next start restores position and size.
func TestDesktopWindow(t *testing.T) {
	s, dir := newScreen(t), t.TempDir()
	videos, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	talk, more := recordingFor(t, filepath.Join(videos, "My talk.mp4"), 6), recordingFor(
		t, filepath.Join(videos, "more.mp4"), 3,
	)
	w := s.window(dir, talk)
	w.until(answered("POST", "/api/v1/desktop/take-files", 200), 1)
	w.until(answered("POST", "/api/v1/projects/:project_uuid/clips/reference", 202), 1)
	w.until(`"msg":"job done"`, 2) // the clip and its analysis
	w.until(`"route":"/media/v1/:token","status":20[06]`, 1)

	s.do(
		"search", "--onlyvisible", "--name", "Roughcut$", "windowsize", "--sync", "1100", "700", "windowmove",
		"--sync", "90", "60",
	)
	s.do("search", "--onlyvisible", "--name", "Roughcut$", "windowminimize", "--sync")
	cmd := s.program(dir, more)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("a second start: %v\n%s", err, out)
	}
	s.await("push button", "^New project")
	s.picture("asks")
	s.click("push button", "^Add to this project")
	w.until(answered("POST", "/api/v1/projects/:project_uuid/clips/reference", 202), 2)
	w.until(`"msg":"job done"`, 3)
	s.waits("the window in front", func() bool {
		front, err := s.command("xdotool", "getactivewindow", "getwindowname").Output()
		return err == nil && strings.HasSuffix(strings.TrimSpace(string(front)), "Roughcut")
	})
	s.shown("editor", image.Rect(400, 150, 900, 450), 60) // only the test picture is that colorful
	if out, err := s.program(dir, more).CombinedOutput(); err != nil {
		t.Fatalf("a third start: %v\n%s", err, out)
	}
	s.click("push button", "^New project")
	w.until(answered("POST", "/api/v1/projects", 201), 2)
	w.until(`"msg":"job done"`, 5)
	s.do("key", "alt+F4")
	w.closed()
	clips := storedClips(t, dir)
	if len(clips) != 3 || clips[0].LinkedFile == nil || clips[0].LinkedFile.Path != talk ||
		clips[1].LinkedFile == nil || clips[1].LinkedFile.Path != more || clips[1].Status != store.ClipReady ||
		clips[1].ProjectUUID != clips[0].ProjectUUID || clips[2].ProjectUUID == clips[0].ProjectUUID {
		t.Errorf("clips: %+v", clips)
	}
	doctor(t, dir)
	was := desktop.ReadPlace(filepath.Join(dir, "window.json"))
	if !was.Moved || was.Width != 1100 || was.Height != 700 {
		t.Errorf("the window position was not saved: %+v", was)
	}

	if err := os.Rename(more, more+".moved"); err != nil {
		t.Fatal(err)
	}
	w = s.window(dir)
	w.until(answered("GET", "/api/v1/projects", 200), 1)
	s.do("search", "--sync", "--onlyvisible", "--name", "Roughcut$", "windowfocus")
	s.shown("projects", image.Rect(100, 110, 1180, 700), 8)
	w.stop()
	if now := desktop.ReadPlace(filepath.Join(dir, "window.json")); now != was {
		t.Errorf("the window position was %+v, then %+v", was, now)
	}
	if _, err := os.Stat(talk); err != nil {
		t.Errorf("the recording is missing: %v", err)
	}
	doctor(t, dir)
}

func TestDesktopWithoutDisplaySuggestsBrowser(t *testing.T) {
	out, err := program(t.Context(), t.TempDir(), "desktop").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "serve --owner") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestDesktopRefusesDataOfARunningServer(t *testing.T) {
	dir := t.TempDir()
	serve(t, dir, nil, "--owner")
	cmd := program(t.Context(), dir, "desktop")
	cmd.Env = append(cmd.Env, "DISPLAY=:none")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exitInUse || !strings.Contains(string(out), "without a window") {
		t.Errorf("%v %d\n%s", err, cmd.ProcessState.ExitCode(), out)
	}
}
