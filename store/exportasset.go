package store

import (
	"slices"

	"roughcut/media"
)

// frozenAsset is an asset that an export shows or plays, as it was placed when the export was asked
// for.
type frozenAsset struct {
	Key, Name string // of its file; of the asset
	Info      media.Info
	Where     media.Span // project time
	Placement Placement
}

var inputsByAsset = &index[frozenExport]{name: "export_inputs.by_asset", keys: func(r *frozenExport) (keys [][]byte) {
	for _, a := range r.Assets {
		if k := key(a.Key); !contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}}

// freezeAssets returns the assets that are placed, in the order in which they were: a later one
// lies over those before it. Errors: Conflict asset_not_ready.
func (t *txn) freezeAssets(line *timeline, list []Edit) ([]frozenAsset, error) {
	list = slices.DeleteFunc(slices.Clone(list), func(e Edit) bool { return !e.Active || e.Placement == nil })
	slices.SortStableFunc(list, func(a, b Edit) int { return a.CreatedAt.Compare(b.CreatedAt) })
	var frozen []frozenAsset
	for _, e := range list {
		where := media.Span{StartMS: e.StartMS, EndMS: e.EndMS}.Intersect(media.Span{EndMS: line.total})
		if where.Duration() <= 0 {
			continue
		}
		asset, err := assets.lookup(t, assetsByFile, e.Placement.AssetFileID)
		if err != nil {
			return nil, err
		}
		if asset == nil {
			return nil, notFound(assets.what)
		}
		file, err := files.find(t, asset.FileKey())
		if err != nil {
			return nil, err
		}
		if file == nil {
			return nil, fail(
				Conflict,
				"asset_not_ready",
				"The asset %q, which is placed in this video, has no file; switch its edit off or place another.",
				asset.DisplayName,
			)
		}
		frozen = append(
			frozen,
			frozenAsset{
				Key:       file.Key,
				Name:      asset.DisplayName,
				Info:      asset.Info,
				Where:     where,
				Placement: *e.Placement,
			},
		)
	}
	return frozen, nil
}

// placed returns the asset as a plan knows it. Its key names its content for good: a replaced file
// gets another.
func (a frozenAsset) placed(s *Store) media.PlacedAsset {
	p := a.Placement
	return media.PlacedAsset{
		Path:           s.FilePath(a.Key),
		ID:             a.Key,
		Name:           a.Name,
		Info:           a.Info,
		Span:           a.Where,
		OffsetMS:       p.OffsetMS,
		VisualMode:     p.VisualMode,
		AudioMode:      p.AudioMode,
		Position:       p.Position,
		X:              p.X,
		Y:              p.Y,
		SizePercent:    p.SizePercent,
		OpacityPercent: p.OpacityPercent,
		FlipH:          p.FlipH,
		FlipV:          p.FlipV,
		RotationDeg:    p.RotationDeg,
		VolumePercent:  p.VolumePercent,
		DuckMain:       p.DuckMain,
	}
}

// holdFile keeps the file of an asset that was deleted or replaced for an export under way that
// needs it, on nobody's account. The export owns it from here on.
func (t *txn) holdFile(row *fileRow) (held bool, err error) {
	needed, err := exportInputs.list(t, inputsByAsset, row.Key)
	if err != nil || len(needed) == 0 {
		return false, err
	}
	row.Owner, row.Counted = needed[0].ExportUUID, false
	return true, files.put(t, row)
}

// dropInput forgets what an export was to be made of, with the files that were kept for it alone.
func (t *txn) dropInput(exportUUID string) error {
	frozen, err := exportInputs.find(t, exportUUID)
	if err != nil || frozen == nil {
		return err
	}
	if err := exportInputs.delete(t, exportUUID); err != nil {
		return err
	}
	for _, a := range frozen.Assets {
		file, err := files.find(t, a.Key)
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

// placedFiles checks that an export under way finds the files of the assets that it places, and
// that what was kept for an export is needed by it.
func (c *check) placedFiles() error {
	err := exportInputs.all(c.t, func(row *frozenExport) error {
		for _, a := range row.Assets {
			file, err := files.find(c.t, a.Key)
			if err != nil {
				return err
			}
			if file == nil {
				c.report("export_asset", "Export %s places the file %s, which is not there.", row.ExportUUID, a.Key)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return files.all(c.t, func(row *fileRow) error {
		export, err := exports.find(c.t, row.Owner)
		if err != nil || export == nil || row.Key == exportKey(export.UUID) {
			return err
		}
		frozen, err := exportInputs.find(c.t, export.UUID)
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
