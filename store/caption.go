package store

import (
	"slices"
	"time"

	"roughcut/media"
)

// CaptionLine is one line of captions on project time.
type CaptionLine struct {
	UUID, ProjectUUID, Text, OriginalText string
	Sequence                              int // from 1, in the order of time
	StartMS, EndMS                        int64
	CreatedAt, UpdatedAt                  time.Time
}

// captionRow is a CaptionLine as it is stored: its times are those on the clip.
type captionRow struct {
	CaptionLine
	RunUUID  string
	ClipUUID string
	Span     media.Span // clip time
}

var (
	captionsByRun = &index[captionRow]{
		name: "captions.by_run",
		keys: func(r *captionRow) [][]byte { return one(r.RunUUID) },
	}
	captionsByClip = &index[captionRow]{
		name: "captions.by_clip",
		keys: func(r *captionRow) [][]byte { return one(r.ClipUUID) },
	}
	captionsByProject = &index[captionRow]{
		name: "captions.by_project",
		keys: func(r *captionRow) [][]byte { return one(r.ProjectUUID) },
	}
	captions = &table[captionRow]{
		name:    "captions",
		what:    "caption line",
		key:     func(r *captionRow) []byte { return []byte(r.UUID) },
		indexes: []*index[captionRow]{captionsByRun, captionsByClip, captionsByProject},
	}
)

// addCaptions makes caption lines of a run; what lies outside its clip is cut off.
func (t *txn) addCaptions(run Run, line *timeline, lines []ClipCaption) error {
	for _, text := range lines {
		span := line.clamp(text.ClipUUID, media.Span{StartMS: text.StartMS, EndMS: text.EndMS})
		if span.Duration() <= 0 {
			continue
		}
		row := &captionRow{
			RunUUID:  run.UUID,
			ClipUUID: text.ClipUUID,
			Span:     span,
			CaptionLine: CaptionLine{
				UUID:         t.s.NewID(),
				ProjectUUID:  run.ProjectUUID,
				Text:         text.TimedText.Text,
				OriginalText: text.TimedText.Text,
				CreatedAt:    t.now,
				UpdatedAt:    t.now,
			},
		}
		if err := captions.put(t, row); err != nil {
			return err
		}
	}
	return nil
}

// captionLines returns the caption lines of a run on project time.
func (t *txn) captionLines(projectUUID, runUUID string) ([]CaptionLine, error) {
	list := []CaptionLine{}
	if runUUID == "" {
		return list, nil
	}
	line, err := t.timeline(projectUUID)
	if err != nil {
		return nil, err
	}
	rows, err := captions.list(t, captionsByRun, runUUID)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		c := row.CaptionLine
		c.StartMS, c.EndMS = line.at(anchor{row.ClipUUID, row.Span.StartMS}), line.at(
			anchor{row.ClipUUID, row.Span.EndMS},
		)
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b CaptionLine) int { return int(a.StartMS - b.StartMS) })
	for i := range list {
		list[i].Sequence = i + 1
	}
	return list, nil
}

// CaptionLines returns one page of the active run's caption lines by sequence, and how many there
// are in all.
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
	return cut(list, p), len(list), err
}

// UpdateCaptionLine changes the text of a caption line; its original text stays.
func (s *Store) UpdateCaptionLine(userUUID, uuid, text string) (CaptionLine, error) {
	var changed CaptionLine
	err := s.batch(func(t *txn) error {
		row, err := captions.get(t, uuid)
		if err != nil {
			return err
		}
		if err := t.ownPart(userUUID, row.ProjectUUID, captions.what); err != nil {
			return err
		}
		row.Text, row.UpdatedAt = text, t.now
		if err := captions.put(t, row); err != nil {
			return err
		}
		list, err := t.captionLines(row.ProjectUUID, row.RunUUID)
		for _, c := range list {
			if c.UUID == uuid {
				changed = c
			}
		}
		return err
	})
	return changed, err
}

// ReplaceCaptionLines gives the active run new caption lines. Where it has some already they stay,
// unless force is set. It returns how many were made, and all lines. Errors: Conflict no_transcript
// without an active run.
func (s *Store) ReplaceCaptionLines(
	userUUID, projectUUID string,
	force bool,
	lines []ClipCaption,
) (created int, all []CaptionLine, err error) {
	err = s.update(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		if project.ActiveRunUUID == "" {
			return noTranscript()
		}
		run, err := runs.get(t, project.ActiveRunUUID)
		if err != nil {
			return err
		}
		if all, err = t.captionLines(projectUUID, run.UUID); err != nil || len(all) > 0 && !force {
			return err
		}
		if err := deleteRows(t, captions, captionsByRun, run.UUID); err != nil {
			return err
		}
		line, err := t.timeline(projectUUID)
		if err != nil {
			return err
		}
		if err := t.addCaptions(run.Run, line, lines); err != nil {
			return err
		}
		all, err = t.captionLines(projectUUID, run.UUID)
		created = len(all)
		return err
	})
	return created, all, err
}

// dropCaptions deletes all caption lines of a project.
func (t *txn) dropCaptions(projectUUID string) error {
	return deleteRows(t, captions, captionsByProject, projectUUID)
}
