package store

import (
	"time"

	"roughcut/media"
	"roughcut/store/table"
)

// Kinds of markers.
const (
	MarkerChapter = "chapter" // starts a chapter of the edited video
	MarkerSplit   = "split"   // divides the footage into segments
	MarkerNote    = "note"    // a text for the editor, in no export
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
	markersOn = &onFootage[markerRow, Marker]{
		Table: markers, byProject: markersByProject, history: HistoryMarkers,
		most: maxMarkers, refusal: "A project can have %d chapters, splits and notes. Remove some of them first.",
		project: func(r *markerRow) string { return r.ProjectUUID },
		served:  (*markerRow).served,
		start:   func(m Marker) int64 { return m.TimeMS },
	}
)

// served returns the marker with its project time, and whether its clip is on the timeline.
func (r *markerRow) served(line *timeline) (Marker, bool) {
	m := r.Marker
	m.TimeMS = line.at(r.At)
	return m, line.index(r.At.Clip) >= 0
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

// Markers returns the markers of a project by time. Errors: NotFound, Forbidden.
func (s *Store) Markers(userUUID, projectUUID string) ([]Marker, error) {
	return markersOn.list(s, userUUID, projectUUID)
}

// CreateMarker creates a marker with the kind, name and time of m. Errors: NotFound, Forbidden;
// Invalid no_clips, out_of_bounds; Unprocessable for a negative time, and past maxMarkers.
func (s *Store) CreateMarker(userUUID, projectUUID string, m Marker, as ...Change) (Marker, error) {
	return markersOn.create(s, userUUID, projectUUID, as, func(t *txn, line *timeline) (*markerRow, error) {
		at, err := line.markerAnchor(m.TimeMS)
		return &markerRow{At: at, Marker: Marker{
			UUID: t.NewID(), ProjectUUID: projectUUID, Kind: m.Kind, Name: m.Name, CreatedAt: t.Now, UpdatedAt: t.Now,
		}}, err
	})
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

// UpdateMarker renames or moves a marker. Errors: see CreateMarker.
func (s *Store) UpdateMarker(userUUID, uuid string, c MarkerChange, as ...Change) (Marker, error) {
	return markersOn.update(s, userUUID, "", uuid, as, func(t *txn, line *timeline, row *markerRow) (err error) {
		before := *row
		SetIfGiven(&row.Name, c.Name)
		if c.TimeMS != nil {
			row.At, err = line.markerAnchor(*c.TimeMS)
		}
		if *row != before {
			row.UpdatedAt = t.Now
		}
		return err
	})
}

// DeleteMarker deletes a marker. Errors: NotFound, Forbidden.
func (s *Store) DeleteMarker(userUUID, uuid string, as ...Change) error {
	return markersOn.remove(s, userUUID, "", uuid, as)
}

// chapters returns the chapters of a project in project time.
func (t *txn) chapters(projectUUID string, line *timeline) ([]media.Chapter, error) {
	list, err := markersOn.in(t, projectUUID, line)
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
