package store

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"roughcut/media"
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
	_, _, err := w.ReplaceDetectedEdits(
		u.UUID,
		p.UUID,
		run.UUID,
		AnalysisSettings{CutOptions: media.CutOptions{PacingLevel: 10}},
		one,
	)
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

// A command that names its change can be undone, whatever it writes and however often.
func TestCommandNeedsNothingToBeUndoable(t *testing.T) {
	t.Parallel()
	s := newStudio(open(t, ownerMode), 1)
	for _, name := range []string{"Intro", "Middle"} {
		get(s.CreateMarker(s.p.UserUUID, s.p.UUID, Marker{Kind: MarkerChapter, Name: name, TimeMS: 500}))(t)
	}
	before := s.shown(s.p)
	must(t, s.update(func(tx *txn) error {
		if _, err := tx.ownProject(s.p.UserUUID, s.p.UUID); err != nil {
			return err
		}
		must(t, markers.DeleteAll(tx, markersByProject, s.p.UUID))
		list := get(clips.List(tx, clipsByProject, s.p.UUID))(t)
		list[0].Name = "Opening"
		must(t, clips.Put(tx, list[0]))
		for i, line := range get(captions.List(tx, captionsByProject, s.p.UUID))(t) {
			line.Text = fmt.Sprint("line ", i)
			must(t, captions.Put(tx, line))
			line.Text += "!"
			must(t, captions.Put(tx, line))
		}
		for i, e := range get(edits.List(tx, editsByProject, s.p.UUID))(t) {
			if e.Active = false; i%2 == 0 {
				must(t, edits.Delete(tx, e.UUID))
				must(t, tx.countEdit(e, -1))
			} else {
				must(t, edits.Put(tx, e))
			}
		}
		return tx.record(s.p.UUID, HistoryClips, Change{}, "start over")
	}))
	after := s.shown(s.p)
	entry := get(s.History(s.p.UserUUID, s.p.UUID))(t)[0]
	if entry.Label != "start over" || entry.UserUUID != s.p.UserUUID || after == before {
		t.Fatalf("entry %+v", entry)
	}
	for range 2 {
		if s.undo(s.p, false); s.shown(s.p) != before {
			t.Errorf("undo gave\n%s", difference(before, s.shown(s.p)))
		}
		if s.undo(s.p, true); s.shown(s.p) != after {
			t.Errorf("redo gave\n%s", difference(after, s.shown(s.p)))
		}
	}
	s.clean()
}

// An undo of an older change does not touch values that have changed since, and restores the rest.
func TestUndoTouchesOnlyWhatNobodyChangedSince(t *testing.T) {
	t.Parallel()
	s := newStudio(open(t, ownerMode), 1)
	u, p := s.p.UserUUID, s.p.UUID
	size := func(percent int) EditChange {
		return EditChange{Placement: PlacementChange{SizePercent: &percent}}
	}
	placed := get(s.PlaceAsset(u, p, Edit{StartMS: 500, EndMS: 900, Active: true},
		PlacementChange{AssetFileID: &s.asset.AssetFileID}))(t)
	mine := Change{UUID: s.NewID(), Label: "mine"}
	line := s.caption(0)
	_, _, err := s.UpdateEdits(u, p, []NamedEditChange{
		{placed.UUID, EditChange{Active: ptr(false)}}, {s.cutAt(s.p, 9000).UUID, EditChange{Action: ptr(ActionMute)}},
	}, mine)
	must(t, err)
	get(s.UpdateEdit(u, placed.UUID, size(80), mine))(t)
	get(s.UpdateCaptionLine(u, line.UUID, CaptionChange{Text: ptr("mine"), Speaker: ptr("me")}))(t)
	get(s.UpdateEdit(u, placed.UUID, EditChange{
		Placement: PlacementChange{OpacityPercent: ptr(20), SizePercent: ptr(60)},
	}))(t)
	get(s.UpdateCaptionLine(u, line.UUID, CaptionChange{Text: ptr("theirs")}))(t)
	entries := get(s.History(u, p))(t)
	undo := func(uuid string) {
		t.Helper()
		must(t, s.update(func(tx *txn) error {
			row, steps := get(history.Get(tx, uuid))(t), get(historyStepsTable.Get(tx, uuid))(t)
			_, err := tx.undo(row, steps, undoing{})
			return err
		}))
	}
	undo(mine.UUID)
	undo(entries[2].UUID) // the caption
	for _, e := range get(s.Edits(u, p, false))(t) {
		switch {
		case e.UUID == placed.UUID && (!e.Active || e.Placement.SizePercent != 60 || e.Placement.OpacityPercent != 20):
			t.Errorf("the placement is %+v, %+v", e, e.Placement)
		case e.StartMS == 9000 && e.Action != ActionCut:
			t.Errorf("the cut is %+v", e)
		}
	}
	if got := s.caption(0); got.Text != "theirs" || got.Speaker != "" {
		t.Errorf("the caption is %+v", got)
	}
	s.clean()
}

// caption returns a caption line by its place in the list.
func (s *studio) caption(n int) CaptionLine {
	s.t.Helper()
	lines, _, err := s.CaptionLines(s.p.UserUUID, s.p.UUID, Page{})
	must(s.t, err)
	return lines[n]
}

// The history of an older version undoes and redoes each of its entries. The file with the states
// has what the older version showed after each change of its database; it had undone some of them.
func TestHistoryOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unpacked := func(name string) []byte {
		packed := get(os.Open(filepath.Join("testdata", name)))(t)
		defer packed.Close()
		return get(io.ReadAll(get(gzip.NewReader(packed))(t)))(t)
	}
	must(t, os.WriteFile(filepath.Join(dir, "roughcut.db"), unpacked("schema-11.db.gz"), 0o600))
	var states []string
	must(t, json.Unmarshal(unpacked("history-11.json.gz"), &states))
	w := open(t, ownerMode, func(o *Options) { o.Dir = dir })
	u := get(w.UserByEmail("user3@example.org"))(t)
	list, _, err := w.Projects(u.UUID, ProjectFilter{}, Page{})
	must(t, err)
	p := list[0]
	entries := get(w.History(u.UUID, p.UUID))(t)
	at := len(states) - 1
	for _, e := range entries {
		if e.Undone {
			at--
		}
		if e.UserUUID != u.UUID {
			t.Errorf("entry %+v", e)
		}
	}
	if len(entries) != len(states) || at == len(states)-1 {
		t.Fatalf("%d entries, %d states", len(entries), len(states))
	}
	check := func(what string) {
		t.Helper()
		if got := w.shown(p); got != states[at] {
			t.Errorf("state %d, after %s:\n%s", at, what, difference(states[at], got))
		}
	}
	check("the migration")
	for range 2 {
		for at+1 < len(states) {
			at++
			check("redoing " + w.undo(p, true).Label)
		}
		for at > 0 {
			at--
			check("undoing " + w.undo(p, false).Label)
		}
	}
	for _, f := range get(w.Check(context.Background()))(t) {
		if f.Code != "missing_file" { // only the database is that of the older version
			t.Errorf("%s: %s", f.Code, f.Message)
		}
	}
}
