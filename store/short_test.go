package store

import (
	"encoding/json"
	"fmt"
	"testing"

	"roughcut/media"
)

// shorts returns the shorts of a project.
func (w *world) shorts(p Project) []Short {
	w.t.Helper()
	return get(w.Shorts(p.UserUUID, p.UUID))(w.t)
}

// times returns the names of shorts with their times in seconds.
func (w *world) times(p Project) (list []string) {
	w.t.Helper()
	for _, m := range w.shorts(p) {
		list = append(list, fmt.Sprintf("%s %g-%g", m.Name, float64(m.StartMS)/1000, float64(m.EndMS)/1000))
	}
	return list
}

// short makes a short of a span in seconds.
func (w *world) short(p Project, name string, start, end int64) Short {
	w.t.Helper()
	return get(w.CreateShort(p.UserUUID, p.UUID, Short{Name: name, StartMS: start * 1000, EndMS: end * 1000}))(w.t)
}

func TestShortsStayOnTheirFootage(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	a, b, c := w.ready(p, 10_000), w.ready(p, 20_000), w.ready(p, 30_000)
	w.short(p, "inside", 12, 15)
	w.short(p, "across", 8, 12)
	w.short(p, "whole", 0, 60)
	equal(t, "before", w.times(p), []string{"whole 0-60", "across 8-12", "inside 12-15"})
	get(w.CreateEdit(u.UUID, p.UUID, manual(9_000, 11_000)))(t)
	equal(t, "with a cut", w.times(p), []string{"whole 0-60", "across 8-12", "inside 12-15"})

	w.ordered(u, p, c, a, b)
	equal(t, "in another order", w.times(p), []string{"whole 0-30", "whole 30-60", "across 38-42", "inside 42-45"})
	w.ordered(u, p, b, c, a)
	equal(t, "between other clips", w.times(p),
		[]string{"across 0-2", "whole 0-20", "inside 2-5", "whole 20-50", "whole 50-60", "across 58-60"})
	for range 2 {
		get(w.Undo(u.UUID, p.UUID, "", false, Proposal{}))(t)
	}
	equal(t, "after undo", w.times(p), []string{"whole 0-60", "across 8-12", "inside 12-15"})
}

// A short loses the footage of clips in the trash until they are restored, and of deleted clips.
func TestShortsWithoutTheirClips(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	a, b := w.ready(p, 10_000), w.ready(p, 20_000)
	c := w.ready(p, 30_000)
	whole, inside := w.short(p, "whole", 5, 40), w.short(p, "inside", 12, 15)
	must(t, w.DeleteClip(u.UUID, b.UUID))
	equal(t, "without b", w.times(p), []string{"whole 5-20"})
	_, err := w.UpdateShort(u.UUID, p.UUID, inside.UUID, ShortChange{Name: ptr("hidden")})
	wantCode(t, err, NotFound, "not_found")
	must(t, w.DeleteClip(u.UUID, a.UUID))
	equal(t, "without a", w.times(p), []string{"whole 0-10"})
	must(t, w.RestoreTrashed(u.UUID, p.UUID, a.UUID))
	must(t, w.RestoreTrashed(u.UUID, p.UUID, b.UUID))
	equal(t, "restored", w.times(p), []string{"whole 5-40", "inside 12-15"})

	must(t, w.DeleteClip(u.UUID, b.UUID))
	w.short(p, "later", 5, 20)
	get(w.UpdateShort(u.UUID, p.UUID, whole.UUID, ShortChange{EndMS: ptr(int64(12_000))}))(t)
	must(t, w.RestoreTrashed(u.UUID, p.UUID, b.UUID))
	equal(t, "changed before b was restored", w.times(p),
		[]string{"whole 5-10", "later 5-10", "inside 12-15", "whole 30-32", "later 30-40"})

	for _, clip := range []Clip{b, c} {
		must(t, w.DeleteClip(u.UUID, clip.UUID))
	}
	must(t, w.EmptyTrash(u.UUID, p.UUID))
	w.clean()
	equal(t, "deleted", w.times(p), []string{"whole 5-10", "later 5-10"})
	must(t, w.view(func(tx *txn) error {
		if n := shorts.Len(tx); n != 2 {
			t.Errorf("%d shorts are stored", n)
		}
		return nil
	}))
}

// A clip that becomes ready between two others splits the shorts across them, also past maxShorts.
func TestNewClipSplitsShorts(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	a, b := w.ready(p, 10_000), w.ready(p, 20_000)
	c := w.uploaded(p, 10)
	get(w.ConfirmClip(u.UUID, p.UUID, c.UUID))(t)
	get(w.OrderClips(u.UUID, p.UUID, []string{a.UUID, c.UUID, b.UUID}))(t)
	_, err := w.CreateShort(u.UUID, p.UUID, Short{EndMS: 30_001})
	wantCode(t, err, Invalid, "out_of_bounds")
	for range maxShorts {
		w.short(p, "short", 8, 12)
	}
	w.ingest(5_000)
	list := w.times(p)
	if n := len(list); n != 2*maxShorts || list[0] != "short 8-10" || list[n-1] != "short 15-17" {
		t.Errorf("the shorts are %v", list)
	}
	_, err = w.CreateShort(u.UUID, p.UUID, Short{EndMS: 5})
	wantCode(t, err, Unprocessable, "unprocessable")
	w.clean()
}

// An arrangement moves shorts to the clips that play their footage. Footage that it leaves out does
// not split them.
func TestShortsFollowArrangements(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.ready(p, 20_000)
	w.short(p, "early", 1, 4)
	w.short(p, "late", 12, 18)
	w.short(p, "both", 8, 12)
	part := func(start, end int64) ClipSegment { return ClipSegment{c.UUID, media.Span{StartMS: start, EndMS: end}} }
	list := []ClipSegment{part(10_000, 14_000), part(15_000, 20_000), part(0, 10_000)}
	get(w.ArrangeClips(u.UUID, p.UUID, list))(t)
	equal(t, "arranged", w.times(p), []string{"both 10-12", "late 12-18", "early 21-24", "both 28-30"})
	get(w.Undo(u.UUID, p.UUID, "", false, Proposal{}))(t)
	equal(t, "after undo", w.times(p), []string{"early 1-4", "both 8-12", "late 12-18"})
}

func TestShortsHaveBoundsAndSettings(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, other := w.user("ada"), w.user("eve")
	p := w.project(u)
	make := func(start, end int64, settings string) error {
		_, err := w.CreateShort(u.UUID, p.UUID, Short{StartMS: start, EndMS: end, ExportSettings: []byte(settings)})
		return err
	}
	wantCode(t, make(0, 1, `{}`), Invalid, "no_clips")
	w.ready(p, 10_000)
	wantCode(t, make(0, 10_001, `{}`), Invalid, "out_of_bounds")
	wantCode(t, make(-1, 10, `{}`), Unprocessable, "unprocessable")
	wantCode(t, make(5, 5, `{}`), Unprocessable, "unprocessable")
	wantCode(t, make(0, 5, `{"fit":"bent"}`), Unprocessable, "unprocessable")
	wantCode(t, make(0, 5, `{"range":{"start_ms":0,"end_ms":4}}`), Unprocessable, "unprocessable")
	m := w.short(p, "short", 1, 2)
	change := func(user string, in string, c ShortChange) error {
		_, err := w.UpdateShort(user, in, m.UUID, c)
		return err
	}
	wantCode(t, change(u.UUID, p.UUID, ShortChange{StartMS: ptr(int64(2_000))}), Unprocessable, "unprocessable")
	wantCode(t, change(other.UUID, p.UUID, ShortChange{}), Forbidden, "forbidden")
	wantCode(t, change(u.UUID, w.project(u).UUID, ShortChange{}), NotFound, "not_found")
	w.reopen()
	equal(t, "after all", w.times(p), []string{"short 1-2"})
}

// An export of a short has its range, its name and, over the settings of a draft, its settings.
// Settings of the request come first.
func TestExportOfShort(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 10_000)
	m := get(w.CreateShort(u.UUID, p.UUID, Short{
		Name: "Kitchen", StartMS: 2_000, EndMS: 6_000,
		ExportSettings: []byte(`{"aspect_ratio":"9:16","captions":{"enabled":true,"position":"top"}}`),
	}))(t)
	get(w.CreateEdit(u.UUID, p.UUID, Edit{StartMS: 5_000, EndMS: 9_000, Active: true}))(t)
	draft := get(w.CreateDraft(u.UUID, p.UUID, DraftChange{
		Name:           ptr("d"),
		ExportSettings: []byte(`{"resolution":"720p","aspect_ratio":"1:1","range":{"start_ms":0,"end_ms":1}}`),
	}))(t)
	in := NewExport{
		DraftID: &draft.UUID, ShortUUID: &m.UUID, Settings: []byte(`{"captions":{"position":"middle"}}`),
	}
	e := get(w.CreateExport(u.UUID, p.UUID, in))(t)
	s := get(parseSettings(e.Settings))(t)
	got := fmt.Sprintln(e.Name, *e.ShortUUID == m.UUID, e.DurationMS, s.Resolution, s.AspectRatio, s.Captions.Enabled,
		s.Captions.Position, *s.Range)
	if want := "Kitchen true 3000 720p 9:16 true middle {2000 6000}\n"; got != want {
		t.Errorf("the export is %s, want %s", got, want)
	}
	must(t, w.DeleteShort(u.UUID, p.UUID, m.UUID))
	if e := get(w.Store.Export(u.UUID, e.UUID))(t); e.ShortUUID == nil {
		t.Error("the export has forgotten its short")
	}
	_, err := w.CreateExport(u.UUID, p.UUID, in)
	wantCode(t, err, NotFound, "not_found")

	get(w.Undo(u.UUID, p.UUID, "", false, Proposal{}))(t)
	in.Settings = json.RawMessage(`{"range":{"start_ms":0,"end_ms":4}}`)
	_, err = w.CreateExport(u.UUID, p.UUID, in)
	wantCode(t, err, Unprocessable, "unprocessable")
	_, err = w.CreateExport(u.UUID, w.project(u).UUID, NewExport{ShortUUID: &m.UUID})
	wantCode(t, err, NotFound, "not_found")
}
