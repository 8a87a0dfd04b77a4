package store

import "testing"

// Undo and redo of a name work after a restart. An unchanged name creates no entry.
func TestNamesOfClipsAreInTheHistory(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.ready(p, 10_000)
	other := w.ready(p, 10_000)
	called := func(want string) {
		t.Helper()
		if got := get(w.Clip(u.UUID, c.UUID))(t).Name; got != want {
			t.Errorf("the clip is called %q, want %q", got, want)
		}
	}
	as := Change{UUID: w.NewID(), Label: "call it kitchen"}
	for _, name := range []string{"attic", "attic", "kitchen"} {
		get(w.RenameClip(u.UUID, c.UUID, name, as))(t)
	}
	get(w.RenameClip(u.UUID, other.UUID, other.Name))(t)
	w.reopen()
	list := get(w.History(u.UUID, p.UUID))(t)
	if len(list) != 1 || list[0].Kind != HistoryClips || list[0].Label != "call it kitchen" {
		t.Fatalf("the history is %+v", list)
	}
	get(w.Undo(u.UUID, p.UUID, "", false, Proposal{}))(t)
	called(c.Name)
	get(w.Undo(u.UUID, p.UUID, "", true, Proposal{}))(t)
	called("kitchen")

	must(t, w.DeleteClip(u.UUID, c.UUID))
	must(t, w.EmptyTrash(u.UUID, p.UUID))
	if list := get(w.History(u.UUID, p.UUID))(t); len(list) != 0 {
		t.Errorf("the history of a deleted clip is %+v", list)
	}
}
