package e2e

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"roughcut/media/mediatest"
	"roughcut/store/outfile"
)

// onlyWhole fails the test unless a video is the only file of its folder and decodes without an
// error.
func onlyWhole(t *testing.T, path string) {
	t.Helper()
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("files next to the video: %v, %v", entries, err)
	}
	said, err := mediatest.Command(t, "ffmpeg", "-v", "error", "-i", path, "-f", "null", "-").CombinedOutput()
	if err != nil || len(said) > 0 {
		t.Errorf("%s is broken: %v\n%s", path, err, said)
	}
}

// A cut whose output another process writes fails at once, with and without --force.
func TestCutClaimsItsOutput(t *testing.T) {
	t.Parallel()
	talk, out := tinyTalk(t), filepath.Join(t.TempDir(), "p.mp4")
	claim, err := outfile.Claim(out, outfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"cut", talk, "-o", out}, {"cut", talk, "-o", out, "--force"}} {
		said, err := program(context.Background(), t.TempDir(), args...).CombinedOutput()
		want := "roughcut: another Roughcut process is writing " + out + ", wait for it or choose another name\n"
		if err == nil || string(said) != want { // without a line about reading the recording
			t.Errorf("%v: %v\n%s", args, err, said)
		}
	}
	claim.Close()
	works(t, t.TempDir(), "", "cut", talk, "-o", out)
	onlyWhole(t, out)
}

// Of two cuts that start with one output, one writes it and the other says why it does not.
func TestTwoCutsOfOneOutput(t *testing.T) {
	t.Parallel()
	talk := tinyTalk(t)
	for _, flags := range [][]string{nil, {"--force"}} {
		out := filepath.Join(t.TempDir(), "p.mp4")
		var said [2]bytes.Buffer
		var failed [2]error
		var both sync.WaitGroup
		for i := range said {
			cmd := program(context.Background(), t.TempDir(), append([]string{"cut", talk, "-o", out}, flags...)...)
			cmd.Stdout, cmd.Stderr = &said[i], &said[i]
			both.Go(func() { failed[i] = cmd.Run() })
		}
		both.Wait()
		written := 0
		for i, err := range failed {
			switch text := said[i].String(); {
			case err == nil && strings.Contains(text, "Wrote "):
				written++
			case err != nil && (strings.Contains(text, "is writing "+out) || strings.Contains(text, "already exists")):
			default:
				t.Errorf("%v: cut %d ended with %v\n%s", flags, i, err, text)
			}
		}
		if written == 0 || (written == 2 && flags == nil) {
			t.Errorf("%v: %d cuts succeeded", flags, written)
		}
		onlyWhole(t, out)
	}
}

// A killed cut leaves its output free. The next one removes its files.
func TestKilledCutLeavesItsOutputFree(t *testing.T) {
	t.Parallel()
	talk, out := tinyTalk(t), filepath.Join(t.TempDir(), "p.mp4")
	killed := program(context.Background(), t.TempDir(), "cut", talk, "-o", out)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	poll(t, func() bool {
		parts, _ := filepath.Glob(filepath.Join(filepath.Dir(out), ".p.mp4.*.part"))
		return len(parts) == 1
	})
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	works(t, t.TempDir(), "", "cut", talk, "-o", out)
	onlyWhole(t, out)
}

// Roughcut replaces no file that the cut reads and no file twice, also with --force.
func TestCutNeverWritesOnItsInputs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	talk, said := in("talk.mp4"), in("talk.srt")
	const line = "1\n00:00:01,000 --> 00:00:02,000\nwelcome back everyone\n"
	for _, err := range []error{
		os.Link(copyTo(t, tinyTalk(t), talk), in("hard.mp4")),
		os.Mkdir(in("folder"), 0o700),
		os.Symlink(dir, in("link")),
		os.Symlink(talk, in("soft.mp4")),
		os.WriteFile(said, []byte(line), 0o600),
		os.WriteFile(in("cover.png"), []byte("a cover"), 0o600),
		os.Link(in("cover.png"), in("cover.mp4")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		args []string
		says string
	}{
		{"a hard link", []string{"-o", in("hard.mp4")}, "which Roughcut never changes"},
		{"a symbolic link", []string{"-o", in("soft.mp4")}, "which Roughcut never changes"},
		{"a linked folder", []string{"-o", in("link/talk.mp4")}, "which Roughcut never changes"},
		{"another spelling", []string{"-o", dir + "//folder/.././talk.mp4"}, "which Roughcut never changes"},
		{
			"the transcript", []string{"--transcript", said, "-o", in("talk"), "--timeline", "srt"},
			"a file that the cut reads",
		},
		{"the cover", []string{"--cover", in("cover.png"), "-o", in("cover.mp4")}, "a file that the cut reads"},
		{"one file twice", []string{"-o", in("new"), "--timeline", "edl,edl"}, "twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := program(context.Background(), dir, append([]string{"cut", talk, "--force"}, c.args...)...)
			text, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != exitUsage || !strings.Contains(string(text), c.says) {
				t.Errorf("exit code %d, want %d and %q in:\n%s", code, exitUsage, c.says, text)
			}
		})
	}
	if text, err := os.ReadFile(said); err != nil || string(text) != line {
		t.Errorf("the transcript was changed: %q, %v", text, err)
	}
	if left, _ := filepath.Glob(in(".*")); len(left) > 0 {
		t.Errorf("files left: %v", left)
	}
}

// Cuts and backups replace no recording that a project links to, whether or not a server runs, and
// no file of the data directory.
func TestCommandsNeverReplaceLinkedFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	videos, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	linked := copyTo(t, tinyTalk(t), filepath.Join(videos, "linked.mp4"))
	before, err := os.ReadFile(linked)
	if err != nil {
		t.Fatal(err)
	}
	hard := filepath.Join(videos, "hard.mp4")
	if err := os.Link(linked, hard); err != nil {
		t.Fatal(err)
	}
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Talk"}, 201)
	call[record](
		c, "POST", "/api/v1/projects/"+project.UUID+"/clips/reference", map[string]string{"path": linked}, 202,
	)
	refused := func() {
		t.Helper()
		for _, args := range [][]string{
			{"cut", tinyTalk(t), "-o", linked},
			{"cut", tinyTalk(t), "-o", hard},
			{"backup", linked},
			{"backup", filepath.Join(dir, "roughcut.db")},
		} {
			text, err := program(context.Background(), dir, append(args, "--force")...).CombinedOutput()
			if err == nil || !strings.Contains(string(text), "Nothing has changed.") {
				t.Errorf("%v: %v\n%s", args, err, text)
			}
		}
	}
	refused()
	server.stop()
	refused()
	for _, path := range []string{linked, hard} {
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
			t.Errorf("%s was changed: %v", path, err)
		}
	}
	works(t, dir, "", "cut", tinyTalk(t), "-o", filepath.Join(videos, "linked cut.mp4"), "--force")
	doctor(t, dir)
}

// copyTo copies a file and returns the path of the copy.
func copyTo(t *testing.T, from, to string) string {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}
