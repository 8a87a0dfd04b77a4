package pipeline_test

import (
	"context"
	"errors"
	"os"
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
		settings := store.AnalysisSettings{PacingLevel: 50, FalseStartSensitivity: 50}
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
