package store

import (
	"math/rand/v2"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/store/account"
)

// ordered changes the order of clips and checks the result.
func (w *world) ordered(u account.User, p Project, list ...Clip) {
	w.t.Helper()
	var ids []string
	for _, c := range list {
		ids = append(ids, c.UUID)
	}
	got := get(w.OrderClips(u.UUID, p.UUID, ids))(w.t)
	kept := get(w.Clips(u.UUID, p.UUID))(w.t)
	for i, id := range ids {
		if got[i].UUID != id || got[i].Position != i || kept[i].UUID != id || kept[i].Position != i {
			w.t.Fatalf("place %d: returned %+v, kept %+v", i, got[i], kept[i])
		}
	}
}

func TestEditsMoveWithReorderedClips(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	a, b, c := w.ready(p, 10_000), w.ready(p, 20_000), w.ready(p, 30_000)
	w.analyzed(
		p,
		AnalysisResult{
			Transcripts: []ClipTranscript{speech(a.UUID, "one"), speech(b.UUID, "two"), speech(c.UUID, "three")},
			Edits: []DetectedEdit{
				silence(a.UUID, 1_000, 2_000),
				silence(b.UUID, 1_000, 2_000),
				silence(c.UUID, 1_000, 2_000),
			},
			CaptionLines: []ClipCaption{
				{ClipUUID: a.UUID, TimedText: media.TimedText{Text: "one", EndMS: 400}},
				{ClipUUID: b.UUID, TimedText: media.TimedText{Text: "two", EndMS: 400}},
				{ClipUUID: c.UUID, TimedText: media.TimedText{Text: "three", EndMS: 400}},
			},
		},
	)
	own := get(w.CreateEdit(u.UUID, p.UUID, manual(29_000, 30_000)))(t) // the end of b
	draft := get(
		w.CreateDraft(
			u.UUID,
			p.UUID,
			DraftChange{EditOverrides: map[string]Override{own.UUID: {StartMS: ptr(int64(28_000))}}},
		),
	)(t)
	equal(
		t,
		"before",
		spans(get(w.Edits(u.UUID, p.UUID, false))(t)),
		[]ms{{1_000, 2_000}, {11_000, 12_000}, {29_000, 30_000}, {31_000, 32_000}},
	)

	w.ordered(u, p, c, a, b)
	equal(
		t,
		"edits",
		spans(get(w.Edits(u.UUID, p.UUID, false))(t)),
		[]ms{{1_000, 2_000}, {31_000, 32_000}, {41_000, 42_000}, {59_000, 60_000}},
	)
	if got := *get(w.Draft(u.UUID, draft.UUID))(t).EditOverrides[own.UUID].StartMS; got != 58_000 {
		t.Errorf("the draft's bound is at %d", got)
	}
	transcript := get(w.Project(u.UUID, p.UUID))(t).Transcript
	for i, want := range []struct {
		text  string
		start int64
	}{{"three", 0}, {"one", 30_000}, {"two", 40_000}} {
		lines, _, err := w.CaptionLines(u.UUID, p.UUID, Page{})
		must(t, err)
		if word := transcript.Words[i]; word.Text != want.text || word.StartMS != want.start {
			t.Errorf("word %d: %+v", i, word)
		}
		if line := lines[i]; line.Text != want.text || line.StartMS != want.start || line.Sequence != i+1 {
			t.Errorf("line %d: %+v", i, line)
		}
	}
	get(w.CreateExport(u.UUID, p.UUID, NewExport{Name: "x", DraftID: &draft.UUID}))(t)
	in := get(w.ExportInput(w.claim()))(t)
	if in.Clips[0].Info.DurationMS != 30_000 || in.Clips[1].Info.DurationMS != 10_000 {
		t.Errorf("the export has its clips in another order: %+v", in.Clips)
	}
	equal(
		t,
		"cuts of the export",
		in.Cuts,
		[]media.Span{
			{StartMS: 1_000, EndMS: 2_000},
			{StartMS: 31_000, EndMS: 32_000},
			{StartMS: 41_000, EndMS: 42_000},
			{StartMS: 58_000, EndMS: 60_000},
		},
	)
	w.clean()
}

func TestEditAcrossClipsIsSplitWhenTheyAreReordered(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	a, b, c := w.ready(p, 10_000), w.ready(p, 10_000), w.ready(p, 10_000)
	e := get(w.CreateEdit(u.UUID, p.UUID, manual(9_000, 21_000)))(t) // the end of a, all of b, the start of c
	w.ordered(u, p, a, b, c)
	equal(t, "as it was", spans(get(w.Edits(u.UUID, p.UUID, false))(t)), []ms{{9_000, 21_000}})

	w.ordered(u, p, c, a, b)
	got := get(w.Edits(u.UUID, p.UUID, true))(t)
	equal(t, "c is away", spans(got), []ms{{0, 1_000}, {19_000, 30_000}})
	if got[1].UUID != e.UUID || got[0].UUID == e.UUID || got[0].Reason != e.Reason || got[0].Type != EditManual ||
		got[0].RunUUID != nil {
		t.Errorf("the edit was split into %+v", got)
	}
	w.ordered(u, p, b, c, a)
	equal(
		t,
		"all apart",
		spans(get(w.Edits(u.UUID, p.UUID, true))(t)),
		[]ms{{0, 10_000}, {10_000, 11_000}, {29_000, 30_000}},
	)
	w.ordered(u, p, a, b, c)
	equal(
		t,
		"together again",
		spans(get(w.Edits(u.UUID, p.UUID, true))(t)),
		[]ms{{9_000, 10_000}, {10_000, 20_000}, {20_000, 21_000}},
	)
	w.clean()
}

func TestSplitOfADetectedEditStaysWithItsRun(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	a, b := w.ready(p, 10_000), w.ready(p, 10_000)
	run := w.analyzed(p, AnalysisResult{Edits: []DetectedEdit{silence(a.UUID, 9_000, 10_000)}})
	e := get(w.Edits(u.UUID, p.UUID, false))(t)[0]
	get(w.UpdateEdit(u.UUID, e.UUID, EditChange{EndMS: ptr(int64(12_000))}))(t)
	w.ordered(u, p, b, a)
	got := get(w.Edits(u.UUID, p.UUID, false))(t)
	equal(t, "parts", spans(got), []ms{{0, 2_000}, {19_000, 20_000}})
	if *got[0].RunUUID != run.UUID || !got[0].Touched || got[0].Type != EditSilence {
		t.Errorf("the edit is %+v", got[0])
	}
	if r, _, err := w.Run(u.UUID, p.UUID, run.UUID); err != nil || r.EditCount != 2 || r.SilenceCount != 2 {
		t.Errorf("run %+v %v", r, err)
	}
	got, _, err := w.ReplaceDetectedEdits(u.UUID, p.UUID, run.UUID, AnalysisSettings{}, Proposal{})
	must(t, err)
	equal(t, "after a replan", spans(got), []ms{{0, 2_000}, {19_000, 20_000}})
	w.clean()
}

func TestDraftsFollowASplit(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	a, b := w.ready(p, 10_000), w.ready(p, 10_000)
	e := get(w.CreateEdit(u.UUID, p.UUID, manual(9_000, 11_000)))(t)
	within := get(w.CreateEdit(u.UUID, p.UUID, manual(1_000, 2_000)))(t)
	draft := func(o map[string]Override) string {
		return get(w.CreateDraft(u.UUID, p.UUID, DraftChange{Name: ptr("d"), EditOverrides: o}))(t).UUID
	}
	off := draft(map[string]Override{e.UUID: {Active: ptr(false)}})
	wider := draft(
		map[string]Override{e.UUID: {Active: ptr(true), StartMS: ptr(int64(8_000)), EndMS: ptr(int64(13_000))}},
	)
	narrower := draft(map[string]Override{e.UUID: {EndMS: ptr(int64(9_500))}})
	grown := draft(map[string]Override{within.UUID: {EndMS: ptr(int64(12_000))}})

	w.ordered(u, p, b, a)
	edits := get(w.Edits(u.UUID, p.UUID, false))(t)
	equal(t, "edits", spans(edits), []ms{{0, 1_000}, {11_000, 12_000}, {19_000, 20_000}})
	other := edits[0].UUID // the part on b; the one on a is e
	overrides := func(id string) map[string]Override { return get(w.Draft(u.UUID, id))(t).EditOverrides }
	if o := overrides(off); len(o) != 2 || *o[e.UUID].Active || *o[other].Active {
		t.Errorf("off: %+v", o)
	}
	o := overrides(wider)
	if *o[e.UUID].StartMS != 18_000 || *o[e.UUID].EndMS != 20_000 || *o[other].StartMS != 0 ||
		*o[other].EndMS != 3_000 ||
		!*o[other].Active {
		t.Errorf("wider: %+v", o)
	}
	o = overrides(narrower)
	if *o[e.UUID].StartMS != 19_000 || *o[e.UUID].EndMS != 19_500 || *o[other].Active {
		t.Errorf("narrower: %+v", o)
	}
	o = overrides(grown)
	if *o[within.UUID].StartMS != 11_000 || *o[within.UUID].EndMS != 20_000 || len(o) != 1 {
		t.Errorf("grown: %+v", o)
	}
	get(w.CreateExport(u.UUID, p.UUID, NewExport{Name: "x", DraftID: &wider}))(t)
	in := get(w.ExportInput(w.claim()))(t)
	equal(
		t,
		"cuts",
		in.Cuts,
		[]media.Span{{StartMS: 0, EndMS: 3_000}, {StartMS: 11_000, EndMS: 12_000}, {StartMS: 18_000, EndMS: 20_000}},
	)
	w.clean()
}

func TestOrderClipsRefuses(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	p, other := w.project(u), w.project(stranger)
	a, b, foreign := w.ready(p, 10_000), w.uploaded(p, 10), w.uploaded(other, 10)
	for name, order := range map[string][]string{
		"too few":           {a.UUID},
		"none":              nil,
		"twice":             {a.UUID, a.UUID},
		"one more":          {a.UUID, b.UUID, b.UUID},
		"another project's": {a.UUID, foreign.UUID},
	} {
		_, err := w.OrderClips(u.UUID, p.UUID, order)
		if !IsKind(err, Unprocessable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := w.OrderClips(stranger.UUID, p.UUID, []string{b.UUID, a.UUID})
	wantCode(t, err, Forbidden, "forbidden")

	w.ordered(u, p, b, a) // a clip that waits for its upload also has a position
	run := get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
	_, err = w.OrderClips(u.UUID, p.UUID, []string{a.UUID, b.UUID})
	wantCode(t, err, Conflict, "conflict")
	w.ordered(u, p, b, a) // the current order
	get(w.CancelRun(u.UUID, p.UUID, run.UUID))(t)
	export := get(w.CreateExport(u.UUID, p.UUID, NewExport{Name: "x"}))(t)
	_, err = w.OrderClips(u.UUID, p.UUID, []string{a.UUID, b.UUID})
	wantCode(t, err, Conflict, "conflict")
	get(w.CancelExport(u.UUID, export.UUID))(t)
	w.ordered(u, p, a, b)

	get(w.ConfirmClip(u.UUID, p.UUID, b.UUID))(t)
	w.ordered(u, p, b, a) // no edit is on the clip that is processing
	w.ordered(u, p, a, b)
	get(w.CreateEdit(u.UUID, p.UUID, manual(12_000, 13_000)))(t)
	_, err = w.OrderClips(u.UUID, p.UUID, []string{b.UUID, a.UUID})
	wantCode(t, err, Conflict, "clips_processing")
	w.ingest(20_000)
	w.ordered(u, p, b, a)
	equal(t, "on the second clip", spans(get(w.Edits(u.UUID, p.UUID, false))(t)), []ms{{2_000, 3_000}})
	w.clean()
}

func TestClipThatBecomesReadyBetweenOthersSplitsEdits(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	a, late, b := w.ready(p, 10_000), w.uploaded(p, 10), w.ready(p, 10_000)
	get(w.CreateEdit(u.UUID, p.UUID, manual(9_000, 11_000)))(t)
	get(w.ConfirmClip(u.UUID, p.UUID, late.UUID))(t)
	w.ingest(5_000)
	equal(t, "apart", spans(get(w.Edits(u.UUID, p.UUID, false))(t)), []ms{{9_000, 10_000}, {15_000, 16_000}})
	w.ordered(u, p, late, a, b)
	w.clean()
}

// footage returns what edits cut from each clip: clip time in milliseconds, merged.
func (w *world) footage(u account.User, p Project, overrides map[string]Override) map[string][]media.Span {
	w.t.Helper()
	cut := map[string][]media.Span{}
	start := int64(0)
	for _, c := range get(w.Clips(u.UUID, p.UUID))(w.t) {
		clip := media.Span{StartMS: start, EndMS: start + *c.DurationMS}
		for _, e := range get(w.Edits(u.UUID, p.UUID, false))(w.t) {
			span := media.Span{StartMS: e.StartMS, EndMS: e.EndMS}
			o := overrides[e.UUID]
			if o.StartMS != nil {
				span.StartMS = *o.StartMS
			}
			if o.EndMS != nil {
				span.EndMS = *o.EndMS
			}
			active := e.Active
			if o.Active != nil {
				active = *o.Active
			}
			if part := span.Intersect(clip); active && part.Duration() > 0 {
				cut[c.UUID] = append(cut[c.UUID], media.Span{StartMS: part.StartMS - start, EndMS: part.EndMS - start})
			}
		}
		cut[c.UUID] = media.MergeSpans(cut[c.UUID])
		start = clip.EndMS
	}
	return cut
}

// within reports whether each cut of a is part of a cut of b.
func within(a, b map[string][]media.Span) bool {
	for clip, list := range a {
		for _, span := range list {
			if !slices.ContainsFunc(b[clip], func(s media.Span) bool { return s.Intersect(span) == span }) {
				return false
			}
		}
	}
	return true
}

func TestReorderingKeepsTheCutFootage(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	u := w.user("ada")
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := w.project(u)
		var list []Clip
		total := int64(0)
		for range 2 + r.IntN(4) {
			list = append(list, w.ready(p, 1_000+r.Int64N(9_000)))
			total += *list[len(list)-1].DurationMS
		}
		span := func() (int64, int64) {
			start := r.Int64N(total - 1)
			return start, start + 1 + r.Int64N(total-start)
		}
		overrides := map[string]Override{}
		for range 1 + r.IntN(5) {
			start, end := span()
			e := get(w.CreateEdit(u.UUID, p.UUID, manual(start, min(end, total))))(t)
			switch start, end := span(); r.IntN(4) {
			case 0:
				overrides[e.UUID] = Override{Active: ptr(false)}
			case 1:
				overrides[e.UUID] = Override{StartMS: &start, EndMS: ptr(min(end, total))}
			case 2:
				overrides[e.UUID] = Override{EndMS: ptr(min(end, total))}
			}
		}
		draft := get(w.CreateDraft(u.UUID, p.UUID, DraftChange{Name: ptr("d"), EditOverrides: overrides}))(t).UUID
		cut, drafted := w.footage(u, p, nil), w.footage(u, p, overrides)
		for range 4 {
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			w.ordered(u, p, list...)
			if got := w.footage(u, p, nil); !within(got, cut) || !within(cut, got) {
				t.Fatalf("seed %d: cut %v, before %v", seed, got, cut)
			}
			if got := w.footage(u, p, get(w.Draft(u.UUID, draft))(t).EditOverrides); !within(got, drafted) {
				t.Fatalf("seed %d: the draft cuts %v, before %v", seed, got, drafted)
			}
		}
	}
	w.clean()
}

// The history undoes and redoes an order of clips, together with edits that were changed before it.
func TestHistoryOfOrder(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	a, b, c := w.ready(p, 10_000), w.ready(p, 20_000), w.ready(p, 30_000)
	get(w.CreateEdit(p.UserUUID, p.UUID, manual(1_000, 2_000)))(t)
	get(w.CreateEdit(p.UserUUID, p.UUID, manual(31_000, 32_000)))(t)
	before := w.everything(p)
	change := Change{UUID: w.NewID(), Label: "apply timeline"}
	get(w.CreateEdit(p.UserUUID, p.UUID, manual(5_000, 5_500), change))(t)
	ids := []string{c.UUID, a.UUID, b.UUID}
	get(w.OrderClips(p.UserUUID, p.UUID, ids, change))(t)
	after := w.everything(p)
	if h := get(w.History(p.UserUUID, p.UUID))(t); h[0].UUID != change.UUID || h[0].Kind != HistoryClips ||
		h[0].Label != change.Label || (len(h) > 1 && h[1].UUID == change.UUID) {
		t.Errorf("history %+v", h)
	}
	for range 2 {
		w.undo(p, false)
		if got := w.everything(p); got != before {
			t.Errorf("after undo\n%s\nwant\n%s", got, before)
		}
		w.undo(p, true)
		if got := w.everything(p); got != after {
			t.Errorf("after redo\n%s\nwant\n%s", got, after)
		}
		w.clean()
	}
	w.undo(p, false)
	w.undo(p, true)
	must(t, w.DeleteClip(p.UserUUID, a.UUID))
	must(t, w.EmptyTrash(p.UserUUID, p.UUID))
	added := w.ready(p, 5_000)
	w.undo(p, false)
	var names []string
	for _, clip := range get(w.Clips(p.UserUUID, p.UUID))(t) {
		names = append(names, clip.UUID)
	}
	if want := []string{b.UUID, c.UUID, added.UUID}; !slices.Equal(names, want) {
		t.Errorf("without a clip and with a new one the order is %v, want %v", names, want)
	}
}
