package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

// once hears recordings only while they are ingested.
type once struct{ pipeline.LocalEars }

func (once) Hear(context.Context, string, int64, func(float64)) (detect.Evidence, error) {
	return detect.Evidence{}, errors.New("heard again")
}

// An analysis uses what the ingest of the clip has heard.
func TestAnalysisUsesWhatTheIngestHeard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sends := func(sent bool) {
		w.engine.ingest = func(
			ctx context.Context, r media.IngestRequest, progress func(float64),
		) (media.IngestResult, error) {
			result, err := ingestWell(ctx, r, progress)
			sound, err2 := os.ReadFile(r.SpeechPath)
			_, err3 := r.Speech.Write(sound)
			result.SpeechSent = sent
			return result, errors.Join(err, err2, err3)
		}
	}
	sends(true)
	w.ears = once{pipeline.LocalEars{Engine: w.engine}}
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	w.upload()
	w.until(events, pipeline.ClipReady)
	analyze := func() {
		t.Helper()
		settings := store.AnalysisSettings{CutOptions: media.DefaultCutOptions()}
		if _, err := w.store.StartAnalysis(w.user.UUID, w.project.UUID, settings); err != nil {
			t.Fatal(err)
		}
	}
	analyze()
	w.until(events, pipeline.AnalysisComplete)
	edits, err := w.store.Edits(w.user.UUID, w.project.UUID, false)
	if err != nil || len(edits) != 1 || edits[0].Type != store.EditSilence || edits[0].EndMS != 5000 {
		t.Errorf("the analysis found %+v, %v", edits, err)
	}
	sends(false)
	w.upload()
	w.until(events, pipeline.ClipReady)
	analyze()
	w.until(events, pipeline.AnalysisFailed) // because it hears the second clip again
}

// counting counts how often recordings are heard, and how often they are transcribed.
type counting struct {
	pipeline.LocalEars
	heard, transcribed atomic.Int32
}

func (c *counting) Hear(
	ctx context.Context, path string, durationMS int64, progress func(float64),
) (detect.Evidence, error) {
	c.heard.Add(1)
	return c.LocalEars.Hear(ctx, path, durationMS, progress)
}

func (c *counting) Open() (pipeline.Model, error) { return c, nil }

func (*counting) Name() string { return "counting" }

func (*counting) Close() error { return nil }

func (c *counting) Transcribe(
	context.Context, string, pipeline.SpeechRequest, func(float64),
) (media.Transcript, error) {
	text := fmt.Sprint("take", c.transcribed.Add(1))
	word := media.Word{Text: text, StartMS: 100, EndMS: 900, Probability: 1}
	return media.Transcript{Language: "en", Words: []media.Word{word}}, nil
}

// An analysis hears and transcribes a recording once, for its clip and all duplicates.
func TestAnalysisHearsDuplicatesOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := &counting{LocalEars: pipeline.LocalEars{Engine: w.engine}}
	w.ears, w.speech = c, c
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	talk := w.upload()
	w.until(events, pipeline.ClipReady)
	w.upload()
	w.until(events, pipeline.ClipReady)
	for range 2 {
		if _, err := w.store.DuplicateClip(w.user.UUID, talk.UUID); err != nil {
			t.Fatal(err)
		}
	}
	settings := store.AnalysisSettings{CutOptions: media.DefaultCutOptions()}
	run, err := w.store.StartAnalysis(w.user.UUID, w.project.UUID, settings)
	if err != nil {
		t.Fatal(err)
	}
	w.until(events, pipeline.AnalysisComplete)
	if c.heard.Load() != 2 || c.transcribed.Load() != 2 {
		t.Errorf("2 recordings were heard %d times and transcribed %d times", c.heard.Load(), c.transcribed.Load())
	}
	list, err := w.store.ClipTranscripts(w.user.UUID, w.project.UUID)
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for _, clip := range list {
		for _, word := range clip.Words {
			said += " " + word.Text
		}
	}
	if said != " take1 take1 take1 take2" {
		t.Errorf("the clips say%s", said)
	}
	edits, err := w.store.Edits(w.user.UUID, w.project.UUID, false)
	if err != nil || len(edits) != 4 {
		t.Errorf("edits %+v, %v; want a silence in each clip", edits, err)
	}
	in, err := w.store.ReplanInput(w.user.UUID, w.project.UUID, run.UUID)
	if err != nil || len(in.Duplicates) != 2 {
		t.Fatalf("duplicates %+v, %v", in.Duplicates, err)
	}
	if found, err := pipeline.Replan(in); err != nil || len(found.Edits) != 4 {
		t.Errorf("a replan proposes %+v, %v; want a silence in each clip", found.Edits, err)
	}
}
