package pipeline_test

import (
	"context"
	"errors"
	"testing"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/store"
)

// slow is a model that writes nothing down before it is told to.
type slow struct{ began, goOn chan struct{} }

func (s slow) Open() (pipeline.Model, error) { return s, nil }

func (slow) Name() string { return "slow" }

func (slow) Close() error { return nil }

func (s slow) Transcribe(ctx context.Context, _, _ string, _ media.VoiceActivity, _ func(float64)) (media.Transcript, error) {
	s.began <- struct{}{}
	select {
	case <-ctx.Done():
		return media.Transcript{}, ctx.Err()
	case <-s.goOn:
		return media.Transcript{
			Language: "en",
			Words:    []media.Word{{Text: "hello", StartMS: 100, EndMS: 900, Probability: 1}},
		}, nil
	}
}

// Silences can be looked at while the words are still being written down, and nothing of them stays
// where the analysis is given up.
func TestSilencesAreThereBeforeTheWords(t *testing.T) {
	w := newWorld(t)
	model := slow{make(chan struct{}), make(chan struct{})}
	w.speech = model
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	w.upload()
	w.until(events, pipeline.ClipReady)
	user, project, knobs := w.user.UUID, w.project.UUID, store.AnalysisSettings{PacingLevel: 50, FalseStartSensitivity: 50}
	early := func() (store.Run, []store.DetectedEdit) {
		t.Helper()
		run, err := w.store.StartAnalysis(user, project, knobs)
		if err != nil {
			t.Fatal(err)
		}
		<-model.began
		in, err := w.store.ReplanInput(user, project, run.UUID)
		if err != nil {
			t.Fatal(err)
		}
		found, err := pipeline.Replan(in)
		if err != nil {
			t.Fatal(err)
		}
		list, _, err := w.store.PreviewDetectedEdits(user, project, run.UUID, knobs, found)
		if err != nil || len(list) != 1 || list[0].Type != store.EditSilence || list[0].StartMS < 2000 ||
			list[0].EndMS != 5000 {
			t.Fatalf("while words are written down: %+v, %v", list, err)
		}
		if edits, err := w.store.Edits(user, project, false); err != nil || len(edits) != 0 {
			t.Errorf("looking has made the edits %+v, %v", edits, err)
		}
		return run, found
	}
	conflict := func(what string, err error) {
		t.Helper()
		var problem *store.Error
		if !errors.As(err, &problem) || problem.Kind != store.Conflict {
			t.Errorf("%s: %v", what, err)
		}
	}

	run, found := early()
	_, _, err := w.store.ReplaceDetectedEdits(user, project, run.UUID, knobs, found)
	conflict("a plan for a run under way", err)
	if _, err := w.store.CancelRun(user, project, run.UUID); err != nil {
		t.Fatal(err)
	}
	_, err = w.store.ReplanInput(user, project, run.UUID)
	conflict("a plan for a run that was given up", err)

	run, _ = early()
	close(model.goOn)
	w.until(events, pipeline.AnalysisComplete)
	edits, err := w.store.Edits(user, project, false)
	if err != nil || len(edits) == 0 {
		t.Errorf("in the end the edits are %+v, %v", edits, err)
	}
	if in, err := w.store.ReplanInput(user, project, run.UUID); err != nil || len(in.Evidence) == 0 {
		t.Errorf("in the end: %v", err)
	}
}
