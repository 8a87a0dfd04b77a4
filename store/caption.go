package store

import (
	"slices"
	"time"

	"roughcut/media"
	"roughcut/store/table"
)

// CaptionLine is a caption line in project time.
type CaptionLine struct {
	UUID, ProjectUUID, Text, OriginalText string
	Speaker                               string `json:",omitempty"` // that a person chose; empty for that of the words
	Sequence                              int    // from 1, by time
	StartMS, EndMS                        int64
	CreatedAt, UpdatedAt                  time.Time
}

// media returns the line as render plans read it.
func (l CaptionLine) media() media.CaptionLine {
	return media.CaptionLine{Text: l.Text, StartMS: l.StartMS, EndMS: l.EndMS, Speaker: l.Speaker}
}

// captionRow is the stored form of a CaptionLine. Its time is Span.
type captionRow struct {
	CaptionLine
	RunUUID  string
	ClipUUID string
	Span     media.Span // clip time
}

var (
	captionsByRun = &table.Index[captionRow]{
		Name: "captions.by_run",
		Keys: func(r *captionRow) [][]byte { return table.Entry(r.RunUUID) },
	}
	captionsByClip = &table.Index[captionRow]{
		Name: "captions.by_clip",
		Keys: func(r *captionRow) [][]byte { return table.Entry(r.ClipUUID, r.RunUUID) },
	}
	captionsByProject = &table.Index[captionRow]{
		Name: "captions.by_project",
		Keys: func(r *captionRow) [][]byte { return table.Entry(r.ProjectUUID) },
	}
	captions = &table.Table[captionRow]{
		Name:    "captions",
		Noun:    "caption line",
		Key:     func(r *captionRow) []byte { return []byte(r.UUID) },
		Indexes: []*table.Index[captionRow]{captionsByRun, captionsByClip, captionsByProject},

		Undoable: true,
	}
	// undoCaptions skips lines whose clip or run was deleted.
	undoCaptions = &undoRows[captionRow]{
		Table: captions,
		fit: func(t *txn, _, after *captionRow) (bool, error) {
			clip, err := clips.Find(t, after.ClipUUID)
			if err != nil || clip == nil {
				return false, err
			}
			run, err := runs.Find(t, after.RunUUID)
			return run != nil, err
		},
	}
)

// captionLines returns the caption lines of a run in project time.
func (t *txn) captionLines(projectUUID, runUUID string) ([]CaptionLine, error) {
	list := []CaptionLine{}
	if runUUID == "" {
		return list, nil
	}
	line, err := t.timeline(projectUUID)
	if err != nil {
		return nil, err
	}
	rows, err := captions.List(t, captionsByRun, runUUID)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if _, ok := line.find(row.ClipUUID); !ok { // in the trash
			continue
		}
		c := row.CaptionLine
		c.StartMS = line.at(anchor{row.ClipUUID, row.Span.StartMS})
		c.EndMS = line.at(anchor{row.ClipUUID, row.Span.EndMS})
		list = append(list, c)
	}

	slices.SortStableFunc(list, func(a, b CaptionLine) int { return int(a.StartMS - b.StartMS) })
	for i := range list {
		list[i].Sequence = i + 1
	}
	return list, nil
}

// CaptionLines returns one page of the active run's caption lines by sequence, and the number of
// all.
func (s *Store) CaptionLines(userUUID, projectUUID string, p Page) ([]CaptionLine, int, error) {
	var list []CaptionLine
	err := s.view(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		list, err = t.captionLines(projectUUID, project.ActiveRunUUID)
		return err
	})
	return table.Cut(list, p), len(list), err
}

// ReplaceCaptionLines replaces the caption lines of the active run. Existing lines stay unless
// force is set. It returns the number of new lines and all lines. Errors: Conflict no_transcript
// without an active run.
func (s *Store) ReplaceCaptionLines(
	userUUID, projectUUID string,
	force bool,
	lines []ClipCaption,
	as ...Change,
) (created int, all []CaptionLine, err error) {
	err = s.update(func(t *txn) error {
		e, err := t.editActiveCaptions(userUUID, projectUUID)
		if err != nil {
			return err
		}
		if all, err = t.captionLines(projectUUID, e.runUUID); err != nil {
			return err
		}
		if len(all) > 0 && !force {
			return nil
		}
		if err := e.removeAll(); err != nil {
			return err
		}
		if created, err = e.addAll(lines); err != nil {
			return err
		}
		if all, err = t.captionLines(projectUUID, e.runUUID); err != nil {
			return err
		}
		return e.finish("rebuild captions", as)
	})
	return created, all, err
}

// dropCaptions deletes all caption lines of a project.
func (t *txn) dropCaptions(projectUUID string) error {
	return captions.DeleteAll(t, captionsByProject, projectUUID)
}
