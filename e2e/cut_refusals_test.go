package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// Wrong calls fail with a clear error and leave no files.
func TestCutRefusesWrongCalls(t *testing.T) {
	t.Parallel()
	talk := shortTalk(t)
	dir := t.TempDir()
	existing := filepath.Join(dir, "there.mp4")
	if err := os.WriteFile(existing, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "text.mp4")
	if err := os.WriteFile(text, []byte("this is not a video\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "folder.mp4")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no output", []string{talk}, exitUsage, "-o OUTPUT"},
		{"not an mp4", []string{talk, "-o", filepath.Join(dir, "x.avi")}, exitUsage, "x.mp4"},
		{"output exists", []string{talk, "-o", existing}, exitFailed, "--force"},
		{"output is the input", []string{talk, "-o", talk, "--force"}, exitUsage, "which Roughcut never changes"},
		{"pacing out of range", []string{talk, "--dry-run", "--pacing", "101"}, exitUsage, "0 to 100"},
		{"unknown choice", []string{talk, "--dry-run", "--breaths", "loud"}, exitUsage, "remove, shorten or keep"},
		{"unknown kind", []string{talk, "--dry-run", "--mute-kinds", "silence,manual"}, exitUsage, `not "manual"`},
		{"unknown codec", []string{talk, "--dry-run", "--video-codec", "av1"}, exitUsage, "h264 or source"},
		{"unknown flag", []string{talk, "--frobnicate"}, exitUsage, "frobnicate"},
		{"missing file", []string{filepath.Join(dir, "missing.mp4"), "--dry-run"}, exitFailed, "missing.mp4"},
		{
			"missing second file, reported before the first is read",
			[]string{text, filepath.Join(dir, "missing.mp4"), "--dry-run"}, exitFailed, "missing.mp4",
		},
		{"an empty name", []string{"", "--dry-run"}, exitFailed, `cannot read the recording ""`},
		{
			"missing output folder, reported before the recording is read",
			[]string{text, "-o", filepath.Join(dir, "none", "x.mp4")}, exitFailed,
			"cannot write to the folder " + filepath.Join(dir, "none"),
		},
		{"a folder as the output", []string{talk, "-o", folder, "--force"}, exitUsage, "is a folder"},
		{
			"pacing is not a number", []string{talk, "--dry-run", "--pacing", "fast"}, exitUsage,
			`--pacing must be a whole number, not "fast"`,
		},
		{
			"unknown language", []string{talk, "--dry-run", "--language", "xx-BR"}, exitUsage,
			`"xx-BR" is not a language of speech models. Use one of these codes: af, am, ar,`,
		},
		{
			"language that the model does not know",
			[]string{talk, "--dry-run", "--language", "pt-BR", "--model", mediatest.Model(t)}, exitUsage,
			"understands only English, not --language pt-BR",
		},
		{"no input", nil, exitUsage, "usage: roughcut cut INPUT... -o OUTPUT"},
		{"a text file", []string{text, "-o", filepath.Join(dir, "y.mp4")}, exitFailed, "text.mp4"},
		{"unknown model", []string{talk, "--dry-run", "--model", "nonesuch"}, exitFailed, "nonesuch"},
		{"not a model", []string{talk, "--dry-run", "--model", text}, exitFailed, "text.mp4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := program(context.Background(), dir, append([]string{"cut"}, c.args...)...)
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.says) {
				t.Errorf("exit code %d, want %d and %q in:\n%s", code, c.code, c.says, out)
			}
		})
	}
	if text, _ := os.ReadFile(existing); string(text) != "precious" {
		t.Error("an existing file was changed")
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("files left: %v", left)
	}
}
