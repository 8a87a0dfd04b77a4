package libav

import (
	"context"
	"errors"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

var somePauses = []media.Span{{StartMS: 1300, EndMS: 2900}, {StartMS: 5100, EndMS: 6700}, {StartMS: 9900, EndMS: 11000}}

// After Prepare, an export encodes nothing, and shows what it would have shown.
func TestPreparedExportEncodesNothing(t *testing.T) {
	talk := chunkTalk(t)
	plan := named(makePlan(t, somePauses, media.RenderSettings{AspectRatio: "source"}, talk.Path))
	engine, dir := keeping(t, 1<<30)
	if err := engine.Prepare(context.Background(), plan); err != nil {
		t.Fatal(err)
	}
	if len(chunkFiles(t, dir)) == 0 {
		t.Fatal("nothing was kept")
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
	if err := engine.Prepare(context.Background(), plan); err != nil {
		t.Errorf("preparing again: %v", err)
	}
}

// An export that would be encoded whole is not prepared, nor is anything once a share of the cache
// is full, or the context has ended.
func TestPrepareKnowsItsLimits(t *testing.T) {
	talk := chunkTalk(t)
	plan := named(makePlan(t, somePauses, media.RenderSettings{AspectRatio: "source"}, talk.Path))
	whole, dir := keeping(t, 1<<30)
	if err := whole.Prepare(
		context.Background(),
		named(makePlan(t, somePauses, media.RenderSettings{ShortSide: 120}, talk.Path)),
	); err != nil {
		t.Error(err)
	}
	if files := chunkFiles(t, dir); len(files) != 0 {
		t.Errorf("of an export that copies nothing %d pieces are kept", len(files))
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := whole.Prepare(ended, plan); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
	small, dir := keeping(t, 4096)
	if err := small.Prepare(context.Background(), plan); err != nil {
		t.Error(err)
	}
	full, all := keeping(t, 1<<30)
	if err := full.Prepare(context.Background(), plan); err != nil {
		t.Error(err)
	}
	if some, every := len(chunkFiles(t, dir)), len(chunkFiles(t, all)); some >= every {
		t.Errorf("with a small cache %d pieces are kept of %d", some, every)
	}
}

// An export of which everything is copied is written as it is, at the first try.
func TestNothingToChangeIsCopiedWhole(t *testing.T) {
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

// Sound that nothing touches is copied to the sample, and what touches it has it encoded.
func TestUntouchedSoundIsCopied(t *testing.T) {
	talk := chunkTalk(t)
	source := mediatest.PCM(t, talk.Path, media.SampleRate)
	for name, c := range map[string]struct {
		cuts     []media.Span
		settings media.RenderSettings
		copied   bool
	}{
		"nothing to change": {copied: true},
		"another size":      {settings: media.RenderSettings{ShortSide: 120}, copied: true},
		"softer":            {settings: media.RenderSettings{VolumePercent: 99}},
		"the end cut":       {cuts: []media.Span{{StartMS: 15_000, EndMS: 16_000}}},
		"normalized":        {settings: media.RenderSettings{Audio: media.AudioSettings{Normalize: true, TargetLUFS: -14}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := makePlan(t, c.cuts, c.settings, talk.Path)
			out, _ := renderPlan(t, plan)
			sound := mediatest.PCM(t, out, media.SampleRate)
			n := min(len(sound), len(source))
			if want := int(plan.Rate.Sample(plan.Frames(), media.SampleRate)); len(sound) < want ||
				len(sound) > want+2*aacFrame {
				t.Errorf("%d samples, the picture lasts for %d", len(sound), want)
			}
			if same := slices.Equal(sound[:n-aacFrame], source[:n-aacFrame]); same != c.copied {
				t.Errorf("the sound is the same: %v", same)
			}
			checkSilentDecoder(t, out)
		})
	}
}
