package store

import (
	"strings"
)

// NewImport describes a recording to download, with what a lookup of its address found.
type NewImport struct {
	Address     string
	Name        string
	ContentType string // from its server, or empty
	SizeBytes   int64  // 0 when unknown
}

// importType is the content type of an import until it is probed, when its server names none.
const importType = "video/mp4"

// fetching is a clip or asset whose file an import job downloads.
type fetching interface {
	pendingUpload
	address() string
}

func (r *clipRow) address() string  { return r.ImportURL }
func (r *assetRow) address() string { return r.ImportURL }

// ImportClip creates a clip whose recording will be downloaded, and queues the download. It checks
// the size that the server announced; FinishImport checks the actual size. Errors: Unprocessable
// file_too_large, quota_exceeded; StorageFull.
func (s *Store) ImportClip(userUUID, projectUUID string, n NewImport) (Clip, error) {
	full := s.CheckFree(n.SizeBytes)
	return updated(s, func(t *txn) (Clip, error) {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return Clip{}, err
		}
		if err := t.allowImport(userUUID, n.SizeBytes); err != nil {
			return Clip{}, err
		}
		if full != nil {
			return Clip{}, full
		}
		row := &clipRow{
			ImportURL: n.Address,
			Clip: Clip{
				Name:          n.Name,
				Status:        ClipProcessing,
				Source:        SourceImport,
				ContentType:   orText(n.ContentType, importType),
				DeclaredBytes: n.SizeBytes,
			},
		}
		if err := t.addClip(project, row); err != nil {
			return Clip{}, err
		}
		if err := t.enqueue(JobImport, row.UUID, userUUID, projectUUID); err != nil {
			return Clip{}, err
		}
		return row.Clip, t.refresh(project)
	})
}

// ImportAsset creates an asset whose file will be downloaded, and queues the download. The asset
// joins the given group, or the default one. An empty display name is replaced by the name of the
// recording. Errors: NotFound and Forbidden for the group; see also ImportClip.
func (s *Store) ImportAsset(userUUID string, n NewImport, groupUUID *string, displayName string) (Asset, error) {
	full := s.CheckFree(n.SizeBytes)
	var a Asset
	err := s.update(func(t *txn) error {
		group, err := t.givenGroup(userUUID, groupUUID)
		if err != nil {
			return err
		}
		if err := t.allowImport(userUUID, n.SizeBytes); err != nil {
			return err
		}
		if full != nil {
			return full
		}
		kind := "video"
		if strings.HasPrefix(n.ContentType, "audio/") {
			kind = "audio"
		}
		row := &assetRow{
			ImportURL:  n.Address,
			GivenGroup: group,
			Asset: Asset{
				UserUUID:      userUUID,
				Kind:          kind,
				DisplayName:   orText(oneLine(displayName), n.Name),
				Tags:          []string{},
				Status:        AssetPending,
				ContentType:   orText(n.ContentType, importType),
				DeclaredBytes: n.SizeBytes,
			},
		}
		if err := t.addAsset(row); err != nil {
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

// allowImport refuses a file that exceeds the maximum size or the quota. Errors: Unprocessable
// file_too_large, quota_exceeded.
func (t *txn) allowImport(userUUID string, bytes int64) error {
	if limit := t.s.o.MaxUploadBytes; limit > 0 && bytes > limit {
		e := fail(
			Unprocessable,
			"file_too_large",
			"The recording is too large. The maximum is %d MiB.",
			limit>>20,
		)
		e.Fields = []FieldError{{Field: "url", Message: e.Message}}
		return e
	}

	if err := t.admitJob(userUUID); err != nil {
		return err
	}
	if err := t.checkQuota(userUUID, bytes); err != nil {
		return err
	}
	return t.checkGenerated(userUUID)
}

// fetchedBy returns the clip or asset of an import job. Errors: ErrStaleJob.
func (t *txn) fetchedBy(j Job) (fetching, error) {
	if _, err := t.heldJob(j); err != nil {
		return nil, err
	}
	if j.Kind == JobAssetImport {
		return assets.Get(t, j.Subject)
	}
	return clips.Get(t, j.Subject)
}

// ImportURL returns the address that an import job downloads. Errors: ErrStaleJob.
func (s *Store) ImportURL(j Job) (address string, err error) {
	return viewed(s, func(t *txn) (address string, err error) {
		record, err := t.fetchedBy(j)
		if err == nil {
			address = record.address()
		}
		return address, err
	})
}

// CheckImportSize refuses to continue a download that has, or will have, this many bytes. Errors:
// ErrStaleJob; Unprocessable file_too_large, quota_exceeded; StorageFull.
func (s *Store) CheckImportSize(j Job, bytes int64) error {
	if err := s.CheckFree(0); err != nil {
		return err
	}
	return s.view(func(t *txn) error {
		record, err := t.fetchedBy(j)
		if err != nil {
			return err
		}
		return t.allowImport(record.slot().userUUID, bytes)
	})
}

// FinishImport accepts a downloaded file. It checks the actual size against the quota, adds it to
// the user's storage, and queues the processing. It always removes the temporary file. Errors:
// ErrStaleJob; Unprocessable unprocessable for an empty file, file_too_large, quota_exceeded;
// StorageFull.
func (s *Store) FinishImport(j Job, temp string) error {
	var place slot
	err := s.view(func(t *txn) error {
		record, err := t.fetchedBy(j)
		if err == nil {
			place = record.slot()
		}
		return err
	})
	if err != nil {
		return dropTemp(temp, err)
	}
	size, err := s.moveIn(temp, place.key)
	if err != nil {
		return userError(dropTemp(temp, err))
	}
	err = s.update(func(t *txn) error {
		record, err := t.fetchedBy(j)
		if err != nil {
			return err
		}
		if err := t.checkUploadSize(place.userUUID, size); err != nil {
			return err
		}
		if err := t.allowImport(place.userUUID, size); err != nil {
			return err
		}
		if err := jobs.Delete(t, j.UUID); err != nil {
			return err
		}
		return t.acceptUpload(record, size)
	})
	if err != nil {
		s.discardFiles(place.key)
	}
	return err
}

// imports checks that a clip or asset has an import address exactly while an import job runs for
// it.
func (c *check) imports() error {
	expect := func(what, uuid, address string) error {
		job, err := jobs.Lookup(c.t, jobsBySubject, uuid)
		if err == nil && (job != nil && job.Kind.lane() == laneImports) != (address != "") {
			c.report(
				"import",
				"The import address of the %s %s does not match its job.",
				what,
				uuid,
			)
		}

		return err
	}
	if err := clips.Each(c.t, func(r *clipRow) error { return expect(clips.Noun, r.UUID, r.ImportURL) }); err != nil {
		return err
	}
	return assets.Each(c.t, func(r *assetRow) error { return expect(assets.Noun, r.UUID, r.ImportURL) })
}
