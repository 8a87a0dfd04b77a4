package store

import (
	"slices"
	"time"

	"roughcut/media"
)

// MaxPresets is how many analysis presets a user may have.
const MaxPresets = 5

// Preset is what a person saved to analyse with. Of a user's presets at most one is the default.
type Preset struct {
	UUID, UserUUID, Name  string
	PacingLevel           int     // 0-100
	FalseStartSensitivity int     // 0-100
	Language              *string // nil to detect it
	AudioClean            bool
	CensorshipMode        string // none, mute, bleep
	DirectorNotes         string
	IsDefault             bool
	CreatedAt, UpdatedAt  time.Time
}

// PreviewPreset is how a person wants the preview to look.
type PreviewPreset struct {
	UUID, UserUUID, Name string
	Format               string // 16:9, 9:16, 1:1
	Background           string // #rrggbb
	CaptionStyle         string // a name in media.CaptionStyles
	CaptionFont          string // empty for that of the style
	CaptionSize          int    // 8-200
	CaptionPosition      string // top, middle, bottom
	CaptionColor         string // #rrggbb
	CaptionLength        string // short, medium, long
	FlipH, FlipV         bool
	CreatedAt, UpdatedAt time.Time
}

// presetRow is a Preset as it is stored.
type presetRow struct {
	Preset
	Seq uint64 // the order of lists
}

// previewPresetRow is a PreviewPreset as it is stored.
type previewPresetRow struct {
	PreviewPreset
	Seq uint64 // the order of lists
}

var (
	presetsByUser = &index[presetRow]{
		name: "presets.by_user",
		keys: func(r *presetRow) [][]byte { return one(r.UserUUID, r.Seq) },
	}
	presets = &table[presetRow]{
		name:    "presets",
		what:    "preset",
		key:     func(r *presetRow) []byte { return []byte(r.UUID) },
		indexes: []*index[presetRow]{presetsByUser},
	}

	previewPresetsByUser = &index[previewPresetRow]{
		name: "preview_presets.by_user",
		keys: func(r *previewPresetRow) [][]byte { return one(r.UserUUID, r.Seq) },
	}
	previewPresets = &table[previewPresetRow]{
		name:    "preview_presets",
		what:    "preview preset",
		key:     func(r *previewPresetRow) []byte { return []byte(r.UUID) },
		indexes: []*index[previewPresetRow]{previewPresetsByUser},
	}
)

// Presets returns the analysis presets of a user, oldest first.
func (s *Store) Presets(userUUID string) ([]Preset, error) {
	list := []Preset{}
	err := s.view(func(t *txn) error {
		rows, err := presets.list(t, presetsByUser, userUUID)
		for _, row := range rows {
			list = append(list, row.Preset)
		}
		return err
	})
	return list, err
}

// CreatePreset saves an analysis preset from what p says besides uuid, user and times. One that is
// the default takes that from the one before. Errors: Unprocessable plan_limit_presets past
// MaxPresets, or for values out of range.
func (s *Store) CreatePreset(userUUID string, p Preset) (Preset, error) {
	if err := p.check(); err != nil {
		return Preset{}, err
	}
	var row *presetRow
	err := s.update(func(t *txn) error {
		if presets.count(t, presetsByUser, userUUID) >= MaxPresets {
			return fail(
				Unprocessable,
				"plan_limit_presets",
				"You have %d analysis presets, which is the most there can be. Delete one first.",
				MaxPresets,
			)
		}
		seq, err := presets.next(t)
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

// UpdatePreset lets fn change an analysis preset; uuid, user and times stay as they are. Errors:
// NotFound, Forbidden, Unprocessable for values out of range.
func (s *Store) UpdatePreset(userUUID, uuid string, fn func(*Preset)) (Preset, error) {
	var row *presetRow
	err := s.update(func(t *txn) (err error) {
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

// putPreset writes an analysis preset. Where it is the default, no other one of the user stays it.
func (t *txn) putPreset(row *presetRow) error {
	if row.IsDefault {
		err := yieldDefault(
			t,
			presets,
			presetsByUser,
			row.UserUUID,
			row.UUID,
			func(r *presetRow) standing { return standing{r.UUID, &r.IsDefault, &r.UpdatedAt} },
		)
		if err != nil {
			return err
		}
	}
	return presets.put(t, row)
}

// DeletePreset deletes an analysis preset. Errors: NotFound, Forbidden.
func (s *Store) DeletePreset(userUUID, uuid string) error {
	return s.update(func(t *txn) error {
		if _, err := t.ownPreset(userUUID, uuid); err != nil {
			return err
		}
		return presets.delete(t, uuid)
	})
}

// ownPreset returns an analysis preset of a user. Errors: NotFound, then Forbidden.
func (t *txn) ownPreset(userUUID, uuid string) (*presetRow, error) {
	row, err := presets.get(t, uuid)
	if err == nil && row.UserUUID != userUUID {
		err = notYours(presets.what)
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
	return checkChoice("censorship_mode", p.CensorshipMode, "none", "mute", "bleep")
}

// PreviewPresets returns the preview presets of a user, oldest first.
func (s *Store) PreviewPresets(userUUID string) ([]PreviewPreset, error) {
	list := []PreviewPreset{}
	err := s.view(func(t *txn) error {
		rows, err := previewPresets.list(t, previewPresetsByUser, userUUID)
		for _, row := range rows {
			list = append(list, row.PreviewPreset)
		}
		return err
	})
	return list, err
}

// CreatePreviewPreset saves a preview preset from what p says besides uuid, user and times. Errors:
// Unprocessable for values out of range.
func (s *Store) CreatePreviewPreset(userUUID string, p PreviewPreset) (PreviewPreset, error) {
	if err := p.check(); err != nil {
		return PreviewPreset{}, err
	}
	var row *previewPresetRow
	err := s.update(func(t *txn) error {
		seq, err := previewPresets.next(t)
		if err != nil {
			return err
		}
		row = &previewPresetRow{Seq: seq, PreviewPreset: p}
		row.UUID = s.NewID()
		row.UserUUID = userUUID
		row.CreatedAt = t.now
		row.UpdatedAt = t.now
		return previewPresets.put(t, row)
	})
	if err != nil {
		return PreviewPreset{}, err
	}
	return row.PreviewPreset, nil
}

// UpdatePreviewPreset lets fn change a preview preset; uuid, user and times stay as they are.
// Errors: NotFound, Forbidden, Unprocessable for values out of range.
func (s *Store) UpdatePreviewPreset(userUUID, uuid string, fn func(*PreviewPreset)) (PreviewPreset, error) {
	var row *previewPresetRow
	err := s.update(func(t *txn) (err error) {
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
		return previewPresets.put(t, row)
	})
	if err != nil {
		return PreviewPreset{}, err
	}
	return row.PreviewPreset, nil
}

// DeletePreviewPreset deletes a preview preset. Errors: NotFound, Forbidden.
func (s *Store) DeletePreviewPreset(userUUID, uuid string) error {
	return s.update(func(t *txn) error {
		if _, err := t.ownPreviewPreset(userUUID, uuid); err != nil {
			return err
		}
		return previewPresets.delete(t, uuid)
	})
}

// ownPreviewPreset returns a preview preset of a user. Errors: NotFound, then Forbidden.
func (t *txn) ownPreviewPreset(userUUID, uuid string) (*previewPresetRow, error) {
	row, err := previewPresets.get(t, uuid)
	if err == nil && row.UserUUID != userUUID {
		err = notYours(previewPresets.what)
	}
	return row, err
}

func (p *PreviewPreset) check() (err error) {
	if p.Name, err = ValidName("name", p.Name); err != nil {
		return err
	}
	choices := []struct {
		field, value string
		allowed      []string
	}{
		{"format", p.Format, []string{"16:9", "9:16", "1:1"}},
		{"caption_style", p.CaptionStyle, media.CaptionStyleNames()},
		{"caption_position", p.CaptionPosition, []string{"top", "middle", "bottom"}},
		{"caption_length", p.CaptionLength, []string{"short", "medium", "long"}},
	}
	for _, c := range choices {
		if err := checkChoice(c.field, c.value, c.allowed...); err != nil {
			return err
		}
	}
	for field, colour := range map[string]string{"background": p.Background, "caption_color": p.CaptionColor} {
		if !hexColour.MatchString(colour) {
			return failField(field, "%q is no colour; write it as #rrggbb.", colour)
		}
	}
	return checkRange("caption_size", p.CaptionSize, 8, 200)
}

func checkRange(field string, value, least, most int) error {
	if value < least || value > most {
		return failField(field, "It must be %d to %d, not %d.", least, most, value)
	}
	return nil
}

func checkChoice(field, value string, allowed ...string) error {
	if !slices.Contains(allowed, value) {
		return failField(field, "%q is not one of %q.", value, allowed)
	}
	return nil
}

// accessPreset answers Access for an id that may be of either kind of preset.
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

// presets checks that nobody has more analysis presets than allowed, or more than one default.
func (c *check) presets() error {
	count, defaults := map[string]int{}, map[string]int{}
	err := presets.all(c.t, func(row *presetRow) error {
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
