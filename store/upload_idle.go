package store

import (
	"maps"
	"slices"
	"time"
)

// idleUploadTime is how long an analysis or export waits for a clip whose upload has not begun,
// after the last change to the clips of its project.
const idleUploadTime = time.Minute

// isExpected reports whether a clip that is being uploaded still can be expected: bytes of it have
// arrived, or its project changed lately. The list has all clips of the project. A request for an
// upload whose response was lost leaves a clip that nobody will upload.
func (t *txn) isExpected(clip *clipRow, list []*clipRow) (bool, error) {
	if t.s.uploads.isOpen(clip.ClipFileID) {
		return true, nil
	}
	part, err := uploadParts.Find(t, clip.ClipFileID)
	if part != nil || err != nil {
		return true, err
	}
	file, err := files.Find(t, clip.slot().key)
	if file != nil || err != nil {
		return true, err
	}
	last := t.s.opened // which ended all uploads
	for _, c := range list {
		if c.UpdatedAt.After(last) {
			last = c.UpdatedAt
		}
	}

	return t.Now.Before(last.Add(idleUploadTime)), nil
}

// expectAgain makes an upload without bytes expected from now on, because one has failed. A fault
// only makes the wait for the next one shorter.
func (s *Store) expectAgain(fileID string) {
	_ = s.batch(func(t *txn) error {
		record, err := t.awaitingUpload(fileID)
		if err != nil {
			return err
		}
		return record.extend(t, record.slot().collectAt)
	})
}

// unreadClips returns the clips of a project that are being processed, and with uploads also those
// whose upload is expected.
func (t *txn) unreadClips(projectUUID string, uploads bool) (unread []string, err error) {
	list, err := clips.List(t, clipsByProject, projectUUID)
	for _, c := range list {
		waits := c.Status == ClipProcessing
		if uploads && c.Status == ClipPending && err == nil {
			waits, err = t.isExpected(c, list)
		}
		if waits {
			unread = append(unread, c.UUID)
		}
	}

	return unread, err
}

// startIdle starts the analyses and exports that wait only for clips that are no longer expected.
func (s *Store) startIdle() error {
	waiting := map[string]bool{}
	err := s.view(func(t *txn) error {
		pending, err := clips.List(t, clipsPending)
		for _, c := range pending {
			if _, seen := waiting[c.ProjectUUID]; err == nil && !seen {
				waiting[c.ProjectUUID], err = t.hasWaiting(c.ProjectUUID)
			}
		}

		return err
	})
	projects := slices.Collect(maps.Keys(waiting))
	return joinEach(err, slices.DeleteFunc(projects, func(uuid string) bool { return !waiting[uuid] }), s.startIdleIn)
}

// hasWaiting reports whether an analysis or export of a project waits for clips.
func (t *txn) hasWaiting(projectUUID string) (bool, error) {
	if exports.Count(t, exportsWaiting, projectUUID) > 0 {
		return true, nil
	}
	list, err := runs.List(t, runsByProject, projectUUID)
	return slices.ContainsFunc(list, func(r *runRow) bool { return r.WaitsForClips }), err
}

func (s *Store) startIdleIn(projectUUID string) error {
	return s.updateOnReserve(func(t *txn) error {
		project, err := projects.Find(t, projectUUID)
		if project == nil || err != nil {
			return err
		}
		if err := t.startWaiting(project); err != nil {
			return err
		}
		return t.startWaitingExports(project)
	})
}
