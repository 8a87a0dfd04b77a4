package store

import (
	"slices"
	"time"

	"roughcut/media"
	"roughcut/store/table"
)

// MaxPresets is the maximum number of analysis presets of a user.
const MaxPresets = 5

// maxPreviewPresets is the maximum number of preview presets of a user.
const maxPreviewPresets = 100

// Preset holds saved analysis settings. At most one preset of a user is the default.
type Preset struct {
	UUID, UserUUID, Name  string
	PacingLevel           int  // 0-100
	FalseStartSensitivity int  // 0-100
	CutFillers            bool `json:",omitempty"`
	CutOptions
	Language             *string // nil to detect it
	AudioClean           bool
	CensorshipMode       string // none, mute, bleep
	DirectorNotes        string
	IsDefault            bool
	CreatedAt, UpdatedAt time.Time
}

// PreviewPreset holds saved settings of the preview.
type PreviewPreset struct {
	UUID, UserUUID, Name string
	Format               string // 16:9, 9:16, 1:1
	FileType             string `json:",omitempty"` // a name in media.ExportFormats; empty for the default
	Background           string // #rrggbb
	CaptionStyle         string // a name in media.CaptionStyles
	CaptionFont          string // empty for the font of the style
	CaptionSize          int    // 8-200
	CaptionPosition      string // top, middle, bottom
	CaptionColor         string // #rrggbb
	CaptionLength        string // short, medium, long
	FlipH, FlipV         bool
	CreatedAt, UpdatedAt time.Time
}

// presetRow is the stored form of a Preset.
type presetRow struct {
	Preset
	Seq uint64 // lists sort by it
}

// previewPresetRow is the stored form of a PreviewPreset.
type previewPresetRow struct {
	PreviewPreset
	Seq uint64 // lists sort by it
}

var (
	presetsByUser = &table.Index[presetRow]{
		Name: "presets.by_user",
		Keys: func(r *presetRow) [][]byte { return table.Entry(r.UserUUID, r.Seq) },
	}
	presets = &table.Table[presetRow]{
		Name:    "presets",
		Noun:    "preset",
		Key:     func(r *presetRow) []byte { return []byte(r.UUID) },
		Owner:   func(r *presetRow) string { return r.UserUUID },
		Indexes: []*table.Index[presetRow]{presetsByUser},
	}

	previewPresetsByUser = &table.Index[previewPresetRow]{
		Name: "preview_presets.by_user",
		Keys: func(r *previewPresetRow) [][]byte { return table.Entry(r.UserUUID, r.Seq) },
	}
	previewPresets = &table.Table[previewPresetRow]{
		Name:    "preview_presets",
		Noun:    "preview preset",
		Key:     func(r *previewPresetRow) []byte { return []byte(r.UUID) },
		Owner:   func(r *previewPresetRow) string { return r.UserUUID },
		Indexes: []*table.Index[previewPresetRow]{previewPresetsByUser},
	}
)

// Presets returns the analysis presets of a user, oldest first.
func (s *Store) Presets(userUUID string) ([]Preset, error) {
	list := []Preset{}
	err := s.view(func(t *txn) error {
		rows, err := presets.List(t, presetsByUser, userUUID)
		for _, row := range rows {
			list = append(list, row.Preset)
		}
		return err
	})
	return list, err
}

// CreatePreset stores an analysis preset and sets its uuid, user and times. A new default replaces
// the former one. Errors: Unprocessable plan_limit_presets above MaxPresets; Unprocessable for
// values out of range.
func (s *Store) CreatePreset(userUUID string, p Preset) (Preset, error) {
	if err := p.check(); err != nil {
		return Preset{}, err
	}
	var row *presetRow
	err := s.updateSettings(userUUID, func(t *txn) error {
		if presets.Count(t, presetsByUser, userUUID) >= MaxPresets {
			return fail(
				Unprocessable,
				"plan_limit_presets",
				"You have %d analysis presets, which is the maximum. Delete one first.",
				MaxPresets,
			)
		}
		seq, err := presets.NextSeq(t)
		if err != nil {
			return err
		}
		row = &presetRow{Seq: seq, Preset: p}
		row.UUID = s.NewID()
		row.UserUUID = userUUID
		row.CreatedAt = t.now
		row.UpdatedAt = t.now
		return t.putPreset(row)
	})
	if err != nil {
		return Preset{}, err
	}
	return row.Preset, nil
}

// UpdatePreset calls fn to change an analysis preset. The uuid, user and times stay. Errors:
// NotFound, Forbidden; Unprocessable for values out of range.
func (s *Store) UpdatePreset(userUUID, uuid string, fn func(*Preset)) (Preset, error) {
	var row *presetRow
	err := s.updateSettings(userUUID, func(t *txn) (err error) {
		if row, err = t.ownPreset(userUUID, uuid); err != nil {
			return err
		}
		before := row.Preset
		fn(&row.Preset)
		row.UUID = before.UUID
		row.UserUUID = before.UserUUID
		row.CreatedAt = before.CreatedAt
		row.UpdatedAt = t.now
		if err := row.check(); err != nil {
			return err
		}
		return t.putPreset(row)
	})
	if err != nil {
		return Preset{}, err
	}
	return row.Preset, nil
}

// putPreset writes an analysis preset. When it is the default, the user's other presets stop being
// the default.
func (t *txn) putPreset(row *presetRow) error {
	if row.IsDefault {
		err := clearOtherDefaults(
			t,
			presets,
			presetsByUser,
			row.UserUUID,
			row.UUID,
			func(r *presetRow) defaultFlag { return defaultFlag{r.UUID, &r.IsDefault, &r.UpdatedAt} },
		)
		if err != nil {
			return err
		}
	}
	return presets.Put(t, row)
}

// DeletePreset deletes an analysis preset. Errors: NotFound, Forbidden.
func (s *Store) DeletePreset(userUUID, uuid string) error {
	return s.free(func(t *txn) error {
		if _, err := t.ownPreset(userUUID, uuid); err != nil {
			return err
		}
		return presets.Delete(t, uuid)
	})
}

// ownPreset returns an analysis preset of a user. Errors: NotFound, then Forbidden.
func (t *txn) ownPreset(userUUID, uuid string) (*presetRow, error) {
	row, err := presets.Get(t, uuid)
	if err == nil && row.UserUUID != userUUID {
		err = notYours(presets.Noun)
	}
	return row, err
}

func (p *Preset) check() (err error) {
	if p.Name, err = ValidName("name", p.Name); err != nil {
		return err
	}
	if err := checkRange("pacing_level", p.PacingLevel, 0, 100); err != nil {
		return err
	}
	if err := checkRange("false_start_sensitivity", p.FalseStartSensitivity, 0, 100); err != nil {
		return err
	}
	if err := p.CutOptions.Check(); err != nil {
		return err
	}
	return checkChoice("censorship_mode", p.CensorshipMode, "none", "mute", "bleep")
}

// PreviewPresets returns the preview presets of a user, oldest first.
func (s *Store) PreviewPresets(userUUID string) ([]PreviewPreset, error) {
	list := []PreviewPreset{}
	err := s.view(func(t *txn) error {
		rows, err := previewPresets.List(t, previewPresetsByUser, userUUID)
		for _, row := range rows {
			list = append(list, row.PreviewPreset)
		}
		return err
	})
	return list, err
}

// CreatePreviewPreset stores a preview preset and sets its uuid, user and times. Errors:
// Unprocessable for values out of range, and past maxPreviewPresets.
func (s *Store) CreatePreviewPreset(userUUID string, p PreviewPreset) (PreviewPreset, error) {
	if err := p.check(); err != nil {
		return PreviewPreset{}, err
	}
	var row *previewPresetRow
	err := s.updateSettings(userUUID, func(t *txn) error {
		if previewPresets.Count(t, previewPresetsByUser, userUUID) >= maxPreviewPresets {
			return tooMany("You can have %d preview presets. Delete some of them first.", maxPreviewPresets)
		}
		seq, err := previewPresets.NextSeq(t)
		if err != nil {
			return err
		}
		row = &previewPresetRow{Seq: seq, PreviewPreset: p}
		row.UUID = s.NewID()
		row.UserUUID = userUUID
		row.CreatedAt = t.now
		row.UpdatedAt = t.now
		return previewPresets.Put(t, row)
	})
	if err != nil {
		return PreviewPreset{}, err
	}
	return row.PreviewPreset, nil
}

// UpdatePreviewPreset calls fn to change a preview preset. The uuid, user and times stay. Errors:
// NotFound, Forbidden; Unprocessable for values out of range.
func (s *Store) UpdatePreviewPreset(userUUID, uuid string, fn func(*PreviewPreset)) (PreviewPreset, error) {
	var row *previewPresetRow
	err := s.updateSettings(userUUID, func(t *txn) (err error) {
		if row, err = t.ownPreviewPreset(userUUID, uuid); err != nil {
			return err
		}
		before := row.PreviewPreset
		fn(&row.PreviewPreset)
		row.UUID = before.UUID
		row.UserUUID = before.UserUUID
		row.CreatedAt = before.CreatedAt
		row.UpdatedAt = t.now
		if err := row.check(); err != nil {
			return err
		}
		return previewPresets.Put(t, row)
	})
	if err != nil {
		return PreviewPreset{}, err
	}
	return row.PreviewPreset, nil
}

// DeletePreviewPreset deletes a preview preset. Errors: NotFound, Forbidden.
func (s *Store) DeletePreviewPreset(userUUID, uuid string) error {
	return s.free(func(t *txn) error {
		if _, err := t.ownPreviewPreset(userUUID, uuid); err != nil {
			return err
		}
		return previewPresets.Delete(t, uuid)
	})
}

// ownPreviewPreset returns a preview preset of a user. Errors: NotFound, then Forbidden.
func (t *txn) ownPreviewPreset(userUUID, uuid string) (*previewPresetRow, error) {
	row, err := previewPresets.Get(t, uuid)
	if err == nil && row.UserUUID != userUUID {
		err = notYours(previewPresets.Noun)
	}
	return row, err
}

func (p *PreviewPreset) check() (err error) {
	if p.Name, err = ValidName("name", p.Name); err != nil {
		return err
	}
	names := []string{""} // rows of older versions have none
	for _, f := range media.ExportFormats() {
		names = append(names, f.Name)
	}
	choices := []struct {
		field, value string
		allowed      []string
	}{
		{"format", p.Format, media.AspectRatios()},
		{"file_type", p.FileType, names},
		{"caption_style", p.CaptionStyle, media.CaptionStyleNames()},
		{"caption_position", p.CaptionPosition, []string{"top", "middle", "bottom"}},
		{"caption_length", p.CaptionLength, []string{"short", "medium", "long"}},
	}
	for _, c := range choices {
		if err := checkChoice(c.field, c.value, c.allowed...); err != nil {
			return err
		}
	}
	for field, color := range map[string]string{"background": p.Background, "caption_color": p.CaptionColor} {
		if !hexColor.MatchString(color) {
			return failField(field, "%q is not a color. Use the form #rrggbb.", color)
		}
	}
	return checkRange("caption_size", p.CaptionSize, 8, 200)
}

func checkRange(field string, value, least, most int) error {
	if value < least || value > most {
		return failField(field, "The value must be %d to %d, not %d.", least, most, value)
	}
	return nil
}

func checkChoice(field, value string, allowed ...string) error {
	if !slices.Contains(allowed, value) {
		return failField(field, "%q is not one of the values %q.", value, allowed)
	}
	return nil
}

// accessPreset checks access to an id that belongs to either kind of preset. Errors: NotFound,
// Forbidden.
func (t *txn) accessPreset(userUUID, uuid string) error {
	_, err := t.ownPreset(userUUID, uuid)
	if !IsKind(err, NotFound) {
		return err
	}
	if _, other := t.ownPreviewPreset(userUUID, uuid); !IsKind(other, NotFound) {
		return other
	}
	return err
}

// presets checks that each user has at most MaxPresets analysis presets and one default.
func (c *check) presets() error {
	count, defaults := map[string]int{}, map[string]int{}
	err := presets.Each(c.t, func(row *presetRow) error {
		count[row.UserUUID]++
		if row.IsDefault {
			defaults[row.UserUUID]++
		}
		return nil
	})
	for user, n := range count {
		if n > MaxPresets || defaults[user] > 1 {
			c.report(
				"preset_count",
				"User %s has %d analysis presets, %d of them the default.",
				user,
				n,
				defaults[user],
			)
		}
	}
	return err
}
