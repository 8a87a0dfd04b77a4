package store

import (
	"slices"
	"testing"

	"roughcut/media"
)

// reasoned returns the reasons of the edits by time, then the texts and reasons of the takes.
func (s spokenScene) reasoned() (out []string) {
	s.t.Helper()
	list := get(s.Edits(s.project.UserUUID, s.project.UUID, false))(s.t)
	slices.SortFunc(list, func(a, b Edit) int { return int(a.StartMS - b.StartMS) })
	for _, e := range list {
		out = append(out, e.Reason)
	}
	for _, g := range get(s.TakeGroups(s.project.UserUUID, s.project.UUID))(s.t) {
		for _, take := range g.Takes {
			out = append(out, take.Text+": "+take.Reason)
		}
	}
	return out
}

// Reasons and takes quote words of the transcript, so they follow a replacement and its undo. A
// reason follows the match that is nearest to its edit.
func TestReasonsFollowReplacements(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ann"))
	clip := w.ready(p, 60_000)
	spoken := speech(clip.UUID, "My", "jason", "file", "and", "your", "jason", "end")
	pause := func(after string, ms int64) DetectedEdit {
		e := silence(clip.UUID, ms, ms+80)
		e.Reason = "Pause of 0.1 s after “" + after + "”, not jason"
		return e
	}
	w.analyzed(p, AnalysisResult{
		Language: "en", Transcripts: []ClipTranscript{spoken},
		Edits: []DetectedEdit{pause("jason", 910), pause("and", 1910), pause("jason", 2910)},
		TakeGroups: []DetectedTakeGroup{{ID: "g", ClipUUID: clip.UUID, Proposed: 2, Takes: []DetectedTake{
			{Span: media.Span{EndMS: 1400}, Text: "My jason file", Reason: "It breaks off after “jason”."},
			{Span: media.Span{StartMS: 2000, EndMS: 3400}, Text: "your jason end", Reason: "Last"},
		}}},
	})
	s := spokenScene{w, p, clip}
	before := s.reasoned()
	_, undo := s.replace(TextReplacement{Find: "jason", Replace: "JSON", WholeWords: true, Only: []int{0}})
	want := []string{
		"Pause of 0.1 s after “JSON”, not jason", "Pause of 0.1 s after “and”, not jason",
		"Pause of 0.1 s after “jason”, not jason",
		"My JSON file: It breaks off after “JSON”.", "your jason end: Last",
	}
	if got := s.reasoned(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	run := get(s.Store.Project(p.UserUUID, p.UUID))(t).ActiveRunUUID
	replan := func() []ClipTranscript { return get(w.ReplanInput(p.UserUUID, p.UUID, run))(t).Corrected }
	if got := replan(); len(got) != 1 || got[0].Words[1].Text != "JSON" {
		t.Errorf("a replan gets %+v, want the corrected words", got)
	}
	must(t, w.UndoReplacement(p.UserUUID, p.UUID, undo))
	if got := s.reasoned(); !slices.Equal(got, before) {
		t.Errorf("after undo %q, want %q", got, before)
	}
	if got := replan(); got != nil {
		t.Errorf("after undo, a replan gets %+v", got)
	}
	s.replace(TextReplacement{Find: "jason", Replace: "JSON"})
	if got := s.reasoned(); got[2] != "Pause of 0.1 s after “JSON”, not jason" || got[4] != "your JSON end: Last" {
		t.Errorf("after replacing all, %q", got)
	}
}
