package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// forWindows returns a function that makes a command run the executable for Windows under Wine. It
// skips the test unless `make test-windows` has built the executable.
func forWindows(t *testing.T) func(*exec.Cmd) {
	t.Helper()
	executable, prefix := os.Getenv("ROUGHCUT_WINDOWS"), os.Getenv("WINEPREFIX")
	if executable == "" {
		t.Skip("make test-windows sets ROUGHCUT_WINDOWS")
	}
	return func(cmd *exec.Cmd) {
		cmd.Path = executable
		emulate(t, cmd, "/usr/lib/wine/wine64")
		cmd.Env = append(cmd.Env, "WINEPREFIX="+prefix, "WINEDEBUG=-all", "DISPLAY=")
	}
}

func TestWindowsDoctorFindsNoFault(t *testing.T) {
	windows := forWindows(t)
	dir := t.TempDir()
	for _, command := range []string{"version", "doctor"} {
		cmd := program(context.Background(), dir, command)
		windows(cmd)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "FFmpeg") {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
}

// TestWindowsCutsAlike cuts a talk with captions and without a speech model.
func TestWindowsCutsAlike(t *testing.T) {
	windows := forWindows(t)
	out := filepath.Join(t.TempDir(), "cut.mp4")
	captioned := func(cmd *exec.Cmd) { cmd.Args = append(cmd.Args, "--captions", "classic") }
	here := cutTiny(t, out, captioned)
	there := cutTiny(t, out, func(cmd *exec.Cmd) { captioned(cmd); windows(cmd) })
	if diff := cmp.Diff(texts(here.Transcript.Words), texts(there.Transcript.Words)); diff != "" {
		t.Errorf("Windows hears other words:\n%s", diff)
	}
	sameCut(t, here, there)
	decodes(t, out)

	wordless := func(adjust func(*exec.Cmd), flags ...string) cutReport {
		cmd := program(context.Background(), t.TempDir(), append([]string{"cut", tinyTalk(t), "--json"}, flags...)...)
		adjust(cmd)
		return runJSON(t, cmd)
	}
	here = wordless(func(*exec.Cmd) {}, "--dry-run")
	if len(here.Edits) == 0 {
		t.Fatalf("cut %+v", here)
	}
	sameCut(t, here, wordless(windows, "--dry-run"))
	sameCut(t, here, wordless(windows, "-o", out, "--force"))
	decodes(t, out)
}

// sameCut fails the test unless two executables cut alike.
func sameCut(t *testing.T, here, there cutReport) {
	t.Helper()
	if diff := cmp.Diff(here.Edits, there.Edits); diff != "" || here.OutputDurationMS != there.OutputDurationMS {
		t.Errorf("cuts to %d ms, this system to %d ms:\n%s", there.OutputDurationMS, here.OutputDurationMS, diff)
	}
}

// decodes fails the test unless ffmpeg decodes a video without complaints.
func decodes(t *testing.T, path string) {
	t.Helper()
	said, err := exec.Command("ffmpeg", "-v", "error", "-xerror", "-i", path, "-f", "null", "-").CombinedOutput()
	if err != nil || len(said) > 0 {
		t.Errorf("%s does not decode: %v\n%s", path, err, said)
	}
}

// TestWindowsServerExports takes a talk through a server, which then stops and starts again.
func TestWindowsServerExports(t *testing.T) {
	windows := forWindows(t)
	dir := t.TempDir()
	begin := func() (*running, *client) {
		cmd := program(context.Background(), dir, "serve", "--listen", "127.0.0.1:0", "--owner")
		windows(cmd)
		server := start(t, dir, cmd)
		return server, server.owner(t)
	}
	server, c := begin()
	if status, text, err := c.do("GET", "/readyz", nil); err != nil || status >= 300 {
		t.Errorf("health: status %d, %v, %s", status, err, text)
	}
	project := c.guideProject("A talk", tinyTalk(t), false)
	root := "/api/v1/projects/" + project
	call[map[string]any](c, "POST", root+"/analyze", map[string]any{"pacing_level": pacing}, 202)
	poll(t, func() bool { return call[record](c, "GET", root, nil, 200).Status == "analyzed" })
	decodes(t, c.exported(project, filepath.Join(t.TempDir(), "export.mp4")))
	server.stop()

	server, c = begin()
	if got := call[record](c, "GET", root, nil, 200); got.Status != "analyzed" {
		t.Errorf("after a restart, the project is %+v", got)
	}
	call[struct{}](c, "DELETE", root, nil, 204)
	server.stop()
}
