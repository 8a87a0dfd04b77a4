package store

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"roughcut/media"
	"roughcut/store/table"
)

// maxShorts is the maximum number of shorts of a project.
const maxShorts = 100

// Short is a named range of a project with its own export settings. It stays on its footage when
// clips move.
type Short struct {
	UUID, ProjectUUID, Name string
	StartMS, EndMS          int64           `json:"-"` // project time
	ExportSettings          json.RawMessage // without range
	CreatedAt, UpdatedAt    time.Time
}

// ShortChange is a change to a short. A nil field stays unchanged.
type ShortChange struct {
	Name           *string
	StartMS, EndMS *int64
	ExportSettings json.RawMessage // replaces all settings
}

// shortRow is the stored form of a Short.
type shortRow struct {
	Short
	UserUUID string
	Parts    []anchoredSpan // one on each of its clips, by time; some of the clips may be in the trash
}

var (
	shortsByProject = &table.Index[shortRow]{
		Name: "shorts.by_project",
		Keys: func(r *shortRow) [][]byte { return table.Entry(r.ProjectUUID) },
	}
	shorts = &table.Table[shortRow]{
		Name:    "shorts",
		Noun:    "short",
		Key:     func(r *shortRow) []byte { return []byte(r.UUID) },
		Owner:   func(r *shortRow) string { return r.UserUUID },
		Indexes: []*table.Index[shortRow]{shortsByProject},

		Undoable: true,
	}
	// undoShorts leaves out the parts on deleted clips.
	undoShorts = &undoRows[shortRow]{
		Table: shorts,
		fit: func(t *txn, _, after *shortRow) (bool, error) {
			err := after.forgetDeleted(t)
			return len(after.Parts) > 0, err
		},
	}
	shortsOn = &onFootage[shortRow, Short]{
		Table: shorts, byProject: shortsByProject, history: HistoryShorts,
		most: maxShorts, refusal: "A project can have %d shorts. Delete some of them first.",
		project: func(r *shortRow) string { return r.ProjectUUID },
		served:  (*shortRow).served,
		start:   func(m Short) int64 { return m.StartMS },
	}
)

// served returns the short with its project time, and whether a clip of it is on the timeline.
// Clips in the trash shorten it.
func (r *shortRow) served(line *timeline) (Short, bool) {
	shown := slices.DeleteFunc(slices.Clone(r.Parts), func(p anchoredSpan) bool { return !line.holds(p) })
	if len(shown) == 0 {
		return r.Short, false
	}
	served := r.Short
	served.StartMS, served.EndMS = line.at(shown[0].Start), line.at(shown[len(shown)-1].End)
	return served, true
}

// forgetDeleted leaves out the parts on deleted clips.
func (r *shortRow) forgetDeleted(t *txn) (err error) {
	r.Parts = slices.DeleteFunc(slices.Clone(r.Parts), func(p anchoredSpan) bool {
		row, found := clips.Find(t, p.Start.Clip)
		err = cmp.Or(err, found)
		return row == nil
	})
	return err
}

// place puts a short on a span of project time. Errors: Unprocessable; Invalid no_clips,
// out_of_bounds.
func (r *shortRow) place(line *timeline, start, end int64) error {
	if err := checkSpan("", &start, &end); err != nil {
		return err
	}
	ready := &timeline{places: line.places, total: line.total} // unlike edits, parts need a ready clip
	if err := ready.checkBounds(end); err != nil {
		return err
	}
	r.Parts = ready.split(ready.anchoredSpan(media.Span{StartMS: start, EndMS: end}))
	return nil
}

// set replaces the settings of a short. Errors: Unprocessable.
func (r *shortRow) set(settings json.RawMessage) error {
	parsed, err := parseSettings(OrEmptyObject(settings))
	if err == nil && parsed.Range != nil {
		err = failField("export_settings.range", "A short has a range already. Set its start_ms and end_ms instead.")
	}
	r.ExportSettings = OrEmptyObject(settings)
	return err
}

// Shorts returns the shorts of a project by start. Errors: NotFound, Forbidden.
func (s *Store) Shorts(userUUID, projectUUID string) ([]Short, error) {
	return shortsOn.list(s, userUUID, projectUUID)
}

// CreateShort creates a short with the name, times and settings of m. Errors: NotFound, Forbidden;
// Invalid no_clips, out_of_bounds; Unprocessable for invalid times and settings, past maxShorts and
// past maxSettingsBytes.
func (s *Store) CreateShort(userUUID, projectUUID string, m Short, as ...Change) (Short, error) {
	return shortsOn.create(s, userUUID, projectUUID, as, func(t *txn, line *timeline) (*shortRow, error) {
		row := &shortRow{UserUUID: userUUID, Short: Short{
			UUID: t.NewID(), ProjectUUID: projectUUID, Name: m.Name, CreatedAt: t.Now, UpdatedAt: t.Now,
		}}
		if err := row.place(line, m.StartMS, m.EndMS); err != nil {
			return nil, err
		}
		return row, row.set(m.ExportSettings)
	})
}

// UpdateShort renames or moves a short of a project, or changes its settings. Errors: see
// CreateShort.
func (s *Store) UpdateShort(userUUID, projectUUID, uuid string, c ShortChange, as ...Change) (Short, error) {
	return shortsOn.update(s, userUUID, projectUUID, uuid, as, func(t *txn, line *timeline, row *shortRow) error {
		SetIfGiven(&row.Name, c.Name)
		if c.StartMS != nil || c.EndMS != nil {
			now, _ := row.served(line)
			SetIfGiven(&now.StartMS, c.StartMS)
			SetIfGiven(&now.EndMS, c.EndMS)
			if err := row.place(line, now.StartMS, now.EndMS); err != nil {
				return err
			}
		}

		row.UpdatedAt = t.Now
		if c.ExportSettings == nil {
			return nil
		}
		return row.set(c.ExportSettings)
	})
}

// DeleteShort deletes a short of a project. Errors: NotFound, Forbidden.
func (s *Store) DeleteShort(userUUID, projectUUID, uuid string, as ...Change) error {
	return shortsOn.remove(s, userUUID, projectUUID, uuid, as)
}

// exportShort returns the short that an export asks for, with its range in its settings, as the
// draft of the export holds it. Other exports get an empty short. Errors: NotFound, Forbidden;
// Unprocessable for a range in the request.
func (t *txn) exportShort(userUUID, projectUUID string, in NewExport, draft Draft) (Short, error) {
	if in.ShortUUID == nil {
		return Short{}, nil
	}
	row, line, err := shortsOn.own(t, userUUID, projectUUID, *in.ShortUUID)
	if err != nil {
		return Short{}, err
	}
	inline, err := parseSettings(OrEmptyObject(in.Settings))
	if err != nil {
		return Short{}, err
	}
	if inline.Range != nil {
		return Short{}, failField(
			"export_settings.range", "The export of a short has the range of the short. Leave out one of the two.",
		)
	}

	short, _ := row.served(line)
	if i := slices.IndexFunc(draft.Shorts, func(m Short) bool { return m.UUID == short.UUID }); i >= 0 {
		short = draft.Shorts[i]
	}

	short.ExportSettings, err = withRange(short.ExportSettings, media.Span{StartMS: short.StartMS, EndMS: short.EndMS})
	return short, err
}

// moveShorts moves shorts, except those in whole, to the clips that play their footage in a new
// order of clips. moved returns the spans that a part became. A short is split where other footage
// comes between its clips.
func (t *txn) moveShorts(
	projectUUID string, line *timeline, whole map[string]bool, moved func(anchoredSpan) []anchoredSpan,
) error {
	rows, err := shorts.List(t, shortsByProject, projectUUID)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if whole[row.UUID] {
			continue
		}
		groups := line.joined(movedParts(row.Parts, moved))
		if len(groups) == 1 && slices.Equal(groups[0], row.Parts) {
			continue
		}

		row.UpdatedAt = t.Now
		for i, group := range groups {
			if row.Parts = group; i > 0 {
				row.UUID = t.NewID()
			}
			if err := shorts.Put(t, row); err != nil { // also past maxShorts: clips must move
				return err
			}
		}
	}

	return nil
}

// movedParts returns the spans that parts became.
func movedParts(parts []anchoredSpan, moved func(anchoredSpan) []anchoredSpan) (out []anchoredSpan) {
	for _, p := range parts {
		out = append(out, moved(p)...)
	}
	return out
}

// joined groups the parts of a span that follow each other on the timeline. Parts on clips in the
// trash stay in the group of the part before them.
func (l *timeline) joined(parts []anchoredSpan) (groups [][]anchoredSpan) {
	last := -1 // index in parts of the last one on the timeline
	for i, p := range parts {
		n := len(groups) - 1
		shown := l.holds(p)
		switch {
		case n < 0, shown && last >= 0 && !l.follows(parts[last], p):
			groups = append(groups, []anchoredSpan{p})
		case shown && last >= 0 && parts[last].End.Clip == p.Start.Clip:
			groups[n][len(groups[n])-1].End = p.End
		default:
			groups[n] = append(groups[n], p)
		}

		if shown {
			last = i
		}
	}

	return groups
}

// follows reports whether a part starts where another one ends, or later on its clip.
func (l *timeline) follows(before, p anchoredSpan) bool {
	if before.End.Clip == p.Start.Clip {
		return before.End.MS <= p.Start.MS
	}
	return l.at(before.End) == l.at(p.Start)
}
