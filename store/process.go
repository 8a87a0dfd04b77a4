package store

import (
	"errors"
	"fmt"

	"roughcut/media"
)

// AssetEdit asks for a part of an asset: as an asset of its own, or in place of what the asset
// holds.
type AssetEdit struct {
	StartMS, EndMS *int64 // the range that stays; nil: from the beginning, to the end
	Cuts           []media.Span
	ExtractAudio   bool // the sound alone
	Replace        bool // in place of what the asset holds
	Fast           bool // cut at keyframes, without encoding
}

// AssetInput is what the worker of an asset job reads.
type AssetInput struct {
	Asset Asset
	Path  string             // of the file to look at, where nothing is to be trimmed
	Trim  *media.TrimRequest // what to make first; OutPath is for the worker to choose
}

// AssetResult is what the worker of an asset job made. The paths are of temporary files from
// TempPath, which FinishAsset moves in; an empty path means that there is none.
type AssetResult struct {
	Asset                           media.Asset
	FileTemp, PosterTemp, ProxyTemp string // FileTemp is what was trimmed
}

// EditAsset queues an edit of an asset. For a copy it makes the asset that is to hold it and
// returns its uuid, for a replacement an empty one; the old file stays until the new one is there.
// An asset whose upload is still being looked at may be edited already. Errors: Unprocessable for
// times that make no sense, or an edit that would leave nothing; Invalid out_of_bounds past a known
// end; Conflict asset_not_ready without a file, conflict while another edit of the same file is
// under way; StorageFull.
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
		row.UpdatedAt = t.now
		if err := assets.put(t, row); err != nil || !idle {
			return err // the job that looks at the upload is followed by another one
		}
		return t.enqueue(JobAsset, row.UUID, row.UserUUID, "")
	})
	return copyUUID, err
}

// check refuses an edit that makes no sense, or none for what is known of the asset.
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
		return failField("start_ms", "An image has no length; only videos and sounds can be trimmed.")
	}
	if e.ExtractAudio && row.Info != (media.Info{}) && row.Info.Audio == nil {
		return failField("extract_audio", "The asset has no sound.")
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
			return fail(Invalid, "out_of_bounds", "The asset is %d ms long; %d ms lies past its end.", whole.EndMS, *ms)
		}
	}
	kept := whole
	if e.StartMS != nil {
		kept.StartMS = *e.StartMS
	}
	if e.EndMS != nil {
		kept.EndMS = *e.EndMS
	}
	cuts := append([]media.Span{{EndMS: kept.StartMS}}, e.Cuts...)
	if len(media.KeptSpans(kept.EndMS, media.MergeSpans(cuts))) == 0 {
		return failField("cuts", "The edit would leave nothing of the asset.")
	}
	return nil
}

// refuseEdit refuses an edit of an asset that has no file, or whose file is about to be replaced or
// still being copied.
func (t *txn) refuseEdit(row *assetRow, e AssetEdit) error {
	if row.Status != AssetUploaded && row.Status != AssetPending || row.Source != "" || row.ImportURL != "" {
		return checkReady(row.Asset)
	}
	if row.Edit != nil || e.Replace && assets.count(t, assetsBySource, row.UUID) > 0 {
		return fail(Conflict, "conflict", "The asset is being edited already; wait until that is done.")
	}
	return nil
}

// addCopy makes the asset that is to hold an edited copy, in the same groups.
func (t *txn) addCopy(source *assetRow, e AssetEdit) (string, error) {
	seq, err := assets.next(t)
	if err != nil {
		return "", err
	}
	row := &assetRow{
		Seq:    seq,
		Source: source.UUID,
		Edit:   &e,
		Asset: Asset{
			UUID:        t.s.NewID(),
			AssetFileID: t.s.NewID(),
			UserUUID:    source.UserUUID,
			Kind:        source.Kind,
			DisplayName: source.DisplayName + " (edited)",
			Tags:        source.Tags,
			Status:      AssetPending,
			ContentType: source.ContentType,
			Version:     1,
			CreatedAt:   t.now,
			UpdatedAt:   t.now,
		},
	}
	if e.ExtractAudio {
		row.Kind, row.ContentType = "audio", "audio/mp4"
	}
	if err := assets.put(t, row); err != nil {
		return "", err
	}
	in, err := memberships.list(t, membershipsByAsset, source.UUID)
	if err != nil {
		return "", err
	}
	for _, m := range in {
		group, err := groups.get(t, m.GroupUUID)
		if err != nil {
			return "", err
		}
		if _, err := t.join(group, row); err != nil {
			return "", err
		}
	}
	return row.UUID, t.enqueue(JobAsset, row.UUID, row.UserUUID, "")
}

// AssetInput returns what an asset job works on. Errors: ErrStaleJob.
func (s *Store) AssetInput(j Job) (AssetInput, error) {
	var in AssetInput
	err := s.view(func(t *txn) error {
		if _, err := t.held(j); err != nil {
			return err
		}
		row, err := assets.get(t, j.Subject)
		if err != nil {
			return err
		}
		in = AssetInput{Asset: row.Asset, Path: s.FilePath(row.FileKey())}
		if row.Edit == nil || row.Source == "" && !row.lookedAt() {
			return nil
		}
		from := row
		if row.Source != "" {
			if from, err = assets.get(t, row.Source); err != nil {
				return err
			}
		}
		in.Trim = row.Edit.request(s.FilePath(from.FileKey()))
		return nil
	})
	return in, err
}

// lookedAt reports whether it is known what the asset's file holds.
func (r *assetRow) lookedAt() bool { return r.Info != (media.Info{}) }

func (e AssetEdit) request(path string) *media.TrimRequest {
	r := &media.TrimRequest{Path: path, Cuts: e.Cuts, AudioOnly: e.ExtractAudio, Fast: e.Fast}
	if e.StartMS != nil {
		r.StartMS = *e.StartMS
	}
	if e.EndMS != nil {
		r.EndMS = *e.EndMS
	}
	return r
}

// FinishAsset moves in what an asset job made and makes the asset ready, or queues the edit that
// was asked for meanwhile. A file that was trimmed passes the quota gate with its real size, and
// takes the place of the old one in the same transaction; edits that place the asset then begin
// within it. The temporary files are gone afterwards, also after an error. Errors: ErrStaleJob;
// Unprocessable quota_exceeded; StorageFull.
func (s *Store) FinishAsset(j Job, r AssetResult) (Asset, error) {
	in, err := s.AssetInput(j)
	var made []fileRow
	if err == nil {
		made, err = s.moveAssetFiles(in, r)
	}
	var a Asset
	if err == nil {
		err = s.update(func(t *txn) (err error) {
			a, err = t.finishAsset(j, r, made)
			return err
		})
	}
	if err == nil {
		return a, nil
	}
	for _, file := range made {
		s.discard(file.Key)
	}
	for _, temp := range []string{r.FileTemp, r.PosterTemp, r.ProxyTemp} {
		if temp != "" {
			err = errors.Join(err, remove(temp))
		}
	}
	return Asset{}, userError(err)
}

// moveAssetFiles makes the files of an asset durable and returns their rows-to-be, also those
// before an error.
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
	held, err := t.held(j)
	if err != nil {
		return Asset{}, err
	}
	row, err := assets.get(t, j.Subject)
	if err != nil {
		return Asset{}, err
	}
	trimmed := r.FileTemp != ""
	if trimmed {
		if err := t.dropFiles(row.UUID); err != nil { // the quota is that without the file that goes
			return Asset{}, err
		}
		if row.SizeBytes > 0 {
			row.Version++
		}
		row.SizeBytes, row.Edit, row.Source = made[0].Size, nil, ""
		if err := t.checkQuota(row.UserUUID, row.SizeBytes); err != nil {
			return Asset{}, err
		}
		if err := t.addStorage(row.UserUUID, row.SizeBytes); err != nil {
			return Asset{}, err
		}
	}
	for _, file := range made {
		file.CreatedAt = t.now
		if err := t.putFile(&file); err != nil {
			return Asset{}, err
		}
	}
	row.Info = r.Asset.Info
	row.Kind = r.Asset.Kind
	row.ContentType = r.Asset.ContentType
	row.DurationMS = nil
	if ms := row.Info.DurationMS; ms > 0 && row.Kind != "image" {
		row.DurationMS = &ms
	}
	row.Outline = r.Asset.Outline
	row.HasPoster, row.HasProxy = r.PosterTemp != "", r.ProxyTemp != ""
	row.Status, row.Error, row.UpdatedAt = AssetUploaded, "", t.now
	if err := jobs.delete(t, held.UUID); err != nil {
		return Asset{}, err
	}
	if row.Edit != nil {
		row.Status = AssetPending
		if err := t.enqueue(JobAsset, row.UUID, row.UserUUID, ""); err != nil {
			return Asset{}, err
		}
	}
	if err := assets.put(t, row); err != nil {
		return Asset{}, err
	}
	if err := t.clampPlacements(row); err != nil {
		return Asset{}, err
	}
	return t.servedAsset(row)
}

// FailAsset ends an asset job without success. An upload or a copy stays as failed with the reason,
// its file goes, its storage is given back; an asset that was to be replaced is as it was, with the
// reason. Errors: ErrStaleJob.
func (s *Store) FailAsset(j Job, reason string) error {
	return s.update(func(t *txn) error {
		held, err := t.held(j)
		if err != nil {
			return err
		}
		return t.failAsset(held, reason)
	})
}

func (t *txn) failAsset(held *jobRow, reason string) error {
	row, err := assets.get(t, held.Subject)
	if err != nil {
		return fmt.Errorf("failing an asset: %w", err)
	}
	if err := jobs.delete(t, held.UUID); err != nil {
		return err
	}
	if row.lookedAt() {
		row.Status, row.Edit, row.UpdatedAt = AssetUploaded, nil, t.now
		row.Error = "The edit did not work out, and the asset is as it was. " + reason
		return assets.put(t, row)
	}
	if err := t.failCopies(row.UUID, "The asset that it was to be made from could not be used."); err != nil {
		return err
	}
	return t.spoilAsset(row, reason)
}

// spoilAsset leaves an asset without a file as failed.
func (t *txn) spoilAsset(row *assetRow, reason string) error {
	if err := t.dropFiles(row.UUID); err != nil {
		return err
	}
	row.Status = AssetFailed
	row.Error = reason
	row.Edit = nil
	row.Source = ""
	row.ImportURL = ""
	row.UpdatedAt = t.now
	return assets.put(t, row)
}

// failCopies fails the copies that are still to be made from an asset.
func (t *txn) failCopies(uuid, reason string) error {
	copies, err := assets.list(t, assetsBySource, uuid)
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
