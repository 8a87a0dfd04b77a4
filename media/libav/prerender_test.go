package libav

import (
	"context"
	"errors"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

var somePauses = []media.Span{{StartMS: 1300, EndMS: 2900}, {StartMS: 5100, EndMS: 6700}, {StartMS: 9900, EndMS: 11000}}

// After Prerender, an export encodes nothing and shows the same as without it.
func TestPrerenderedExportEncodesNothing(t *testing.T) {
	talk := chunkTalk(t)
	plan := named(makePlan(t, somePauses, media.RenderSettings{AspectRatio: "source"}, talk.Path))
	engine, dir := keeping(t, 1<<30)
	if err := engine.Prerender(context.Background(), plan); err != nil {
		t.Fatal(err)
	}
	if len(chunkFiles(t, dir)) == 0 {
		t.Fatal("nothing was cached")
	}
	out, rendered := renderWith(t, engine, plan)
	if rendered.Encoded != 0 || rendered.Reused == 0 || rendered.Copied == 0 || rendered.RepeatedBecause != "" {
		t.Errorf("the export after it: %+v", rendered)
	}
	plain, _ := renderWith(t, New(), plan)
	got, want := mediatest.FrameNumbers(t, out), mediatest.FrameNumbers(t, plain)
	if len(got) != len(want) || int64(len(got)) != plan.Frames() {
		t.Fatalf("%d frames, an export without it has %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("frame %d shows %d, not %d", i, got[i], want[i])
		}
	}
	if err := engine.Prerender(context.Background(), plan); err != nil {
		t.Errorf("second pre-render: %v", err)
	}
}

// Prerender does nothing for an export that copies nothing. It stops when its share of the cache is
// full, or when the context ends.
func TestPrerenderKeepsWithinItsShare(t *testing.T) {
	talk := chunkTalk(t)
	plan := named(makePlan(t, somePauses, media.RenderSettings{AspectRatio: "source"}, talk.Path))
	whole, dir := keeping(t, 1<<30)
	if err := whole.Prerender(
		context.Background(),
		named(makePlan(t, somePauses, media.RenderSettings{ShortSide: 120}, talk.Path)),
	); err != nil {
		t.Error(err)
	}
	if files := chunkFiles(t, dir); len(files) != 0 {
		t.Errorf("an export that copies nothing cached %d chunks", len(files))
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := whole.Prerender(ended, plan); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
	small, dir := keeping(t, 4096)
	if err := small.Prerender(context.Background(), plan); err != nil {
		t.Error(err)
	}
	full, all := keeping(t, 1<<30)
	if err := full.Prerender(context.Background(), plan); err != nil {
		t.Error(err)
	}
	if some, every := len(chunkFiles(t, dir)), len(chunkFiles(t, all)); some >= every {
		t.Errorf("with a small cache %d chunks of %d are cached", some, every)
	}
}

// An export that copies everything is written on the first attempt.
func TestUnchangedExportIsCopiedOnFirstAttempt(t *testing.T) {
	talk := chunkTalk(t)
	plan := named(makePlan(t, nil, media.RenderSettings{AspectRatio: "source"}, talk.Path))
	out, rendered := renderWith(t, New(), plan)
	if rendered.Copied != plan.Frames() || rendered.RepeatedBecause != "" {
		t.Errorf("%+v of %d frames", rendered, plan.Frames())
	}
	if got := mediatest.FrameNumbers(t, out); int64(len(got)) != plan.Frames() {
		t.Errorf("%d frames of %d", len(got), plan.Frames())
	}
}

// Unchanged audio is copied to the sample. Any change makes the export encode it.
func TestUnchangedAudioIsCopied(t *testing.T) {
	talk := chunkTalk(t)
	source := mediatest.PCM(t, talk.Path, media.SampleRate)
	for name, c := range map[string]struct {
		cuts     []media.Span
		settings media.RenderSettings
		copied   bool
	}{
		"no changes":   {copied: true},
		"another size": {settings: media.RenderSettings{ShortSide: 120}, copied: true},
		"softer":       {settings: media.RenderSettings{VolumePercent: 99}},
		"the end cut":  {cuts: []media.Span{{StartMS: 15_000, EndMS: 16_000}}},
		"normalized":   {settings: media.RenderSettings{Audio: media.AudioSettings{Normalize: true, TargetLUFS: -14}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := makePlan(t, c.cuts, c.settings, talk.Path)
			out, _ := renderPlan(t, plan)
			audio := mediatest.PCM(t, out, media.SampleRate)
			n := min(len(audio), len(source))
			if want := int(plan.Rate.Sample(plan.Frames(), media.SampleRate)); len(audio) < want ||
				len(audio) > want+2*av.AACFrame {
				t.Errorf("%d samples, the video lasts for %d", len(audio), want)
			}
			if same := slices.Equal(audio[:n-av.AACFrame], source[:n-av.AACFrame]); same != c.copied {
				t.Errorf("the audio is the same: %v", same)
			}
			checkSilentDecoder(t, out)
		})
	}
}
