package store

import (
	"slices"
	"time"

	"roughcut/media"
	"roughcut/store/table"
)

// Kinds of markers.
const (
	MarkerChapter = "chapter" // starts a chapter of the edited video
	MarkerSplit   = "split"   // divides the footage into segments
)

// maxMarkers is the maximum number of markers of a project.
const maxMarkers = 1000

// Marker is a point of a project. It stays on its footage when clips move.
type Marker struct {
	UUID, ProjectUUID, Kind string
	Name                    string // one line; may be empty
	TimeMS                  int64  // project time
	CreatedAt, UpdatedAt    time.Time
}

// MarkerChange is a change to a marker. A nil field stays unchanged.
type MarkerChange struct {
	Name   *string
	TimeMS *int64
}

// markerRow is the stored form of a Marker. Its time is At.
type markerRow struct {
	Marker
	At anchor
}

var (
	markersByProject = &table.Index[markerRow]{
		Name: "markers.by_project",
		Keys: func(r *markerRow) [][]byte { return table.Entry(r.ProjectUUID) },
	}
	markers = &table.Table[markerRow]{
		Name:    "markers",
		Noun:    "marker",
		Key:     func(r *markerRow) []byte { return []byte(r.UUID) },
		Indexes: []*table.Index[markerRow]{markersByProject},

		Undoable: true,
	}
	// undoMarkers skips markers whose clip is deleted.
	undoMarkers = &undoRows[markerRow]{
		Table: markers,
		fit:   func(t *txn, _, after *markerRow) (bool, error) { return t.anchorsExist(after.At) },
	}
)

// served returns the marker with its project time.
func (r *markerRow) served(line *timeline) Marker {
	m := r.Marker
	m.TimeMS = line.at(r.At)
	return m
}

// markerAnchor anchors a point to footage. At the end of the project it uses the last clip. Errors:
// Invalid no_clips, out_of_bounds; Unprocessable for a negative time.
func (l *timeline) markerAnchor(ms int64) (anchor, error) {
	if ms < 0 {
		return anchor{}, failField("time_ms", "Times cannot be negative.")
	}
	if len(l.places) == 0 {
		return anchor{}, noClips()
	}
	if ms >= l.total {
		if err := (&timeline{places: l.places, total: l.total}).checkBounds(ms); err != nil {
			return anchor{}, err
		}
		return l.endAnchor(ms), nil
	}

	return l.startAnchor(ms), nil
}

// markersOf returns the markers of a project by time, without those on clips that are not on the
// timeline.
func (t *txn) markersOf(projectUUID string, line *timeline) ([]Marker, error) {
	rows, err := markers.List(t, markersByProject, projectUUID)
	if err != nil {
		return nil, err
	}
	list := []Marker{}
	for _, row := range rows {
		if _, ok := line.find(row.At.Clip); ok {
			list = append(list, row.served(line))
		}
	}

	slices.SortStableFunc(list, func(a, b Marker) int { return int(a.TimeMS - b.TimeMS) })
	return list, nil
}

// Markers returns the markers of a project by time. Errors: NotFound, Forbidden.
func (s *Store) Markers(userUUID, projectUUID string) ([]Marker, error) {
	var list []Marker
	err := s.view(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		line, err := t.timeline(projectUUID)
		if err != nil {
			return err
		}
		list, err = t.markersOf(projectUUID, line)
		return err
	})
	return list, err
}

// CreateMarker creates a marker with the kind, name and time of m. Errors: NotFound, Forbidden;
// Invalid no_clips, out_of_bounds; Unprocessable for a negative time, and past maxMarkers.
func (s *Store) CreateMarker(userUUID, projectUUID string, m Marker, as ...Change) (Marker, error) {
	var made Marker
	err := s.update(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		line, err := t.timeline(projectUUID)
		if err != nil {
			return err
		}
		at, err := line.markerAnchor(m.TimeMS)
		if err != nil {
			return err
		}
		rows, err := markers.List(t, markersByProject, projectUUID)
		if err != nil {
			return err
		}
		if len(rows) >= maxMarkers {
			return fail(
				Unprocessable,
				"unprocessable",
				"A project can have %d markers and splits. Remove some of them first.",
				maxMarkers,
			)
		}

		row := &markerRow{At: at, Marker: Marker{
			UUID: s.NewID(), ProjectUUID: projectUUID, Kind: m.Kind, Name: m.Name, CreatedAt: t.Now, UpdatedAt: t.Now,
		}}
		made = row.served(line)
		if err := markers.Put(t, row); err != nil {
			return err
		}
		return t.record(projectUUID, HistoryMarkers, optionalChange(as), "add marker")
	})
	return made, err
}

// addChapters makes the chapters of a recording markers of its project, as many as it can have.
func (t *txn) addChapters(clip *clipRow) error {
	rows, err := markers.List(t, markersByProject, clip.ProjectUUID)
	if err != nil {
		return err
	}
	list := clip.Info.Chapters
	for _, c := range list[:min(len(list), max(0, maxMarkers-len(rows)))] {
		if c.StartMS >= *clip.DurationMS {
			continue
		}
		row := &markerRow{At: anchor{clip.UUID, c.StartMS}, Marker: Marker{
			UUID: t.NewID(), ProjectUUID: clip.ProjectUUID, Kind: MarkerChapter, Name: oneLine(c.Title),
			CreatedAt: t.Now, UpdatedAt: t.Now,
		}}
		if err := markers.Put(t, row); err != nil {
			return err
		}
	}

	return nil
}

// ownMarker returns a marker of a user with its project's timeline. Errors: NotFound, then
// Forbidden.
func (t *txn) ownMarker(userUUID, uuid string) (*markerRow, *timeline, error) {
	row, err := markers.Get(t, uuid)
	if err != nil {
		return nil, nil, err
	}
	if err := t.ownPart(userUUID, row.ProjectUUID, markers.Noun); err != nil {
		return nil, nil, err
	}
	line, err := t.timeline(row.ProjectUUID)
	return row, line, err
}

// UpdateMarker renames or moves a marker. Errors: see CreateMarker.
func (s *Store) UpdateMarker(userUUID, uuid string, c MarkerChange, as ...Change) (Marker, error) {
	var changed Marker
	err := s.update(func(t *txn) error {
		row, line, err := t.ownMarker(userUUID, uuid)
		if err != nil {
			return err
		}
		before := *row
		SetIfGiven(&row.Name, c.Name)
		if c.TimeMS != nil {
			if row.At, err = line.markerAnchor(*c.TimeMS); err != nil {
				return err
			}
		}

		changed = row.served(line)
		if before == *row {
			return nil
		}
		row.UpdatedAt, changed.UpdatedAt = t.Now, t.Now
		if err := markers.Put(t, row); err != nil {
			return err
		}
		return t.record(row.ProjectUUID, HistoryMarkers, optionalChange(as), "change marker")
	})
	return changed, err
}

// DeleteMarker deletes a marker. Errors: NotFound, Forbidden.
func (s *Store) DeleteMarker(userUUID, uuid string, as ...Change) error {
	return s.updateOnReserve(func(t *txn) error {
		row, _, err := t.ownMarker(userUUID, uuid)
		if err != nil {
			return err
		}
		if err := markers.Delete(t, row.UUID); err != nil {
			return err
		}
		return t.record(row.ProjectUUID, HistoryMarkers, optionalChange(as), "remove marker")
	})
}

// dropMarkersOf deletes the markers on a clip.
func (t *txn) dropMarkersOf(clipUUID, projectUUID string) error {
	rows, err := markers.List(t, markersByProject, projectUUID)
	for _, row := range rows {
		if row.At.Clip == clipUUID {
			if err == nil {
				err = markers.Delete(t, row.UUID)
			}
		}
	}

	return err
}

// dropMarkers deletes all markers of a project.
func (t *txn) dropMarkers(projectUUID string) error {
	return markers.DeleteAll(t, markersByProject, projectUUID)
}

// chapters returns the chapters of a project in project time.
func (t *txn) chapters(projectUUID string, line *timeline) ([]media.Chapter, error) {
	list, err := t.markersOf(projectUUID, line)
	if err != nil {
		return nil, err
	}
	var out []media.Chapter
	for _, m := range list {
		if m.Kind == MarkerChapter {
			out = append(out, media.Chapter{StartMS: m.TimeMS, Title: m.Name})
		}
	}

	return out, nil
}
