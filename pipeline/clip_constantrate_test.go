package pipeline_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/store"
)

// ingestVariable is ingestWell of a recording with a variable frame rate.
func ingestVariable(
	ctx context.Context,
	r media.IngestRequest,
	progress func(float64),
) (media.IngestResult, error) {
	result, err := ingestWell(ctx, r, progress)
	video := *result.Info.Video
	video.VariableRate = true
	result.Info.Video = &video
	return result, err
}

// The pool makes constant-rate copies, reports failures, and stops when a copy is removed or its
// clip goes to the trash. Nothing is left then.
func TestConstantRateCopies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.engine.ingest = ingestVariable
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	clip := w.upload()
	w.until(events, pipeline.ClipReady)
	ask := func() {
		t.Helper()
		if _, fresh, err := w.store.MakeConstantRateCopy(w.user.UUID, clip.UUID); err != nil || !fresh {
			t.Fatalf("asked for a copy: %v %v", fresh, err)
		}
	}
	w.engine.render = func(context.Context, string, func(float64)) (media.RenderResult, error) {
		return media.RenderResult{}, errors.New("no")
	}
	ask()
	w.until(events, pipeline.ConstantRateFailed)
	if got := w.clip(clip.UUID).ConstantRate; got == nil || got.Status != store.ClipFailed || got.Error == "" {
		t.Errorf("a failed copy: %+v", got)
	}

	started := make(chan struct{})
	w.engine.render = func(ctx context.Context, path string, _ func(float64)) (media.RenderResult, error) {
		started <- struct{}{}
		<-ctx.Done()
		return media.RenderResult{}, errors.Join(context.Cause(ctx), os.WriteFile(path, []byte("half"), 0o600))
	}
	for range len(w.ended) {
		<-w.ended
	}
	ask()
	<-started
	if err := w.store.RemoveConstantRateCopy(w.user.UUID, clip.UUID); err != nil {
		t.Fatal(err)
	}
	<-w.ended
	if got := w.clip(clip.UUID).ConstantRate; got != nil {
		t.Errorf("a cancelled copy: %+v", got)
	}

	w.engine.render = renderWell
	ask()
	seen := w.until(events, pipeline.ConstantRateReady)
	if !strings.Contains(kinds(seen), pipeline.ConstantRateProgress) {
		t.Errorf("events %v", kinds(seen))
	}
	ready := w.clip(clip.UUID)
	path := w.store.ConstantRatePath(ready)
	if text, err := os.ReadFile(path); err != nil || string(text) != "video" || ready.ConstantRate.SizeBytes != 5 {
		t.Errorf("the copy has %q: %v %+v", text, err, ready.ConstantRate)
	}
	user, err := w.store.User(w.user.UUID)
	if err != nil || user.StorageUsedBytes != int64(len("recording")+len("video")) {
		t.Errorf("%d bytes count: %v", user.StorageUsedBytes, err)
	}
	if err := w.store.RemoveConstantRateCopy(w.user.UUID, clip.UUID); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file of a removed copy: %v", err)
	}
}
