package pipeline_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/store"
)

// prerenderCall is a call of the engine. It blocks until the test sends its result or its context
// ends.
type prerenderCall struct {
	plan  media.RenderPlan
	ended chan error // takes the result; closed when the context ends
}

// prerenderCalls passes the engine's pre-render calls to the test.
func (w *world) prerenderCalls() <-chan prerenderCall {
	calls := make(chan prerenderCall)
	w.engine.prepare = func(ctx context.Context, plan media.RenderPlan) error {
		call := prerenderCall{plan, make(chan error)}
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

// cut adds a cut to the project.
func (w *world) cut(start, end int64) store.Edit {
	w.t.Helper()
	e, err := w.store.CreateEdit(w.user.UUID, w.project.UUID, store.Edit{StartMS: start, EndMS: end, Active: true})
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

func next(t *testing.T, calls <-chan prerenderCall) prerenderCall {
	t.Helper()
	select {
	case call := <-calls:
		return call
	case <-time.After(patience):
		t.Fatal("nothing is pre-rendered")
	}
	return prerenderCall{}
}

func (p prerenderCall) interrupted(t *testing.T) {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatal("the pre-render was not interrupted")
	}
}

// An edited project is pre-rendered with the settings of its last export. A job or another edit
// interrupts the pre-render, which is repeated afterwards.
func TestEditedProjectsArePrerendered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	calls := w.prerenderCalls()
	w.runPrerendering(20 * time.Millisecond)
	events, leave := w.events.Subscribe(w.project.UUID)
	defer leave()
	w.upload()
	w.until(events, "CLIP_READY")
	w.cut(1000, 2000)
	first := next(t, calls)
	if got := first.plan; got.DurationMS() != 4000 || got.Width != 640 || got.Inputs[0].ID == "" ||
		len(got.Captions) != 0 {
		t.Errorf("the pre-render has %d ms, %d pixels, inputs %+v", got.DurationMS(), got.Width, got.Inputs)
	}
	w.cut(3000, 3500)
	first.interrupted(t)
	second := next(t, calls)
	if got := second.plan.DurationMS(); got != 3500 {
		t.Errorf("the pre-render after another cut has %d ms, want 3500", got)
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
		t.Errorf("the pre-render after a 720p export has %d lines", third.plan.Height)
	}
	third.ended <- nil
	w.cut(4000, 4200)
	last := next(t, calls)
	w.shutdown()
	last.interrupted(t)
}

// The pool does not pre-render while a job runs.
func TestPrerenderWaitsForRunningJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	calls := w.prerenderCalls()
	rendering, finish := make(chan bool), make(chan bool)
	w.engine.render = func(ctx context.Context, path string, progress func(float64)) (media.RenderResult, error) {
		close(rendering)
		<-finish
		return renderWell(ctx, path, progress)
	}
	w.runPrerendering(time.Millisecond)
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
		t.Error("an export is pre-rendered while a job runs")
	case <-time.After(100 * time.Millisecond):
	}
	close(finish)
	next(t, calls).ended <- nil
}
