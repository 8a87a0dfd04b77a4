package store

import (
	"bytes"
	"slices"

	"roughcut/media"
	"roughcut/store/table"
)

// frozenAsset is an asset in an export, with its placement at the time of the request.
type frozenAsset struct {
	Key, Name string // key of the file; name of the asset
	Info      media.Info
	Where     media.Span // project time
	Placement media.Placement
	Cover     bool `json:",omitempty"` // it is the cover of clips without video, and placed nowhere
}

var inputsByAsset = &table.Index[frozenExport]{
	Name: "export_inputs.by_asset",
	Keys: func(r *frozenExport) (keys [][]byte) {
		for _, a := range r.Assets {
			k := table.Key(a.Key)
			if !slices.ContainsFunc(keys, func(other []byte) bool { return bytes.Equal(other, k) }) {
				keys = append(keys, k)
			}
		}

		return keys
	},
}

// freezeAssets returns the placed assets, oldest placement first: a later asset covers earlier
// ones. Errors: NotFound; Conflict asset_not_ready.
func (t *txn) freezeAssets(line *timeline, list []Edit) ([]frozenAsset, error) {
	list = slices.DeleteFunc(slices.Clone(list), func(e Edit) bool { return !e.Active || e.Placement == nil })
	slices.SortStableFunc(list, func(a, b Edit) int { return a.CreatedAt.Compare(b.CreatedAt) })
	var frozen []frozenAsset
	for _, e := range list {
		where := media.Span{StartMS: e.StartMS, EndMS: e.EndMS}.Intersect(media.Span{EndMS: line.total})
		if e.Placement.UntilEnd { // a draft has the end of an earlier length of the project
			where.EndMS = line.total
		}
		if where.Duration() <= 0 {
			continue
		}
		asset, err := assets.Lookup(t, assetsByFile, e.Placement.AssetFileID)
		if err != nil {
			return nil, err
		}
		if asset == nil {
			return nil, notFound(assets.Noun)
		}
		file, err := files.Find(t, asset.FileKey())
		if err != nil {
			return nil, err
		}
		if file == nil {
			return nil, fail(
				Conflict,
				"asset_not_ready",
				"The placed asset %q has no file. Switch off its edit, or place another asset.",
				asset.DisplayName,
			)
		}

		frozen = append(frozen, frozenAsset{
			Key: file.Key, Name: asset.DisplayName, Info: asset.Info, Where: where, Placement: *e.Placement,
		})
	}

	return frozen, nil
}

// freezeCover returns the image that covers clips without video, or an empty list if assetFileID is
// empty or the image was deleted. Errors: Unprocessable for an asset that is not an image.
func (t *txn) freezeCover(userUUID, assetFileID string) ([]frozenAsset, error) {
	if assetFileID == "" {
		return nil, nil
	}
	asset, err := assets.Lookup(t, assetsByFile, assetFileID)
	if err != nil || asset == nil || asset.UserUUID != userUUID {
		return nil, err
	}
	if asset.Kind != media.KindImage {
		return nil, failField(
			"export_settings.audio_clips.cover_asset_file_id",
			"The cover must be an image, and %q is not.",
			asset.DisplayName,
		)
	}

	file, err := files.Find(t, asset.FileKey())
	if err != nil || file == nil {
		return nil, err
	}
	return []frozenAsset{{Key: file.Key, Name: asset.DisplayName, Info: asset.Info, Cover: true}}, nil
}

// placed returns the asset for a render plan. The key identifies its content permanently, because a
// replaced file gets another key.
func (a frozenAsset) placed(s *Store) media.PlacedAsset {
	return media.PlacedAsset{
		Path: s.FilePath(a.Key), ID: a.Key, Name: a.Name, Info: a.Info, Span: a.Where, Placement: a.Placement,
	}
}

// holdFile keeps the file of a deleted or replaced asset for a running export that needs it. The
// export then owns the file, and it counts as a generated file.
func (t *txn) holdFile(row *fileRow) (held bool, err error) {
	needed, err := exportInputs.List(t, inputsByAsset, row.Key)
	if err != nil || len(needed) == 0 {
		return false, err
	}
	row.Owner, row.Counted = needed[0].ExportUUID, false
	return true, t.putFile(row)
}

// dropInput deletes the frozen input of an export and the files that were kept only for it.
func (t *txn) dropInput(exportUUID string) error {
	frozen, err := exportInputs.Find(t, exportUUID)
	if err != nil || frozen == nil {
		return err
	}
	if err := exportInputs.Delete(t, exportUUID); err != nil {
		return err
	}
	for _, a := range frozen.Assets {
		file, err := files.Find(t, a.Key)
		if err != nil {
			return err
		}
		if file != nil && file.Owner == exportUUID {
			if err := t.dropFile(file); err != nil {
				return err
			}
		}
	}

	return nil
}

// placedFiles checks that the files of the assets in running exports exist, and that files that are
// kept for an export are needed by it.
func (c *check) placedFiles() error {
	err := exportInputs.Each(c.t, func(row *frozenExport) error {
		for _, a := range row.Assets {
			file, err := files.Find(c.t, a.Key)
			if err != nil {
				return err
			}
			if file == nil {
				c.report("export_asset", "Export %s needs the file %s, which does not exist.", row.ExportUUID, a.Key)
			}
		}

		return nil
	})
	if err != nil {
		return err
	}
	return files.Each(c.t, func(row *fileRow) error {
		export, err := exports.Find(c.t, row.Owner)
		if err != nil || export == nil || row.Key == export.key() {
			return err
		}
		frozen, err := exportInputs.Find(c.t, export.UUID)
		if err != nil {
			return err
		}
		if frozen == nil || row.Counted ||
			!slices.ContainsFunc(frozen.Assets, func(a frozenAsset) bool { return a.Key == row.Key }) {
			c.report("kept_file", "The file %s is kept for export %s, which does not need it.", row.Key, export.UUID)
		}

		return nil
	})
}
