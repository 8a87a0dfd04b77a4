package store

import (
	"fmt"
	"testing"
	"time"

	"roughcut/media"
)

// states returns the edits of a project by start: times in seconds, state and action.
func (w *world) states(p Project) (list []string) {
	w.t.Helper()
	for _, e := range get(w.Edits(p.UserUUID, p.UUID, false))(w.t) {
		state := "off"
		if e.Active {
			state = e.Action
		}
		list = append(list, fmt.Sprintf("%g-%g %s", float64(e.StartMS)/1000, float64(e.EndMS)/1000, state))
	}
	return list
}

// saved makes a draft of the edits and shorts of a project.
func (w *world) saved(p Project) Draft {
	w.t.Helper()
	overrides := map[string]Override{}
	for _, e := range get(w.Edits(p.UserUUID, p.UUID, false))(w.t) {
		overrides[e.UUID] = Override{Active: &e.Active, StartMS: &e.StartMS, EndMS: &e.EndMS, Action: &e.Action}
	}
	change := DraftChange{Name: ptr("d"), EditOverrides: overrides, WithShorts: ptr(true)}
	return get(w.CreateDraft(p.UserUUID, p.UUID, change))(w.t)
}

func TestDraftBringsBackEditsAndShorts(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	c := w.ready(p, 30_000)
	w.analyzed(p, AnalysisResult{
		Transcripts: []ClipTranscript{speech(c.UUID, "one")},
		Edits: []DetectedEdit{
			silence(c.UUID, 1_000, 2_000), silence(c.UUID, 3_000, 4_000), silence(c.UUID, 5_000, 6_000),
		},
	})
	deleted := get(w.CreateEdit(p.UserUUID, p.UUID, manual(7_000, 8_000)))(t)
	early, late := w.short(p, "early", 1, 4), w.short(p, "late", 12, 18)
	d := w.saved(p)
	wantEdits := []string{"1-2 cut", "3-4 cut", "5-6 cut"}
	wantShorts := []string{"early 1-4", "late 12-18"}
	if len(d.Shorts) != 2 || d.Shorts[1].UUID != late.UUID || d.Shorts[1].StartMS != 12_000 {
		t.Fatalf("the draft has %+v", d.Shorts)
	}

	list := get(w.Edits(p.UserUUID, p.UUID, false))(t)
	get(w.UpdateEdit(p.UserUUID, list[0].UUID, EditChange{Active: ptr(false)}))(t)
	get(w.UpdateEdit(p.UserUUID, list[1].UUID, EditChange{StartMS: ptr(int64(3_500)), Action: ptr(ActionMute)}))(t)
	if _, _, err := w.DeleteEdit(p.UserUUID, deleted.UUID); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Second)
	get(w.CreateEdit(p.UserUUID, p.UUID, manual(20_000, 21_000)))(t)
	changed := ShortChange{Name: ptr("other"), EndMS: ptr(int64(5_000)), ExportSettings: []byte(`{"fit":"crop"}`)}
	get(w.UpdateShort(p.UserUUID, p.UUID, early.UUID, changed))(t)
	must(t, w.DeleteShort(p.UserUUID, p.UUID, late.UUID))
	w.short(p, "newer", 20, 25)
	editsBefore, shortsBefore := w.states(p), w.times(p)

	for range 2 { // the second time changes nothing
		if got, want := get(w.ApplyDraft(p.UserUUID, d.UUID))(t).Missing, 1; got != want {
			t.Errorf("%d are missing, want %d", got, want)
		}
		equal(t, "edits", w.states(p), append(wantEdits, "20-21 off"))
		equal(t, "shorts", w.times(p), append(wantShorts, "newer 20-25"))
	}
	if s := w.shorts(p)[0]; s.UUID != early.UUID || string(s.ExportSettings) != "{}" {
		t.Errorf("the changed short is %+v", s)
	}
	w.undo(p, false)
	equal(t, "edits after undo", w.states(p), editsBefore)
	equal(t, "shorts after undo", w.times(p), shortsBefore)
	if got := get(w.ApplyDraft(p.UserUUID, d.UUID))(t).SwitchedOff; got != 1 {
		t.Errorf("%d edits were switched off, want 1", got)
	}
	w.clean()
}

func TestDraftLeavesOlderEditsWithoutOverride(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.ready(p, 10_000)
	w.clock.Advance(time.Second)
	old := get(w.CreateEdit(u.UUID, p.UUID, manual(1_000, 2_000)))(t)
	named := get(w.CreateEdit(u.UUID, p.UUID, manual(3_000, 4_000)))(t)
	off := map[string]Override{named.UUID: {Active: ptr(false)}}
	d := get(w.CreateDraft(u.UUID, p.UUID, DraftChange{Name: ptr("d"), EditOverrides: off}))(t)
	w.clock.Advance(time.Second)
	get(w.CreateEdit(u.UUID, p.UUID, manual(5_000, 6_000)))(t)
	get(w.DuplicateClip(u.UUID, c.UUID))(t)
	w.clock.Advance(time.Second)
	get(w.UpdateDraft(u.UUID, d.UUID, DraftChange{Name: ptr("other"), WithShorts: ptr(true)}))(t)

	applied := get(w.ApplyDraft(u.UUID, d.UUID))(t)
	equal(t, "applied", w.states(p), []string{
		"1-2 cut", "3-4 off", "5-6 off",
		"11-12 cut", "13-14 off", "15-16 off",
	})
	if want := (AppliedDraft{SwitchedOff: 2}); applied != want {
		t.Errorf("applied %+v, want %+v", applied, want)
	}

	get(w.UpdateEdit(u.UUID, named.UUID, EditChange{Active: ptr(true)}))(t)
	off = map[string]Override{old.UUID: {Active: ptr(false)}}
	get(w.UpdateDraft(u.UUID, d.UUID, DraftChange{EditOverrides: off}))(t)
	get(w.ApplyDraft(u.UUID, d.UUID))(t)
	equal(t, "with other overrides", w.states(p)[:3], []string{"1-2 off", "3-4 cut", "5-6 off"})
}

// The shorts of a draft stay on their footage, in another order and in a copy of the project.
// Shorts on deleted clips are missing.
func TestShortsOfDraftStayOnTheirFootage(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	a, b := w.ready(p, 10_000), w.ready(p, 20_000)
	w.short(p, "inside", 12, 15)
	across := w.short(p, "across", 8, 12)
	d := w.saved(p)
	applied := func(what string, want ...string) {
		t.Helper()
		if got := get(w.ApplyDraft(u.UUID, d.UUID))(t); got != (AppliedDraft{}) {
			t.Errorf("%s: %+v", what, got)
		}
		equal(t, what, w.times(p), want)
	}
	copied := get(w.DuplicateProject(u.UUID, p.UUID))(t)
	drafts := get(w.Drafts(u.UUID, copied.UUID))(t)
	if got := get(w.ApplyDraft(u.UUID, drafts[0].UUID))(t); got != (AppliedDraft{}) {
		t.Errorf("in the copy: %+v", got)
	}
	equal(t, "in the copy", w.times(copied), []string{"across 8-12", "inside 12-15"})

	w.ordered(u, p, b, a)
	applied("in another order", "across 0-2", "inside 2-5", "across 28-30")
	must(t, w.DeleteShort(u.UUID, p.UUID, across.UUID))
	must(t, w.DeleteShort(u.UUID, p.UUID, w.shorts(p)[0].UUID))
	applied("with a deleted short", "across 0-2", "inside 2-5", "across 28-30")

	must(t, w.DeleteClip(u.UUID, b.UUID))
	must(t, w.EmptyTrash(u.UUID, p.UUID))
	if got := get(w.ApplyDraft(u.UUID, d.UUID))(t); got.Missing != 1 {
		t.Errorf("without the clip: %+v", got)
	}
	equal(t, "without the clip", w.times(p), []string{"across 8-10"})
	w.clean()
}

func TestShortsOfDraftFollowArrangements(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.ready(p, 20_000)
	w.short(p, "early", 1, 4)
	w.short(p, "late", 12, 18)
	d := w.saved(p)
	part := func(start, end int64) ClipSegment { return ClipSegment{c.UUID, media.Span{StartMS: start, EndMS: end}} }
	get(w.ArrangeClips(u.UUID, p.UUID, []ClipSegment{part(10_000, 20_000), part(0, 10_000)}))(t)
	equal(t, "arranged", w.times(p), []string{"late 12-18", "early 21-24"})
	served := get(w.Draft(u.UUID, d.UUID))(t).Shorts
	if len(served) != 2 || served[0].StartMS != 12_000 || served[1].EndMS != 24_000 {
		t.Errorf("the draft has %+v", served)
	}
	w.undo(p, false)
	w.undo(p, true)
	if got := get(w.ApplyDraft(u.UUID, d.UUID))(t); got != (AppliedDraft{}) {
		t.Errorf("applied: %+v", got)
	}
	equal(t, "applied", w.times(p), []string{"late 12-18", "early 21-24"})
}

func TestDraftIsAppliedToItsAnalysisOnly(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, other := w.user("ada"), w.user("eve")
	p := w.project(u)
	c := w.ready(p, 10_000)
	found := AnalysisResult{
		Transcripts: []ClipTranscript{speech(c.UUID, "one")}, Edits: []DetectedEdit{silence(c.UUID, 1_000, 2_000)},
	}
	w.analyzed(p, found)
	d := w.saved(p)
	w.short(p, "newer", 1, 2)
	if d = get(w.UpdateDraft(u.UUID, d.UUID, DraftChange{WithShorts: ptr(false)}))(t); d.Shorts != nil {
		t.Errorf("the draft still has %v", d.Shorts)
	}
	w.analyzed(p, found)
	_, err := w.ApplyDraft(u.UUID, d.UUID)
	wantCode(t, err, Conflict, "conflict")
	_, err = w.ApplyDraft(other.UUID, d.UUID)
	wantCode(t, err, Forbidden, "forbidden")
	_, err = w.ApplyDraft(u.UUID, "none")
	wantCode(t, err, NotFound, "not_found")
	equal(t, "edits", w.states(p), []string{"1-2 cut"})
}

// A short in an export with a draft has the range of the draft.
func TestExportOfShortInDraft(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 10_000)
	m := w.short(p, "short", 2, 6)
	d := w.saved(p)
	get(w.UpdateShort(u.UUID, p.UUID, m.UUID, ShortChange{EndMS: ptr(int64(9_000))}))(t)
	for _, c := range []struct {
		draft *string
		want  int64
	}{{nil, 7_000}, {&d.UUID, 4_000}} {
		e := get(w.CreateExport(u.UUID, p.UUID, NewExport{DraftID: c.draft, ShortUUID: &m.UUID}))(t)
		if e.DurationMS != c.want {
			t.Errorf("the export lasts %d ms, want %d", e.DurationMS, c.want)
		}
	}
}
