package store

import (
	"fmt"

	"roughcut/media"
)

// AssetEdit is a trim of an asset, as a copy or in place.
type AssetEdit struct {
	StartMS, EndMS *int64 // range to keep; nil: from the start, to the end
	Cuts           []media.Span
	ExtractAudio   bool // keep the audio only
	Replace        bool // replace the asset instead of making a copy
	Fast           bool // cut at keyframes without encoding
}

// AssetInput is the input of an asset job.
type AssetInput struct {
	Asset Asset
	Path  string             // of the file to probe, when there is nothing to trim
	Trim  *media.TrimRequest // what to trim before the probe; the worker sets OutPath
}

// AssetResult is the output of an asset job. The paths name temporary files from TempPath, which
// FinishAsset moves into the store. An empty path means that the file does not exist.
type AssetResult struct {
	Asset                           media.Asset
	FileTemp, PosterTemp, ProxyTemp string // FileTemp is the trimmed file
}

// EditAsset queues an edit of an asset. For a copy it creates the new asset and returns its uuid.
// For a replacement it returns an empty uuid, and the old file stays until the new one is ready. An
// asset that is still being probed can be edited. Errors: Unprocessable for invalid times, and for
// an edit that leaves nothing; Invalid out_of_bounds past a known end; Conflict asset_not_ready
// without a file; Conflict conflict while another edit of the file is pending; StorageFull.
func (s *Store) EditAsset(userUUID, uuid string, e AssetEdit) (copyUUID string, err error) {
	full := s.CheckFree(0)
	err = s.update(func(t *txn) error {
		copyUUID = ""
		row, err := t.ownAsset(userUUID, uuid)
		if err != nil {
			return err
		}
		if err := e.check(row); err != nil {
			return err
		}
		if err := t.refuseEdit(row, e); err != nil {
			return err
		}
		if full != nil {
			return full
		}
		if !e.Replace {
			copyUUID, err = t.addCopy(row, e)
			return err
		}

		idle := row.Status == AssetUploaded
		row.Edit = &e
		row.Status = AssetPending
		row.Error = ""
		row.UpdatedAt = t.Now
		if err := assets.Put(t, row); err != nil || !idle {
			return err // the running probe queues the edit when it ends
		}
		if err := t.checkGenerated(row.UserUUID); err != nil {
			return err
		}
		if err := t.admitJob(row.UserUUID); err != nil {
			return err
		}
		return t.enqueue(JobAsset, row.UUID, row.UserUUID, "")
	})
	return copyUUID, err
}

// check refuses an edit that is invalid for any asset, or for the known content of this one.
// Errors: Unprocessable; Invalid out_of_bounds.
func (e AssetEdit) check(row *assetRow) error {
	if err := checkSpan("", e.StartMS, e.EndMS); err != nil {
		return err
	}
	if e.EndMS != nil && *e.EndMS == 0 {
		return failField("end_ms", "The end must come after the start.")
	}
	for i, cut := range e.Cuts {
		if err := checkSpan(fmt.Sprintf("cuts.%d.", i), &cut.StartMS, &cut.EndMS); err != nil {
			return err
		}
	}

	if row.Kind == "image" {
		return failField("start_ms", "Images cannot be trimmed. Choose a video or an audio file.")
	}
	if e.ExtractAudio && row.probed() && row.Info.Audio == nil {
		return failField("extract_audio", "The asset has no audio to extract.")
	}
	if row.DurationMS == nil {
		return nil
	}
	whole := media.Span{EndMS: *row.DurationMS}
	bounds := []*int64{e.StartMS, e.EndMS}
	for i := range e.Cuts {
		bounds = append(bounds, &e.Cuts[i].EndMS)
	}
	for _, ms := range bounds {
		if ms != nil && *ms > whole.EndMS {
			return fail(
				Invalid,
				"out_of_bounds",
				"The asset is %d ms long, so %d ms is past its end.",
				whole.EndMS,
				*ms,
			)
		}
	}

	kept := whole
	SetIfGiven(&kept.StartMS, e.StartMS)
	SetIfGiven(&kept.EndMS, e.EndMS)
	cuts := append([]media.Span{{EndMS: kept.StartMS}}, e.Cuts...)
	if len(media.KeptSpans(kept.EndMS, media.MergeSpans(cuts))) == 0 {
		return failField("cuts", "The edit removes the whole asset. Keep a part of it.")
	}
	return nil
}

// refuseEdit refuses an edit of an asset without a file, with a pending replacement, or with
// pending copies. Errors: Conflict.
func (t *txn) refuseEdit(row *assetRow, e AssetEdit) error {
	if (row.Status != AssetUploaded && row.Status != AssetPending) || row.Source != "" || row.ImportURL != "" {
		return checkReady(row.Asset)
	}
	hasCopies := e.Replace && assets.Count(t, assetsBySource, row.UUID) > 0
	if hasCopies || row.Edit != nil {
		return conflict("Another edit of this asset is still running. Wait until it is done.")
	}
	return nil
}

// addCopy creates the asset for an edited copy, in the same groups as its source.
func (t *txn) addCopy(source *assetRow, e AssetEdit) (string, error) {
	row := &assetRow{
		Source: source.UUID,
		Edit:   &e,
		Asset: Asset{
			UserUUID:    source.UserUUID,
			Kind:        source.Kind,
			DisplayName: source.DisplayName + " (edited)",
			Tags:        source.Tags,
			Status:      AssetPending,
			ContentType: source.ContentType,
		},
	}
	if e.ExtractAudio {
		row.Kind, row.ContentType = "audio", "audio/mp4"
	}
	if err := t.addAsset(row); err != nil {
		return "", err
	}
	in, err := memberships.List(t, membershipsByAsset, source.UUID)
	if err != nil {
		return "", err
	}
	for _, m := range in {
		group, err := groups.Get(t, m.GroupUUID)
		if err != nil {
			return "", err
		}
		if _, err := t.addToGroup(group, row); err != nil {
			return "", err
		}
	}

	if err := t.checkGenerated(row.UserUUID); err != nil {
		return row.UUID, err
	}
	if err := t.admitJob(row.UserUUID); err != nil {
		return row.UUID, err
	}
	return row.UUID, t.enqueue(JobAsset, row.UUID, row.UserUUID, "")
}

// AssetInput returns the input of an asset job. Errors: ErrStaleJob.
func (s *Store) AssetInput(j Job) (AssetInput, error) {
	return viewed(s, func(t *txn) (in AssetInput, err error) {
		_, row, err := heldRow(t, j, assets, j.Subject)
		if err != nil {
			return in, err
		}
		in = AssetInput{Asset: row.Asset, Path: s.FilePath(row.FileKey())}
		isUnprobed := row.Source == "" && !row.probed()
		if isUnprobed || row.Edit == nil {
			return in, nil
		}
		from := row
		if row.Source != "" {
			if from, err = assets.Get(t, row.Source); err != nil {
				return in, err
			}
		}

		in.Trim = row.Edit.request(s.FilePath(from.FileKey()))
		return in, nil
	})
}

// probed reports whether the asset's file was probed.
func (r *assetRow) probed() bool { return r.Info.Video != nil || r.Info.Audio != nil }

func (e AssetEdit) request(path string) *media.TrimRequest {
	r := &media.TrimRequest{Path: path, Cuts: e.Cuts, AudioOnly: e.ExtractAudio, Fast: e.Fast}
	SetIfGiven(&r.StartMS, e.StartMS)
	SetIfGiven(&r.EndMS, e.EndMS)
	return r
}

// FinishAsset stores the output of an asset job and makes the asset ready. If an edit was requested
// during the job, it queues the edit. A trimmed file is checked against the quota with its actual
// size. It replaces the old file in the same transaction, and placements past its end move to the
// end. After an error the temporary files are removed. Errors: ErrStaleJob; Unprocessable
// quota_exceeded; StorageFull.
func (s *Store) FinishAsset(j Job, r AssetResult) (Asset, error) {
	in, err := s.AssetInput(j)
	var made []fileRow
	if err == nil {
		made, err = s.moveAssetFiles(in, r)
	}
	var a Asset
	if err == nil {
		a, err = updated(s, func(t *txn) (Asset, error) { return t.finishAsset(j, r, made) })
	}
	if err != nil {
		return Asset{}, s.discardMade(err, made, r.FileTemp, r.PosterTemp, r.ProxyTemp)
	}
	return a, nil
}

// moveAssetFiles stores the files of an asset durably and returns the rows for them. After an error
// it returns the rows of the files that it stored before.
func (s *Store) moveAssetFiles(in AssetInput, r AssetResult) ([]fileRow, error) {
	a, version := in.Asset, in.Asset.Version
	if in.Trim != nil && in.Asset.SizeBytes > 0 {
		version++
	}
	var made []fileRow
	for _, part := range []struct {
		temp, name string
		counted    bool
	}{{r.FileTemp, assetOriginal, true}, {r.PosterTemp, assetPoster, false}, {r.ProxyTemp, assetProxy, false}} {
		if part.temp == "" {
			continue
		}
		k := assetKey(a.AssetFileID, part.name, version)
		size, err := s.moveIn(part.temp, k)
		if err != nil {
			return made, err
		}
		made = append(made, fileRow{Key: k, Size: size, Owner: a.UUID, UserUUID: a.UserUUID, Counted: part.counted})
	}

	return made, nil
}

func (t *txn) finishAsset(j Job, r AssetResult, made []fileRow) (Asset, error) {
	held, row, err := heldRow(t, j, assets, j.Subject)
	if err != nil {
		return Asset{}, err
	}
	if r.FileTemp != "" {
		if err := t.replaceFile(row, made[0].Size); err != nil {
			return Asset{}, err
		}
	}

	if !row.probed() { // otherwise the asset was admitted before
		if err := t.checkGenerated(row.UserUUID); err != nil {
			return Asset{}, err
		}
	}

	if err := t.putFiles(made); err != nil {
		return Asset{}, err
	}
	row.describe(r)
	row.Status, row.Error, row.UpdatedAt = AssetUploaded, "", t.Now
	if err := jobs.Delete(t, held.UUID); err != nil {
		return Asset{}, err
	}
	if row.Edit != nil {
		row.Status = AssetPending
		if err := t.enqueue(JobAsset, row.UUID, row.UserUUID, ""); err != nil {
			return Asset{}, err
		}
	}

	if err := assets.Put(t, row); err != nil {
		return Asset{}, err
	}
	if err := t.clampPlacements(row); err != nil {
		return Asset{}, err
	}
	return t.servedAsset(row)
}

// replaceFile makes place for the trimmed file of an asset. The quota does not count the old file.
func (t *txn) replaceFile(row *assetRow, size int64) error {
	if err := t.dropFiles(row.UUID); err != nil {
		return err
	}
	if row.SizeBytes > 0 {
		row.Version++
	}
	row.SizeBytes, row.Edit, row.Source = size, nil, ""
	return t.checkQuota(row.UserUUID, row.SizeBytes)
}

// describe sets what a job found out about an asset.
func (r *assetRow) describe(result AssetResult) {
	found := result.Asset
	r.Info = found.Info
	r.Kind = found.Kind
	r.ContentType = found.ContentType
	r.DurationMS = nil
	if ms := r.Info.DurationMS; ms > 0 && r.Kind != "image" {
		r.DurationMS = &ms
	}
	r.Outline = found.Outline
	r.HasPoster, r.HasProxy = result.PosterTemp != "", result.ProxyTemp != ""
}

// FailAsset ends an asset job as failed. An upload or a copy becomes failed with a reason, its file
// is removed, and its storage is freed. An asset whose edit failed stays unchanged, with the
// reason. Errors: ErrStaleJob.
func (s *Store) FailAsset(j Job, reason string) error {
	return s.failJob(j, reason, (*txn).failAsset)
}

func (t *txn) failAsset(held *jobRow, reason string) error {
	row, err := assets.Get(t, held.Subject)
	if err != nil {
		return fmt.Errorf("failing an asset: %w", err)
	}
	if err := jobs.Delete(t, held.UUID); err != nil {
		return err
	}
	if row.probed() {
		if row.Edit != nil {
			row.Error = "The edit failed; the asset is unchanged. " + reason
		}
		row.Status, row.Edit, row.UpdatedAt = AssetUploaded, nil, t.Now
		return assets.Put(t, row)
	}

	if err := t.failCopies(row.UUID, "The source asset could not be processed."); err != nil {
		return err
	}
	return t.spoilAsset(row, reason)
}

// spoilAsset removes the file of an asset and sets its status to failed.
func (t *txn) spoilAsset(row *assetRow, reason string) error {
	if err := t.dropFiles(row.UUID); err != nil {
		return err
	}
	row.Status = AssetFailed
	row.Error = reason
	row.Edit = nil
	row.Source = ""
	row.ImportURL = ""
	row.UpdatedAt = t.Now
	return assets.Put(t, row)
}

// failCopies fails the pending copies of an asset.
func (t *txn) failCopies(uuid, reason string) error {
	copies, err := assets.List(t, assetsBySource, uuid)
	if err != nil {
		return err
	}
	for _, row := range copies {
		if err := t.cancelJob(row.UUID); err != nil {
			return err
		}
		if err := t.spoilAsset(row, reason); err != nil {
			return err
		}
	}

	return nil
}
