package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// screenScript has a pause after every sentence.
const screenScript = `rate 48000
floor -62
pause 600
say en-us 160 welcome back everyone
pause 4200
say en-us 160 the first thing you need is a good microphone
pause 4200
say en-us 160 the second thing is a quiet room
pause 600
`

// screenTalk writes a talk over a page of text. The page scrolls during the first pause and rests
// during the second one. It returns the pauses in seconds.
func screenTalk(t *testing.T) (path string, pauses [2][2]float64) {
	t.Helper()
	talk := mediatest.Talk(t, mediatest.TalkOptions{Script: screenScript, NoVideo: true, Container: "m4a"})
	seconds := func(ms int64) float64 { return float64(ms) / 1000 }
	words := talk.Words
	pauses[0] = [2]float64{seconds(words[2].EndMS), seconds(words[3].StartMS)}
	pauses[1] = [2]float64{seconds(words[11].EndMS), seconds(words[12].StartMS)}
	dir := t.TempDir()
	page, path := filepath.Join(dir, "page.txt"), filepath.Join(dir, "lesson.mp4")
	var text strings.Builder
	for line := range 80 {
		fmt.Fprintf(&text, "%3d  if err := open(file%d); err != nil { return wrap(err, %d) }\n", line, line*7, line*13)
	}
	if err := os.WriteFile(page, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	scroll := fmt.Sprintf("20-60*max(0\\,min(t\\,%.2f)-%.2f)", pauses[0][1], pauses[0][0])
	mediatest.FFmpeg(
		t, "-f", "lavfi", "-i", "color=0x1e1e2e:s=1280x720:r=10", "-i", talk.Path, "-vf",
		"drawtext=textfile="+page+":fontsize=20:fontcolor=0xd0d0e0:x=120:expansion=none:y="+scroll, "-shortest",
		"-c:v", "libx264", "-preset", "veryfast", "-g", "20", "-pix_fmt", "yuv420p", "-c:a", "copy", path,
	)
	return path, pauses
}

// Without --keep-demonstrations, a cut names the flag for a recording of a screen. With the flag,
// it keeps the silence while the page scrolls and cuts the other one.
func TestCutNamesTheFlagForAScreen(t *testing.T) {
	t.Parallel()
	path, pauses := screenTalk(t)
	cut := func(args ...string) (said string, active [2]bool) {
		cmd := program(context.Background(), t.TempDir(), append([]string{"cut", "--dry-run", "--json"}, args...)...)
		var status bytes.Buffer
		cmd.Stderr = &status
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, status.String())
		}
		var report struct {
			Edits []struct {
				StartMS int64 `json:"start_ms"`
				EndMS   int64 `json:"end_ms"`
				Active  bool  `json:"active"`
			} `json:"edits"`
		}
		if err := json.Unmarshal(out, &report); err != nil {
			t.Fatal(err)
		}
		for _, e := range report.Edits {
			for i, pause := range pauses {
				middle := int64(500 * (pause[0] + pause[1]))
				active[i] = active[i] || (e.Active && e.StartMS < middle && middle < e.EndMS)
			}
		}

		return status.String(), active
	}

	const note = "lesson.mp4 is a screen recording; --keep-demonstrations keeps its silences while the video changes."
	if said, active := cut(path); !strings.Contains(said, note) || active != [2]bool{true, true} {
		t.Errorf("without the flag: cuts %v, says %s", active, said)
	}
	if said, active := cut(path, "--keep-demonstrations"); strings.Contains(said, "screen") ||
		active != [2]bool{false, true} {
		t.Errorf("with the flag: cuts %v, says %s", active, said)
	}
	if said, _ := cut(tinyTalk(t)); strings.Contains(said, "screen") {
		t.Errorf("a test pattern: %s", said)
	}
}
