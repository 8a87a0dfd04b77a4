package store

import (
	"time"

	"roughcut/store/table"
)

var (
	projectsTrashed = &table.Index[projectRow]{Name: "projects.trashed", Keys: func(r *projectRow) [][]byte {
		if r.TrashedAt == nil {
			return nil
		}
		return table.Entry(*r.TrashedAt)
	}}
	projectsTrashedByUser = &table.Index[projectRow]{
		Name:    "projects.trashed_by_user",
		Counted: true,
		Keys: func(r *projectRow) [][]byte {
			if r.TrashedAt == nil {
				return nil
			}
			return table.Entry(r.UserUUID, *r.TrashedAt)
		},
	}
)

// PurgedAt returns when a project in the trash is deleted, nil for any other project.
func (p Project) PurgedAt() *time.Time {
	if p.TrashedAt == nil {
		return nil
	}
	return new(p.TrashedAt.Add(trashKept))
}

func inTrash() error {
	return fail(NotFound, "not_found", "The project is in the trash. Restore it first.")
}

// trashed reports whether a clip or its project is in the trash, or the project is deleted.
func (t *txn) trashed(row *clipRow) (bool, error) {
	if row.Trashed != nil {
		return true, nil
	}
	project, err := projects.Find(t, row.ProjectUUID)
	return project == nil || project.TrashedAt != nil, err
}

// TrashProject moves a project to the trash. It cancels the analysis, the exports and all other
// jobs of the project, releases reserved credits, and deletes clips without a recording, such as
// unfinished uploads and imports. The project keeps its files, which use storage, until purgeTrash
// deletes it. Errors: NotFound, Forbidden.
func (s *Store) TrashProject(userUUID, uuid string) (Project, error) {
	return resultOf(s.updateOnReserve, func(t *txn) (Project, error) {
		var row *projectRow
		if _, err := t.ownProject(userUUID, uuid); err != nil {
			return Project{}, err
		}
		if err := t.cancelAll(uuid); err != nil {
			return Project{}, err
		}
		err := t.changeProject(uuid, func(p *projectRow) { p.TrashedAt, row = &t.Now, p })
		if err == nil {
			err = t.passJobsOn(uuid)
		}
		if err != nil {
			return Project{}, err
		}
		made, err := t.counted(row)
		if err != nil {
			return Project{}, err
		}
		return made, t.Changed(uuid)
	})
}

// cancelAll cancels everything that runs for a project or waits to run.
func (t *txn) cancelAll(uuid string) error {
	newest, _, err := runs.Page(t, Page{Number: 1, Size: 1}, runsByProject, uuid)
	if err != nil {
		return err
	}
	for _, run := range newest {
		if run.Status != RunQueued && run.Status != RunRunning {
			continue
		}
		if err := t.cancelRun(run); err != nil {
			return err
		}
	}

	rendered, err := exports.List(t, exportsByProject, uuid)
	if err != nil {
		return err
	}
	for _, export := range rendered {
		if export.Status != ExportQueued && export.Status != ExportRendering {
			continue
		}
		if err := t.cancelExport(export); err != nil {
			return err
		}
	}

	if err := t.cancelClips(uuid); err != nil {
		return err
	}
	return t.dropJobs(uuid)
}

// cancelClips deletes the clips of a project that have no recording, and cancels constant-rate
// copies. resumeClips queues the other jobs again.
func (t *txn) cancelClips(projectUUID string) error {
	list, err := clips.List(t, clipsByProject, projectUUID)
	if err != nil {
		return err
	}
	dropped := false
	for _, clip := range list {
		switch {
		case clip.Status == ClipPending, clip.Status == ClipProcessing && clip.ImportURL != "":
			dropped = true
			err = t.dropClip(clip)
		case clip.makesCopy():
			if err = t.cancelCopy(clip); err == nil {
				err = clips.Put(t, clip)
			}
		}

		if err != nil {
			return err
		}
	}

	if !dropped {
		return nil
	}
	return t.refreshProject(projectUUID)
}

// RestoreProject brings a project back from the trash, and queues the jobs of its clips that had
// not ended. Cancelled analyses and exports stay cancelled. Errors: NotFound unless the trash has
// the project; Forbidden, also plan_limit.
func (s *Store) RestoreProject(userUUID, uuid string) (Project, error) {
	return updated(s, func(t *txn) (Project, error) {
		found, err := t.ownAnyProject(userUUID, uuid)
		if err != nil {
			return Project{}, err
		}
		if found.TrashedAt == nil {
			return Project{}, fail(NotFound, "not_found", "The project is not in the trash.")
		}
		if err := t.allowProject(userUUID); err != nil {
			return Project{}, err
		}
		var row *projectRow
		err = t.changeProject(uuid, func(p *projectRow) { p.TrashedAt, row = nil, p })
		if err == nil {
			err = t.resumeClips(uuid)
		}
		if err != nil {
			return Project{}, err
		}
		made, err := t.counted(row)
		if err != nil {
			return Project{}, err
		}
		t.announceEdits(uuid)
		return made, t.Changed(uuid)
	})
}

// resumeClips queues the jobs of the clips of a project that the trash ended.
func (t *txn) resumeClips(projectUUID string) error {
	list, err := clips.List(t, clipsByProject, projectUUID)
	for _, clip := range list {
		if err == nil {
			err = t.enqueueLeft(clip)
		}
	}

	return err
}

// purgeProjects deletes the projects that have been in the trash for trashKept.
func (s *Store) purgeProjects() error {
	due, err := viewed(s, func(t *txn) ([]*projectRow, error) {
		return projects.Due(t, projectsTrashed, t.Now.Add(-trashKept))
	})
	return joinEach(err, due, func(old *projectRow) error {
		err := s.updateOnReserve(func(t *txn) error {
			row, err := projects.Find(t, old.UUID)
			if err != nil || row == nil || row.TrashedAt == nil || row.PurgedAt().After(t.Now) { // restored since
				return err
			}
			return t.eraseProject(row)
		})
		if err != nil {
			return err
		}
		return s.eraseRest(old.UUID)
	})
}
