package store

import (
	"testing"
)

// counted returns a tally with n verdicts in one bin.
func counted(bin, accepted, rejected, leftOff int) tally {
	var k tally
	k.add(judgment{verdictAccepted, bin}, accepted)
	k.add(judgment{verdictRejected, bin}, rejected)
	k.add(judgment{verdictLeftOff, bin}, leftOff)
	return k
}

func TestDecisionsMoveTheThreshold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tally tally
		want  float64
	}{
		"no decisions":                       {tally{}, 0.5},
		"too few decisions":                  {counted(5, 0, 19, 0), 0.5},
		"doubtful edits are rejected":        {counted(5, 3, 17, 0), 0.6},
		"doubtful edits are mostly accepted": {counted(5, 30, 4, 0), 0.5},
		"edits below are switched on":        {counted(4, 20, 0, 2), 0.4},
		"few of the edits below":             {counted(4, 20, 0, 200), 0.5},
		"everything is rejected":             {counted(9, 0, 500, 0), 0.8},
		"all the lowest are switched on":     {counted(0, 500, 0, 0), 0.5},
	} {
		if got := c.tally.activeFrom(); got != c.want {
			t.Errorf("%s: active from %v, want %v", name, got, c.want)
		}
	}
	low := tally{}
	for bin := range learnBins {
		low.add(judgment{verdictAccepted, bin}, 50)
	}
	if got := low.activeFrom(); got != 0.3 {
		t.Errorf("if everything is accepted, edits are active from %v, want 0.3", got)
	}
}

// learning is a project whose analysis finds n silences with a confidence.
func learning(t *testing.T, n int, confidence float64, active bool) (*world, Project) {
	t.Helper()
	w := open(t)
	p := w.project(w.user("ada"))
	c := w.ready(p, 100_000)
	var found []DetectedEdit
	for i := range int64(n) {
		e := silence(c.UUID, i*2_000+1_000, i*2_000+2_000)
		e.Confidence, e.Active = confidence, active
		found = append(found, e)
	}
	w.analyzed(p, AnalysisResult{Edits: found, Evidence: []byte("evidence")})
	return w, p
}

// silences returns what an account has learned about silences.
func (w *world) silences(p Project) CutDefault {
	w.t.Helper()
	d := get(w.CutDefaults(p.UserUUID))(w.t)
	if d.Items[0].Type != EditSilence {
		w.t.Fatalf("the first type is %+v", d.Items[0])
	}
	return d.Items[0]
}

func TestExportsTeachWhatToPropose(t *testing.T) {
	t.Parallel()
	w, p := learning(t, 25, 0.55, true)
	list := get(w.Edits(p.UserUUID, p.UUID, false))(t)
	toggle := func(on bool, edits ...Edit) {
		t.Helper()
		var changes []NamedEditChange
		for _, e := range edits {
			changes = append(changes, NamedEditChange{e.UUID, EditChange{Active: &on}})
		}
		_, _, err := w.UpdateEdits(p.UserUUID, p.UUID, changes)
		must(t, err)
	}
	export := func(in NewExport) CutDefault {
		t.Helper()
		e := get(w.CreateExport(p.UserUUID, p.UUID, in))(t)
		get(w.CancelExport(p.UserUUID, e.UUID))(t)
		return w.silences(p)
	}
	toggle(false, list[:20]...)
	if got := w.silences(p); got.Rejected != 0 {
		t.Errorf("before an export %+v counts", got)
	}
	want := CutDefault{EditSilence, 5, 20, 0.6, 0.5}
	if got := export(NewExport{}); got != want {
		t.Errorf("after an export %+v, want %+v", got, want)
	}
	if got := export(NewExport{}); got != want {
		t.Errorf("a second export counts again: %+v", got)
	}
	toggle(true, list[:2]...)
	want.Accepted, want.Rejected = 7, 18
	if got := export(NewExport{}); got != want {
		t.Errorf("after a change of mind %+v, want %+v", got, want)
	}
	off := map[string]Override{list[24].UUID: {Active: ptr(false)}}
	want.Accepted, want.Rejected = 6, 19
	if got := export(NewExport{Overrides: off}); got != want {
		t.Errorf("with an override %+v, want %+v", got, want)
	}

	// The next analysis and a replan use it; switching it off or a reset restores the default.
	next := w.analyzed(p, AnalysisResult{Evidence: []byte("evidence")})
	from := func() map[string]float64 {
		t.Helper()
		return get(w.ReplanInput(p.UserUUID, p.UUID, next.UUID))(t).Run.ActiveFrom
	}
	if next.ActiveFrom[EditSilence] != 0.6 || len(next.ActiveFrom) != 1 || from()[EditSilence] != 0.6 {
		t.Errorf("the next analysis uses %v, a replan %v", next.ActiveFrom, from())
	}
	if d := get(w.EnableCutDefaults(p.UserUUID, false))(t); d.Enabled || d.Items[0].Rejected != 19 ||
		d.Items[0].ActiveFrom != 0.5 || len(from()) != 0 {
		t.Errorf("switched off: %+v, a replan uses %v", d, from())
	}
	get(w.EnableCutDefaults(p.UserUUID, true))(t)
	if from()[EditSilence] != 0.6 {
		t.Errorf("switched on again, a replan uses %v", from())
	}
	must(t, w.ResetCutDefaults(p.UserUUID))
	if got := w.silences(p); got.Accepted+got.Rejected != 0 || len(from()) != 0 {
		t.Errorf("after a reset %+v, a replan uses %v", got, from())
	}
	w.clean()
}

// Edits that stayed off count only below the default, and a replan does not count an edit twice.
func TestEditsThatStayedOff(t *testing.T) {
	t.Parallel()
	w, p := learning(t, 30, 0.45, false)
	list := get(w.Edits(p.UserUUID, p.UUID, false))(t)
	for _, e := range list[:20] {
		get(w.UpdateEdit(p.UserUUID, e.UUID, EditChange{Active: ptr(true)}))(t)
	}
	get(w.CreateExport(p.UserUUID, p.UUID, NewExport{}))(t)
	if got := w.silences(p); got != (CutDefault{EditSilence, 20, 0, 0.4, 0.5}) {
		t.Errorf("20 of 30 edits switched on: %+v", got)
	}
	run := get(w.Runs(p.UserUUID, p.UUID))(t)[0]
	var again []DetectedEdit
	for _, e := range list[20:] {
		d := silence(get(w.Clips(p.UserUUID, p.UUID))(t)[0].UUID, e.StartMS, e.EndMS+10)
		d.Confidence = 0.45
		again = append(again, d)
	}
	_, _, err := w.ReplaceDetectedEdits(p.UserUUID, p.UUID, run.UUID, AnalysisSettings{}, Proposal{Edits: again})
	must(t, err)
	get(w.CreateExport(p.UserUUID, p.UUID, NewExport{}))(t)
	if got := w.silences(p); got.Accepted != 30 || got.Rejected != 0 {
		t.Errorf("after a replan that activates the others: %+v", got)
	}
	if empty := w.silences(w.project(w.user("eve"))); empty.Accepted != 0 {
		t.Errorf("another account learns too: %+v", empty)
	}
}
