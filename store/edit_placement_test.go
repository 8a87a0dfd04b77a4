package store

import (
	"testing"

	"roughcut/media"
)

func (w *world) place(p Project, start, end int64, how PlacementChange) Edit {
	w.t.Helper()
	return get(w.PlaceAsset(p.UserUUID, p.UUID, manual(start, end), how))(w.t)
}

func TestPlacingRules(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p, empty, busy := w.project(u), w.project(u), w.project(u)
	w.ready(p, 10_000)
	get(w.ConfirmClip(u.UUID, busy.UUID, w.uploaded(busy, 10).UUID))(t)
	video, bell := w.asset(u, AssetResult{Asset: movie(8000)}), w.asset(u, AssetResult{Asset: sound(8000)})
	pending, waiting := w.confirmed(u, NewAsset{}, 10), w.sent(u, NewAsset{}, 10)
	failed := w.confirmed(u, NewAsset{}, 10)
	must(t, w.FailAsset(w.claimAsset(failed.UUID), "no media"))
	with := func(a Asset, c PlacementChange) PlacementChange { c.AssetFileID = &a.AssetFileID; return c }
	for _, c := range []struct {
		what       string
		project    Project
		start, end int64
		how        PlacementChange
		kind       Kind
		code       string
	}{
		{"no asset", p, 0, 10, PlacementChange{}, Unprocessable, "unprocessable"},
		{"crossed", p, 10, 10, with(video, PlacementChange{}), Unprocessable, "unprocessable"},
		{"past the end", p, 0, 10_001, with(video, PlacementChange{}), Invalid, "out_of_bounds"},
		{"no clips", empty, 0, 10, with(video, PlacementChange{}), Invalid, "no_clips"},
		{"pending", p, 0, 10, with(pending, PlacementChange{}), Conflict, "asset_not_ready"},
		{"never confirmed", p, 0, 10, with(waiting, PlacementChange{}), Conflict, "asset_not_ready"},
		{"failed", p, 0, 10, with(failed, PlacementChange{}), Conflict, "asset_not_ready"},
		{"offset", p, 0, 10, with(video, PlacementChange{OffsetMS: ptr(int64(8001))}), Invalid, "out_of_bounds"},
		{
			"negative offset",
			p,
			0,
			10,
			with(video, PlacementChange{OffsetMS: ptr(int64(-1))}),
			Unprocessable,
			"unprocessable",
		},
		{
			"visual mode",
			p,
			0,
			10,
			with(video, PlacementChange{VisualMode: ptr("blend")}),
			Unprocessable,
			"unprocessable",
		},
		{"audio mode", p, 0, 10, with(video, PlacementChange{AudioMode: ptr("loud")}), Unprocessable, "unprocessable"},
		{"position", p, 0, 10, with(video, PlacementChange{Position: ptr("middle")}), Unprocessable, "unprocessable"},
		{"x", p, 0, 10, with(video, PlacementChange{X: ptr(1.1)}), Unprocessable, "unprocessable"},
		{"y", p, 0, 10, with(video, PlacementChange{Y: ptr(-0.1)}), Unprocessable, "unprocessable"},
		{"size", p, 0, 10, with(video, PlacementChange{SizePercent: ptr(0)}), Unprocessable, "unprocessable"},
		{"opacity", p, 0, 10, with(video, PlacementChange{OpacityPercent: ptr(101)}), Unprocessable, "unprocessable"},
		{"rotation", p, 0, 10, with(video, PlacementChange{RotationDeg: ptr(-181)}), Unprocessable, "unprocessable"},
		{"volume", p, 0, 10, with(video, PlacementChange{VolumePercent: ptr(201)}), Unprocessable, "unprocessable"},
		{"fade", p, 0, 10, with(video, PlacementChange{FadeInMS: ptr(int64(10_001))}), Unprocessable, "unprocessable"},
	} {
		t.Log(c.what)
		_, err := w.PlaceAsset(u.UUID, c.project.UUID, manual(c.start, c.end), c.how)
		wantCode(t, err, c.kind, c.code)
	}
	if list := get(w.Edits(u.UUID, p.UUID, false))(t); len(list) > 0 {
		t.Errorf("a refused edit exists: %+v", list)
	}
	w.place(busy, 0, 1<<40, with(video, PlacementChange{})) // the end is not known yet
	e := w.place(p, 100, 10_000, with(video, PlacementChange{}))
	if want := (media.Placement{AssetFileID: video.AssetFileID, VisualMode: "overlay", AudioMode: "mute",
		Position: "center", X: 0.5, Y: 0.5, SizePercent: 50,
		Appearance: media.Appearance{OpacityPercent: 100}, VolumePercent: 100}); *e.Placement != want ||
		e.Type != EditAsset ||
		e.RunUUID != nil {
		t.Errorf("%+v", *e.Placement)
	}
	if e := w.place(p, 100, 200, with(bell, PlacementChange{})); e.Placement.VisualMode != "none" ||
		e.Placement.AudioMode != "mix" {
		t.Errorf("%+v", *e.Placement)
	}
	all := PlacementChange{
		OffsetMS:       ptr(int64(8000)),
		VisualMode:     ptr("cutaway"),
		AudioMode:      ptr("replace"),
		Position:       ptr("custom"),
		X:              ptr(0.0),
		Y:              ptr(1.0),
		SizePercent:    ptr(1),
		OpacityPercent: ptr(0),
		FlipH:          ptr(true),
		FlipV:          ptr(true),
		RotationDeg:    ptr(-180),
		VolumePercent:  ptr(0),
		DuckMain:       ptr(true),
		DuckUnderVoice: ptr(true),
		FadeInMS:       ptr(int64(500)),
		FadeOutMS:      ptr(int64(10_000)),
		Loop:           ptr(true),
		UntilEnd:       ptr(true),
	}
	want := media.Placement{
		AssetFileID: video.AssetFileID, OffsetMS: 8000, VisualMode: "cutaway", AudioMode: "replace",
		Position: "custom", X: 0, Y: 1, SizePercent: 1,
		Appearance: media.Appearance{OpacityPercent: 0, FlipH: true, FlipV: true, RotationDeg: -180},
		DuckMain:   true, DuckUnderVoice: true, FadeInMS: 500, FadeOutMS: 10_000, Loop: true,
		UntilEnd: true,
	}
	if e := w.place(p, 100, 200, with(video, all)); *e.Placement != want {
		t.Errorf("%+v", *e.Placement)
	}
	if e := get(w.UpdateEdit(u.UUID, e.UUID, EditChange{Placement: all, Active: ptr(false)}))(
		t,
	); *e.Placement != want ||
		e.Active {
		t.Errorf("%+v", *e.Placement)
	}
	w.clean()
}

func TestUpdateEditReplacesTheAsset(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 10_000)
	long, short, pending := w.asset(u, AssetResult{Asset: movie(8000)}), w.asset(
		u,
		AssetResult{Asset: movie(3000)},
	), w.confirmed(u, NewAsset{}, 10)
	e := w.place(
		p,
		0,
		1000,
		PlacementChange{AssetFileID: &long.AssetFileID, OffsetMS: ptr(int64(5000)), SizePercent: ptr(20)},
	)
	swap := func(c PlacementChange) (Edit, error) { return w.UpdateEdit(u.UUID, e.UUID, EditChange{Placement: c}) }
	_, err := swap(PlacementChange{AssetFileID: &pending.AssetFileID})
	wantCode(t, err, Conflict, "asset_not_ready")
	_, err = swap(PlacementChange{AssetFileID: &short.AssetFileID, OffsetMS: ptr(int64(3001))})
	wantCode(t, err, Invalid, "out_of_bounds")
	_, err = swap(PlacementChange{SizePercent: ptr(0)})
	wantCode(t, err, Unprocessable, "unprocessable")
	if got := get(swap(PlacementChange{AssetFileID: &short.AssetFileID}))(
		t,
	).Placement; got.AssetFileID != short.AssetFileID || got.OffsetMS != 3000 ||
		got.SizePercent != 20 {
		t.Errorf("%+v", got)
	}
	_, err = swap(PlacementChange{OffsetMS: ptr(int64(3001))})
	wantCode(t, err, Invalid, "out_of_bounds")
	cut := get(w.CreateEdit(u.UUID, p.UUID, manual(0, 10)))(t)
	_, err = w.UpdateEdit(u.UUID, cut.UUID, EditChange{Placement: PlacementChange{FlipH: ptr(true)}})
	wantCode(t, err, Unprocessable, "unprocessable")
	must(t, w.DeleteAsset(u.UUID, long.UUID))
	if list := get(w.Edits(u.UUID, p.UUID, false))(t); len(list) != 2 {
		t.Errorf("the edit still belongs to its former asset: %+v", list)
	}
	w.clean()
}

func TestPlacementRemovesNoFootage(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 10_000)
	a := w.asset(u, AssetResult{Asset: movie(8000)})
	e := w.place(p, 0, 10_000, PlacementChange{AssetFileID: &a.AssetFileID, VisualMode: ptr("cutaway")})
	get(w.CreateEdit(u.UUID, p.UUID, manual(1000, 2000)))(t)
	d := get(
		w.CreateDraft(
			u.UUID,
			p.UUID,
			DraftChange{Name: ptr("d"), EditOverrides: map[string]Override{
				e.UUID: {EndMS: ptr(int64(5000)), Active: ptr(true)},
			}},
		),
	)(t)
	if x := get(w.CreateExport(u.UUID, p.UUID, NewExport{DraftID: &d.UUID}))(t); x.DurationMS != 9000 {
		t.Errorf("%d ms are left", x.DurationMS)
	}
	if in := get(w.ExportInput(w.claim()))(t); len(in.Cuts) != 1 ||
		in.Cuts[0] != (media.Span{StartMS: 1000, EndMS: 2000}) {
		t.Errorf("cuts: %v", in.Cuts)
	}
	if list := get(w.Edits(u.UUID, p.UUID, true))(t); len(list) != 2 ||
		(list[0].UUID != e.UUID && list[1].UUID != e.UUID) {
		t.Errorf("%+v", list)
	}
	deleted, _, err := w.DeleteEdit(u.UUID, e.UUID)
	must(t, err)
	if d := get(w.Draft(u.UUID, d.UUID))(t); !deleted || len(d.EditOverrides) > 0 {
		t.Errorf("deleted %v, overrides %v", deleted, d.EditOverrides)
	}
	w.clean()
}

func TestDeletingAnAssetDeletesItsPlacements(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p, q := w.project(u), w.project(u)
	w.ready(p, 10_000)
	w.ready(q, 10_000)
	a, other := w.asset(u, AssetResult{Asset: movie(8000)}), w.asset(u, AssetResult{Asset: movie(8000)})
	e := w.place(p, 0, 1000, PlacementChange{AssetFileID: &a.AssetFileID})
	w.place(q, 0, 1000, PlacementChange{AssetFileID: &a.AssetFileID})
	kept := w.place(q, 0, 1000, PlacementChange{AssetFileID: &other.AssetFileID})
	d := get(
		w.CreateDraft(
			u.UUID,
			p.UUID,
			DraftChange{Name: ptr("d"), EditOverrides: map[string]Override{e.UUID: {Active: ptr(false)}}},
		),
	)(t)
	must(t, w.DeleteAsset(u.UUID, a.UUID))
	if list := get(w.Edits(u.UUID, p.UUID, false))(t); len(list) > 0 {
		t.Errorf("%+v", list)
	}
	if list := get(w.Edits(u.UUID, q.UUID, false))(t); len(list) != 1 || list[0].UUID != kept.UUID {
		t.Errorf("%+v", list)
	}
	if d := get(w.Draft(u.UUID, d.UUID))(t); len(d.EditOverrides) > 0 {
		t.Errorf("%+v", d)
	}
	w.clean()
	must(t, w.DeleteProject(u.UUID, q.UUID))
	get(w.Asset(u.UUID, other.UUID))(t) // deleting a project keeps the library
	w.clean()
}

func TestShorterReplacementClampsOffsets(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 10_000)
	a := w.asset(u, AssetResult{Asset: movie(8000)})
	late := w.place(p, 0, 1000, PlacementChange{AssetFileID: &a.AssetFileID, OffsetMS: ptr(int64(5000))})
	early := w.place(p, 0, 1000, PlacementChange{AssetFileID: &a.AssetFileID, OffsetMS: ptr(int64(2000))})
	get(w.EditAsset(u.UUID, a.UUID, AssetEdit{EndMS: ptr(int64(3000)), Replace: true}))(t)
	get(w.edited(a.UUID, 10, 3000))(t)
	for _, e := range get(w.Edits(u.UUID, p.UUID, false))(t) {
		if want := map[string]int64{late.UUID: 3000, early.UUID: 2000}[e.UUID]; e.Placement.OffsetMS != want {
			t.Errorf("offset %d, want %d", e.Placement.OffsetMS, want)
		}
	}
	w.clean()
}

// An overlay stays in sync with its footage when clips are reordered or deleted.
func TestPlacementStaysInSyncWithItsFootage(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	a := w.asset(u, AssetResult{Asset: movie(8000)})
	one, two, three := w.ready(p, 2000), w.ready(p, 3000), w.ready(p, 4000)
	w.place(p, 1500, 6000, PlacementChange{AssetFileID: &a.AssetFileID, OffsetMS: ptr(int64(100))})
	// shows maps each clip to the position in the asset where the clip's part of the edit starts,
	// and to that start
	shows := func() map[string][2]int64 {
		start := map[string]int64{}
		at := int64(0)
		for _, c := range get(w.Clips(u.UUID, p.UUID))(t) {
			start[c.UUID] = at
			at += *c.DurationMS
		}
		seen := map[string][2]int64{}
		for _, e := range get(w.Edits(u.UUID, p.UUID, false))(t) {
			for _, c := range get(w.Clips(u.UUID, p.UUID))(t) {
				part := media.Span{
					StartMS: e.StartMS,
					EndMS:   e.EndMS,
				}.Intersect(media.Span{StartMS: start[c.UUID], EndMS: start[c.UUID] + *c.DurationMS})
				if part.Duration() > 0 {
					seen[c.UUID] = [2]int64{
						part.StartMS - start[c.UUID],
						e.Placement.OffsetMS + part.StartMS - e.StartMS,
					}
				}
			}
		}
		return seen
	}
	want := map[string][2]int64{one.UUID: {1500, 100}, two.UUID: {0, 600}, three.UUID: {0, 3600}}
	check := func(what string) {
		t.Helper()
		got := shows()
		for id, at := range want {
			if got[id] != at {
				t.Errorf("%s: got %v, want %v", what, got, want)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	check("at first")
	for _, order := range [][]string{{three.UUID, two.UUID, one.UUID}, {two.UUID, one.UUID, three.UUID}} {
		get(w.OrderClips(u.UUID, p.UUID, order))(t)
		check("in another order")
	}
	w.clean()
	fresh := w.project(u)
	one = w.ready(fresh, 2000)
	w.ready(fresh, 3000)
	w.place(fresh, 500, 4000, PlacementChange{AssetFileID: &a.AssetFileID})
	must(t, w.DeleteClip(u.UUID, one.UUID))
	if e := get(w.Edits(u.UUID, fresh.UUID, false))(t)[0]; e.StartMS != 0 || e.EndMS != 2000 ||
		e.Placement.OffsetMS != 1500 {
		t.Errorf("%+v %+v", e, *e.Placement)
	}
	w.clean()
}

// An asset until the end of the project ends with the project after clips are added and removed,
// also in an export of a draft from before. Its own end counts once that is switched off.
func TestPlacementUntilTheEnd(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 10_000)
	music := w.asset(u, AssetResult{Asset: sound(60_000)})
	e := w.place(p, 2000, 5000, PlacementChange{AssetFileID: &music.AssetFileID, UntilEnd: ptr(true)})
	want := func(e Edit, start, end int64) {
		t.Helper()
		if e.StartMS != start || e.EndMS != end {
			t.Errorf("the asset is at %d to %d ms, want %d to %d", e.StartMS, e.EndMS, start, end)
		}
	}
	want(e, 2000, 10_000)
	change := func(c EditChange) Edit { t.Helper(); return get(w.UpdateEdit(u.UUID, e.UUID, c))(t) }
	want(change(EditChange{StartMS: ptr(int64(6000))}), 6000, 10_000)
	second := w.ready(p, 4000)
	want(get(w.Edits(u.UUID, p.UUID, true))(t)[0], 6000, 14_000)
	draft := map[string]Override{e.UUID: {StartMS: ptr(int64(1000)), EndMS: ptr(int64(10_000))}}
	get(w.CreateExport(u.UUID, p.UUID, NewExport{Overrides: draft}))(t)
	job := w.claim()
	if got := get(w.ExportInput(job))(t).Assets[0].Span; got != (media.Span{StartMS: 1000, EndMS: 14_000}) {
		t.Errorf("the export has the asset at %v", got)
	}
	get(w.FinishExport(job, w.temp(10), media.RenderResult{}))(t)
	must(t, w.DeleteClip(u.UUID, second.UUID))
	want(get(w.Edits(u.UUID, p.UUID, true))(t)[0], 6000, 10_000)
	off := PlacementChange{UntilEnd: ptr(false)}
	want(change(EditChange{EndMS: ptr(int64(9000)), Placement: off}), 6000, 9000)
	w.clean()
}
