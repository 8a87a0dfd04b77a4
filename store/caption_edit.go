package store

import (
	"slices"
	"strings"
	"unicode/utf8"

	"roughcut/media"
)

// CaptionChange is a change to a caption line. A nil field stays unchanged.
type CaptionChange struct {
	Text, Speaker  *string // an empty Speaker is that of the words
	StartMS, EndMS *int64  // project time
}

// captionEdit changes caption lines of a run.
type captionEdit struct {
	*txn
	projectUUID string
	runUUID     string
	line        *timeline
}

// editCaptions starts a change of the caption lines of a run.
func (t *txn) editCaptions(projectUUID, runUUID string) (*captionEdit, error) {
	line, err := t.timeline(projectUUID)
	return &captionEdit{txn: t, projectUUID: projectUUID, runUUID: runUUID, line: line}, err
}

// editActiveCaptions starts a change of the caption lines of the active run. Errors: NotFound,
// Forbidden; Conflict no_transcript without an active run.
func (t *txn) editActiveCaptions(userUUID, projectUUID string) (*captionEdit, error) {
	project, err := t.transcribedProject(userUUID, projectUUID)
	if err != nil {
		return nil, err
	}
	return t.editCaptions(projectUUID, project.ActiveRunUUID)
}

// editCaption starts a change of one caption line, which it returns. Errors: NotFound, Forbidden.
func (t *txn) editCaption(userUUID, uuid string) (*captionEdit, *captionRow, error) {
	row, err := captions.Get(t, uuid)
	if err != nil {
		return nil, nil, err
	}
	if err := t.ownPart(userUUID, row.ProjectUUID, captions.Noun); err != nil {
		return nil, nil, err
	}
	e, err := t.editCaptions(row.ProjectUUID, row.RunUUID)
	return e, row, err
}

// put writes a caption line.
func (e *captionEdit) put(row captionRow) error {
	row.UpdatedAt = e.Now
	return captions.Put(e.txn, &row)
}

// add creates a caption line.
func (e *captionEdit) add(clipUUID, text string, span media.Span) (captionRow, error) {
	return e.addSpoken(clipUUID, text, "", span)
}

// addSpoken creates a caption line with a speaker. If speaker is empty, the words tell who speaks.
func (e *captionEdit) addSpoken(clipUUID, text, speaker string, span media.Span) (captionRow, error) {
	row := captionRow{RunUUID: e.runUUID, ClipUUID: clipUUID, Span: span}
	row.CaptionLine = CaptionLine{
		UUID: e.NewID(), ProjectUUID: e.projectUUID, Text: text, OriginalText: text, Speaker: speaker,
		CreatedAt: e.Now,
	}
	return row, e.put(row)
}

// addAll creates caption lines and trims them to their clips. It returns their number.
func (e *captionEdit) addAll(lines []ClipCaption) (created int, err error) {
	for _, l := range lines {
		span := e.line.clamp(l.ClipUUID, media.Span{StartMS: l.StartMS, EndMS: l.EndMS})
		if span.Duration() <= 0 {
			continue
		}
		if _, err := e.addSpoken(l.ClipUUID, l.Text, l.Speaker, span); err != nil {
			return 0, err
		}
		created++
	}

	return created, nil
}

// removeAll deletes the caption lines of the run, except on clips in the trash.
func (e *captionEdit) removeAll() error {
	rows, err := captions.List(e.txn, captionsByRun, e.runUUID)
	for _, row := range rows {
		if _, ok := e.line.find(row.ClipUUID); !ok {
			continue
		}
		if err := captions.Delete(e, row.UUID); err != nil {
			return err
		}
	}

	return err
}

// finish adds the change to the history.
func (e *captionEdit) finish(label string, as []Change) error {
	e.announceEdits(e.projectUUID)
	return e.record(e.projectUUID, HistoryCaptions, optionalChange(as), label)
}

// served returns caption lines in project time, in the order of uuids.
func (e *captionEdit) served(uuids ...string) ([]CaptionLine, error) {
	list, err := e.captionLines(e.projectUUID, e.runUUID)
	out := make([]CaptionLine, len(uuids))
	for _, c := range list {
		if i := slices.Index(uuids, c.UUID); i >= 0 {
			out[i] = c
		}
	}

	return out, err
}

// projectSpan returns the project time of a caption line.
func (e *captionEdit) projectSpan(row *captionRow) media.Span {
	return media.Span{
		StartMS: e.line.at(anchor{row.ClipUUID, row.Span.StartMS}),
		EndMS:   e.line.at(anchor{row.ClipUUID, row.Span.EndMS}),
	}
}

// onClip returns the clip that shows most of a span of project time, and the part of the span on
// it. ok is false if no clip shows any.
func (l *timeline) onClip(span media.Span) (clipUUID string, on media.Span, ok bool) {
	for _, p := range l.places {
		part := span.Intersect(media.Span{StartMS: p.start, EndMS: p.end})
		if part.Duration() > on.Duration() {
			clipUUID, ok = p.row.UUID, true
			on = media.Span{StartMS: part.StartMS - p.start, EndMS: part.EndMS - p.start}
		}
	}

	return clipUUID, on, ok
}

// locate anchors a span of project time. Errors: Unprocessable, Invalid.
func (e *captionEdit) locate(start, end int64) (clipUUID string, on media.Span, err error) {
	if err := checkSpan("", &start, &end); err != nil {
		return "", on, err
	}
	if err := e.line.checkBounds(end); err != nil {
		return "", on, err
	}
	clipUUID, on, ok := e.line.onClip(media.Span{StartMS: start, EndMS: end})
	if !ok {
		return "", on, failField("start_ms", "No clip is ready at this time. Wait until all clips are ready.")
	}
	return clipUUID, on, nil
}

func checkCaptionText(text string) error {
	if strings.TrimSpace(text) == "" {
		return failField("text", "The caption has no text. Enter a text, or delete the caption.")
	}
	return nil
}

// CreateCaptionLine adds a caption line to the active run. A line across two clips becomes part of
// the one that shows most of it. Errors: Conflict no_transcript; Unprocessable; Invalid
// out_of_bounds.
func (s *Store) CreateCaptionLine(
	userUUID, projectUUID, text string,
	span media.Span,
	as ...Change,
) (made CaptionLine, err error) {
	err = s.batch(func(t *txn) error {
		e, err := t.editActiveCaptions(userUUID, projectUUID)
		if err != nil {
			return err
		}
		if err := checkCaptionText(text); err != nil {
			return err
		}
		if err := e.checkCount(); err != nil {
			return err
		}
		clip, on, err := e.locate(span.StartMS, span.EndMS)
		if err != nil {
			return err
		}
		row, err := e.add(clip, text, on)
		if err != nil {
			return err
		}
		if made, err = onlyElement(e.served(row.UUID)); err != nil {
			return err
		}
		return e.finish("add caption", as)
	})
	return made, err
}

// onlyElement returns the only element of a list.
func onlyElement[T any](list []T, err error) (T, error) {
	if err != nil {
		var none T
		return none, err
	}

	return list[0], nil
}

// UpdateCaptionLine changes the text, the speaker and the times of a caption line. Its original
// text stays. Errors: NotFound, Forbidden; Unprocessable for an end that is not after the start;
// Invalid out_of_bounds.
func (s *Store) UpdateCaptionLine(
	userUUID, uuid string,
	c CaptionChange,
	as ...Change,
) (changed CaptionLine, err error) {
	err = s.batch(func(t *txn) error {
		e, before, err := t.editCaption(userUUID, uuid)
		if err != nil {
			return err
		}
		row, label := *before, "edit caption"
		SetIfGiven(&row.Text, c.Text)
		SetIfGiven(&row.Speaker, c.Speaker)
		if row.Speaker = strings.TrimSpace(row.Speaker); utf8.RuneCountInString(row.Speaker) > media.MaxSpeakerRunes {
			return failField("speaker", "The name is longer than %d characters. Shorten it.", media.MaxSpeakerRunes)
		}
		if c.StartMS != nil || c.EndMS != nil {
			span := e.projectSpan(before)
			SetIfGiven(&span.StartMS, c.StartMS)
			SetIfGiven(&span.EndMS, c.EndMS)
			if row.ClipUUID, row.Span, err = e.locate(span.StartMS, span.EndMS); err != nil {
				return err
			}
			if c.Text == nil {
				label = "move caption"
			}
		}

		words := row.Text != before.Text || row.Speaker != before.Speaker
		if words || row.Span != before.Span || row.ClipUUID != before.ClipUUID {
			if err := e.put(row); err != nil {
				return err
			}
		}

		if changed, err = onlyElement(e.served(uuid)); err != nil {
			return err
		}
		return e.finish(label, as)
	})
	return changed, err
}

// DeleteCaptionLine deletes a caption line. Errors: NotFound, Forbidden.
func (s *Store) DeleteCaptionLine(userUUID, uuid string, as ...Change) error {
	return s.batch(func(t *txn) error {
		e, row, err := t.editCaption(userUUID, uuid)
		if err != nil {
			return err
		}
		if err := captions.Delete(e, row.UUID); err != nil {
			return err
		}
		return e.finish("delete caption", as)
	})
}

// SplitCaptionLine divides a caption line before the character at a position. The second part
// starts at atMS in project time, or with nil where the words of the transcript say. It returns
// both parts; the first one keeps the uuid. Errors: NotFound, Forbidden; Unprocessable if a part
// would have no text or no time.
func (s *Store) SplitCaptionLine(
	userUUID, uuid string,
	position int,
	atMS *int64,
	as ...Change,
) (parts []CaptionLine, err error) {
	err = s.batch(func(t *txn) error {
		e, before, err := t.editCaption(userUUID, uuid)
		if err != nil {
			return err
		}
		if err := e.checkCount(); err != nil {
			return err
		}
		m, _, err := t.clipTranscript(before.RunUUID, before.ClipUUID)
		if err != nil {
			return err
		}
		line := media.CaptionLine{Text: before.Text, StartMS: before.Span.StartMS, EndMS: before.Span.EndMS}
		head, tail, ms, ok := media.SplitCaption(line, m.Words, position)
		if !ok {
			return failField("position", "A part would have no text. Split between two words.")
		}
		if atMS != nil {
			ms = *atMS - e.line.at(anchor{before.ClipUUID, 0})
		}
		if ms <= before.Span.StartMS || ms >= before.Span.EndMS {
			return failField("at_ms", "The caption is not shown at this time. Split between its start and its end.")
		}
		row := *before
		row.Text, row.OriginalText, row.Span.EndMS = head, head, ms
		if err := e.put(row); err != nil {
			return err
		}
		second, err := e.addSpoken(row.ClipUUID, tail, row.Speaker, media.Span{StartMS: ms, EndMS: before.Span.EndMS})
		if err != nil {
			return err
		}
		if parts, err = e.served(uuid, second.UUID); err != nil {
			return err
		}
		return e.finish("split caption", as)
	})
	return parts, err
}

// MergeCaptionLine joins a caption line with the next one of its clip, which is deleted. Errors:
// NotFound, Forbidden; Conflict without a next line, or if the text would be too long.
func (s *Store) MergeCaptionLine(userUUID, uuid string, as ...Change) (merged CaptionLine, err error) {
	err = s.batch(func(t *txn) error {
		e, before, err := t.editCaption(userUUID, uuid)
		if err != nil {
			return err
		}
		next, err := e.next(before)
		if err != nil {
			return err
		}
		row := *before
		row.Text, row.OriginalText = joined(row.Text, next.Text), joined(row.OriginalText, next.OriginalText)
		if utf8.RuneCountInString(row.Text) > media.MaxCaptionRunes {
			return conflict("The captions have more than %d characters together, so they stay apart.",
				media.MaxCaptionRunes)
		}

		row.Span.EndMS = max(row.Span.EndMS, next.Span.EndMS)
		if err := e.put(row); err != nil {
			return err
		}
		if err := captions.Delete(e, next.UUID); err != nil {
			return err
		}
		if merged, err = onlyElement(e.served(uuid)); err != nil {
			return err
		}
		return e.finish("merge captions", as)
	})
	return merged, err
}

// joined joins the texts of two caption lines, with a space where the script uses one.
func joined(a, b string) string {
	if media.WrittenTogether(a, b) {
		return a + b
	}
	return a + " " + b
}

// next returns the caption line that follows row on the same clip. Errors: Conflict for the last
// line of a clip.
func (e *captionEdit) next(row *captionRow) (*captionRow, error) {
	rows, err := captions.List(e.txn, captionsByRun, row.RunUUID)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r *captionRow) bool { return r.ClipUUID != row.ClipUUID })
	slices.SortStableFunc(rows, byTime)
	i := slices.IndexFunc(rows, func(r *captionRow) bool { return r.UUID == row.UUID })
	if i < 0 || i+1 == len(rows) {
		return nil, conflict("The clip has no later caption to merge with.")
	}
	return rows[i+1], nil
}

// CaptionImport are caption lines of a file, and how to add them.
type CaptionImport struct {
	Lines   []media.CaptionLine
	Edited  bool // the times are those of the edited video, otherwise project time
	Replace bool // the existing lines go
}

// ImportCaptionLines adds lines of a file to the captions of the active run. It drops lines past
// the end and trims the others to their clips. It returns the number of new lines and all lines.
// Errors: Conflict no_transcript; Unprocessable if no line is within the project, and for more than
// MaxCaptionLines lines. For times of the edited video, see also EditedCaptions.
func (s *Store) ImportCaptionLines(
	userUUID, projectUUID string,
	in CaptionImport,
	as ...Change,
) (created int, all []CaptionLine, err error) {
	toSource, err := s.captionPlaces(userUUID, projectUUID, in)
	if err != nil {
		return 0, nil, err
	}
	err = s.update(func(t *txn) error {
		e, err := t.editActiveCaptions(userUUID, projectUUID)
		if err != nil {
			return err
		}
		if in.Replace {
			if err := e.removeAll(); err != nil {
				return err
			}
		}

		var placed []ClipCaption
		for _, l := range in.Lines {
			text := media.CleanCaption(l.Text)
			if clip, on, ok := toSource(e.line, media.Span{StartMS: l.StartMS, EndMS: l.EndMS}); ok && text != "" {
				line := media.TimedText{Text: text, StartMS: on.StartMS, EndMS: on.EndMS}
				placed = append(placed, ClipCaption{ClipUUID: clip, TimedText: line, Speaker: l.Speaker})
			}
		}

		if created, err = e.addAll(placed); err != nil {
			return err
		}
		if created == 0 {
			return fail(Unprocessable, "unprocessable",
				"No line of the file is within the project. Choose the subtitles of this recording.")
		}

		if all, err = e.captionLines(projectUUID, e.runUUID); err != nil {
			return err
		}
		if len(all) > MaxCaptionLines {
			return tooManyCaptions()
		}
		return e.finish("import captions", as)
	})
	return created, all, err
}

// MaxCaptionLines is the number of caption lines that a run has after an import or a split, or with
// one more line, at most. Every history entry holds the lines that it changed.
const MaxCaptionLines = 10_000

func tooManyCaptions() error {
	return tooMany("A project can have %d caption lines. Delete or merge some of them first.", MaxCaptionLines)
}

// checkCount refuses one more caption line past MaxCaptionLines. Errors: Unprocessable.
func (e *captionEdit) checkCount() error {
	if captions.Count(e.txn, captionsByRun, e.runUUID) < MaxCaptionLines {
		return nil
	}
	return tooManyCaptions()
}

// captionPlacer returns the clip and the clip time of a span of a caption file.
type captionPlacer func(line *timeline, span media.Span) (clipUUID string, on media.Span, ok bool)

// captionPlaces returns how to place the lines of an import.
func (s *Store) captionPlaces(userUUID, projectUUID string, in CaptionImport) (captionPlacer, error) {
	if !in.Edited {
		return (*timeline).onClip, nil
	}
	var clips []string
	load := func(t *txn, project *projectRow, _ *frozenExport) error {
		line, err := t.timeline(project.UUID)
		if err == nil {
			for _, p := range line.places {
				clips = append(clips, p.row.UUID)
			}
		}

		return err
	}
	plan, err := s.editedPlan(userUUID, projectUUID, Within{}, load)
	if err != nil {
		return nil, err
	}
	return func(_ *timeline, span media.Span) (string, media.Span, bool) {
		input, on, ok := plan.SourceSpan(span)
		if !ok {
			return "", on, false
		}
		return clips[input], on, true
	}, nil
}
