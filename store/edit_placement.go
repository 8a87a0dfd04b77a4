package store

import (
	"cmp"

	"roughcut/media"
)

// PlacementChange is a change to a placement, with the names of the API. A nil field stays
// unchanged.
type PlacementChange struct {
	AssetFileID    *string  `json:"asset_file_id"`
	OffsetMS       *int64   `json:"asset_offset_ms"`
	VisualMode     *string  `json:"visual_mode"`
	AudioMode      *string  `json:"audio_mode"`
	Position       *string  `json:"overlay_position"`
	X              *float64 `json:"overlay_x"`
	Y              *float64 `json:"overlay_y"`
	SizePercent    *int     `json:"overlay_size_percent"`
	OpacityPercent *int     `json:"overlay_opacity_percent"`
	FlipH          *bool    `json:"overlay_flip_h"`
	FlipV          *bool    `json:"overlay_flip_v"`
	RotationDeg    *int     `json:"overlay_rotation_deg"`
	VolumePercent  *int     `json:"audio_volume_percent"`
	DuckMain       *bool    `json:"audio_duck_main"`
	DuckUnderVoice *bool    `json:"audio_duck_under_voice"`
	FadeInMS       *int64   `json:"fade_in_ms"`
	FadeOutMS      *int64   `json:"fade_out_ms"`
	Loop           *bool    `json:"loop"`
	UntilEnd       *bool    `json:"until_end"`
}

// WholePlacement returns the change that sets every field to its value in a placement.
func WholePlacement(p media.Placement) PlacementChange {
	whole, _ := PlacementChange{}.apply(&p) // of a checked placement
	return whole
}

// apply changes a placement and returns all of its values. Errors: Unprocessable for values out of
// range.
func (c PlacementChange) apply(p *media.Placement) (whole PlacementChange, err error) {
	mergeField(&p.AssetFileID, &c.AssetFileID)
	mergeField(&p.FlipH, &c.FlipH)
	mergeField(&p.FlipV, &c.FlipV)
	mergeField(&p.DuckMain, &c.DuckMain)
	mergeField(&p.DuckUnderVoice, &c.DuckUnderVoice)
	mergeField(&p.Loop, &c.Loop)
	mergeField(&p.UntilEnd, &c.UntilEnd)
	err = cmp.Or(
		checkTime("asset_offset_ms", mergeField(&p.OffsetMS, &c.OffsetMS)),
		checkChoice("visual_mode", mergeField(&p.VisualMode, &c.VisualMode),
			media.VisualOverlay, media.VisualCutaway, media.VisualNone),
		checkChoice("audio_mode", mergeField(&p.AudioMode, &c.AudioMode),
			media.AudioMute, media.AudioMix, media.AudioReplace),
		checkChoice("overlay_position", mergeField(&p.Position, &c.Position),
			append(media.NamedPositions(), media.PositionCustom)...),
		checkRange("overlay_size_percent", mergeField(&p.SizePercent, &c.SizePercent), 1, 100),
		checkRange("overlay_opacity_percent", mergeField(&p.OpacityPercent, &c.OpacityPercent), 0, 100),
		checkRange("overlay_rotation_deg", mergeField(&p.RotationDeg, &c.RotationDeg), -180, 180),
		checkRange("audio_volume_percent", mergeField(&p.VolumePercent, &c.VolumePercent), 0, 200),
		checkRange("fade_in_ms", int(mergeField(&p.FadeInMS, &c.FadeInMS)), 0, 10_000),
		checkRange("fade_out_ms", int(mergeField(&p.FadeOutMS, &c.FadeOutMS)), 0, 10_000),
		checkFraction("overlay_x", mergeField(&p.X, &c.X)),
		checkFraction("overlay_y", mergeField(&p.Y, &c.Y)),
	)
	return c, err
}

// mergeField sets a field to a value, or a missing value to its field, and returns it.
func mergeField[T any](field *T, value **T) T {
	SetIfGiven(field, *value)
	*value = field
	return *field
}

func checkTime(field string, ms int64) error {
	if ms < 0 {
		return failField(field, "Times cannot be negative.")
	}
	return nil
}

func checkFraction(field string, value float64) error {
	if !(value >= 0 && value <= 1) {
		return failField(field, "The value must be 0 to 1, not %g.", value)
	}
	return nil
}

// checkOffset refuses an offset past the end of an asset, if its length is known. Errors: Invalid
// out_of_bounds.
func (r *assetRow) checkOffset(ms int64) error {
	if r.DurationMS != nil && ms > *r.DurationMS {
		return fail(Invalid, "out_of_bounds", "The asset is %d ms long, so %d ms is past its end.", *r.DurationMS, ms)
	}
	return nil
}

// clamp limits an offset to the length of an asset, if that is known.
func (r *assetRow) clamp(ms int64) int64 {
	if r.DurationMS != nil {
		return min(ms, *r.DurationMS)
	}
	return ms
}

// ownAssetFile returns the asset with an asset file, for its user. Errors: NotFound, then
// Forbidden.
func (t *txn) ownAssetFile(userUUID, assetFileID string) (*assetRow, error) {
	row, err := assets.Lookup(t, assetsByFile, assetFileID)
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, notFound(assets.Noun)
	}
	if row.UserUUID != userUUID {
		return nil, notYours(assets.Noun)
	}
	return row, nil
}

// changePlacement changes the placement of an edit or replaces its asset. Without a new offset, it
// limits the old one to the length of the new asset. Errors: see UpdateEdit.
func (t *txn) changePlacement(userUUID string, row *editRow, c PlacementChange) error {
	if c == (PlacementChange{}) {
		return nil
	}
	if row.Placement == nil {
		return failField("asset_file_id", "Only edits of type %q have a placement to change.", EditAsset)
	}
	id := row.Placement.AssetFileID
	SetIfGiven(&id, c.AssetFileID)
	asset, err := t.ownAssetFile(userUUID, id)
	if err != nil {
		return err
	}
	if _, err := c.apply(row.Placement); err != nil {
		return err
	}
	if c.AssetFileID != nil {
		if err := checkReady(asset.Asset); err != nil {
			return err
		}
	}

	if c.OffsetMS == nil {
		row.Placement.OffsetMS = asset.clamp(row.Placement.OffsetMS)
	}
	return asset.checkOffset(row.Placement.OffsetMS)
}

// skipAhead moves the start in the asset later, so that the asset stays in sync after its edit lost
// its beginning.
func (t *txn) skipAhead(e *editRow, ms int64) error {
	if e.Placement == nil || ms <= 0 {
		return nil
	}
	asset, err := assets.Lookup(t, assetsByFile, e.Placement.AssetFileID)
	if err != nil || asset == nil {
		return err
	}
	p := *e.Placement
	p.OffsetMS += ms
	if p.Loop && asset.DurationMS != nil && *asset.DurationMS > 0 {
		p.OffsetMS %= *asset.DurationMS
	}
	p.OffsetMS = asset.clamp(p.OffsetMS)
	e.Placement = &p
	return nil
}

// clampPlacements limits the offsets of an asset's placements after the asset became shorter.
func (t *txn) clampPlacements(asset *assetRow) error {
	list, err := edits.List(t, editsByAsset, asset.AssetFileID)
	if err != nil {
		return err
	}
	for _, e := range list {
		if at := asset.clamp(e.Placement.OffsetMS); at != e.Placement.OffsetMS {
			e.Placement.OffsetMS, e.UpdatedAt = at, t.Now
			if err := edits.Put(t, e); err != nil {
				return err
			}
		}
	}

	return nil
}

// dropPlacements deletes the edits that place an asset.
func (t *txn) dropPlacements(assetFileID string) error {
	return edits.DeleteAll(t, editsByAsset, assetFileID)
}
