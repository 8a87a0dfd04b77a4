package store

import (
	"testing"

	"roughcut/media"
)

// cutAt returns the first cut of a project at a start, or nil if no cut starts there.
func (w *world) cutAt(p Project, startMS int64) *Edit {
	w.t.Helper()
	for _, e := range get(w.Edits(p.UserUUID, p.UUID, false))(w.t) {
		if e.StartMS == startMS && media.IsCut(e.Type) {
			return &e
		}
	}
	return nil
}

// A new analysis keeps what a person rejected, trimmed and added. It matches them by time, and by
// the removed words where the kind of edit differs. The earlier run does not change.
func TestUserDecisionsSurviveANewAnalysis(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ann")
	p := w.project(u)
	clip := w.ready(p, 60_000)
	filler := DetectedEdit{
		ClipUUID: clip.UUID, Type: EditFiller, Span: media.Span{StartMS: 480, EndMS: 920},
		Active: true, Confidence: 0.9,
	}
	said := speech(clip.UUID, "So", "um,", "yes")
	first := w.analyzed(p, AnalysisResult{
		Transcripts: []ClipTranscript{said},
		Edits: []DetectedEdit{
			filler, silence(clip.UUID, 5000, 7000),
			silence(clip.UUID, 10_000, 12_000), silence(clip.UUID, 20_000, 22_000),
		},
	})
	change := func(startMS int64, c EditChange) {
		get(w.UpdateEdit(u.UUID, w.cutAt(p, startMS).UUID, c))(t)
	}
	change(480, EditChange{Active: ptr(false)})
	change(5000, EditChange{Active: ptr(false)})
	change(10_000, EditChange{StartMS: ptr[int64](10_500), EndMS: ptr[int64](11_500)})
	get(w.CreateEdit(u.UUID, p.UUID, Edit{StartMS: 30_000, EndMS: 31_000, Active: true}))(t)

	stutter := filler
	stutter.Type, stutter.Span.StartMS = "stutter", 450
	second := w.analyzed(p, AnalysisResult{
		Transcripts: []ClipTranscript{said},
		Edits: []DetectedEdit{
			stutter, silence(clip.UUID, 5100, 7100), silence(clip.UUID, 10_100, 12_100),
			silence(clip.UUID, 20_000, 22_000), silence(clip.UUID, 40_000, 41_000),
		},
	})
	if got := get(w.Edits(u.UUID, p.UUID, false))(t); len(got) != 6 || second.EditCount != 5 {
		t.Errorf("%d edits, the run counts %d: %+v", len(got), second.EditCount, got)
	}
	wanted := map[int64]bool{480: false, 5000: false, 10_500: true, 20_000: true, 30_000: true, 40_000: true}
	for start, active := range wanted {
		if e := w.cutAt(p, start); e == nil || e.Active != active {
			t.Errorf("the cut at %d ms is %+v", start, e)
		}
	}
	get(w.ActivateRun(u.UUID, p.UUID, first.UUID))(t)
	if e := w.cutAt(p, 5000); e == nil || e.Active || *e.RunUUID != first.UUID {
		t.Errorf("the run before has %+v", e)
	}
	w.clean()
}
