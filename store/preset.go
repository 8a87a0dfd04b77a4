package store

import (
	"cmp"
	"slices"
	"time"

	"roughcut/media"
	"roughcut/store/table"
)

// MaxPresets is the maximum number of analysis presets of a user.
const MaxPresets = 5

// maxPreviewPresets is the maximum number of preview presets of a user.
const maxPreviewPresets = 100

// PresetHead tells presets of either kind apart. The store sets all but the name.
type PresetHead struct {
	UUID, UserUUID, Name string
	CreatedAt, UpdatedAt time.Time
	Seq                  uint64 // lists sort by it
}

// Preset holds saved analysis settings. At most one preset of a user is the default.
type Preset struct {
	PresetHead
	media.CutOptions
	Language       *string // nil to detect it
	AudioClean     bool
	CensorshipMode string // none, mute, bleep
	DirectorNotes  string
	IsDefault      bool
}

// PreviewPreset holds saved settings of the preview.
type PreviewPreset struct {
	PresetHead
	Format          string // 16:9, 9:16, 1:1
	FileType        string `json:",omitempty"` // a name in media.ExportFormats; empty for the default
	Background      string // #rrggbb
	CaptionStyle    string // a name in media.CaptionStyles
	CaptionFont     string // empty for the font of the style
	CaptionSize     int    // 8-200
	CaptionPosition string // top, middle, bottom
	CaptionColor    string // #rrggbb
	CaptionLength   string // short, medium, long
	FlipH, FlipV    bool
}

// presetKind says how presets of a kind are stored.
type presetKind[P any] struct {
	rows   *table.Table[P]
	byUser *table.Index[P]
	head   func(*P) *PresetHead
	check  func(*P) error
	// room refuses one more preset of a user who has count of them
	room func(count int) error
	// put writes a preset
	put func(*txn, *P) error
}

var (
	presetsByUser = presetIndex("presets.by_user", headOfPreset)
	presets       = presetTable("presets", "preset", headOfPreset, presetsByUser)

	previewPresetsByUser = presetIndex("preview_presets.by_user", headOfPreviewPreset)
	previewPresets       = presetTable(
		"preview_presets", "preview preset", headOfPreviewPreset, previewPresetsByUser,
	)

	analysisPresetKind = presetKind[Preset]{
		presets, presetsByUser, headOfPreset, (*Preset).check, roomForPreset, (*txn).putPreset,
	}
	previewPresetKind = presetKind[PreviewPreset]{
		previewPresets, previewPresetsByUser, headOfPreviewPreset, (*PreviewPreset).check, roomForPreviewPreset,
		func(t *txn, p *PreviewPreset) error { return previewPresets.Put(t, p) },
	}
)

func headOfPreset(p *Preset) *PresetHead               { return &p.PresetHead }
func headOfPreviewPreset(p *PreviewPreset) *PresetHead { return &p.PresetHead }

func presetIndex[P any](name string, head func(*P) *PresetHead) *table.Index[P] {
	return &table.Index[P]{
		Name: name,
		Keys: func(p *P) [][]byte { return table.Entry(head(p).UserUUID, head(p).Seq) },
	}
}

func presetTable[P any](name, noun string, head func(*P) *PresetHead, byUser *table.Index[P]) *table.Table[P] {
	return &table.Table[P]{
		Name:    name,
		Noun:    noun,
		Key:     func(p *P) []byte { return []byte(head(p).UUID) },
		Owner:   func(p *P) string { return head(p).UserUUID },
		Indexes: []*table.Index[P]{byUser},
	}
}

func roomForPreset(count int) error {
	if count < MaxPresets {
		return nil
	}
	return fail(
		Unprocessable,
		"plan_limit_presets",
		"You have %d analysis presets, which is the maximum. Delete one first.",
		MaxPresets,
	)
}

func roomForPreviewPreset(count int) error {
	if count < maxPreviewPresets {
		return nil
	}
	return tooMany("You can have %d preview presets. Delete some of them first.", maxPreviewPresets)
}

// PresetsOf holds the presets of one kind.
type PresetsOf[P any] struct {
	s    *Store
	kind presetKind[P]
}

// Presets returns the analysis presets.
func (s *Store) Presets() PresetsOf[Preset] { return PresetsOf[Preset]{s, analysisPresetKind} }

// PreviewPresets returns the preview presets.
func (s *Store) PreviewPresets() PresetsOf[PreviewPreset] {
	return PresetsOf[PreviewPreset]{s, previewPresetKind}
}

// List returns the presets of a user, oldest first.
func (p PresetsOf[P]) List(userUUID string) ([]P, error) {
	list := []P{}
	err := p.s.view(func(t *txn) error {
		rows, err := p.kind.rows.List(t, p.kind.byUser, userUUID)
		for _, row := range rows {
			list = append(list, *row)
		}
		return err
	})
	return list, err
}

// Create stores a preset and sets its head, except the name. A new default replaces the former one.
// Errors: Unprocessable past the maximum of a user, for analysis presets plan_limit_presets;
// Unprocessable for values out of range.
func (p PresetsOf[P]) Create(userUUID string, made P) (P, error) {
	if err := p.kind.check(&made); err != nil {
		return made, err
	}
	err := p.s.updateSettings(userUUID, func(t *txn) error {
		if err := p.kind.room(p.kind.rows.Count(t, p.kind.byUser, userUUID)); err != nil {
			return err
		}
		seq, err := p.kind.rows.NextSeq(t)
		if err != nil {
			return err
		}
		head := p.kind.head(&made)
		*head = PresetHead{t.NewID(), userUUID, head.Name, t.Now, t.Now, seq}
		return p.kind.put(t, &made)
	})
	return made, err
}

// Update calls fn to change a preset. Of the head, fn can change only the name. Errors: NotFound,
// Forbidden; Unprocessable for values out of range.
func (p PresetsOf[P]) Update(userUUID, uuid string, fn func(*P)) (changed P, err error) {
	err = p.s.updateSettings(userUUID, func(t *txn) error {
		row, err := p.kind.own(t, userUUID, uuid)
		if err != nil {
			return err
		}
		head := p.kind.head(row)
		before := *head
		fn(row)
		*head = PresetHead{before.UUID, before.UserUUID, head.Name, before.CreatedAt, t.Now, before.Seq}
		if err := p.kind.check(row); err != nil {
			return err
		}
		changed = *row
		return p.kind.put(t, row)
	})
	return changed, err
}

// Delete deletes a preset. Errors: NotFound, Forbidden.
func (p PresetsOf[P]) Delete(userUUID, uuid string) error {
	return p.s.updateOnReserve(func(t *txn) error {
		if _, err := p.kind.own(t, userUUID, uuid); err != nil {
			return err
		}
		return p.kind.rows.Delete(t, uuid)
	})
}

// own returns a preset of a user. Errors: NotFound, then Forbidden.
func (k presetKind[P]) own(t *txn, userUUID, uuid string) (*P, error) {
	row, err := k.rows.Get(t, uuid)
	if err == nil && k.head(row).UserUUID != userUUID {
		err = notYours(k.rows.Noun)
	}
	return row, err
}

// putPreset writes an analysis preset. When it is the default, the user's other presets stop being
// the default.
func (t *txn) putPreset(row *Preset) error {
	if row.IsDefault {
		err := clearOtherDefaults(
			t,
			presets,
			presetsByUser,
			row.UserUUID,
			row.UUID,
			func(r *Preset) defaultFlag { return defaultFlag{r.UUID, &r.IsDefault, &r.UpdatedAt} },
		)
		if err != nil {
			return err
		}
	}

	return presets.Put(t, row)
}

func (p *Preset) check() (err error) {
	if p.Name, err = ValidName("name", p.Name); err != nil {
		return err
	}
	if err := checkCutOptions(p.CutOptions); err != nil {
		return err
	}
	return cmp.Or(
		checkLanguage(p.Language), checkChoice("censorship_mode", p.CensorshipMode, "none", "mute", "bleep"),
	)
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
	_, err := analysisPresetKind.own(t, userUUID, uuid)
	if IsKind(err, NotFound) {
		_, err = previewPresetKind.own(t, userUUID, uuid)
	}
	return err
}

// presets checks that each user has at most MaxPresets analysis presets and one default.
func (c *check) presets() error {
	count, defaults := map[string]int{}, map[string]int{}
	err := presets.Each(c.t, func(row *Preset) error {
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
