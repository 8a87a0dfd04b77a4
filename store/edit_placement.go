package store

// Placement says how an edit of type asset appears and sounds.
type Placement struct {
	AssetFileID string
	OffsetMS    int64   // start in the asset
	VisualMode  string  // overlay, cutaway, none
	AudioMode   string  // mute, mix, replace
	Position    string  // top_left … bottom_right, or custom, which uses X and Y
	X, Y        float64 // center of the overlay as a fraction of the frame
	SizePercent int     // 1-100, of the frame width

	OpacityPercent int // 0-100
	FlipH, FlipV   bool
	RotationDeg    int  // -180 to 180, clockwise
	VolumePercent  int  // 0-200
	DuckMain       bool // lowers the recording while the asset is audible
	DuckUnderVoice bool // lowers the asset while someone speaks

	FadeInMS, FadeOutMS int64 // 0-10000, of picture and audio
	Loop                bool  // a video or audio starts again at its end
}

// maxFadeMS is the longest fade of a placed asset in milliseconds.
const maxFadeMS = 10_000

// PlacementChange is a change to a placement. A nil field stays unchanged.
type PlacementChange struct {
	AssetFileID                                             *string
	OffsetMS, FadeInMS, FadeOutMS                           *int64
	VisualMode, AudioMode, Position                         *string
	X, Y                                                    *float64
	SizePercent, OpacityPercent, RotationDeg, VolumePercent *int
	FlipH, FlipV, DuckMain, DuckUnderVoice, Loop            *bool
}

// newPlacement returns the default placement of an asset. Images and videos are overlays in the
// center at half the frame width, without audio. Audio is mixed in.
func newPlacement(asset *assetRow) *Placement {
	p := &Placement{
		AssetFileID:    asset.AssetFileID,
		VisualMode:     "overlay",
		AudioMode:      "mute",
		Position:       "center",
		X:              0.5,
		Y:              0.5,
		SizePercent:    50,
		OpacityPercent: 100,
		VolumePercent:  100,
	}
	if asset.Kind == "audio" {
		p.VisualMode, p.AudioMode = "none", "mix"
	}
	return p
}

// apply applies a change. Errors: Unprocessable for values out of range.
func (p *Placement) apply(c PlacementChange) error {
	change(&p.OffsetMS, c.OffsetMS)
	change(&p.VisualMode, c.VisualMode)
	change(&p.AudioMode, c.AudioMode)
	change(&p.Position, c.Position)
	change(&p.X, c.X)
	change(&p.Y, c.Y)
	change(&p.SizePercent, c.SizePercent)
	change(&p.OpacityPercent, c.OpacityPercent)
	change(&p.RotationDeg, c.RotationDeg)
	change(&p.VolumePercent, c.VolumePercent)
	change(&p.FlipH, c.FlipH)
	change(&p.FlipV, c.FlipV)
	change(&p.DuckMain, c.DuckMain)
	change(&p.DuckUnderVoice, c.DuckUnderVoice)
	change(&p.FadeInMS, c.FadeInMS)
	change(&p.FadeOutMS, c.FadeOutMS)
	change(&p.Loop, c.Loop)
	return p.check()
}

func change[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

func (p *Placement) check() error {
	if p.OffsetMS < 0 {
		return failField("asset_offset_ms", "Times cannot be negative.")
	}
	positions := []string{
		"top_left", "top", "top_right",
		"left", "center", "right",
		"bottom_left", "bottom", "bottom_right",
		"custom",
	}
	for _, c := range []struct {
		field, value string
		allowed      []string
	}{
		{"visual_mode", p.VisualMode, []string{"overlay", "cutaway", "none"}},
		{"audio_mode", p.AudioMode, []string{"mute", "mix", "replace"}},
		{"overlay_position", p.Position, positions},
	} {
		if err := checkChoice(c.field, c.value, c.allowed...); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		field              string
		value, least, most int
	}{
		{"overlay_size_percent", p.SizePercent, 1, 100}, {"overlay_opacity_percent", p.OpacityPercent, 0, 100},
		{"overlay_rotation_deg", p.RotationDeg, -180, 180}, {"audio_volume_percent", p.VolumePercent, 0, 200},
		{"fade_in_ms", int(p.FadeInMS), 0, maxFadeMS}, {"fade_out_ms", int(p.FadeOutMS), 0, maxFadeMS},
	} {
		if err := checkRange(c.field, c.value, c.least, c.most); err != nil {
			return err
		}
	}
	if !(p.X >= 0 && p.X <= 1) {
		return failField("overlay_x", "The value must be 0 to 1, not %g.", p.X)
	}
	if !(p.Y >= 0 && p.Y <= 1) {
		return failField("overlay_y", "The value must be 0 to 1, not %g.", p.Y)
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
// limits the old one to the length of the new asset. Errors: those of UpdateEdit.
func (t *txn) changePlacement(userUUID string, row *editRow, c PlacementChange) error {
	if c == (PlacementChange{}) {
		return nil
	}
	if row.Placement == nil {
		return failField("asset_file_id", "Only edits of type %q have a placement to change.", EditAsset)
	}
	id := row.Placement.AssetFileID
	change(&id, c.AssetFileID)
	asset, err := t.ownAssetFile(userUUID, id)
	if err != nil {
		return err
	}
	if err := row.Placement.apply(c); err != nil {
		return err
	}
	row.Placement.AssetFileID = id
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
			e.Placement.OffsetMS, e.UpdatedAt = at, t.now
			if err := edits.Put(t, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropPlacements deletes the edits that place an asset.
func (t *txn) dropPlacements(assetFileID string) error {
	return deleteRows(t, edits, editsByAsset, assetFileID)
}
