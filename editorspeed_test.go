package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

// longTalkMS is three hours. In each stretch of stretchMS wordsInStretch words are said, then there is a pause.
const (
	longTalkMS     = 3 * 60 * 60 * 1000
	stretchMS      = 10_800
	wordsInStretch = 27
)

// TestLongEditorOnThreeHours opens a project of three hours, 1,000 cuts and 27,000 words in a real browser, and measures what a
// person would feel: frames while the timeline and the transcript scroll, the time from a seek to its picture, and from a turn of a
// knob to the new length. The bounds are those of a machine that does other work besides; the log has the figures.
func TestLongEditorOnThreeHours(t *testing.T) {
	if os.Getenv("ROUGHCUT_LONG") == "" {
		t.Skip("set ROUGHCUT_LONG=1: it takes minutes")
	}
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	user := call[record](c, "GET", "/api/v1/users/me", nil, 200)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Three hours"}, 201)
	c.upload(project.UUID, threeHours(t))
	comesTo(t, c, "/api/v1/projects/"+project.UUID+"/clips/", "ready")
	server.stop()
	analyzeByHand(t, dir, user.UUID, project.UUID, detect.Evidence{DurationMS: longTalkMS, Words: madeUpWords()})
	server = serve(t, dir, nil, "--owner")

	cmd := exec.Command("node", "e2e/editor-speed.mjs")
	cmd.Dir = "web"
	cmd.Env = append(os.Environ(), "BASE_URL="+server.launch, "PROJECT="+project.UUID)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, said.String())
	}
	type frames struct {
		Median, P95, Max float64
		Late             int // frames that took longer than two of the screen
		Of               int
	}
	got := decode[struct {
		Cuts, Words                    int
		Timeline, Overview, Transcript frames
		Seek, Replan                   []float64
		SeekMedian, ReplanMedian       float64
		Opened                         float64
	}](t, out)
	t.Logf("%s", out)
	if got.Cuts != longTalkMS/stretchMS || got.Words != got.Cuts*wordsInStretch {
		t.Errorf("%d cuts and %d words are shown", got.Cuts, got.Words)
	}
	for name, f := range map[string]frames{"the timeline": got.Timeline, "the timeline zoomed out": got.Overview, "the transcript": got.Transcript} {
		if f.Median > 34 || f.P95 > 100 {
			t.Errorf("while %s moves, frames take %.1f ms at the median, %.1f ms at the 95th percentile", name, f.Median, f.P95)
		}
	}
	if got.SeekMedian > 300 || got.ReplanMedian > 400 {
		t.Errorf("a seek takes %.0f ms, a new plan %.0f ms", got.SeekMedian, got.ReplanMedian)
	}
}

// threeHours makes footage of a minute and repeats it.
func threeHours(t *testing.T) string {
	t.Helper()
	minute := film(t, "minute.mp4", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=30", "-f", "lavfi", "-i", "sine=300:sample_rate=48000", "-t", "60",
		"-c:v", "libx264", "-preset", "ultrafast", "-crf", "34", "-g", "30", "-pix_fmt", "yuv420p", "-c:a", "aac", "-ac", "1", "-b:a", "32k")
	return film(t, "hours.mp4", "-stream_loop", "-1", "-i", minute, "-t", fmt.Sprintf("%d.5", longTalkMS/1000), "-c", "copy")
}

// analyzeByHand finishes an analysis as a worker would, with a transcript that is made up.
func analyzeByHand(t *testing.T, dir, user, project string, heard detect.Evidence) {
	t.Helper()
	ctx := context.Background()
	data, err := store.Open(ctx, store.Options{Dir: dir, Plans: store.Plans{Owner: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := data.Close(); err != nil {
			t.Error(err)
		}
	}()
	knobs := store.Knobs{PacingLevel: 50, FalseStartSensitivity: 50}
	if _, err := data.StartAnalysis(user, project, knobs); err != nil {
		t.Fatal(err)
	}
	job, ok, err := data.ClaimJob(ctx)
	if err != nil || !ok {
		t.Fatalf("no analysis is waiting: %v", err)
	}
	input, err := data.AnalysisInput(job)
	if err != nil {
		t.Fatal(err)
	}
	found := pipeline.Found{Model: "made up", Language: "en", Clips: []pipeline.ClipFound{{ClipUUID: input.Clips[0].UUID, Evidence: &heard}}}
	text, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	result := store.AnalysisResult{Model: found.Model, Language: "en", Transcripts: found.Transcripts(), Evidence: packed.Bytes(), Edits: found.Edits(knobs)}
	result.CaptionLines = pipeline.CaptionLines(result.Transcripts, pipeline.DefaultCaptionWords)
	if _, err := data.FinishAnalysis(job, result); err != nil {
		t.Fatal(err)
	}
}

// madeUpWords never says the same twice in a row, so that there are no false starts.
func madeUpWords() (words []media.Word) {
	syllables := strings.Fields("ka lo mi ne pu ra so ti ve wu xa yo zi")
	for start := int64(0); start < longTalkMS; start += stretchMS {
		for i := range int64(wordsInStretch) {
			n := int64(len(words))
			text := syllables[n%13] + syllables[n/13%13] + syllables[n/169%13] + syllables[n/2197%13]
			if i == wordsInStretch-1 {
				text += "."
			}
			words = append(words, media.Word{Text: text, StartMS: start + i*360, EndMS: start + i*360 + 300, Probability: 0.9})
		}
	}
	return words
}
