package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media/libav"
	"roughcut/media/mediatest"
)

// A range leaves out the footage before and after it, in the video and in the files next to it.
func TestCutOfRange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "short.mp4")
	report := runJSON(t, program(
		context.Background(), dir, "cut", tinyTalk(t), "-o", out, "--json", "--model", mediatest.Model(t),
		"--from", "2.5", "--to", "0:05", "--timeline", "srt,json",
	))
	if report.OutputDurationMS < 1000 || report.OutputDurationMS > 2400 {
		t.Errorf("the output has %d ms, want what the cuts leave of 2500 ms", report.OutputDurationMS)
	}
	info, err := libav.New().Probe(t.Context(), out)
	if err != nil || info.DurationMS < report.OutputDurationMS-60 || info.DurationMS > report.OutputDurationMS+60 {
		t.Errorf("the file has %d ms, and the report says %d ms; %v", info.DurationMS, report.OutputDurationMS, err)
	}
	for _, name := range []string{"short.srt", "short.json"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(text), "first") || strings.Contains(string(text), "welcome") {
			t.Errorf("%s, %v:\n%s", name, err, text)
		}
	}
}
