package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"roughcut/store/table"
)

// drafted is a project with two clips, 200 cuts on each of them, and drafts of all cuts.
func drafted(t *testing.T, drafts int) (*world, Project, []Clip) {
	t.Helper()
	w := open(t, ownerMode)
	u := w.user("ada")
	p := w.project(u)
	list := []Clip{w.ready(p, 500_000), w.ready(p, 500_000)}
	var found AnalysisResult
	for _, c := range list {
		found.Transcripts = append(found.Transcripts, speech(c.UUID, "one"))
		for i := range int64(200) {
			found.Edits = append(found.Edits, silence(c.UUID, i*2_000, i*2_000+1_000))
		}
	}
	w.analyzed(p, found)
	overrides := map[string]Override{}
	for _, e := range get(w.Edits(u.UUID, p.UUID, false))(t) {
		overrides[e.UUID] = Override{Active: ptr(false), StartMS: ptr(e.StartMS + 10), EndMS: ptr(e.EndMS)}
	}
	for range drafts {
		get(w.CreateDraft(u.UUID, p.UUID, DraftChange{Name: ptr("d"), EditOverrides: overrides}))(t)
	}
	return w, p, list
}

// pages returns how many pages of the database a change allocates.
func (w *world) pages(change func() error) int64 {
	w.t.Helper()
	size := int64(w.db.Info().PageSize)
	stats := w.db.Stats().TxStats
	before := stats.GetPageAlloc()
	must(w.t, change())
	stats = w.db.Stats().TxStats
	return (stats.GetPageAlloc() - before) / size
}

// Removing, restoring, reordering, duplicating and permanently deleting clips writes no drafts.
func TestDraftsCostOtherChangesNothing(t *testing.T) {
	t.Parallel()
	var cost [2][]int64
	for i, drafts := range []int{0, 50} {
		w, p, list := drafted(t, drafts)
		for _, change := range []func() error{
			func() error { return w.DeleteClip(p.UserUUID, list[0].UUID) },
			func() error { return w.RestoreTrashed(p.UserUUID, p.UUID, list[0].UUID) },
			func() error {
				_, err := w.OrderClips(p.UserUUID, p.UUID, []string{list[1].UUID, list[0].UUID})
				return err
			},
			func() error { _, err := w.DuplicateClip(p.UserUUID, list[0].UUID); return err },
			func() error { return w.DeleteClip(p.UserUUID, list[1].UUID) },
			func() error { return w.EmptyTrash(p.UserUUID, p.UUID) },
		} {
			cost[i] = append(cost[i], w.pages(change))
		}
		for _, d := range get(w.Drafts(p.UserUUID, p.UUID))(t) {
			if d.EditOverrides != nil {
				t.Fatalf("the list has overrides: %v", d.EditOverrides)
			}
			if n := len(get(w.Draft(p.UserUUID, d.UUID))(t).EditOverrides); n != 400 {
				t.Errorf("a draft has %d overrides after one of two clips was copied and one deleted, want 400", n)
			}
		}
		w.clean()
	}
	for i, pages := range cost[1] {
		if pages > cost[0][i]+20 {
			t.Errorf("change %d writes %d pages with 50 drafts, and %d without", i, pages, cost[0][i])
		}
	}
}

// The overrides of a deleted edit are gone, and come back when the history restores the edit.
func TestDraftsForgetDeletedEdits(t *testing.T) {
	t.Parallel()
	w, p, _ := drafted(t, 0)
	e := get(w.CreateEdit(p.UserUUID, p.UUID, manual(1_100, 1_900)))(t)
	overrides := map[string]Override{e.UUID: {Active: ptr(false)}}
	d := get(w.CreateDraft(p.UserUUID, p.UUID, DraftChange{Name: ptr("d"), EditOverrides: overrides}))(t)
	_, _, err := w.DeleteEdit(p.UserUUID, e.UUID)
	must(t, err)
	if got := get(w.Draft(p.UserUUID, d.UUID))(t).EditOverrides; len(got) != 0 {
		t.Errorf("the draft has %v", got)
	}
	w.undo(p, false)
	if got := get(w.Draft(p.UserUUID, d.UUID))(t).EditOverrides; len(got) != 1 {
		t.Errorf("the draft has %v", got)
	}
}

// Drafts of schema 9 keep their settings and all overrides, those that clips in the trash had
// trimmed among them. A project with more drafts than maxDrafts keeps them.
func TestMigrationOfDrafts(t *testing.T) {
	t.Parallel()
	w, p, list := crowded(t)
	want := get(w.Draft(p.UserUUID, get(w.Drafts(p.UserUUID, p.UUID))(t)[0].UUID))(t)
	var saved draftContent
	must(t, w.view(func(tx *txn) error {
		content, err := draftContents.Get(tx, want.UUID)
		saved = *content
		return err
	}))
	must(t, w.DeleteClip(p.UserUUID, list[1].UUID))
	must(t, w.db.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte(drafts.Name))
		var old map[string]any
		must(t, json.Unmarshal(b.Get([]byte(want.UUID)), &old))
		old["ExportSettings"] = json.RawMessage(`{"resolution":"720p"}`)
		old["Overrides"], old["Origins"] = anchoredOverrides{}, saved.Overrides
		for i := range maxDrafts + 5 {
			if old["Seq"] = uint64(i + 10); i > 0 {
				old["UUID"] = fmt.Sprintf("draft-%d", i)
			}
			key, value := []byte(old["UUID"].(string)), get(json.Marshal(old))(t)
			must(t, b.Put(key, value))
		}
		for _, name := range draftContents.Buckets() {
			must(t, tx.DeleteBucket([]byte(name)))
		}
		return tx.Bucket([]byte(bucketMeta)).Put([]byte(metaSchema), table.Key(uint64(9)))
	}))
	w.reopen()
	w.clean()
	must(t, w.RestoreTrashed(p.UserUUID, p.UUID, list[1].UUID))
	got := get(w.Drafts(p.UserUUID, p.UUID))(t)
	if len(got) != maxDrafts+5 {
		t.Fatalf("%d drafts", len(got))
	}
	for _, d := range got {
		d = get(w.Draft(p.UserUUID, d.UUID))(t)
		if string(get(json.Marshal(d.EditOverrides))(t)) != string(get(json.Marshal(want.EditOverrides))(t)) ||
			string(d.ExportSettings) != `{"resolution":"720p"}` {
			t.Errorf("the draft is %+v, want %+v", d, want)
		}
	}
	_, err := w.CreateDraft(p.UserUUID, p.UUID, DraftChange{Name: ptr("one more")})
	wantCode(t, err, Unprocessable, "unprocessable")
	must(t, w.DeleteDraft(p.UserUUID, got[0].UUID))
	w.clean()
}

// The settings that a user saves are limited in bytes. Settings beyond the limit stay and may
// become smaller, and the limit of one user does not affect others.
func TestBoundOfSettings(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	u, other := w.user("ada"), w.user("bob")
	large := func(mib int) json.RawMessage {
		return json.RawMessage(`{"x":"` + strings.Repeat("x", mib<<20) + `"}`)
	}
	p := get(w.CreateProject(u.UUID, "p", large(maxSettingsBytes>>20-1)))(t)
	get(w.Presets().Create(u.UUID, Preset{PresetHead: PresetHead{Name: "small"}, CensorshipMode: "none"}))(t)
	d := get(w.CreateDraft(u.UUID, p.UUID, DraftChange{Name: ptr("small")}))(t)
	refused := func(err error) {
		t.Helper()
		wantCode(t, err, Unprocessable, "unprocessable")
		if !strings.Contains(err.Error(), "32 MiB") {
			t.Errorf("the error %q lacks the bound", err)
		}
	}
	_, err := w.CreateDraft(u.UUID, p.UUID, DraftChange{Name: ptr("d"), ExportSettings: large(1)})
	refused(err)
	_, err = w.UpdateDraft(u.UUID, d.UUID, DraftChange{ExportSettings: large(1)})
	refused(err)
	_, err = w.CreateProject(u.UUID, "q", large(1))
	refused(err)
	_, err = w.UpdateProject(u.UUID, p.UUID, ProjectChange{ExportSettings: large(1)})
	refused(err)
	get(w.UpdateDraft(u.UUID, d.UUID, DraftChange{Name: ptr("renamed")}))(t)
	get(w.CreateProject(other.UUID, "q", large(1)))(t)
	get(w.UpdateProject(u.UUID, p.UUID, ProjectChange{Settings: large(1)}))(t)
	get(w.CreateProject(u.UUID, "q", large(1)))(t)
	must(t, w.DeleteProject(u.UUID, p.UUID))
	w.clean()
}
