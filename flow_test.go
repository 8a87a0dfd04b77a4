package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// pacing and falseStarts are what the acceptance tests ask for.
const (
	pacing      = 50
	falseStarts = 60
)

// pauseLimit is the longest pause in milliseconds that a pacing level leaves alone: 2.5 s at 0, 150
// ms at 100, geometric between.
func pauseLimit(pacing int) float64 { return 2500 * math.Pow(150.0/2500, float64(pacing)/100) }

// TestCutTalk takes a three-minute talk through `roughcut cut`.
func TestCutTalk(t *testing.T) {
	talk := threeMinutes(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "talk-cut.mp4")
	cmd := program(
		context.Background(),
		dir,
		"cut",
		talk.Path,
		"-o",
		out,
		"--json",
		"--model",
		mediatest.Model(t),
		"--pacing",
		fmt.Sprint(pacing),
		"--false-starts",
		fmt.Sprint(falseStarts),
	)
	report := runJSON(t, cmd)
	if report.DurationMS == 0 || len(report.Transcript.Words) < len(talk.Words)*8/10 {
		t.Fatalf("%d words found of %d in %d ms", len(report.Transcript.Words), len(talk.Words), report.DurationMS)
	}
	checkCut(t, talk, out, report.Edits, report.OutputDurationMS, 0)
}

// TestCutDryRun prints edits and writes nothing.
func TestCutDryRun(t *testing.T) {
	talk := shortTalk(t)
	dir := t.TempDir()
	out, err := program(
		context.Background(),
		dir,
		"cut",
		talk,
		"--dry-run",
		"--model",
		mediatest.Model(t),
	).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "START") || !strings.Contains(string(out), "silence") ||
		!strings.Contains(string(out), "Pause of") {
		t.Errorf("the table of edits is:\n%s", out)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("a dry run wrote %v", left)
	}
}

// TestCutJoinsRecordings makes one video of two recordings.
func TestCutJoinsRecordings(t *testing.T) {
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
			"two recordings: %d ms, %d edits, %d words; one: %d ms, %d edits, %d words",
			both.DurationMS,
			len(both.Edits),
			len(both.Transcript.Words),
			one.DurationMS,
			len(one.Edits),
			len(one.Transcript.Words),
		)
	}
	if frames := len(mediatest.FrameNumbers(t, out)); media.SnapRate(30, 1).MS(int64(frames)) != both.OutputDurationMS {
		t.Errorf("%d frames for %d ms", frames, both.OutputDurationMS)
	}
}

// TestCutRefuses lists calls that must end with an error that says what to do, and leave nothing
// behind.
func TestCutRefuses(t *testing.T) {
	talk := shortTalk(t)
	dir := t.TempDir()
	existing := filepath.Join(dir, "there.mp4")
	if err := os.WriteFile(existing, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "text.mp4")
	if err := os.WriteFile(text, []byte("this is no video, whatever its name says\n"), 0o600); err != nil {
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
		{"output is the input", []string{talk, "-o", talk, "--force"}, exitUsage, "never changes an original"},
		{"pacing out of range", []string{talk, "--dry-run", "--pacing", "101"}, exitUsage, "0 to 100"},
		{"no such codec", []string{talk, "--dry-run", "--video-codec", "av1"}, exitUsage, "h264 or source"},
		{"no such flag", []string{talk, "--frobnicate"}, exitUsage, "frobnicate"},
		{"no such file", []string{filepath.Join(dir, "missing.mp4"), "--dry-run"}, exitFailed, "missing.mp4"},
		{"no such second file, before the first is read", []string{text, filepath.Join(dir, "missing.mp4"), "--dry-run"}, exitFailed, "missing.mp4"},
		{"an empty name", []string{"", "--dry-run"}, exitFailed, `the recording "" cannot be read`},
		{"no such folder to write to, before the recording is read", []string{text, "-o", filepath.Join(dir, "none", "x.mp4")}, exitFailed, "nothing can be written to the folder " + filepath.Join(dir, "none")},
		{"a folder as the output", []string{talk, "-o", folder, "--force"}, exitUsage, "is a folder"},
		{"pacing that is no number", []string{talk, "--dry-run", "--pacing", "fast"}, exitUsage, `--pacing must be a whole number, not "fast"`},
		{"no such language", []string{talk, "--dry-run", "--language", "klingon!"}, exitUsage, "such as en or pt-BR"},
		{"nothing to cut", nil, exitUsage, "it is called as roughcut cut INPUT... -o OUTPUT"},
		{"a text file", []string{text, "-o", filepath.Join(dir, "y.mp4")}, exitFailed, "text.mp4"},
		{"no such model", []string{talk, "--dry-run", "--model", "nonesuch"}, exitFailed, "nonesuch"},
		{"a model that is none", []string{talk, "--dry-run", "--model", text}, exitFailed, "text.mp4"},
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
		t.Errorf("left behind: %v", left)
	}
}

// TestAPITalk takes the same talk through the HTTP API of a metered server: from signing up to the
// downloaded video.
func TestAPITalk(t *testing.T) {
	talk := threeMinutes(t)
	dir := t.TempDir()
	server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t)})
	c := signUp(t, server)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "A talk"}, 201)
	root := "/api/v1/projects/" + project.UUID
	events := c.events(
		project.UUID,
		"CLIP_PROCESSING",
		"CLIP_READY",
		"ANALYSIS_STARTED",
		"ANALYSIS_COMPLETE",
		"EXPORT_STARTED",
		"EXPORT_COMPLETE",
	)
	c.upload(project.UUID, talk.Path)
	wait(t, events)
	wait(t, events)
	call[struct{}](
		c,
		"POST",
		root+"/analyze",
		map[string]int{"pacing_level": pacing, "false_start_sensitivity": falseStarts},
		202,
	)
	wait(t, events)
	complete := wait(t, events)
	edits := call[list[cutEdit]](c, "GET", root+"/edits/", nil, 200).Items
	if int(complete["edit_count"].(float64)) != len(edits) || len(edits) == 0 {
		t.Fatalf("the event speaks of %v edits, the list holds %d", complete["edit_count"], len(edits))
	}
	export := call[record](
		c,
		"POST",
		root+"/exports/",
		map[string]any{"name": "first", "export_settings": map[string]string{"resolution": "720p"}},
		202,
	)
	wait(t, events)
	wait(t, events)
	out := filepath.Join(dir, "download.mp4")
	c.download(export.UUID, out)
	rendered := call[struct {
		DurationMS int64 `json:"duration_ms"`
	}](c, "GET", "/api/v1/exports/"+export.UUID, nil, 200)
	checkCut(t, talk, out, edits, rendered.DurationMS, 0)
	first := call[exported](c, "GET", "/api/v1/exports/"+export.UUID, nil, 200).Rendering
	if first.Copied+first.Encoded == 0 || first.Kept != 0 {
		t.Errorf("the frames of the first export: %+v", first)
	}
	again := call[record](
		c,
		"POST",
		root+"/exports/",
		map[string]any{"name": "again", "export_settings": map[string]string{"resolution": "720p"}},
		202,
	)
	comesTo(t, c, root+"/exports/", "completed")
	if r := call[exported](
		c,
		"GET",
		"/api/v1/exports/"+again.UUID,
		nil,
		200,
	).Rendering; r.Encoded != 0 || r.Copied != first.Copied ||
		r.Kept != first.Encoded {
		t.Errorf("the frames of the same export again: %+v, of the first: %+v", r, first)
	}
	server.stop()
	doctor(t, dir)
}

// exported is what an export says of where its frames came from.
type exported struct {
	Rendering struct {
		Copied  int64 `json:"copied_frames"`
		Encoded int64 `json:"encoded_frames"`
		Kept    int64 `json:"kept_frames"`
	} `json:"rendering"`
}

// TestBrowserTalk takes the same talk through the page, in a real browser, in owner mode.
// ROUGHCUT_SCREENSHOTS names a folder for pictures of every state.
func TestBrowserTalk(t *testing.T) {
	talk := threeMinutes(t)
	dir := t.TempDir()
	server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	result := decode[struct {
		Download string
		Edits    []cutEdit
		Export   struct {
			DurationMS int64 `json:"duration_ms"`
		}
	}](t, browse(t, "main-flow.mjs", "BASE_URL="+server.launch, "VIDEO="+talk.Path, "DOWNLOADS="+t.TempDir()))
	checkCut(t, talk, result.Download, result.Edits, result.Export.DurationMS, 1)
	server.stop()
	doctor(t, dir)
}

// download fetches a completed export.
func (c *client) download(export, path string) {
	c.t.Helper()
	address := call[struct {
		URL       string `json:"url"`
		SizeBytes int64  `json:"size_bytes"`
	}](c, "GET", "/api/v1/exports/"+export+"/download-url", nil, 200)
	status, body, err := newClient(c.t, c.base).do("GET", strings.TrimPrefix(address.URL, c.base), nil)
	if err != nil || status != 200 || int64(len(body)) != address.SizeBytes {
		c.t.Fatalf("download: status %d, %d bytes of %d, %v", status, len(body), address.SizeBytes, err)
	}
	if err := os.WriteFile(path, body, 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func runJSON(t *testing.T, cmd *exec.Cmd) cutReport {
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

// checkCut measures a rendered cut of a talk: its length, every word, every pause, and picture
// against sound at every join. The person has rejected that many silences; their pauses stay.
func checkCut(t *testing.T, talk mediatest.TalkFixture, path string, edits []cutEdit, durationMS int64, rejected int) {
	t.Helper()
	for _, e := range edits {
		if e.Type == "silence" && !e.Active {
			rejected--
		}
	}
	if rejected != 0 {
		t.Errorf("%d silences more are inactive than were rejected", -rejected)
	}
	numbers := mediatest.FrameNumbers(t, path)
	if want := talkRate.Frame(durationMS); int64(len(numbers)) != want {
		t.Errorf("%d frames, the plan has %d", len(numbers), want)
	}
	var cuts []media.Span
	for _, e := range edits {
		if e.Active {
			cuts = append(cuts, media.Span{StartMS: e.StartMS, EndMS: e.EndMS})
		}
	}
	var segments []media.Span // kept source time in milliseconds, as the picture shows it
	var joins []int64         // output frames that begin a segment
	for i, n := range numbers {
		if n < 0 {
			t.Fatalf("output frame %d shows no readable number", i)
		}
		if i == 0 || n != numbers[i-1]+1 {
			segments = append(segments, media.Span{StartMS: talkRate.MS(n)})
			joins = append(joins, int64(i))
		}
		segments[len(segments)-1].EndMS = talkRate.MS(n + 1)
	}
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{
			{Info: media.Info{DurationMS: int64(1000 * talk.Seconds), Video: &media.VideoInfo{Rate: talkRate}}},
		},
		cuts,
		media.RenderSettings{},
	)
	if err != nil {
		t.Fatal(err)
	}
	var planned []int64
	for _, s := range plan.Segments {
		for n := s.In; n < s.Out; n++ {
			planned = append(planned, n)
		}
	}
	if !slices.Equal(planned, numbers) || len(plan.Segments) < 10 {
		t.Errorf(
			"the frames shown are not the %d frames in %d segments that the edits leave",
			len(planned),
			len(plan.Segments),
		)
	}
	checkWords(t, talk, segments, edits)
	const hz, window = 48000, 500
	measured := mediatest.Offsets(
		t,
		numbers,
		mediatest.PCM(t, path, hz),
		mediatest.PCM(t, talk.Path, hz),
		30,
		1,
		hz,
		window,
		joins,
	)
	if len(measured) < len(joins)-1 {
		t.Errorf("%d of %d joins could be measured", len(measured), len(joins))
	}
	for _, o := range measured {
		if math.Abs(o.MS) > 5 || o.Fit < 0.5 {
			t.Errorf("at frame %d sound is %.1f ms from the picture (fit %.2f)", o.Frame, o.MS, o.Fit)
		}
	}
}

// checkWords finds each true word in what was kept.
func checkWords(t *testing.T, talk mediatest.TalkFixture, segments []media.Span, edits []cutEdit) {
	t.Helper()
	frame := 1000 / talkRate.Float()
	limit := pauseLimit(pacing) + 2*frame
	// the end of the last word that was kept, in output and source
	lastEnd := int64(0)
	spokenUntil := int64(0)
	at := int64(0)
	kept := 0
	for _, word := range talk.Words {
		inFalseStart := false
		for _, e := range edits {
			if e.Active && e.Type == "false_start" &&
				min(e.EndMS, word.EndMS)-max(e.StartMS, word.StartMS) > (word.EndMS-word.StartMS)/2 {
				inFalseStart = true
			}
		}
		if inFalseStart {
			continue
		}
		var shown int64 // milliseconds of the word in the output
		start := int64(-1)
		at = 0
		for _, s := range segments {
			if part := s.Intersect(media.Span{StartMS: word.StartMS, EndMS: word.EndMS}); part.EndMS > part.StartMS {
				shown += part.Duration()
				if start < 0 {
					start = at + part.StartMS - s.StartMS
				}
			}
			at += s.Duration()
		}
		if lost := word.EndMS - word.StartMS - shown; lost > 20 {
			t.Errorf("%q at %d ms is clipped by %d ms", word.Text, word.StartMS, lost)
			continue
		}
		if pause := float64(start - lastEnd); pause > limit && !rejectedBetween(edits, spokenUntil, word.StartMS) {
			t.Errorf(
				"a pause of %.0f ms remains before %q at %d ms; asked for at most %.0f",
				pause,
				word.Text,
				word.StartMS,
				limit,
			)
		}
		lastEnd, spokenUntil = start+shown, word.EndMS
		kept++
	}
	if pause := float64(at - lastEnd); pause > limit {
		t.Errorf("a pause of %.0f ms remains at the end", pause)
	}
	t.Logf("%d of %d words kept in %d segments", kept, len(talk.Words), len(segments))
}

// rejectedBetween reports whether an inactive silence lies between two moments of the recording.
func rejectedBetween(edits []cutEdit, from, to int64) bool {
	return slices.ContainsFunc(edits, func(e cutEdit) bool {
		return e.Type == "silence" && !e.Active && e.StartMS < to && e.EndMS > from
	})
}

// talkRate is the frame rate of the talks.
var talkRate = media.Rate{Num: 30, Den: 1}

// threeMinutes is the talk that the acceptance tests cut.
func threeMinutes(t *testing.T) mediatest.TalkFixture {
	t.Helper()
	return mediatest.Talk(t, mediatest.TalkOptions{Script: mediatest.ThreeMinuteScript(), Hiss: true})
}

// shortTalk is a talk of some seconds in a small picture.
func shortTalk(t *testing.T) string {
	t.Helper()
	return mediatest.Talk(t, mediatest.TalkOptions{}).Path
}

// tinyTalk is the same in a smaller picture, for what is done many times.
func tinyTalk(t *testing.T) string {
	t.Helper()
	return mediatest.Talk(t, mediatest.TalkOptions{Width: 320, Height: 180, Script: tinyScript}).Path
}

const tinyScript = `rate 48000
floor -62
pause 600
say en-us 160 welcome back everyone
pause 1700
say en-us 160 the first thing you need is a good microphone
pause 1900
`
