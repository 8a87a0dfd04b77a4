package store

import (
	"errors"
	"strings"
)

// NewImport is a recording that is to be fetched from the network, as far as a look-up found out
// what it is.
type NewImport struct {
	Address     string
	Name        string
	ContentType string // as its server says, or empty
	SizeBytes   int64  // 0 where unknown
}

// importType is the content type of an import whose server names none, until it is probed.
const importType = "video/mp4"

// fetching is a record whose file an import job fetches.
type fetching interface {
	awaiting
	address() string
}

func (r *clipRow) address() string  { return r.ImportURL }
func (r *assetRow) address() string { return r.ImportURL }

// ImportClip makes the record of a clip that is fetched from the network, and queues that. The size
// is only an early test; FinishImport decides. Errors: Unprocessable file_too_large,
// quota_exceeded; StorageFull.
func (s *Store) ImportClip(userUUID, projectUUID string, n NewImport) (Clip, error) {
	full := s.CheckFree(n.SizeBytes)
	var row *clipRow
	err := s.update(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		if err := errors.Join(t.allowImport(userUUID, n.SizeBytes), full); err != nil {
			return err
		}
		position, err := t.nextPosition(projectUUID)
		if err != nil {
			return err
		}
		row = &clipRow{
			ImportURL: n.Address,
			Clip: Clip{
				UUID:          s.NewID(),
				ClipFileID:    s.NewID(),
				ProjectUUID:   projectUUID,
				UserUUID:      userUUID,
				Position:      position,
				Name:          n.Name,
				Status:        ClipProcessing,
				Source:        SourceImport,
				ContentType:   orText(n.ContentType, importType),
				DeclaredBytes: n.SizeBytes,
				CreatedAt:     t.now,
				UpdatedAt:     t.now,
			},
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

// ImportAsset makes the record of an asset that is fetched from the network, in the given group or
// else the default one, and queues that. An empty display name is that of the recording. Errors:
// those of ImportClip; NotFound and Forbidden for the group.
func (s *Store) ImportAsset(userUUID string, n NewImport, groupUUID *string, displayName string) (Asset, error) {
	full := s.CheckFree(n.SizeBytes)
	var a Asset
	err := s.update(func(t *txn) error {
		group, err := t.givenGroup(userUUID, groupUUID)
		if err != nil {
			return err
		}
		if err := errors.Join(t.allowImport(userUUID, n.SizeBytes), full); err != nil {
			return err
		}
		seq, err := assets.next(t)
		if err != nil {
			return err
		}
		kind := "video"
		if strings.HasPrefix(n.ContentType, "audio/") {
			kind = "audio"
		}
		row := &assetRow{
			Seq:        seq,
			ImportURL:  n.Address,
			GivenGroup: group,
			Asset: Asset{
				UUID:          s.NewID(),
				AssetFileID:   s.NewID(),
				UserUUID:      userUUID,
				Kind:          kind,
				DisplayName:   orText(oneLine(displayName), n.Name),
				Tags:          []string{},
				Status:        AssetPending,
				ContentType:   orText(n.ContentType, importType),
				DeclaredBytes: n.SizeBytes,
				Version:       1,
				CreatedAt:     t.now,
				UpdatedAt:     t.now,
			},
		}
		if err := assets.put(t, row); err != nil {
			return err
		}
		if err := row.joinGiven(t); err != nil {
			return err
		}
		if err := t.enqueue(JobAssetImport, row.UUID, userUUID, ""); err != nil {
			return err
		}
		a, err = t.servedAsset(row)
		return err
	})
	return a, err
}

// orText returns the first text that is not empty.
func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// allowImport refuses a file of so many bytes by its size, and by what is left of the user's plan.
func (t *txn) allowImport(userUUID string, bytes int64) error {
	if !t.s.o.TierTable.Owner && bytes > t.s.o.MaxUploadBytes {
		e := fail(
			Unprocessable,
			"file_too_large",
			"The recording is too large: a file may have at most %d MiB.",
			t.s.o.MaxUploadBytes>>20,
		)
		e.Fields = []FieldError{{Field: "url", Message: e.Message}}
		return e
	}
	return t.checkQuota(userUUID, bytes)
}

// fetched returns the record of an import job that is still its worker's. Errors: ErrStaleJob.
func (t *txn) fetched(j Job) (fetching, error) {
	if _, err := t.held(j); err != nil {
		return nil, err
	}
	if j.Kind == JobAssetImport {
		return assets.get(t, j.Subject)
	}
	return clips.get(t, j.Subject)
}

// ImportAddress returns where an import job finds its recording. Errors: ErrStaleJob.
func (s *Store) ImportURL(j Job) (address string, err error) {
	err = s.view(func(t *txn) error {
		record, err := t.fetched(j)
		if err == nil {
			address = record.address()
		}
		return err
	})
	return address, err
}

// AllowImport says whether an import job may go on to take so many bytes in all. Errors:
// ErrStaleJob; Unprocessable file_too_large, quota_exceeded; StorageFull.
func (s *Store) CheckImportSize(j Job, bytes int64) error {
	if err := s.CheckFree(0); err != nil {
		return err
	}
	return s.view(func(t *txn) error {
		record, err := t.fetched(j)
		if err != nil {
			return err
		}
		return t.allowImport(record.slot().userUUID, bytes)
	})
}

// FinishImport moves in what an import job fetched: its real size passes the quota gate and counts
// from now on, and its processing is queued. The temporary file is gone afterwards, also after an
// error. Errors: ErrStaleJob; Unprocessable unprocessable for an empty file, file_too_large,
// quota_exceeded; StorageFull.
func (s *Store) FinishImport(j Job, temp string) error {
	var place slot
	err := s.view(func(t *txn) error {
		record, err := t.fetched(j)
		if err == nil {
			place = record.slot()
		}
		return err
	})
	if err != nil {
		return errors.Join(err, remove(temp))
	}
	size, err := s.moveIn(temp, place.key)
	if err != nil {
		return userError(errors.Join(err, remove(temp)))
	}
	err = s.update(func(t *txn) error {
		record, err := t.fetched(j)
		if err != nil {
			return err
		}
		if err := t.gate(place.userUUID, size); err != nil {
			return err
		}
		if err := t.allowImport(place.userUUID, size); err != nil {
			return err
		}
		if err := jobs.delete(t, j.UUID); err != nil {
			return err
		}
		return t.takeOver(record, size)
	})
	if err != nil {
		s.discard(place.key)
	}
	return err
}

// imports checks that a record says where it is imported from exactly while that is under way.
func (c *check) imports() error {
	expect := func(what, uuid, address string) error {
		job, err := jobs.lookup(c.t, jobsBySubject, uuid)
		if err == nil && (job != nil && job.Kind.fetches()) != (address != "") {
			c.report(
				"import",
				"The %s %s does not know where it is imported from, or knows although it is not.",
				what,
				uuid,
			)
		}
		return err
	}
	return errors.Join(
		clips.all(c.t, func(r *clipRow) error { return expect(clips.what, r.UUID, r.ImportURL) }),
		assets.all(c.t, func(r *assetRow) error { return expect(assets.what, r.UUID, r.ImportURL) }))
}
