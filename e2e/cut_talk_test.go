package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// TestCutTalk cuts a talk with `roughcut cut`.
func TestCutTalk(t *testing.T) {
	t.Parallel()
	cutsTalk(t, wholeTalk(t))
}

// TestLongCutTalk cuts a talk of three minutes.
func TestLongCutTalk(t *testing.T) {
	needsLong(t)
	cutsTalk(t, mediatest.Talk(t, mediatest.TalkOptions{Script: mediatest.ThreeMinuteScript(), Hiss: true}))
}

func cutsTalk(t *testing.T, talk mediatest.TalkFixture) {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(dir, "talk-cut.mp4")
	cmd := program(
		context.Background(), dir, "cut", talk.Path, "-o", out, "--json", "--model", mediatest.Model(t),
		"--pacing", fmt.Sprint(pacing), "--false-starts", fmt.Sprint(falseStarts),
	)
	report := runJSON(t, cmd)
	if report.DurationMS == 0 || len(report.Transcript.Words) < len(talk.Words)*8/10 {
		t.Fatalf("%d words found of %d in %d ms", len(report.Transcript.Words), len(talk.Words), report.DurationMS)
	}
	checkCut(t, talk, out, report.Edits, report.OutputDurationMS)
}

// TestCutDryRunPrintsEdits checks that a dry run prints the edits and writes no files.
func TestCutDryRunPrintsEdits(t *testing.T) {
	t.Parallel()
	talk := shortTalk(t)
	dir := t.TempDir()
	out, err := program(
		context.Background(), dir, "cut", talk, "--dry-run", "--model", mediatest.Model(t),
	).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "START") || !strings.Contains(string(out), "silence") ||
		!strings.Contains(string(out), "Pause of") {
		t.Errorf("table of edits:\n%s", out)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("a dry run wrote %v", left)
	}
}

// TestCutDryRunDecodesNoVideo checks that a dry run gives the same result for a recording whose
// video packets after the first cannot be decoded. The audio ends first, so only the video tells
// the length.
func TestCutDryRunDecodesNoVideo(t *testing.T) {
	dir := t.TempDir()
	report := func(name string, damage ...string) cutReport {
		path := filepath.Join(dir, name)
		args := append([]string{"-v", "error", "-i", shortTalk(t), "-c:v", "copy", "-af", "atrim=end=5"}, damage...)
		if out, err := mediatest.Command(t, "ffmpeg", append(args, path)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return runJSON(t, program(context.Background(), dir, "cut", path, "--dry-run", "--json"))
	}
	intact, damaged := report("intact.mkv"), report("damaged.mkv", "-bsf:v", "noise=amount=gt(n\\,0)")
	if damaged.DurationMS != intact.DurationMS || damaged.OutputDurationMS != intact.OutputDurationMS ||
		!slices.Equal(damaged.Edits, intact.Edits) || len(intact.Edits) == 0 {
		t.Errorf("%+v, intact %+v", damaged, intact)
	}
}

// TestCutJoinsRecordings cuts two recordings into one video.
func TestCutJoinsRecordings(t *testing.T) {
	t.Parallel()
	talk := shortTalk(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "both.mp4")
	one := runJSON(
		t,
		program(context.Background(), dir, "cut", talk, "--dry-run", "--json", "--model", mediatest.Model(t)),
	)
	both := runJSON(
		t,
		program(context.Background(), dir, "cut", talk, talk, "-o", out, "--json", "--model", mediatest.Model(t)),
	)
	if both.DurationMS != 2*one.DurationMS || len(both.Edits) != 2*len(one.Edits) ||
		len(both.Transcript.Words) != 2*len(one.Transcript.Words) {
		t.Errorf(
			"two recordings: %d ms, %d edits, %d words; one: %d ms, %d edits, %d words", both.DurationMS,
			len(both.Edits), len(both.Transcript.Words), one.DurationMS, len(one.Edits),
			len(one.Transcript.Words),
		)
	}
	if frames := len(mediatest.FrameNumbers(t, out)); media.SnapRate(30, 1).MS(int64(frames)) != both.OutputDurationMS {
		t.Errorf("%d frames for %d ms", frames, both.OutputDurationMS)
	}
}

// cutReport is the output of `roughcut cut --json`.
type cutReport struct {
	DurationMS       int64            `json:"duration_ms"`
	OutputDurationMS int64            `json:"output_duration_ms"`
	Edits            []cutEdit        `json:"edits"`
	Transcript       media.Transcript `json:"transcript"`
	Encoder          string           `json:"encoder"`
	SoftwareBecause  string           `json:"software_because"`
}

// cutEdit is an edit of `roughcut cut --json`. The API lists edits with the same fields.
type cutEdit struct {
	Type    string `json:"type"`
	StartMS int64  `json:"start_ms"`
	EndMS   int64  `json:"end_ms"`
	Active  bool   `json:"active"`
}

func runJSON(t testing.TB, cmd *exec.Cmd) cutReport {
	t.Helper()
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	var report cutReport
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return report
}
