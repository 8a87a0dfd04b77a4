package store

import (
	"roughcut/media"
)

// ExportInput returns the input of an export job. Errors: ErrStaleJob.
func (s *Store) ExportInput(j Job) (ExportInput, error) {
	return viewed(s, func(t *txn) (in ExportInput, err error) {
		_, row, err := heldRow(t, j, exports, j.Subject)
		if err != nil {
			return in, err
		}
		frozen, err := exportInputs.Get(t, j.Subject)
		if err != nil {
			return in, err
		}
		in, err = t.exportInput(frozen, row.Settings)
		in.Export = row.Export
		return in, err
	})
}

// changeExport reads an export, calls fn to change it, and writes it.
func (t *txn) changeExport(uuid string, fn func(*exportRow)) error {
	row, err := exports.Get(t, uuid)
	if err != nil {
		return err
	}
	fn(row)
	row.UpdatedAt = t.Now
	return exports.Put(t, row)
}

// StartExport sets an export to rendering. Errors: ErrStaleJob; StorageFull when the disk has no
// space for a render; Conflict cannot_start for an export that became impossible while it waited.
func (s *Store) StartExport(j Job) error {
	if err := s.CheckFree(0); err != nil {
		return err
	}
	return s.update(func(t *txn) error {
		_, row, err := heldRow(t, j, exports, j.Subject)
		if err != nil {
			return err
		}
		if row.Error != "" {
			return fail(Conflict, "cannot_start", "%s", row.Error)
		}
		row.Status, row.UpdatedAt = ExportRendering, t.Now
		return exports.Put(t, row)
	})
}

// ExportProgress stores the step and the progress of an export in percent. Errors: ErrStaleJob.
func (s *Store) ExportProgress(j Job, step string, percent int) error {
	return s.batch(func(t *txn) error {
		if _, err := t.heldJob(j); err != nil {
			return err
		}
		return t.changeExport(j.Subject, func(r *exportRow) { r.Step, r.Progress = step, min(max(percent, 0), 100) })
	})
}

// FinishExport stores the rendered file and completes the export. After an error it removes the
// temporary file. Errors: ErrStaleJob; StorageFull.
func (s *Store) FinishExport(j Job, tempPath string, r media.RenderResult) (Export, error) {
	var k string
	var size int64
	err := s.view(func(t *txn) error {
		if _, err := t.heldJob(j); err != nil {
			return err
		}
		row, err := exports.Get(t, j.Subject)
		if err == nil {
			k = row.key()
		}
		return err
	})
	if err == nil {
		size, err = s.moveIn(tempPath, k)
	}
	var row *exportRow
	if err == nil {
		err = s.update(func(t *txn) (err error) {
			row, err = t.finishExport(j, k, size, r)
			return err
		})
		if err != nil {
			s.discardFiles(k)
		}
	}

	if err != nil {
		return Export{}, userError(dropTemp(tempPath, err))
	}
	return row.Export, nil
}

func (t *txn) finishExport(j Job, fileKey string, size int64, r media.RenderResult) (*exportRow, error) {
	held, row, err := heldRow(t, j, exports, j.Subject)
	if err != nil {
		return nil, err
	}
	if err := t.checkGenerated(row.UserUUID); err != nil {
		return nil, err
	}
	file := &fileRow{Key: fileKey, Size: size, Owner: row.UUID, UserUUID: row.UserUUID, CreatedAt: t.Now}
	if err := t.putFile(file); err != nil {
		return nil, err
	}
	row.Status = StatusCompleted
	row.Step = "finalize"
	row.Error = ""
	row.Progress = 100
	row.UpdatedAt = t.Now
	row.DurationMS = r.DurationMS
	row.Width = r.Width
	row.Height = r.Height
	row.SizeBytes = size
	row.StorageKey = fileKey
	row.Rendering = &r
	if err := exports.Put(t, row); err != nil {
		return nil, err
	}
	if err := t.learnSpeed(r.Rates); err != nil {
		return nil, err
	}
	return row, t.endExport(row.UUID, held)
}

// endExport deletes the input and the job of an export. It stops the job when held is nil.
func (t *txn) endExport(uuid string, held *jobRow) error {
	if err := t.dropInput(uuid); err != nil {
		return err
	}
	if held == nil {
		return t.cancelJob(uuid)
	}
	return jobs.Delete(t, held.UUID)
}

// FailExport ends an export as failed. Errors: ErrStaleJob.
func (s *Store) FailExport(j Job, reason string) error {
	return s.failJob(j, reason, (*txn).failExport)
}

func (t *txn) failExport(held *jobRow, reason string) error {
	err := t.changeExport(held.Subject, func(r *exportRow) { r.Status, r.Error = StatusFailed, reason })
	if err != nil {
		return err
	}
	return t.endExport(held.Subject, held)
}

// ActiveExports returns the exports of all users that are queued or rendered.
func (s *Store) ActiveExports() (list []Export, err error) {
	err = s.view(func(t *txn) error {
		return jobs.Each(t, func(row *jobRow) error {
			if row.Kind != JobExport {
				return nil
			}
			export, err := exports.Get(t, row.Subject)
			if err != nil {
				return err
			}
			list = append(list, export.Export)
			return nil
		})
	})
	return list, err
}
