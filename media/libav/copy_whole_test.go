package libav

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// tryWhole copies a recording in one pass and reports whether that was possible. If not, it must
// leave no file.
func tryWhole(t *testing.T, plan media.RenderPlan) (whole bool) {
	t.Helper()
	ctx, m := av.NewMeter(context.Background(), nil, time.Minute)
	defer m.Close()
	r := &render{engine: New(), ctx: ctx, plan: plan, meter: m}
	if err := r.locate(); err != nil {
		t.Fatal(err)
	}
	defer r.closeInputs()
	dir := t.TempDir()
	whole, err := r.tryCopyWhole(filepath.Join(dir, "out.mp4"))
	if err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 != whole {
		t.Errorf("whole %v, left: %v", whole, left)
	}
	return whole
}

// An unchanged recording is copied in one pass if all its packets can be copied. Otherwise that is
// detected on the way, and the export copies the packets that can be copied.
func TestUnchangedRecordingIsCopiedInOnePass(t *testing.T) {
	others, _ := split(copyable(), copiedOnlyInLong())
	checkCopiedInOnePass(t, others)
}

func TestLongUnchangedRecordingIsCopiedInOnePass(t *testing.T) {
	needsLong(t)
	_, named := split(copyable(), copiedOnlyInLong())
	checkCopiedInOnePass(t, named)
}

func checkCopiedInOnePass(t *testing.T, recordings map[string]mediatest.TalkOptions) {
	t.Helper()
	inPieces := []string{"mkv", "half a frame", "audio later", "variable", "few gaps"}
	for name, options := range recordings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			talk := mediatest.Talk(t, options)
			plan := makePlan(t, nil, media.RenderSettings{}, talk.Path)
			whole := !slices.Contains(inPieces, name)
			if got := tryWhole(t, plan); got != whole {
				t.Fatalf("copied in one pass: %v", got)
			}
			out, made := renderPlan(t, plan)
			if made.RepeatedBecause != "" || (made.Copied > 0 && made.VerifiedParts == 0) {
				t.Errorf("made %+v", made)
			}
			if !whole {
				return
			}
			if made.Copied != plan.Frames() {
				t.Errorf("made %+v", made)
			}
			start, _ := clipZero(t, talk.Path)
			shown := shownNumbers(t, talk.Path, plan.Rate, start, plan.Inputs[0].Frames)
			checkFrames(t, plan, mediatest.FrameNumbers(t, out), [][]int64{shown})
			if name != "open gop" { // frames are shown before the keyframe that they follow in the file
				checkPackets(t, out, math.MaxInt)
			}
			checkSilentDecoder(t, out)
			checkCopies(t, plan, out, talk.Path, shown)
			want, got := mediatest.PCM(t, talk.Path, media.SampleRate), mediatest.PCM(t, out, media.SampleRate)
			n := min(len(want), len(got)) - av.AACFrame
			if n < 15*media.SampleRate || !slices.Equal(want[:n], got[:n]) {
				t.Errorf("%d samples of %d, or different ones", len(got), len(want))
			}
		})
	}
}

// A plan with any change, or a recording that cannot be copied completely, is not copied in one
// pass.
func TestChangedRecordingIsNotCopiedInOnePass(t *testing.T) {
	talk := chunkTalk(t)
	hevc := mediatest.Talk(
		t,
		mediatest.TalkOptions{
			Hiss:         true,
			Width:        320,
			Height:       180,
			Seconds:      6,
			GOP:          48,
			VideoCodec:   "libx265",
			VideoOptions: tagged,
		},
	)
	lines := media.CaptionTrack{
		Lines:   []media.CaptionLine{{Text: "a word", StartMS: 1000, EndMS: 2000}},
		Options: media.CaptionOptions{FontSize: 48},
	}
	for name, c := range map[string]struct {
		path     string
		cuts     []media.Span
		settings media.RenderSettings
		whole    bool
	}{
		"nothing":          {path: talk.Path, whole: true},
		"a cut":            {path: talk.Path, cuts: somePauses},
		"its end cut":      {path: talk.Path, cuts: []media.Span{{StartMS: 15_000, EndMS: 16_000}}},
		"another size":     {path: talk.Path, settings: media.RenderSettings{ShortSide: 120}},
		"another shape":    {path: talk.Path, settings: media.RenderSettings{AspectRatio: "1:1"}},
		"flipped":          {path: talk.Path, settings: media.RenderSettings{FlipH: true}},
		"softer":           {path: talk.Path, settings: media.RenderSettings{VolumePercent: 99}},
		"captions":         {path: talk.Path, settings: media.RenderSettings{Captions: &lines}},
		"a watermark":      {path: talk.Path, settings: media.RenderSettings{Watermark: true}},
		"audio alone":      {path: talk.Path, settings: media.RenderSettings{AudioOnly: true}},
		"HEVC":             {path: hevc.Path},
		"HEVC, codec kept": {path: hevc.Path, settings: media.RenderSettings{KeepCodec: true}},
		"other audio": {
			path: mediatest.Talk(t, mediatest.TalkOptions{
				Hiss: true, Width: 320, Height: 180, Seconds: 6, AudioCodec: "libmp3lame", VideoOptions: tagged,
			}).Path,
		},
		"without audio": {
			path: mediatest.Talk(t, mediatest.TalkOptions{
				NoAudio: true, Width: 320, Height: 180, Seconds: 6, VideoOptions: tagged,
			}).Path,
			whole: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if whole := tryWhole(t, makePlan(t, c.cuts, c.settings, c.path)); whole != c.whole {
				t.Errorf("copied in one pass: %v", whole)
			}
		})
	}
}

// A gap in the audio or a missing frame near the end of a recording is detected before the export
// is finished. The export is then made in chunks.
func TestGapsAreDetectedWhileCopying(t *testing.T) {
	talk := mediatest.Talk(
		t,
		mediatest.TalkOptions{Hiss: true, Width: 320, Height: 180, Seconds: 16, VideoOptions: tagged, GOP: 48},
	)
	for name, drop := range map[string][]string{
		"sound":    {"-bsf:a", "noise=drop='between(n,600,620)'"},
		"pictures": {"-bsf:v", "noise=drop='eq(n,431)'"}, // the last before a keyframe
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "gap.mp4")
			mediatest.FFmpeg(t, append(append([]string{"-i", talk.Path, "-c", "copy"}, drop...), path)...)
			plan := makePlan(t, nil, media.RenderSettings{}, path)
			if tryWhole(t, plan) {
				t.Error("it was copied in one pass")
			}
			out, made := renderPlan(t, plan)
			if made.RepeatedBecause != "" || made.Copied == 0 || (made.Encoded > 0) != (name == "pictures") {
				t.Errorf("made %+v", made)
			}
			if got := mediatest.FrameNumbers(t, out); int64(len(got)) != plan.Frames() || slices.Contains(got, -1) {
				t.Errorf("%d frames of %d", len(got), plan.Frames())
			}
			want, got := mediatest.PCM(t, talk.Path, media.SampleRate), mediatest.PCM(t, out, media.SampleRate)
			if n := media.SampleRate * 15; len(got) < n || len(want) < n {
				t.Errorf("%d samples of %d", len(got), len(want))
			}
		})
	}
}
