package store

import (
	"testing"
)

// stretchIndexes returns for each edit the index of the first edit of its stretch, -1 without one.
func stretchIndexes(list []Edit) []int {
	at := map[string]int{"": -1}
	for i, e := range list {
		at[e.UUID] = i
	}
	var out []int
	for _, e := range list {
		out = append(out, at[e.StretchUUID])
	}
	return out
}

// Active cuts of a clip that touch or overlap have the first of them in common. Mutes and inactive
// cuts have no stretch, and cuts of two clips do not share one.
func TestEditsNameTheirStretch(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	first, second := w.ready(p, 10_000), w.ready(p, 10_000)
	quiet := silence(first.UUID, 2_000, 3_000)
	quiet.Action = ActionMute
	w.analyzed(p, AnalysisResult{Edits: []DetectedEdit{
		silence(first.UUID, 0, 1_000), quiet, silence(first.UUID, 3_000, 4_000),
		silence(first.UUID, 9_000, 10_000), silence(second.UUID, 0, 1_000),
	}})
	list := func() []Edit { return get(w.Edits(p.UserUUID, p.UUID, false))(t) }
	equal(t, "as analyzed", stretchIndexes(list()), []int{0, -1, 2, 3, 4})

	made := get(w.CreateEdit(p.UserUUID, p.UUID, manual(900, 3_000)))(t)
	equal(t, "with a cut between", stretchIndexes(list()), []int{0, 0, -1, 0, 4, 5})
	if made.StretchUUID != list()[0].UUID {
		t.Errorf("the new cut names %q, want the first silence", made.StretchUUID)
	}

	off, on := false, true
	changed, _, err := w.UpdateEdits(p.UserUUID, p.UUID, []NamedEditChange{
		{list()[0].UUID, EditChange{Active: &off}}, {list()[3].UUID, EditChange{Active: &on}},
	})
	must(t, err)
	if changed[0].StretchUUID != "" || changed[1].StretchUUID != made.UUID {
		t.Errorf("after the first cut is off: %q and %q, want none and the manual cut",
			changed[0].StretchUUID, changed[1].StretchUUID)
	}
	equal(t, "without the first", stretchIndexes(list()), []int{-1, 1, -1, 1, 4, 5})

	mute := ActionMute
	one := get(w.UpdateEdit(p.UserUUID, made.UUID, EditChange{Action: &mute}))(t)
	if one.StretchUUID != "" {
		t.Errorf("a mute names the stretch %q", one.StretchUUID)
	}
	across := get(w.CreateEdit(p.UserUUID, p.UUID, manual(9_500, 10_500)))(t)
	equal(t, "with a cut across clips", stretchIndexes(list()), []int{-1, -1, -1, 3, 4, 4, 4})
	if across.StretchUUID != list()[4].UUID {
		t.Errorf("the cut across clips names %q", across.StretchUUID)
	}
}

// A part of a detected cut has its type and reason, is kept by another analysis, and is undone.
func TestPartsOfCutsKeepTheirKind(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	c := w.ready(p, 10_000)
	found := AnalysisResult{Edits: []DetectedEdit{silence(c.UUID, 1_000, 4_000)}}
	w.analyzed(p, found)
	list := func() []Edit { return get(w.Edits(p.UserUUID, p.UUID, false))(t) }
	whole := list()[0]
	end := int64(2_000)
	as := Change{UUID: "5f0c1f0a-7d5e-4a35-9e8c-0b9a3c2f6a11"}
	get(w.UpdateEdit(p.UserUUID, whole.UUID, EditChange{EndMS: &end}, as))(t)
	part := get(w.SplitEdit(p.UserUUID, p.UUID, whole.UUID, manual(2_000, 4_000), as))(t)
	if part.Type != EditSilence || part.Reason != whole.Reason || *part.Confidence != *whole.Confidence ||
		*part.RunUUID != *whole.RunUUID || part.StretchUUID != whole.UUID {
		t.Errorf("the part is %+v, want it like %+v", part, whole)
	}
	equal(t, "parts", spans(list()), []ms{{1_000, 2_000}, {2_000, 4_000}})

	_, err := w.Undo(p.UserUUID, p.UUID, as.UUID, false, Proposal{})
	must(t, err)
	equal(t, "undone", spans(list()), []ms{{1_000, 4_000}})
	_, err = w.Undo(p.UserUUID, p.UUID, as.UUID, true, Proposal{})
	must(t, err)
	equal(t, "redone", spans(list()), []ms{{1_000, 2_000}, {2_000, 4_000}})

	w.analyzed(p, found)
	again := list()
	equal(t, "after another analysis", spans(again), []ms{{1_000, 2_000}, {2_000, 4_000}})
	if again[1].Type != EditSilence {
		t.Errorf("another analysis made the part a cut of the type %s", again[1].Type)
	}

	own := get(w.CreateEdit(p.UserUUID, p.UUID, manual(6_000, 8_000)))(t)
	half := get(w.SplitEdit(p.UserUUID, p.UUID, own.UUID, Edit{StartMS: 7_000, EndMS: 8_000, Active: true}))(t)
	if half.Type != EditManual || half.RunUUID != nil || half.Reason != own.Reason {
		t.Errorf("the part of a manual cut is %+v", half)
	}
	other := w.project(w.user("eve"))
	w.ready(other, 10_000)
	_, err = w.SplitEdit(other.UserUUID, other.UUID, own.UUID, manual(0, 10))
	wantCode(t, err, Forbidden, "forbidden")
	_, err = w.SplitEdit(p.UserUUID, p.UUID, other.UUID, manual(0, 10))
	wantCode(t, err, NotFound, "not_found")
	_, err = w.SplitEdit(p.UserUUID, p.UUID, own.UUID, manual(0, 10_001))
	wantCode(t, err, Invalid, "out_of_bounds")
}
