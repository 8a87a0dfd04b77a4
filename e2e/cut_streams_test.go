package e2e

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// "-" stands for standard input and output, and never for a file. The temporary files are gone.
func TestCutReadsAndWritesTheStandardStreams(t *testing.T) {
	t.Parallel()
	dir, temp := t.TempDir(), t.TempDir()
	talk, err := os.ReadFile(tinyTalk(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"mkv", "mp4"} {
		cmd := program(context.Background(), dir, "cut", "-", "-o", "-", "--format", format)
		var out, said bytes.Buffer
		cmd.Dir, cmd.Env = dir, append(cmd.Env, "TMPDIR="+temp)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(talk), &out, &said
		if err := cmd.Run(); err != nil || !strings.Contains(said.String(), "Wrote standard output: ") {
			t.Fatalf("%v\n%s", err, said.String())
		}
		player := mediatest.Command(t, "ffmpeg", "-v", "error", "-i", "pipe:0", "-f", "null", "-")
		player.Stdin = &out
		if text, err := player.CombinedOutput(); err != nil || len(text) > 0 {
			t.Errorf("%s: a player that cannot seek fails: %v\n%s", format, err, text)
		}
	}

	cmd := program(context.Background(), dir, "cut", "-", "--dry-run", "--json")
	cmd.Env, cmd.Stdin = append(cmd.Env, "TMPDIR="+temp), bytes.NewReader(talk)
	text, err := cmd.Output()
	if err != nil || !strings.Contains(string(text), `"path": "-"`) {
		t.Errorf("%v\n%s", err, text)
	}

	for _, args := range [][]string{{"-o", "-"}, {"--dry-run", "--json"}} {
		out, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = out.Close() // the reader leaves
		cmd = program(context.Background(), dir, append([]string{"cut", "-"}, args...)...)
		cmd.Env, cmd.Stdin, cmd.Stdout = append(cmd.Env, "TMPDIR="+temp), bytes.NewReader(talk), w
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != exitFailed {
			t.Errorf("%v: a cut without a reader ends with %v", args, err)
		}
		_ = w.Close()
	}
	for _, folder := range []string{dir, temp} {
		if left, _ := filepath.Glob(filepath.Join(folder, "*-*")); len(left) > 0 {
			t.Errorf("files left: %v", left)
		}
	}

	for says, args := range map[string][]string{
		"can be given once":              {"-", "-", "-o", "-"},
		"--each cannot cut":              {"-", "--each", "--out-dir", dir},
		"--json prints on":               {"-", "-o", "-", "--json"},
		"the video needs -o FILE":        {"-", "-o", "-", "--timeline", "srt"},
		"write ./- for a file":           {"-", "-o", "-", "--transcript", "-"},
		"standard input cannot be one":   {"-", "-o", filepath.Join(dir, "p.mp4"), "--timeline", "edl"},
		"--format must be mp4, mov, mkv": {"-", "-o", "-", "--format", "avi"},
	} {
		code, text := runs(t, dir, string(talk), append([]string{"cut"}, args...)...)
		if code != exitUsage || !strings.Contains(text, says) {
			t.Errorf("%v: exit code %d, want %q in:\n%s", args, code, says, text)
		}
	}
}

// A backup goes through a pipe into a restore. A name of 255 bytes is a good name for a backup.
func TestBackupThroughAPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	works(
		t, dir, goodPassword, "admin", "create-user", "--email", "ada@example.org", "--name", "Ada", "--username",
		"ada", "--password-stdin",
	)
	from, to := program(context.Background(), dir, "backup", "-"), t.TempDir()
	into := program(context.Background(), to, "restore", "-")
	var said bytes.Buffer
	pipe, err := from.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	from.Dir, into.Dir = dir, to
	into.Stdin, into.Stdout, into.Stderr = pipe, &said, &said
	if err := from.Start(); err != nil {
		t.Fatal(err)
	}
	if err := into.Run(); err != nil {
		t.Errorf("restore: %v\n%s", err, said.String())
	}
	if err := from.Wait(); err != nil {
		t.Errorf("backup: %v", err)
	}
	if users := works(t, to, "", "admin", "list-users"); !strings.Contains(users, "ada@example.org") {
		t.Errorf("restored accounts:\n%s", users)
	}
	if _, err := os.Stat(filepath.Join(dir, "-")); err == nil {
		t.Error("the backup wrote a file with the name -")
	}

	code, out := runs(t, t.TempDir(), "half a backup", "restore", "-")
	if code != exitFailed || !strings.Contains(out, "backup") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("n", 255))
	if out := works(t, dir, "", "backup", long); !strings.HasPrefix(out, "wrote "+long) {
		t.Errorf("backup says %q", out)
	}
}

// The names of a video and its texts can have 255 bytes, and the messages name the paths as given.
func TestCutWritesLongNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := "folder/" + strings.Repeat("n", 251)
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := program(context.Background(), dir, "cut", tinyTalk(t), "-o", name+".mp4", "--timeline", "edl")
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	for _, path := range []string{name + ".mp4", name + ".edl"} {
		if _, missing := os.Stat(filepath.Join(dir, path)); err != nil || missing != nil ||
			!strings.Contains(string(text), "Wrote "+path) {
			t.Errorf("%v, %v\n%s", err, missing, text)
		}
	}
}
