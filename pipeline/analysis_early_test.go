package pipeline_test

import (
	"context"
	"errors"
	"testing"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/store"
)

// slow is a speech model that waits before it returns words.
type slow struct{ began, proceed chan struct{} }

func (s slow) Open() (pipeline.Model, error) { return s, nil }

func (slow) Name() string { return "slow" }

func (slow) Close() error { return nil }

func (s slow) Transcribe(
	ctx context.Context,
	_ string,
	_ pipeline.SpeechRequest,
	_ func(float64),
) (media.Transcript, error) {
	s.began <- struct{}{}
	select {
	case <-ctx.Done():
		return media.Transcript{}, ctx.Err()
	case <-s.proceed:
		return media.Transcript{
			Language: "en",
			Words:    []media.Word{{Text: "hello", StartMS: 100, EndMS: 900, Probability: 1}},
		}, nil
	}
}

// The silences can be previewed during the transcription. A cancelled analysis leaves no edits.
func TestSilencesCanBePreviewedDuringTranscription(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	model := slow{make(chan struct{}), make(chan struct{})}
	w.speech = model
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	w.upload()
	w.until(events, pipeline.ClipReady)
	user, project, settings := w.user.UUID, w.project.UUID, store.AnalysisSettings{
		CutOptions: media.DefaultCutOptions(),
	}
	early := func() (store.Run, store.Proposal) {
		t.Helper()
		run, err := w.store.StartAnalysis(user, project, settings)
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
		list, _, err := w.store.PreviewDetectedEdits(user, project, run.UUID, settings, found)
		if err != nil || len(list) != 1 || list[0].Type != store.EditSilence || list[0].StartMS < 2000 ||
			list[0].EndMS != 5000 {
			t.Fatalf("the preview during the transcription is %+v, %v", list, err)
		}
		if edits, err := w.store.Edits(user, project, false); err != nil || len(edits) != 0 {
			t.Errorf("the preview has created the edits %+v, %v", edits, err)
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
	_, _, err := w.store.ReplaceDetectedEdits(user, project, run.UUID, settings, found)
	conflict("a replan of a running run", err)
	if _, err := w.store.CancelRun(user, project, run.UUID); err != nil {
		t.Fatal(err)
	}
	_, err = w.store.ReplanInput(user, project, run.UUID)
	conflict("a replan of a cancelled run", err)

	run, _ = early()
	close(model.proceed)
	w.until(events, pipeline.AnalysisComplete)
	edits, err := w.store.Edits(user, project, false)
	if err != nil || len(edits) == 0 {
		t.Errorf("after the analysis the edits are %+v, %v", edits, err)
	}
	if in, err := w.store.ReplanInput(user, project, run.UUID); err != nil || len(in.Evidence) == 0 {
		t.Errorf("the completed run has no evidence: %v", err)
	}
}
