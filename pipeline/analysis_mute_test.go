package pipeline_test

import (
	"testing"
	"time"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/store"
)

// A kind that mutes leaves the length of the video, and a replan without it cuts again.
func TestMutedKindsKeepTheLengthOfTheVideo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	calls := w.prerenderCalls()
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.runPrerendering(time.Millisecond)
	w.upload()
	w.until(events, pipeline.ClipReady)

	settings := store.AnalysisSettings{
		CutOptions: media.CutOptions{PacingLevel: 50, MuteKinds: []string{store.EditSilence}},
	}
	run, err := w.store.StartAnalysis(w.user.UUID, w.project.UUID, settings)
	if err != nil {
		t.Fatal(err)
	}
	w.until(events, pipeline.AnalysisComplete)
	call := next(t, calls)
	call.ended <- nil
	if got := call.plan; got.DurationMS() != info.DurationMS || len(got.Audio.Muted) != 1 {
		t.Errorf("a muted silence gives %d ms, muted %v", got.DurationMS(), got.Audio.Muted)
	}

	in, err := w.store.ReplanInput(w.user.UUID, w.project.UUID, run.UUID)
	if err != nil {
		t.Fatal(err)
	}
	in.Run.MuteKinds = nil
	found, err := pipeline.Replan(in)
	if err != nil {
		t.Fatal(err)
	}
	list, changed, err := w.store.ReplaceDetectedEdits(
		w.user.UUID, w.project.UUID, run.UUID, in.Run.AnalysisSettings, found,
	)
	if err != nil || changed != 1 || list[0].Action != store.ActionCut {
		t.Errorf("the replan changes %d edits to %+v, %v", changed, list, err)
	}
}
