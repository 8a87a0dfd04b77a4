package e2e

import (
	"context"
	"path/filepath"
	"roughcut/media/mediatest"
	"strings"
	"testing"
)

// The flags of `roughcut cut` have the same effect as the settings of an export.
func TestCutAppliesSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "cut.mp4")
	report := runJSON(
		t,
		program(
			context.Background(), dir, "cut", rudeTalk(t).Path, "-o", out, "--json", "--model",
			mediatest.Model(t), "--resolution", "720p", "--aspect", "9:16", "--captions", "boxed",
			"--normalize", "--denoise", "--censor",
		),
	)
	checkExportSettings(t, out, report.Edits)
	if text, err := program(
		context.Background(), dir, "cut", out, "-o", filepath.Join(dir, "b.mp4"), "--captions", "newspaper",
	).CombinedOutput(); err == nil ||
		!strings.Contains(string(text), "karaoke") {
		t.Errorf("unknown caption style: %v\n%s", err, text)
	}
}
