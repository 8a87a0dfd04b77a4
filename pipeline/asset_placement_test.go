package pipeline_test

import (
	"testing"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/store"
)

// Without a language model, an analysis reports the assets that a recording mentions. It does not
// search the library if the AI Director is off.
func TestAnalysisReportsMentionedAssets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.speech = transcriber{
		{Text: "the", StartMS: 100, EndMS: 400, Probability: 1},
		{Text: "microphone", StartMS: 400, EndMS: 1500, Probability: 1},
	}
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	asset, name := w.settled(w.addAsset().UUID), "Microphone"
	if _, err := w.store.UpdateAsset(w.user.UUID, asset.UUID, &name, nil); err != nil {
		t.Fatal(err)
	}
	w.upload()
	w.until(events, pipeline.ClipReady)
	for director, want := range map[string]string{
		store.DirectorPlace: "You mention 1 asset of your library 1 time.",
		store.DirectorOff:   "",
	} {
		settings := store.AnalysisSettings{CutOptions: media.CutOptions{PacingLevel: 50}, Director: director}
		run, err := w.store.StartAnalysis(w.user.UUID, w.project.UUID, settings)
		if err != nil {
			t.Fatal(err)
		}
		w.until(events, pipeline.AnalysisComplete)
		run, _, err = w.store.Run(w.user.UUID, w.project.UUID, run.UUID)
		if err != nil || run.DirectorReport != want {
			t.Errorf("%s: the report is %q, %v, want %q", director, run.DirectorReport, err, want)
		}
	}
}
