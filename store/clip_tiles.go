package store

import (
	"roughcut/media"
)

// leaveTiles notes whether a separate job makes the sprite sheet and the motion of a clip, and
// queues or cancels that job. The caller writes the row.
func (t *txn) leaveTiles(row *clipRow, left bool) error {
	before := row.TilesLeft
	row.TilesLeft, row.TilesError = left, ""
	switch {
	case left && !before:
		return t.enqueueTiles(row)
	case before && !left:
		return t.cancelJob(row.ClipFileID)
	}

	return nil
}

func (t *txn) enqueueTiles(row *clipRow) error {
	return t.enqueueOnce(JobTiles, row.ClipFileID, row.UserUUID, row.ProjectUUID)
}

// TilesInput returns the input of a tiles job. Errors: ErrStaleJob; see also LinkedFile.Check.
func (s *Store) TilesInput(j Job) (ClipInput, error) {
	var in ClipInput
	err := s.view(func(t *txn) error {
		row, err := t.leftTiles(j)
		if err == nil {
			in.Clip = row.Clip
		}
		return err
	})
	if err != nil {
		return ClipInput{}, err
	}
	in.OriginalPath, err = s.OriginalPath(in.Clip)
	return in, err
}

// leftTiles returns the clip of a tiles job. Errors: ErrStaleJob.
func (t *txn) leftTiles(j Job) (*clipRow, error) {
	if _, err := t.heldJob(j); err != nil {
		return nil, err
	}
	row, err := t.clipOfFile(j.Subject)
	if err == nil && row == nil {
		err = ErrStaleJob
	}
	return row, err
}

// FinishTiles stores the sprite sheet and the motion of a ready clip. spriteTemp is a temporary
// file from TempPath. FinishTiles removes it after an error. Errors: see FinishClip.
func (s *Store) FinishTiles(j Job, spriteTemp string, tiles media.TilesResult) (Clip, error) {
	in, err := s.TilesInput(j)
	var made []fileRow
	if err == nil {
		made, err = s.moveClipFiles(in.Clip, ClipResult{
			SpriteTemp: spriteTemp, Ingested: media.IngestResult{Motion: tiles.Motion},
		})
	}

	var row *clipRow
	if err == nil {
		err = s.update(func(t *txn) (err error) {
			if row, err = t.leftTiles(j); err != nil {
				return err
			}
			if err := t.putFiles(made); err != nil {
				return err
			}
			row.Sprite, row.HasMotion, row.UpdatedAt = tiles.Sprite, len(tiles.Motion) > 0, t.Now
			return t.endTiles(row, j.UUID, "")
		})
	}

	if err != nil {
		return Clip{}, s.discardMade(err, made, spriteTemp)
	}
	return row.Clip, nil
}

// RemakeClip ends a tiles job and queues a job that makes all files of the ready clip again,
// because it needs a proxy after all. Errors: ErrStaleJob.
func (s *Store) RemakeClip(j Job) error {
	return s.update(func(t *txn) error {
		row, err := t.leftTiles(j)
		if err != nil {
			return err
		}
		if err := t.endTiles(row, j.UUID, ""); err != nil {
			return err
		}
		return t.enqueueOnce(JobClip, row.UUID, row.UserUUID, row.ProjectUUID)
	})
}

// FailTiles ends a tiles job without success. The clip stays ready, without a sprite sheet, and
// keeps the reason. FailTiles returns the uuid of the clip, "" if the clip is gone. Errors:
// ErrStaleJob.
func (s *Store) FailTiles(j Job, reason string) (clipUUID string, err error) {
	return updated(s, func(t *txn) (clipUUID string, err error) {
		held, err := t.heldJob(j)
		if err == nil {
			clipUUID, err = t.failTiles(held, reason)
		}
		return clipUUID, err
	})
}

func (t *txn) failTiles(held *jobRow, reason string) (clipUUID string, err error) {
	row, err := t.clipOfFile(held.Subject)
	if err != nil || row == nil {
		if err != nil {
			return "", err
		}
		return "", jobs.Delete(t, held.UUID)
	}

	row.UpdatedAt = t.Now
	return row.UUID, t.endTiles(row, held.UUID, reason)
}

// endTiles ends a tiles job, and starts the analysis that waits for the motion. reason says why the
// job failed, "" if it did not.
func (t *txn) endTiles(row *clipRow, job, reason string) error {
	row.TilesLeft, row.TilesError = false, reason
	if err := t.putShared(row); err != nil {
		return err
	}
	if err := jobs.Delete(t, job); err != nil {
		return err
	}
	return t.refreshSharing(row)
}

// RetryTiles queues the tiles job of a clip again after it failed. Edits that need the motion wait
// for it. Errors: Conflict for a clip without a failure; RateLimited too_many_jobs.
func (s *Store) RetryTiles(userUUID, clipUUID string) (Clip, error) {
	return updated(s, func(t *txn) (Clip, error) {
		row, err := t.ownClip(userUUID, clipUUID)
		if err != nil {
			return Clip{}, err
		}
		if row.Status != ClipReady || row.TilesError == "" {
			return Clip{}, conflict("The thumbnails of the clip did not fail, so there is nothing to repeat.")
		}
		if err := t.admitJob(userUUID); err != nil {
			return Clip{}, err
		}
		row.UpdatedAt = t.Now
		if err := t.leaveTiles(row, true); err != nil {
			return Clip{}, err
		}
		if err := t.putShared(row); err != nil {
			return Clip{}, err
		}
		list, err := runs.List(t, runsByProject, row.ProjectUUID)
		for _, run := range list {
			if run.KeepDemonstrations && run.Status == StatusCompleted {
				run.MotionLeft = true
				if err == nil {
					err = runs.Put(t, run)
				}
			}
		}

		return row.Clip, err
	})
}
