package store

import (
	"fmt"
	"slices"
	"testing"

	"roughcut/media"
)

// takesOf returns a take group with takes at given spans of a clip.
func takesOf(clip, id string, proposed int, at ...ms) DetectedTakeGroup {
	g := DetectedTakeGroup{ID: id, ClipUUID: clip, Proposed: proposed}
	for i, span := range at {
		g.Takes = append(g.Takes, DetectedTake{
			Span:     media.Span{StartMS: span[0], EndMS: span[1]},
			Text:     fmt.Sprintf("Take %d", i+1),
			Complete: i+1 == proposed,
			LevelDB:  -20,
			Reason:   "repeated",
		})
	}
	return g
}

// falseStart returns the edit of a take.
func falseStart(clip, group string, number int, start, end int64) DetectedEdit {
	return DetectedEdit{
		ClipUUID:   clip,
		Type:       EditFalseStart,
		Span:       media.Span{StartMS: start, EndMS: end},
		Active:     true,
		Reason:     "repeated",
		Confidence: 0.8,
		TakeGroup:  group,
		TakeNumber: number,
	}
}

// threeTakes proposes the last of three takes of a clip of 20 s, with a silence after it.
func threeTakes(clip string) Proposal {
	return Proposal{
		Edits: []DetectedEdit{
			falseStart(clip, "g", 1, 1_000, 4_000),
			falseStart(clip, "g", 2, 4_000, 7_000),
			silence(clip, 9_200, 11_000),
			silence(clip, 15_000, 16_000),
		},
		TakeGroups: []DetectedTakeGroup{
			takesOf(clip, "g", 3, ms{1_000, 3_000}, ms{4_000, 6_000}, ms{7_000, 9_000}),
		},
	}
}

// taking is a project with the run of threeTakes.
func taking(t *testing.T) (*world, Project, Clip, Run) {
	t.Helper()
	w := open(t)
	p := w.project(w.user("ada"))
	c := w.ready(p, 20_000)
	found := threeTakes(c.UUID)
	run := w.analyzed(p, AnalysisResult{Edits: found.Edits, TakeGroups: found.TakeGroups})
	return w, p, c, run
}

// kept returns the numbers of the takes that the edits leave, as text.
func (w *world) kept(p Project) (numbers string) {
	w.t.Helper()
	for _, g := range get(w.TakeGroups(p.UserUUID, p.UUID))(w.t) {
		for _, take := range g.Takes {
			if take.Kept {
				numbers += fmt.Sprint(take.Number)
			}
		}
	}
	return numbers
}

func TestChosenTakesSurviveReplans(t *testing.T) {
	t.Parallel()
	w, p, c, run := taking(t)
	if got := w.kept(p); got != "3" {
		t.Errorf("the analysis keeps the takes %s", got)
	}
	changed, undo, err := w.ChooseTake(p.UserUUID, p.UUID, "g", 1)
	must(t, err)
	if len(changed) != 2 || len(undo) != 2 || w.kept(p) != "1" {
		t.Errorf("choosing take 1 keeps %s, changed %+v", w.kept(p), changed)
	}
	made := changed[1]
	if made.StartMS != 7_000 || made.EndMS != 11_000 || made.Type != EditFalseStart || !made.Active ||
		made.Confidence != nil || *made.RunUUID != run.UUID {
		t.Errorf("the edit of take 3 is %+v; want it to cover the silence after the take", made)
	}

	// Another sensitivity finds an earlier take, so the numbers change, and the group has another
	// id.
	found := threeTakes(c.UUID)
	found.Edits = append(found.Edits, falseStart(c.UUID, "h", 1, 100, 1_000))
	found.TakeGroups = []DetectedTakeGroup{
		takesOf(c.UUID, "h", 4, ms{100, 900}, ms{1_000, 3_000}, ms{4_000, 6_000}, ms{7_000, 9_000}),
	}
	for i := range 2 {
		found.Edits[i].TakeGroup, found.Edits[i].TakeNumber = "h", i+2
	}
	got, _, err := w.ReplaceDetectedEdits(p.UserUUID, p.UUID, run.UUID, AnalysisSettings{}, found)
	must(t, err)
	if w.kept(p) != "2" {
		t.Errorf("after a replan the take %s is kept; edits %+v", w.kept(p), got)
	}
	groups := get(w.TakeGroups(p.UserUUID, p.UUID))(t)
	if len(groups) != 1 || groups[0].ID != "h" || groups[0].Takes[3].EditUUID == nil ||
		*groups[0].Takes[3].EditUUID != made.UUID {
		t.Errorf("the edit of the last take is not found: %+v", groups)
	}

	// An undo restores the proposal, also after the replan.
	_, _, err = w.UpdateEdits(p.UserUUID, p.UUID, undo)
	must(t, err)
	if w.kept(p) != "4" {
		t.Errorf("after the undo the take %s is kept", w.kept(p))
	}
	// A choice of the take that a person has unselected switches its edit on again.
	changed, _, err = w.ChooseTake(p.UserUUID, p.UUID, "h", 3)
	must(t, err)
	if w.kept(p) != "3" || len(changed) != 2 {
		t.Errorf("choosing take 3 keeps %s, changed %+v", w.kept(p), changed)
	}
	w.clean()
}

// Undo removes the edit that a choice created, and redo brings it back.
func TestUndoOfAChoiceLeavesNothing(t *testing.T) {
	t.Parallel()
	w, p, _, run := taking(t)
	edits := func() []Edit { return get(w.Edits(p.UserUUID, p.UUID, false))(t) }
	counted := func() int { return get(w.Runs(p.UserUUID, p.UUID))(t)[0].FalseStartCount }
	before := len(edits())
	changed, _, err := w.ChooseTake(p.UserUUID, p.UUID, "g", 1)
	must(t, err)
	made := changed[1]
	get(w.Undo(p.UserUUID, p.UUID, "", false, Proposal{}))(t)
	if n := len(edits()); n != before || w.kept(p) != "3" || counted() != run.FalseStartCount {
		t.Errorf("after undo there are %d edits instead of %d, the take %s is kept, the run counts %d false starts",
			n, before, w.kept(p), counted())
	}
	get(w.Undo(p.UserUUID, p.UUID, "", true, Proposal{}))(t)
	list := edits()
	if len(list) != before+1 || w.kept(p) != "1" || counted() != run.FalseStartCount+1 ||
		!slices.ContainsFunc(list, func(e Edit) bool { return e.UUID == made.UUID && e.Active }) {
		t.Errorf("after redo the edits are %+v, the run counts %d false starts", list, counted())
	}
	w.clean()
}

func TestTakesMoveWithTheirClip(t *testing.T) {
	t.Parallel()
	w, p, c, _ := taking(t)
	second := w.ready(p, 5_000)
	_, err := w.OrderClips(p.UserUUID, p.UUID, []string{second.UUID, c.UUID})
	must(t, err)
	groups := get(w.TakeGroups(p.UserUUID, p.UUID))(t)
	if at := groups[0].Takes[1].Span; at.StartMS != 9_000 || at.EndMS != 11_000 || w.kept(p) != "3" {
		t.Errorf("behind another clip the second take is at %+v, kept are %s", at, w.kept(p))
	}
	must(t, w.DeleteClip(p.UserUUID, c.UUID))
	if groups := get(w.TakeGroups(p.UserUUID, p.UUID))(t); len(groups) != 0 {
		t.Errorf("without its clip there is the group %+v", groups)
	}
	w.clean()
}

// A new analysis replaces the groups, and each run keeps its own.
func TestTakeGroupsBelongToTheirRun(t *testing.T) {
	t.Parallel()
	w, p, c, first := taking(t)
	off := takesOf(c.UUID, "off", 1, ms{0, 1_000}, ms{19_000, 25_000}, ms{30_000, 31_000})
	alone := takesOf(c.UUID, "alone", 2, ms{0, 1_000}, ms{30_000, 31_000})
	w.analyzed(p, AnalysisResult{TakeGroups: []DetectedTakeGroup{off, alone}})
	groups := get(w.TakeGroups(p.UserUUID, p.UUID))(t)
	if len(groups) != 1 || len(groups[0].Takes) != 2 || groups[0].Takes[1].Span.EndMS != 20_000 {
		t.Errorf("takes past the end of the clip are kept: %+v", groups)
	}
	_, _, err := w.ChooseTake(p.UserUUID, p.UUID, "g", 1)
	wantCode(t, err, NotFound, "not_found")
	get(w.ActivateRun(p.UserUUID, p.UUID, first.UUID))(t)
	if w.kept(p) != "3" {
		t.Errorf("the first run keeps the take %s", w.kept(p))
	}
	_, _, err = w.ChooseTake(p.UserUUID, p.UUID, "g", 4)
	wantCode(t, err, Unprocessable, "unprocessable")
	_, _, err = w.ChooseTake(w.user("eve").UUID, p.UUID, "g", 1)
	wantCode(t, err, Forbidden, "forbidden")
	w.clean()
}
