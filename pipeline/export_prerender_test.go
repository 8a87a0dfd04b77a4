package pipeline_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/store"
)

// prepared is a call of the engine that waits until it is let go or its context ends.
type prepared struct {
	plan  media.RenderPlan
	ended chan error // what the engine is told to return, or the end of its context
}

// preparations makes an engine that hands out what it is to prepare.
func (w *world) preparations() <-chan prepared {
	calls := make(chan prepared)
	w.engine.prepare = func(ctx context.Context, plan media.RenderPlan) error {
		call := prepared{plan, make(chan error)}
		select {
		case calls <- call:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case err := <-call.ended:
			return err
		case <-ctx.Done():
			close(call.ended)
			return ctx.Err()
		}
	}
	return calls
}

func (w *world) cut(start, end int64) store.Edit {
	w.t.Helper()
	e, err := w.store.CreateEdit(w.user.UUID, w.project.UUID, store.Edit{StartMS: start, EndMS: end, Active: true})
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

func next(t *testing.T, calls <-chan prepared) prepared {
	t.Helper()
	select {
	case call := <-calls:
		return call
	case <-time.After(patience):
		t.Fatal("nothing is prepared")
	}
	return prepared{}
}

func (p prepared) interrupted(t *testing.T) {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatal("the preparation was not interrupted")
	}
}

// Edits that changed are prepared for the next export as they are, with the settings of the last; a
// job and another change interrupt that, and it is taken up again.
func TestEditedProjectsArePrepared(t *testing.T) {
	w := newWorld(t)
	calls := w.preparations()
	w.runPreparing(20 * time.Millisecond)
	events, leave := w.events.Subscribe(w.project.UUID)
	defer leave()
	w.upload()
	w.until(events, "CLIP_READY")
	w.cut(1000, 2000)
	first := next(t, calls)
	if got := first.plan; got.DurationMS() != 4000 || got.Width != 1920 || got.Inputs[0].ID == "" ||
		len(got.Captions) != 0 {
		t.Errorf("prepared is %d ms %d pixels wide of %+v", got.DurationMS(), got.Width, got.Inputs)
	}
	w.cut(3000, 3500)
	first.interrupted(t)
	second := next(t, calls)
	if got := second.plan.DurationMS(); got != 3500 {
		t.Errorf("after another cut %d ms are prepared", got)
	}
	if _, err := w.store.CreateExport(
		w.user.UUID,
		w.project.UUID,
		store.NewExport{Name: "x", Settings: json.RawMessage(`{"resolution":"720p"}`)},
	); err != nil {
		t.Fatal(err)
	}
	second.interrupted(t)
	w.until(events, "EXPORT_COMPLETE")
	third := next(t, calls)
	if third.plan.Height != 720 {
		t.Errorf("after an export of 720 lines %d are prepared", third.plan.Height)
	}
	third.ended <- nil
	w.cut(4000, 4200)
	last := next(t, calls)
	w.shutdown()
	last.interrupted(t)
}

// Nothing is prepared while a job runs.
func TestNothingIsPreparedBesideAJob(t *testing.T) {
	w := newWorld(t)
	calls := w.preparations()
	rendering, finish := make(chan bool), make(chan bool)
	w.engine.render = func(ctx context.Context, path string, progress func(float64)) (media.RenderResult, error) {
		close(rendering)
		<-finish
		return renderWell(ctx, path, progress)
	}
	w.runPreparing(time.Millisecond)
	events, leave := w.events.Subscribe(w.project.UUID)
	defer leave()
	w.upload()
	w.until(events, "CLIP_READY")
	if _, err := w.store.CreateExport(w.user.UUID, w.project.UUID, store.NewExport{Name: "x"}); err != nil {
		t.Fatal(err)
	}
	<-rendering
	w.cut(1000, 2000)
	select {
	case <-calls:
		t.Error("an export was prepared beside a job")
	case <-time.After(100 * time.Millisecond):
	}
	close(finish)
	next(t, calls).ended <- nil
}
