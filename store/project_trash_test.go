package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"roughcut/store/account"
)

// listed returns the uuids of a user's projects, in the trash or not.
func (w *world) listed(u account.User, trashed bool) []string {
	w.t.Helper()
	list, total, err := w.Projects(u.UUID, ProjectFilter{Trashed: trashed}, Page{})
	must(w.t, err)
	if total != len(list) {
		w.t.Errorf("%d projects of %d", len(list), total)
	}
	uuids := []string{}
	for _, p := range list {
		uuids = append(uuids, p.UUID)
	}
	return uuids
}

// A project in the trash is in no list, count and search, answers like a deleted one, and uses its
// storage. A restore brings all of it back, also after a restart, and from a backup.
func TestTrashedProjectComesBackWithEverything(t *testing.T) {
	t.Parallel()
	w, p, list := crowded(t)
	u := get(w.User(p.UserUUID))(t)
	other := w.project(u)
	before := w.everything(p)
	w.settled()
	if n := len(w.search(u, "two")); n != 1 {
		t.Fatalf("%d search hits", n)
	}
	trashed := get(w.TrashProject(u.UUID, p.UUID))(t)
	if trashed.PurgedAt().Sub(w.Now()) != trashKept {
		t.Errorf("the project is deleted at %v", trashed.PurgedAt())
	}
	w.clean()
	for range 2 {
		equal(t, "projects", w.listed(u, false), []string{other.UUID})
		equal(t, "trash", w.listed(u, true), []string{p.UUID})
		w.settled()
		if n := len(w.search(u, "two")); n != 0 {
			t.Errorf("the search finds %d places in the trash", n)
		}
		_, err := w.Project(u.UUID, p.UUID)
		wantCode(t, err, NotFound, "not_found")
		_, err = w.Clip(u.UUID, list[0].UUID)
		wantCode(t, err, NotFound, "not_found")
		_, err = w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{})
		wantCode(t, err, NotFound, "not_found")
		_, err = w.TrashProject(u.UUID, p.UUID)
		wantCode(t, err, NotFound, "not_found")
		_, err = w.PreRenderInput(p.UUID)
		wantCode(t, err, NotFound, "not_found")
		space, total, err := w.UserStorage(u.UUID, Page{})
		must(t, err)
		if space.ClipBytes != 3_000 || total != 2 || !space.Projects[0].Trashed || space.Projects[1].Trashed {
			t.Errorf("storage %+v", space)
		}
		w.reopen()
	}

	dir := filepath.Join(t.TempDir(), "data")
	get(restoreInto(dir, w.backup(false)))(t)
	for _, w := range []*world{w, open(t, ownerMode, func(o *Options) { o.Dir = dir })} {
		get(w.RestoreProject(u.UUID, p.UUID))(t)
		_, err := w.RestoreProject(u.UUID, p.UUID)
		wantCode(t, err, NotFound, "not_found")
		w.clean()
		if after := w.everything(p); after != before {
			t.Errorf("after the restore\n%s\nwant\n%s", after, before)
		}
		w.settled()
		if n := len(w.search(u, "two")); n != 1 {
			t.Errorf("%d search hits after the restore", n)
		}
	}
}

// The trash ends everything that runs for a project. A restore processes its clips further.
func TestTrashCancelsWorkOfAProject(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	tiled := w.leaving(p)
	get(w.CreateExport(u.UUID, p.UUID, NewExport{Name: "Talk"}))(t)
	get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
	must(t, w.StartExport(w.claim()))
	uploaded := w.uploaded(p, 500)
	get(w.ConfirmClip(u.UUID, p.UUID, uploaded.UUID))(t)
	w.uploaded(p, 300)
	get(w.ImportClip(u.UUID, p.UUID, NewImport{Address: "https://example.org/x", Name: "x", SizeBytes: 1}))(t)
	held := w.claim()
	get(w.TrashProject(u.UUID, p.UUID))(t)
	if cancelled := get(w.JobCancelled(held))(t); !cancelled {
		t.Error("the running job is not cancelled")
	}
	if b := get(w.Billing(u.UUID))(t); b.Reserved != 0 || b.ProjectCount != 0 {
		t.Errorf("billing %+v", b)
	}
	for range 2 {
		for _, claim := range []func(context.Context) (Job, bool, error){w.ClaimJob, w.ClaimImport, w.ClaimTiles} {
			if j, ok, err := claim(t.Context()); ok || err != nil {
				t.Errorf("job %+v, %v", j, err)
			}
		}
		w.clean()
		w.reopen()
	}

	restored := get(w.RestoreProject(u.UUID, p.UUID))(t)
	w.clean()
	if restored.ClipCount != 2 || restored.Status != ProjectCreated {
		t.Errorf("project %+v", restored)
	}
	made, _, err := w.Exports(u.UUID, p.UUID, Page{})
	if err != nil || made[0].Status != StatusCancelled {
		t.Errorf("exports %+v, %v", made, err)
	}
	w.claimTiles(tiled)
	if got := w.ingest(10_000); got.UUID != uploaded.UUID {
		t.Errorf("the clip job is for %s", got.Name)
	}
	w.clean()
}

// Trashed projects do not count toward the limit of a tier, and a restore checks it.
func TestRestoreChecksTheProjectLimit(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	first := w.project(u)
	limit := 1
	for {
		if _, err := w.CreateProject(u.UUID, "Talk", nil); err != nil {
			wantCode(t, err, Forbidden, "plan_limit")
			break
		}
		limit++
	}

	get(w.TrashProject(u.UUID, first.UUID))(t)
	newest := w.project(u)
	_, err := w.RestoreProject(u.UUID, first.UUID)
	wantCode(t, err, Forbidden, "plan_limit")
	must(t, w.DeleteProject(u.UUID, newest.UUID))
	get(w.RestoreProject(u.UUID, first.UUID))(t)
	if n := len(w.listed(u, false)); n != limit {
		t.Errorf("%d projects, want %d", n, limit)
	}
	w.clean()
}

// After 30 days in the trash, a project is deleted with its files. An account is deleted with its
// trash, and a project in the trash can be deleted at once.
func TestTrashedProjectsAreDeleted(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]func(w *world, p Project){
		"30 days": func(w *world, p Project) {
			w.clock.Advance(trashKept - time.Hour)
			get(w.SweepExpired())(t)
			equal(t, "trash before its time", w.listed(get(w.User(p.UserUUID))(t), true), []string{p.UUID})
			w.clock.Advance(2 * time.Hour)
			get(w.SweepExpired())(t)
		},
		"DELETE": func(w *world, p Project) { must(t, w.DeleteProject(p.UserUUID, p.UUID)) },
		"crash": func(w *world, p Project) {
			must(t, w.updateOnReserve(func(t *txn) error {
				row, err := t.ownAnyProject(p.UserUUID, p.UUID)
				if err != nil {
					return err
				}
				return t.eraseProject(row)
			}))
			w.reopen()
		},
		"account": func(w *world, p Project) { must(t, w.DeleteUser(p.UserUUID, "hash")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			p := w.project(w.user("ada"))
			clip := w.ready(p, 10_000)
			w.analyzed(p, AnalysisResult{Edits: []DetectedEdit{silence(clip.UUID, 1_000, 2_000)}})
			get(w.TrashProject(p.UserUUID, p.UUID))(t)
			gone(w, p)
			w.clean()
			_, err := w.RestoreProject(p.UserUUID, p.UUID)
			wantCode(t, err, NotFound, "not_found")
			if _, err := os.Stat(w.FilePath(clipKey(clip.ClipFileID, fileOriginal))); !os.IsNotExist(err) {
				t.Errorf("the recording is left: %v", err)
			}
			must(t, w.view(func(tx *txn) error {
				for _, name := range []string{projects.Name, clips.Name, runs.Name, edits.Name, files.Name} {
					if k, _ := tx.Bucket([]byte(name)).Cursor().First(); k != nil {
						t.Error(fmt.Sprint("rows are left in ", name))
					}
				}
				return nil
			}))
		})
	}
}
