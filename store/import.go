package store

import "errors"

// NewImport is a recording that is to be fetched from the network, as far as a look-up found out what it is.
type NewImport struct {
	Address     string
	Name        string
	ContentType string // as its server says, or empty
	SizeBytes   int64  // 0 where unknown
}

// ImportInput is what the worker of an import job reads.
type ImportInput struct {
	Clip    Clip
	Address string
}

// ImportClip makes the record of a clip that is fetched from the network, and queues that. The size is only an early test; FinishImport
// decides. Errors: Unprocessable file_too_large, quota_exceeded; StorageFull.
func (s *Store) ImportClip(userUUID, projectUUID string, n NewImport) (Clip, error) {
	full := s.CheckFree(n.SizeBytes)
	var row *clipRow
	err := s.update(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		if err := t.allowImport(userUUID, n.SizeBytes); err != nil {
			return err
		}
		if full != nil {
			return full
		}
		position, err := t.nextPosition(projectUUID)
		if err != nil {
			return err
		}
		row = &clipRow{ImportURL: n.Address, Clip: Clip{UUID: s.NewID(), ClipFileID: s.NewID(), ProjectUUID: projectUUID, UserUUID: userUUID,
			Position: position, Name: n.Name, Status: ClipProcessing, Source: SourceImport, ContentType: n.ContentType,
			DeclaredBytes: n.SizeBytes, CreatedAt: t.now, UpdatedAt: t.now}}
		if row.ContentType == "" {
			row.ContentType = clipTypes[0]
		}
		if err := clips.put(t, row); err != nil {
			return err
		}
		if err := t.enqueue(JobImport, row.UUID, userUUID, projectUUID); err != nil {
			return err
		}
		return t.refresh(project)
	})
	if err != nil {
		return Clip{}, err
	}
	return row.Clip, nil
}

// allowImport refuses a file of so many bytes by its size, and by what is left of the user's plan.
func (t *txn) allowImport(userUUID string, bytes int64) error {
	if !t.s.o.Plans.Owner && bytes > t.s.o.MaxUploadBytes {
		e := fail(Unprocessable, "file_too_large", "The recording is too large: a file may have at most %d MiB.", t.s.o.MaxUploadBytes>>20)
		e.Fields = []FieldError{{Field: "url", Message: e.Message}}
		return e
	}
	return t.checkQuota(userUUID, bytes)
}

// ImportInput returns what an import job works on. Errors: ErrStaleJob.
func (s *Store) ImportInput(j Job) (ImportInput, error) {
	var in ImportInput
	err := s.view(func(t *txn) error {
		row, err := t.imported(j)
		if err == nil {
			in = ImportInput{Clip: row.Clip, Address: row.ImportURL}
		}
		return err
	})
	return in, err
}

// imported returns the clip of an import job that is still its worker's. Errors: ErrStaleJob.
func (t *txn) imported(j Job) (*clipRow, error) {
	if _, err := t.held(j); err != nil {
		return nil, err
	}
	return clips.get(t, j.Subject)
}

// AllowImport says whether an import job may go on to take so many bytes in all. Errors: ErrStaleJob; Unprocessable file_too_large,
// quota_exceeded; StorageFull.
func (s *Store) AllowImport(j Job, bytes int64) error {
	if err := s.CheckFree(0); err != nil {
		return err
	}
	return s.view(func(t *txn) error {
		row, err := t.imported(j)
		if err != nil {
			return err
		}
		return t.allowImport(row.UserUUID, bytes)
	})
}

// FinishImport moves in what an import job fetched: its real size passes the quota gate and counts from now on, and its processing
// is queued. The temporary file is gone afterwards, also after an error. Errors: ErrStaleJob; Unprocessable unprocessable for an
// empty file, file_too_large, quota_exceeded; StorageFull.
func (s *Store) FinishImport(j Job, temp string) error {
	in, err := s.ImportInput(j)
	if err != nil {
		return errors.Join(err, remove(temp))
	}
	k := clipKey(in.Clip.ClipFileID, fileOriginal)
	size, err := s.moveIn(temp, k)
	if err != nil {
		return userError(errors.Join(err, remove(temp)))
	}
	err = s.update(func(t *txn) error {
		row, err := t.imported(j)
		if err != nil {
			return err
		}
		if err := t.gate(row.UserUUID, size); err != nil {
			return err
		}
		if err := t.allowImport(row.UserUUID, size); err != nil {
			return err
		}
		if err := jobs.delete(t, j.UUID); err != nil {
			return err
		}
		row.ImportURL = ""
		return t.confirm(row, k, size)
	})
	if err != nil {
		s.discard(k)
	}
	return err
}
