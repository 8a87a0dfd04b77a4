package store

import (
	"testing"

	"roughcut/media"
)

// markerTimes returns the times of markers.
func markerTimes(list []Marker) (times []int64) {
	for _, m := range list {
		times = append(times, m.TimeMS)
	}
	return times
}

func TestMarkersStayOnTheirFootage(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	a, b := w.ready(p, 10_000), w.ready(p, 20_000)
	for _, m := range []Marker{
		{Kind: MarkerChapter, TimeMS: 12_000, Name: "two"},
		{Kind: MarkerSplit, TimeMS: 5_000},
		{Kind: MarkerChapter, TimeMS: 30_000, Name: "the end"},
		{Kind: MarkerChapter, TimeMS: 10_000},
	} {
		get(w.CreateMarker(u.UUID, p.UUID, m))(t)
	}
	times := func() []int64 { return markerTimes(get(w.Markers(u.UUID, p.UUID))(t)) }
	equal(t, "before", times(), []int64{5_000, 10_000, 12_000, 30_000})
	get(w.CreateEdit(u.UUID, p.UUID, manual(6_000, 12_500)))(t)
	chapters, durationMS, err := w.EditedChapters(u.UUID, p.UUID, Within{})
	must(t, err)
	equal(t, "chapters", chapters, []media.Chapter{{Title: "Intro"}, {StartMS: 6_000, Title: "two"}})
	if durationMS != 23_500 {
		t.Errorf("the edited video is %d ms long", durationMS)
	}

	w.ordered(u, p, b, a)
	equal(t, "after", times(), []int64{0, 2_000, 20_000, 25_000})
	must(t, w.DeleteClip(u.UUID, a.UUID))
	equal(t, "without a clip", times(), []int64{0, 2_000, 20_000})

	second := get(w.Markers(u.UUID, p.UUID))(t)[1]
	moved := get(w.UpdateMarker(u.UUID, second.UUID, MarkerChange{Name: ptr("new"), TimeMS: ptr(int64(4_000))}))(t)
	if moved.Name != "new" || moved.TimeMS != 4_000 || moved.Kind != MarkerChapter {
		t.Errorf("the moved marker is %+v", moved)
	}
	must(t, w.DeleteMarker(u.UUID, second.UUID))
	equal(t, "after deletion", times(), []int64{0, 20_000})
}

func TestMarkersHaveALimit(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 10_000)
	must(t, w.update(func(tx *txn) error {
		for range maxMarkers {
			row := &markerRow{Marker: Marker{UUID: w.NewID(), ProjectUUID: p.UUID, Kind: MarkerSplit}}
			if err := markers.Put(tx, row); err != nil {
				return err
			}
		}
		return nil
	}))
	_, err := w.CreateMarker(u.UUID, p.UUID, Marker{Kind: MarkerSplit, TimeMS: 1})
	wantCode(t, err, Unprocessable, "unprocessable")
}

// Undo and redo of markers work after a restart: the history of the project has them.
func TestMarkersAreInTheHistory(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 10_000)
	on := w.ready(p, 10_000)
	step := func(redo bool) {
		t.Helper()
		get(w.Undo(u.UUID, p.UUID, "", redo, Proposal{}))(t)
	}
	shown := func(want ...Marker) {
		t.Helper()
		var got []Marker
		for _, m := range get(w.Markers(u.UUID, p.UUID))(t) {
			got = append(got, Marker{UUID: m.UUID, Kind: m.Kind, Name: m.Name, TimeMS: m.TimeMS})
		}
		equal(t, "the markers", got, want)
	}
	made := get(w.CreateMarker(u.UUID, p.UUID, Marker{Kind: MarkerChapter, TimeMS: 4_000}))(t)
	first := Marker{UUID: made.UUID, Kind: MarkerChapter, TimeMS: 4_000}
	changed := Marker{UUID: made.UUID, Kind: MarkerChapter, TimeMS: 12_000, Name: "new"}
	as := Change{UUID: w.NewID(), Label: "name it"}
	get(w.UpdateMarker(u.UUID, made.UUID, MarkerChange{Name: &changed.Name}, as))(t)
	get(w.UpdateMarker(u.UUID, made.UUID, MarkerChange{Name: &changed.Name}))(t) // changes nothing
	get(w.UpdateMarker(u.UUID, made.UUID, MarkerChange{TimeMS: &changed.TimeMS}, as))(t)
	must(t, w.DeleteMarker(u.UUID, made.UUID))
	var labels []string
	for _, e := range get(w.History(u.UUID, p.UUID))(t) {
		labels = append(labels, e.Kind+": "+e.Label)
	}
	equal(t, "the history", labels, []string{"markers: remove marker", "markers: name it", "markers: add marker"})

	step(false)
	shown(changed)
	step(false)
	shown(first)
	step(false)
	shown()
	step(true)
	shown(first)
	step(true)
	shown(changed)
	step(true)
	shown()

	must(t, w.DeleteClip(u.UUID, on.UUID))
	must(t, w.EmptyTrash(u.UUID, p.UUID))
	step(false) // its clip is gone
	shown()
}

// The chapters of a recording become markers once, on its footage.
func TestChaptersOfARecordingBecomeMarkers(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 10_000)
	c := w.uploaded(p, 1000)
	get(w.ConfirmClip(u.UUID, p.UUID, c.UUID))(t)
	result := w.ingested(20_000)
	result.Ingested.Info.Chapters = []media.Chapter{
		{StartMS: 0, Title: "Start"}, {StartMS: 5_000, Title: "two\nlines"}, {StartMS: 20_000, Title: "behind the end"},
	}
	get(w.FinishClip(w.claim(), result))(t)
	var names []string
	list := get(w.Markers(u.UUID, p.UUID))(t)
	for _, m := range list {
		names = append(names, m.Kind+" "+m.Name)
	}
	equal(t, "times", markerTimes(list), []int64{10_000, 15_000})
	equal(t, "names", names, []string{"chapter Start", "chapter two lines"})
}
