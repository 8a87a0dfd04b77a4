package pipeline_test

import (
	"context"
	"testing"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/store"
)

// transcriber is a speech model that hears the same words in every recording.
type transcriber []media.Word

func (t transcriber) Open() (pipeline.Model, error) { return t, nil }
func (t transcriber) Name() string                  { return "transcriber" }
func (t transcriber) Close() error                  { return nil }

func (t transcriber) Transcribe(
	context.Context,
	string,
	pipeline.SpeechRequest,
	func(float64),
) (media.Transcript, error) {
	return media.Transcript{Language: "en", Words: append([]media.Word{}, t...)}, nil
}

// Fillers are inactive unless the analysis asks for them; a replan can change the choice.
func TestFillersAreActiveOnlyIfTheAnalysisAsksForThem(t *testing.T) {
	t.Parallel()
	for _, cut := range []bool{false, true} {
		w := newWorld(t)
		w.speech = transcriber{
			{Text: "so", StartMS: 0, EndMS: 500, Probability: 1},
			{Text: "um", StartMS: 500, EndMS: 1000, Probability: 1},
			{Text: "hello", StartMS: 1000, EndMS: 2000, Probability: 1},
		}
		events, cancel := w.events.Subscribe(w.project.UUID)
		defer cancel()
		w.run()
		w.upload()
		w.until(events, pipeline.ClipReady)

		run, err := w.store.StartAnalysis(
			w.user.UUID,
			w.project.UUID,
			store.AnalysisSettings{CutOptions: media.CutOptions{PacingLevel: 50, CutFillers: cut}},
		)
		if err != nil {
			t.Fatal(err)
		}
		w.until(events, pipeline.AnalysisComplete)
		edits, err := w.store.Edits(w.user.UUID, w.project.UUID, false)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, e := range edits {
			if e.Type != store.EditFiller {
				continue
			}
			if found++; e.Active != cut {
				t.Errorf("cut fillers %t: the filler edit has active %t", cut, e.Active)
			}
		}
		if found != 1 {
			t.Errorf("cut fillers %t: found %d filler edits, want 1: %+v", cut, found, edits)
		}

		in, err := w.store.ReplanInput(w.user.UUID, w.project.UUID, run.UUID)
		if err != nil {
			t.Fatal(err)
		}
		if in.Run.CutFillers != cut {
			t.Errorf("the run stores cut fillers %t, want %t", in.Run.CutFillers, cut)
		}
		in.Run.CutFillers = !cut
		derived, err := pipeline.Replan(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range derived.Edits {
			if e.Type == store.EditFiller && e.Active == cut {
				t.Errorf("the replan with cut fillers %t leaves the filler edit with active %t", !cut, e.Active)
			}
		}
		w.shutdown()
	}
}
