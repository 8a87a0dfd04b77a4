package store

import (
	"testing"

	"roughcut/media"
)

// ms is the start and the end of an edit in milliseconds.
type ms = [2]int64

// spans returns the spans of edits in order.
func spans(list []Edit) []ms {
	var out []ms
	for _, e := range list {
		out = append(out, ms{e.StartMS, e.EndMS})
	}
	return out
}

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: got %v, want %v", what, got, want)
		}
	}
}

func manual(start, end int64) Edit {
	return Edit{Type: EditManual, StartMS: start, EndMS: end, Active: true, Reason: "off topic"}
}

func TestManualEditRules(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	p := w.project(u)
	_, err := w.CreateEdit(u.UUID, p.UUID, manual(0, 10))
	wantCode(t, err, Invalid, "no_clips")
	w.uploaded(p, 10) // unconfirmed: has no effect
	_, err = w.CreateEdit(u.UUID, p.UUID, manual(0, 10))
	wantCode(t, err, Invalid, "no_clips")
	w.ready(p, 10_000)
	cases := []struct {
		name       string
		start, end int64
		kind       Kind
		code       string
	}{
		{"up to the end", 9_000, 10_000, 0, ""},
		{"past the end", 9_000, 10_001, Invalid, "out_of_bounds"},
		{"backwards", 500, 500, Unprocessable, "unprocessable"},
		{"negative", -1, 500, Unprocessable, "unprocessable"},
		{"backwards and past the end", 20_000, 15_000, Unprocessable, "unprocessable"},
	}
	for _, c := range cases {
		_, err := w.CreateEdit(u.UUID, p.UUID, manual(c.start, c.end))
		if c.code == "" {
			must(t, err)
		} else {
			wantCode(t, err, c.kind, c.code)
		}
	}
	_, err = w.CreateEdit(stranger.UUID, p.UUID, manual(0, 10))
	wantCode(t, err, Forbidden, "forbidden")
	_, err = w.CreateEdit(u.UUID, "none", manual(0, 10))
	wantCode(t, err, NotFound, "not_found")

	e := get(w.CreateEdit(u.UUID, p.UUID, manual(1_000, 2_000)))(t)
	_, err = w.UpdateEdit(u.UUID, e.UUID, EditChange{EndMS: ptr(int64(900))})
	wantCode(t, err, Unprocessable, "unprocessable")
	_, err = w.UpdateEdit(u.UUID, e.UUID, EditChange{EndMS: ptr(int64(10_001))})
	wantCode(t, err, Invalid, "out_of_bounds")
	_, err = w.UpdateEdit(stranger.UUID, e.UUID, EditChange{Active: ptr(false)})
	wantCode(t, err, Forbidden, "forbidden")
	e = get(w.UpdateEdit(u.UUID, e.UUID, EditChange{Active: ptr(false), StartMS: ptr(int64(1_500))}))(t)
	if e.Active || e.StartMS != 1_500 || e.EndMS != 2_000 || !e.Touched {
		t.Errorf("edit %+v", e)
	}
	if on := get(w.Edits(u.UUID, p.UUID, true))(t); len(on) != 1 {
		t.Errorf("active: %v", on)
	}
	if deleted, _, err := w.DeleteEdit(u.UUID, e.UUID); !deleted || err != nil {
		t.Errorf("deleted %v, %v", deleted, err)
	}
	_, _, err = w.DeleteEdit(u.UUID, e.UUID)
	wantCode(t, err, NotFound, "not_found")
}

func TestDetectedEditIsSwitchedOffNotDeleted(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.ready(p, 10_000)
	w.analyzed(p, AnalysisResult{Edits: []DetectedEdit{silence(c.UUID, 1_000, 2_000)}})
	e := get(w.Edits(u.UUID, p.UUID, true))(t)[0]
	deleted, off, err := w.DeleteEdit(u.UUID, e.UUID)
	if deleted || off.Active || off.UUID != e.UUID || err != nil {
		t.Fatalf("%v %+v %v", deleted, off, err)
	}
	if len(get(w.Edits(u.UUID, p.UUID, true))(t)) != 0 || len(get(w.Edits(u.UUID, p.UUID, false))(t)) != 1 {
		t.Error("the edit is still active, or was deleted")
	}
}

func TestEditsStayOnTheirFootage(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	first, second, third := w.ready(p, 10_000), w.ready(p, 10_000), w.ready(p, 10_000)
	words := []ClipTranscript{speech(first.UUID, "one"), speech(second.UUID, "two"), speech(third.UUID, "three")}
	w.analyzed(p, AnalysisResult{
		Transcripts: words,
		Edits: []DetectedEdit{
			silence(first.UUID, 1_000, 2_000),
			silence(second.UUID, 1_000, 2_000),
			silence(third.UUID, 1_000, 2_000),
		},
		CaptionLines: []ClipCaption{
			{ClipUUID: first.UUID, TimedText: media.TimedText{Text: "one", EndMS: 400}},
			{ClipUUID: second.UUID, TimedText: media.TimedText{Text: "two", EndMS: 400}},
			{ClipUUID: third.UUID, TimedText: media.TimedText{Text: "three", EndMS: 400}},
		},
	})
	get(w.CreateEdit(u.UUID, p.UUID, manual(9_000, 21_000)))(t)  // from the first clip to the third
	get(w.CreateEdit(u.UUID, p.UUID, manual(10_000, 20_000)))(t) // exactly the second clip
	get(w.CreateEdit(u.UUID, p.UUID, manual(19_000, 22_000)))(t) // in the second and third clip
	equal(
		t,
		"before",
		spans(get(w.Edits(u.UUID, p.UUID, false))(t)),
		[]ms{{1_000, 2_000}, {9_000, 21_000}, {10_000, 20_000}, {11_000, 12_000}, {19_000, 22_000}, {21_000, 22_000}},
	)

	must(t, w.DeleteClip(u.UUID, second.UUID))
	equal(
		t,
		"without the second",
		spans(get(w.Edits(u.UUID, p.UUID, false))(t)),
		[]ms{{1_000, 2_000}, {9_000, 11_000}, {10_000, 12_000}, {11_000, 12_000}},
	)
	w.clean()

	must(t, w.DeleteClip(u.UUID, first.UUID))
	equal(
		t,
		"without the first",
		spans(get(w.Edits(u.UUID, p.UUID, false))(t)),
		[]ms{{0, 1_000}, {0, 2_000}, {1_000, 2_000}},
	)
	got := get(w.Project(u.UUID, p.UUID))(t)
	if len(got.Transcript.Words) != 1 || got.Transcript.Words[0].Text != "three" ||
		got.Transcript.Words[0].StartMS != 0 ||
		*got.DurationMS != 10_000 {
		t.Errorf("project %+v", got)
	}
	lines, total, err := w.CaptionLines(u.UUID, p.UUID, Page{})
	if err != nil || total != 1 || lines[0].Text != "three" || lines[0].StartMS != 0 || lines[0].Sequence != 1 {
		t.Errorf("captions %+v %v", lines, err)
	}
	w.clean()
}

func TestEditPastAClipThatIsStillProcessing(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	first := w.ready(p, 10_000)
	second := w.uploaded(p, 10)
	get(w.ConfirmClip(u.UUID, p.UUID, second.UUID))(t)
	if got := get(w.Project(u.UUID, p.UUID))(t); got.DurationMS != nil || got.ClipCount != 2 {
		t.Errorf("project %+v", got)
	}
	get(w.CreateEdit(u.UUID, p.UUID, manual(12_000, 13_000)))(t)
	w.ingest(20_000)
	must(t, w.DeleteClip(u.UUID, first.UUID))
	equal(t, "on the second clip", spans(get(w.Edits(u.UUID, p.UUID, false))(t)), []ms{{2_000, 3_000}})
	w.clean()
}

func TestReplanKeepsTouchedEdits(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.ready(p, 60_000)
	run := w.analyzed(
		p,
		AnalysisResult{
			Edits: []DetectedEdit{
				silence(c.UUID, 1_000, 2_000),
				silence(c.UUID, 5_000, 6_000),
				silence(c.UUID, 10_000, 11_000),
				silence(c.UUID, 20_000, 21_000),
			},
		},
	)
	list := get(w.Edits(u.UUID, p.UUID, false))(t)
	same := list[0]
	off := list[1]
	moved := list[2]
	grown := list[3]
	get(w.UpdateEdit(u.UUID, off.UUID, EditChange{Active: ptr(false)}))(t)
	get(w.UpdateEdit(u.UUID, moved.UUID, EditChange{StartMS: ptr(int64(12_000)), EndMS: ptr(int64(13_000))}))(t)
	draft := get(
		w.CreateDraft(
			u.UUID,
			p.UUID,
			DraftChange{
				EditOverrides: map[string]Override{same.UUID: {Active: ptr(false)}, grown.UUID: {Active: ptr(false)}},
			},
		),
	)(t)
	found := []DetectedEdit{
		silence(c.UUID, 1_000, 2_000),
		silence(c.UUID, 4_900, 6_100),
		silence(c.UUID, 10_000, 11_000),
		silence(c.UUID, 19_900, 21_100),
		silence(c.UUID, 30_000, 31_000),
	}
	settings := AnalysisSettings{CutOptions: media.CutOptions{PacingLevel: 80}}

	preview, n, err := w.PreviewDetectedEdits(u.UUID, p.UUID, run.UUID, settings, Proposal{Edits: found})
	must(t, err)
	equal(
		t,
		"after a look",
		spans(get(w.Edits(u.UUID, p.UUID, false))(t)),
		[]ms{{1_000, 2_000}, {5_000, 6_000}, {12_000, 13_000}, {20_000, 21_000}},
	)
	got, changed, err := w.ReplaceDetectedEdits(u.UUID, p.UUID, run.UUID, settings, Proposal{Edits: found})
	must(t, err)
	want := []ms{{1_000, 2_000}, {5_000, 6_000}, {12_000, 13_000}, {19_900, 21_100}, {30_000, 31_000}}
	equal(t, "replanned", spans(got), want)
	equal(t, "preview", spans(preview), want)
	if n != 2 || changed != 2 || got[0].UUID != same.UUID || got[1].Active || got[3].UUID != grown.UUID {
		t.Errorf("changed %d and %d: %+v", n, changed, got)
	}
	if r, _, err := w.Run(u.UUID, p.UUID, run.UUID); err != nil || r.EditCount != 5 || r.SilenceCount != 5 ||
		r.PacingLevel != 80 {
		t.Errorf("run %+v %v", r, err)
	}
	_, changed, err = w.ReplaceDetectedEdits(u.UUID, p.UUID, run.UUID, settings, Proposal{})
	must(t, err)
	equal(t, "nothing found", spans(get(w.Edits(u.UUID, p.UUID, false))(t)), []ms{{5_000, 6_000}, {12_000, 13_000}})
	if d := get(w.Draft(u.UUID, draft.UUID))(t); changed != 3 || len(d.EditOverrides) != 0 {
		t.Errorf("changed %d, draft %+v", changed, d)
	}
	w.clean()
}

func TestEditsComeFromTheActiveRun(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	p, other := w.project(u), w.project(stranger)
	c := w.ready(p, 10_000)
	before := get(w.CreateDraft(u.UUID, p.UUID, DraftChange{Name: ptr("early")}))(t)
	first := w.analyzed(
		p,
		AnalysisResult{
			Transcripts:  []ClipTranscript{speech(c.UUID, "one")},
			Edits:        []DetectedEdit{silence(c.UUID, 0, 100)},
			CaptionLines: []ClipCaption{{ClipUUID: c.UUID, TimedText: media.TimedText{Text: "one", EndMS: 400}}},
		},
	)
	get(w.CreateDraft(u.UUID, p.UUID, DraftChange{Name: ptr("of the first")}))(t)
	second := w.analyzed(p, AnalysisResult{Edits: []DetectedEdit{silence(c.UUID, 0, 200), silence(c.UUID, 300, 400)}})
	equal(t, "second run", spans(get(w.Edits(u.UUID, p.UUID, false))(t)), []ms{{0, 200}, {300, 400}})
	if list := get(w.Drafts(u.UUID, p.UUID))(t); len(list) != 1 || list[0].UUID != before.UUID {
		t.Errorf("drafts of the second run: %+v", list)
	}
	get(w.ActivateRun(u.UUID, p.UUID, first.UUID))(t)
	equal(t, "first run", spans(get(w.Edits(u.UUID, p.UUID, false))(t)), []ms{{0, 100}})
	if _, n, _ := w.CaptionLines(u.UUID, p.UUID, Page{}); n != 1 {
		t.Errorf("%d caption lines", n)
	}
	if list := get(w.Drafts(u.UUID, p.UUID))(t); len(list) != 2 {
		t.Errorf("drafts of the first run: %+v", list)
	}
	runs := get(w.Runs(u.UUID, p.UUID))(t)
	if len(runs) != 2 || runs[0].UUID != second.UUID {
		t.Errorf("runs %+v", runs)
	}
	_, err := w.ActivateRun(u.UUID, p.UUID, "none")
	wantCode(t, err, NotFound, "not_found")
	_, err = w.ActivateRun(stranger.UUID, other.UUID, first.UUID)
	wantCode(t, err, Unprocessable, "run_not_activatable")
	queued := get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
	_, err = w.ActivateRun(u.UUID, p.UUID, queued.UUID)
	wantCode(t, err, Unprocessable, "run_not_activatable")
	w.clean()
}

// TestUpdateEditsChangesAllOrNone checks that all edits change or none, and that the result undoes
// the change.
func TestUpdateEditsChangesAllOrNone(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	p, other := w.project(u), w.project(u)
	w.ready(p, 10_000)
	w.ready(other, 10_000)
	a, b := get(w.CreateEdit(u.UUID, p.UUID, manual(0, 500)))(
		t,
	), get(w.CreateEdit(u.UUID, p.UUID, manual(1_000, 2_000)))(t)
	elsewhere := get(w.CreateEdit(u.UUID, other.UUID, manual(0, 500)))(t)
	off, move := EditChange{Active: ptr(false)}, EditChange{StartMS: ptr(int64(1_500)), EndMS: ptr(int64(2_500))}
	before := get(w.Edits(u.UUID, p.UUID, false))(t)
	refused := func(kind Kind, code string, list ...NamedEditChange) {
		t.Helper()
		_, _, err := w.UpdateEdits(u.UUID, p.UUID, append([]NamedEditChange{{a.UUID, off}}, list...))
		wantCode(t, err, kind, code)
		equal(t, "after a refusal", get(w.Edits(u.UUID, p.UUID, false))(t), before)
	}
	refused(Unprocessable, "unknown_edit", NamedEditChange{w.NewID(), off})
	refused(Unprocessable, "unknown_edit", NamedEditChange{elsewhere.UUID, off})
	refused(Unprocessable, "unprocessable", NamedEditChange{a.UUID, off})
	refused(Unprocessable, "unprocessable", NamedEditChange{b.UUID, EditChange{EndMS: ptr(int64(1_000))}})
	refused(Invalid, "out_of_bounds", NamedEditChange{b.UUID, EditChange{EndMS: ptr(int64(10_001))}})
	_, _, err := w.UpdateEdits(stranger.UUID, p.UUID, []NamedEditChange{{a.UUID, off}})
	wantCode(t, err, Forbidden, "forbidden")

	changed, undo, err := w.UpdateEdits(u.UUID, p.UUID, []NamedEditChange{{b.UUID, move}, {a.UUID, off}})
	must(t, err)
	equal(t, "changed", spans(changed), []ms{{1_500, 2_500}, {0, 500}})
	if !changed[0].Active || changed[1].Active {
		t.Errorf("changed to %+v", changed)
	}
	equal(t, "served", get(w.Edits(u.UUID, p.UUID, false))(t), []Edit{changed[1], changed[0]})
	back, redo, err := w.UpdateEdits(u.UUID, p.UUID, undo)
	must(t, err)
	equal(t, "taken back", spans(back), []ms{{1_000, 2_000}, {0, 500}})
	if !back[1].Active || redo[0].UUID != b.UUID || *redo[0].StartMS != 1_500 || redo[0].Active != nil ||
		*redo[1].Active {
		t.Errorf("undone to %+v, redo is %+v", back, redo)
	}
	w.clean()
}
