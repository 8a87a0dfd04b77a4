package store

import (
	"fmt"

	"roughcut/media"
)

// ConstantRateCopy is a copy of a clip's recording with a constant frame rate, for the timelines of
// other editors.
type ConstantRateCopy struct {
	Status    string     // ClipProcessing, ClipReady or ClipFailed
	Error     string     `json:",omitempty"` // why it failed
	File      string     `json:",omitempty"` // name of the clip's file, empty until ready
	SizeBytes int64      `json:",omitempty"`
	Info      media.Info // of the copy, empty until ready
}

// ConstantRatePath returns the path of the clip's constant-rate copy, empty without a ready one.
func (s *Store) ConstantRatePath(c Clip) string {
	if c.ConstantRate == nil || c.ConstantRate.Status != ClipReady {
		return ""
	}
	return s.FilePath(clipKey(c.ClipFileID, c.ConstantRate.File))
}

// makesCopy reports whether a job makes the constant-rate copy of the clip.
func (r *clipRow) makesCopy() bool {
	return r.ConstantRate != nil && r.ConstantRate.Status == ClipProcessing
}

// MakeConstantRateCopy queues a constant-rate copy of a clip. A copy that is ready or in progress
// stays; fresh is true for a new one. Errors: NotFound, Forbidden; Conflict clips_processing unless
// the clip is ready; Unprocessable for a constant rate, quota_exceeded; StorageFull; RateLimited
// too_many_jobs.
func (s *Store) MakeConstantRateCopy(userUUID, clipUUID string) (clip Clip, fresh bool, err error) {
	if clip, err = s.Clip(userUUID, clipUUID); err != nil {
		return Clip{}, false, err
	}
	full := s.CheckFree(clip.SizeBytes)
	err = s.update(func(t *txn) error {
		row, err := t.ownClip(userUUID, clipUUID)
		if err != nil {
			return err
		}
		switch {
		case row.Status != ClipReady:
			return fail(Conflict, "clips_processing", "The clip is not ready. Wait until it is.")
		case !row.Info.VariableRate():
			return fail(Unprocessable, "unprocessable", "The clip has a constant frame rate, so it needs no copy.")
		case row.ConstantRate != nil && row.ConstantRate.Status != ClipFailed:
			clip = row.Clip
			return nil
		}

		if err := t.admitJob(userUUID); err != nil {
			return err
		}
		if err := t.checkQuota(userUUID, row.SizeBytes); err != nil {
			return err
		}
		if full != nil {
			return full
		}
		fresh = true
		row.ConstantRate, row.UpdatedAt = &ConstantRateCopy{Status: ClipProcessing}, t.Now
		clip = row.Clip
		if err := clips.Put(t, row); err != nil {
			return err
		}
		return t.enqueueCopy(row)
	})
	return clip, fresh, err
}

// renameCopyJobs migrates to schema 8: the jobs of constant-rate copies get subjects of their own.
func renameCopyJobs(t *txn) error {
	var queued []*jobRow
	err := jobs.Each(t, func(row *jobRow) error {
		if row.Kind == JobConstantRate {
			queued = append(queued, row)
		}
		return nil
	})
	for _, row := range queued {
		row.Subject = copyPrefix + row.ClipUUID()
		if err == nil {
			err = jobs.Put(t, row)
		}
	}

	return err
}

func (t *txn) enqueueCopy(row *clipRow) error {
	return t.enqueue(JobConstantRate, copyPrefix+row.UUID, row.UserUUID, row.ProjectUUID)
}

// FinishConstantRateCopy stores the file of a constant-rate copy, which then counts towards the
// quota. After an error it removes the temporary file. Errors: ErrStaleJob; Unprocessable
// quota_exceeded; StorageFull; see also ClipInput.
func (s *Store) FinishConstantRateCopy(j Job, temp string, info media.Info) error {
	in, err := s.ClipInput(j)
	var name, key string
	var size int64
	if err == nil {
		name = "constant-" + s.NewID() + media.DefaultExportFormat().Extension
		key = clipKey(in.Clip.ClipFileID, name)
		size, err = s.moveIn(temp, key)
	}

	if err != nil {
		return userError(dropTemp(temp, err))
	}
	err = s.update(func(t *txn) error {
		held, row, err := heldRow(t, j, clips, j.ClipUUID())
		if err != nil {
			return err
		}
		if err := t.checkQuota(row.UserUUID, size); err != nil {
			return err
		}
		made := fileRow{
			Key: key, Size: size, Owner: row.UUID, UserUUID: row.UserUUID, Counted: true, CreatedAt: t.Now,
		}
		row.ConstantRate = &ConstantRateCopy{Status: ClipReady, File: name, SizeBytes: size, Info: info}
		row.UpdatedAt = t.Now
		others, err := t.sharers(row)
		for _, other := range others {
			if c := other.ConstantRate; c == nil || c.Status == ClipFailed {
				other.ConstantRate, other.UpdatedAt = cloned(row.ConstantRate), t.Now
				if err == nil {
					err = clips.Put(t, other)
				}
			}
		}

		if err != nil {
			return err
		}
		if err := t.putFile(&made); err != nil {
			return err
		}
		if err := clips.Put(t, row); err != nil {
			return err
		}
		return jobs.Delete(t, held.UUID)
	})
	if err != nil {
		s.discardFiles(key)
	}
	return err
}

// FailConstantRateCopy ends a job for a constant-rate copy without success. Errors: ErrStaleJob.
func (s *Store) FailConstantRateCopy(j Job, reason string) error {
	return s.failJob(j, reason, (*txn).failConstantRateCopy)
}

func (t *txn) failConstantRateCopy(held *jobRow, reason string) error {
	row, err := clips.Get(t, held.ClipUUID())
	if err != nil {
		return fmt.Errorf("failing a constant-rate copy: %w", err)
	}
	row.ConstantRate, row.UpdatedAt = &ConstantRateCopy{Status: ClipFailed, Error: reason}, t.Now
	if err := clips.Put(t, row); err != nil {
		return err
	}
	return jobs.Delete(t, held.UUID)
}

// RemoveConstantRateCopy deletes the constant-rate copy of a clip and of its duplicates, or cancels
// its job. Errors: NotFound, Forbidden.
func (s *Store) RemoveConstantRateCopy(userUUID, clipUUID string) error {
	return s.updateOnReserve(func(t *txn) error {
		row, err := t.ownClip(userUUID, clipUUID)
		if err != nil || row.ConstantRate == nil {
			return err
		}
		if err := t.dropCopy(row); err != nil {
			return err
		}
		row.UpdatedAt = t.Now
		return clips.Put(t, row)
	})
}

// dropCopy deletes the constant-rate copy of a clip and of its duplicates, or cancels its job. The
// caller writes the row.
func (t *txn) dropCopy(row *clipRow) error {
	if err := t.cancelCopy(row); err != nil {
		return err
	}
	if made := row.ConstantRate; made != nil && made.File != "" {
		file, err := files.Find(t, clipKey(row.ClipFileID, made.File))
		if err == nil && file != nil {
			err = t.dropFile(file)
		}
		if err != nil {
			return err
		}
		if err = t.forgetCopy(row); err != nil {
			return err
		}
	}

	row.ConstantRate = nil
	return nil
}

// forgetCopy removes the constant-rate copy of a clip from the other clips that have the same one.
func (t *txn) forgetCopy(row *clipRow) error {
	others, err := t.sharers(row)
	for _, other := range others {
		if other.ConstantRate != nil && other.ConstantRate.File == row.ConstantRate.File {
			other.ConstantRate, other.UpdatedAt = nil, t.Now
			if err == nil {
				err = clips.Put(t, other)
			}
		}
	}

	return err
}

// cancelCopy cancels the job for the constant-rate copy of a clip, if there is one. The caller
// writes the row.
func (t *txn) cancelCopy(row *clipRow) error {
	if !row.makesCopy() {
		return nil
	}
	row.ConstantRate = nil
	return t.cancelJob(copyPrefix + row.UUID)
}
