package store

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// state returns the edits of a project without the times of their last change.
func (w *world) state(p Project) string {
	w.t.Helper()
	list := get(w.Edits(p.UserUUID, p.UUID, false))(w.t)
	for i := range list {
		list[i].UpdatedAt = time.Time{}
	}
	return string(get(json.Marshal(list))(w.t))
}

func (w *world) undo(p Project, redo bool) HistoryEntry {
	w.t.Helper()
	return get(w.Undo(p.UserUUID, p.UUID, "", redo, Proposal{}))(w.t)
}

// Every change of edits can be undone and redone, in order, after a restart too.
func TestHistoryRestoresEveryChange(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ann")
	p := w.project(u)
	clip := w.ready(p, 60_000)
	cup := w.named(u, "cup.png")
	first := w.analyzed(p, AnalysisResult{Edits: []DetectedEdit{
		silence(clip.UUID, 1000, 2000), silence(clip.UUID, 5000, 7000), placing(clip.UUID, cup, 10_000, 13_000, true),
	}})
	list := get(w.Edits(u.UUID, p.UUID, false))(t)
	split := Change{UUID: w.NewID(), Label: "split"}
	states := []string{w.state(p)}
	for _, step := range []func() error{
		func() error { _, err := w.UpdateEdit(u.UUID, list[0].UUID, EditChange{Active: ptr(false)}); return err },
		func() error {
			_, err := w.UpdateEdit(u.UUID, list[1].UUID, EditChange{EndMS: ptr[int64](6000)}, split)
			if err != nil {
				return err
			}
			_, err = w.CreateEdit(u.UUID, p.UUID, Edit{StartMS: 6000, EndMS: 7000, Active: true}, split)
			return err
		},
		func() error {
			_, err := w.UpdateEdit(
				u.UUID, list[2].UUID,
				EditChange{Placement: PlacementChange{SizePercent: ptr(80)}}, Change{Label: "size"},
			)
			return err
		},
		func() error { _, _, err := w.DeleteEdit(u.UUID, list[2].UUID); return err },
		func() error { _, _, err := w.DeleteEdit(u.UUID, list[1].UUID); return err },
		func() error {
			_, _, err := w.UpdateEdits(u.UUID, p.UUID, []NamedEditChange{
				{list[0].UUID, EditChange{Active: ptr(true)}}, {list[1].UUID, EditChange{Action: ptr(ActionMute)}},
			})
			return err
		},
		func() error {
			w.analyzed(p, AnalysisResult{Edits: []DetectedEdit{silence(clip.UUID, 30_000, 31_000)}})
			return nil
		},
		func() error { _, err := w.ActivateRun(u.UUID, p.UUID, first.UUID); return err },
	} {
		w.clock.Advance(time.Second)
		must(t, step())
		states = append(states, w.state(p))
	}
	entries := get(w.History(u.UUID, p.UUID))(t)
	if len(entries) != len(states)-1 || entries[len(entries)-2].Label != "split" || entries[1].Kind != HistoryRun {
		t.Fatalf("history %+v", entries)
	}
	w.clean()
	w.reopen()
	for i := len(states) - 2; i >= 0; i-- {
		entry := w.undo(p, false)
		if got := w.state(p); got != states[i] || !entry.Undone {
			t.Errorf("undoing %q gave\n%s\nwant\n%s", entry.Label, got, states[i])
		}
	}
	_, err := w.Undo(u.UUID, p.UUID, "", false, Proposal{})
	wantCode(t, err, Conflict, "conflict")
	for i := 1; i < len(states); i++ {
		if entry := w.undo(p, true); w.state(p) != states[i] {
			t.Errorf("redoing %q gave\n%s\nwant\n%s", entry.Label, w.state(p), states[i])
		}
	}
	_, err = w.Undo(u.UUID, p.UUID, entries[3].UUID, false, Proposal{})
	wantCode(t, err, Conflict, "conflict") // not the newest one
	w.undo(p, false)
	get(w.CreateEdit(u.UUID, p.UUID, Edit{StartMS: 50_000, EndMS: 51_000, Active: true}))(t)
	_, err = w.Undo(u.UUID, p.UUID, "", true, Proposal{})
	wantCode(t, err, Conflict, "conflict") // a change forgets the undone entries
	w.clean()
	must(t, w.DeleteProject(u.UUID, p.UUID))
	w.clean()
}

// A replan is an entry that a replan with the former settings undoes. Decisions about cuts that the
// replan replaced find them again by their place.
func TestHistoryUndoesAReplan(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ann")
	p := w.project(u)
	clip := w.ready(p, 60_000)
	both := Proposal{Edits: []DetectedEdit{silence(clip.UUID, 1000, 2000), silence(clip.UUID, 5000, 7000)}}
	run := w.analyzed(p, AnalysisResult{Edits: both.Edits, Evidence: []byte("{}")})
	get(w.UpdateEdit(u.UUID, w.cutAt(p, 1000).UUID, EditChange{Active: ptr(false)}))(t)
	w.undo(p, false)
	w.undo(p, true)
	w.undo(p, false)
	if e := w.cutAt(p, 1000); !e.Active || e.Touched {
		t.Errorf("the undone decision left %+v", e)
	}
	w.undo(p, true)
	one := Proposal{Edits: both.Edits[1:]}
	_, _, err := w.ReplaceDetectedEdits(u.UUID, p.UUID, run.UUID, AnalysisSettings{PacingLevel: 10}, one)
	must(t, err)
	step := get(w.UndoStep(u.UUID, p.UUID, "", false))(t)
	if step.Settings == nil || step.Settings.PacingLevel != 50 || step.RunUUID != run.UUID {
		t.Fatalf("step %+v", step)
	}
	get(w.Undo(u.UUID, p.UUID, step.Entry.UUID, false, both))(t)
	if got, _, err := w.Run(u.UUID, p.UUID, run.UUID); err != nil || got.PacingLevel != 50 {
		t.Errorf("the run has the pacing %d, %v", got.PacingLevel, err)
	}
	w.undo(p, false)
	for _, start := range []int64{1000, 5000} {
		if e := w.cutAt(p, start); e == nil || !e.Active {
			t.Errorf("the cut at %d ms is %+v", start, e)
		}
	}
	w.clean()
}

// The history is bounded and skips edits of deleted clips and assets.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ann")
	p := w.project(u)
	clip := w.ready(p, 60_000)
	for i := range keptEntries + 10 {
		get(w.CreateEdit(
			u.UUID, p.UUID, Edit{StartMS: 0, EndMS: 1000, Active: true}, Change{Label: fmt.Sprint(i)},
		))(t)
	}
	list := get(w.History(u.UUID, p.UUID))(t)
	if len(list) != keptEntries || list[0].Label != "209" || list[len(list)-1].Label != "10" {
		t.Errorf("%d entries from %s to %s", len(list), list[0].Label, list[len(list)-1].Label)
	}
	w.undo(p, false)
	must(t, w.DeleteClip(u.UUID, clip.UUID))
	must(t, w.EmptyTrash(u.UUID, p.UUID))
	w.undo(p, false)
	w.undo(p, true)
	if got := get(w.Edits(u.UUID, p.UUID, false))(t); len(got) != 0 {
		t.Errorf("edits of a deleted clip: %+v", got)
	}
	w.clean()
}
