package libav

import (
	"context"
	"errors"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

var somePauses = []media.Span{{StartMS: 1300, EndMS: 2900}, {StartMS: 5100, EndMS: 6700}, {StartMS: 9900, EndMS: 11000}}

// After Prepare, an export encodes nothing, and shows what it would have shown.
func TestPreparedExportEncodesNothing(t *testing.T) {
	talk := chunkTalk(t)
	plan := named(makePlan(t, somePauses, media.PlanSettings{AspectRatio: "source"}, talk.Path))
	engine, dir := keeping(t, 1<<30)
	if err := engine.Prepare(context.Background(), plan); err != nil {
		t.Fatal(err)
	}
	if len(chunkFiles(t, dir)) == 0 {
		t.Fatal("nothing was kept")
	}
	out, rendered := renderWith(t, engine, plan)
	if rendered.Encoded != 0 || rendered.Kept == 0 || rendered.Copied == 0 || rendered.Again != "" {
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

// An export that would be encoded whole is not prepared, nor is anything once a share of the cache is full, or the context has ended.
func TestPrepareKnowsItsLimits(t *testing.T) {
	talk := chunkTalk(t)
	plan := named(makePlan(t, somePauses, media.PlanSettings{AspectRatio: "source"}, talk.Path))
	whole, dir := keeping(t, 1<<30)
	if err := whole.Prepare(context.Background(), named(makePlan(t, somePauses, media.PlanSettings{ShortSide: 120}, talk.Path))); err != nil {
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
	plan := named(makePlan(t, nil, media.PlanSettings{AspectRatio: "source"}, talk.Path))
	out, rendered := renderWith(t, New(), plan)
	if rendered.Copied != plan.Frames() || rendered.Again != "" {
		t.Errorf("%+v of %d frames", rendered, plan.Frames())
	}
	if got := mediatest.FrameNumbers(t, out); int64(len(got)) != plan.Frames() {
		t.Errorf("%d frames of %d", len(got), plan.Frames())
	}
}
