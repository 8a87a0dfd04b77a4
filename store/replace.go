package store

import (
	"errors"
	"slices"
	"strings"

	"roughcut/media"
	"roughcut/store/table"
)

// Parts of a run that contain text, as ReplacedPlace names them.
const (
	InTranscript = "transcript"
	InCaptions   = "captions"
)

// TextReplacement replaces a text of one or more words.
type TextReplacement struct {
	Find, Replace         string
	MatchCase, WholeWords bool
	DryRun                bool
	Only                  []int // indices of the places to change; nil for all
	CaptionsOnly          bool  // leave the transcript alone
}

// ReplacedPlace is a place that a replacement changes.
type ReplacedPlace struct {
	Index                       int    // among the places of all texts
	Before, After               string // the words with the text, and those that replace them
	ContextBefore, ContextAfter string
	StartMS, EndMS              int64 // project time of the words, or of the caption line
	In                          string
}

// ReplaceText replaces a text in the transcript and the caption lines of the active run. It returns
// the places in the transcript and then those in the captions, both by time, how many it changed,
// and the id of the replacement for UndoReplacement. The id is empty without a change. A dry run
// changes nothing. Errors: NotFound, Forbidden, Unprocessable; Conflict no_transcript.
func (s *Store) ReplaceText(
	userUUID, projectUUID string,
	r TextReplacement,
	as ...Change,
) (places []ReplacedPlace, changed int, undoUUID string, err error) {
	matcher, err := newTextMatcher(r)
	if err != nil {
		return nil, 0, "", err
	}
	open := s.update
	if r.DryRun {
		open = s.view
	}
	err = open(func(t *txn) error {
		run := &replacing{t: t, matcher: matcher, dryRun: r.DryRun, only: indexSet(r.Only), as: optionalChange(as)}
		run.captionsOnly = r.CaptionsOnly
		run.hits = map[string][]spokenHit{}
		if err := run.replace(userUUID, projectUUID); err != nil {
			return err
		}
		places, changed, undoUUID = run.places, run.changed, run.entry
		return nil
	})
	return places, changed, undoUUID, err
}

// indexSet returns the set of indices, nil for nil.
func indexSet(list []int) map[int]bool {
	if list == nil {
		return nil
	}
	set := make(map[int]bool, len(list))
	for _, i := range list {
		set[i] = true
	}
	return set
}

// replacing is one replacement in a transaction.
type replacing struct {
	t       *txn
	matcher textMatcher
	dryRun  bool
	only    map[int]bool // indices of the request; nil for all
	line    *timeline
	places  []ReplacedPlace
	changed int
	hits    map[string][]spokenHit // by clip
	as      Change
	entry   string // uuid of the history entry

	captionsOnly bool
}

// replace finds all places, and changes those that the request selects.
func (r *replacing) replace(userUUID, projectUUID string) error {
	project, err := r.t.transcribedProject(userUUID, projectUUID)
	if err != nil {
		return err
	}
	if r.line, err = r.t.timeline(projectUUID); err != nil {
		return err
	}
	r.places = []ReplacedPlace{}
	for _, p := range r.line.places {
		if r.captionsOnly {
			break
		}
		if err := r.transcript(project.ActiveRunUUID, p); err != nil {
			return err
		}
	}

	rows, err := captions.List(r.t, captionsByRun, project.ActiveRunUUID)
	if err != nil {
		return err
	}
	slices.SortStableFunc(rows, byTime)
	byClip := map[string][]*captionRow{}
	for _, row := range rows {
		byClip[row.ClipUUID] = append(byClip[row.ClipUUID], row)
	}
	for _, p := range r.line.places {
		if err := r.captions(byClip[p.row.UUID]); err != nil {
			return err
		}
	}

	if r.changed == 0 {
		return nil
	}
	if err := r.reasons(project.ActiveRunUUID); err != nil {
		return err
	}
	row, err := r.t.addEntry(projectUUID, HistoryText, r.as, "replace text")
	if err != nil || row == nil {
		return err
	}
	row.RunUUID, r.entry = project.ActiveRunUUID, row.UUID
	if err := history.Put(r.t, row); err != nil {
		return err
	}
	r.t.announceEdits(projectUUID)
	return r.t.Changed(projectUUID)
}

// selected adds the places of matches and returns the matches to change. at returns the project
// time of a match.
func (r *replacing) selected(text, in string, hits []textRange, at func(textRange) media.Span) []textRange {
	var chosen []textRange
	for _, hit := range hits {
		place, ok := r.matcher.place(text, hit)
		if !ok {
			continue
		}
		span := at(hit)
		place.Index, place.In, place.StartMS, place.EndMS = len(r.places), in, span.StartMS, span.EndMS
		if !r.dryRun && (r.only == nil || r.only[place.Index]) {
			chosen = append(chosen, hit)
		}
		r.places = append(r.places, place)
	}

	r.changed += len(chosen)
	return chosen
}

// transcript replaces the text in the transcript of a clip.
func (r *replacing) transcript(runUUID string, p place) error {
	m, ok, err := r.t.clipTranscript(runUUID, p.row.UUID)
	if err != nil || !ok {
		return err
	}
	text, starts := windowText(m.Words)
	chosen := r.selected(text, InTranscript, r.matcher.find(text), func(hit textRange) media.Span {
		first, last := m.Words[wordAt(starts, hit.from)], m.Words[wordAt(starts, hit.to-1)]
		return media.Span{StartMS: first.StartMS + p.start, EndMS: last.EndMS + p.start}
	})
	if len(chosen) == 0 {
		return nil
	}
	for _, hit := range r.matcher.find(text) {
		first, last := m.Words[wordAt(starts, hit.from)], m.Words[wordAt(starts, hit.to-1)]
		r.hits[p.row.UUID] = append(r.hits[p.row.UUID], spokenHit{
			media.Span{StartMS: first.StartMS, EndMS: last.EndMS}, slices.Contains(chosen, hit),
		})
	}

	var made transcriptChange
	m.Words, made.Words = r.matcher.replaceWords(m.Words, text, starts, chosen)
	m.Segments, made.Segments = replaceSegments(m.Segments, m.Words, made.Words)
	if err := r.t.changeRun(runUUID, func(run *runRow) { run.Corrected = true }); err != nil {
		return err
	}
	return r.t.rewriteTranscript(runUUID, p.row.UUID, m, made)
}

// captions replaces the text in the caption lines of a clip, which are sorted by time.
func (r *replacing) captions(rows []*captionRow) error {
	joined := joinLines(rows)
	chosen := r.selected(joined.text, InCaptions, r.matcher.find(joined.text), func(hit textRange) media.Span {
		first, last := rows[wordAt(joined.starts, hit.from)], rows[wordAt(joined.starts, hit.to-1)]
		return media.Span{
			StartMS: r.line.at(anchor{first.ClipUUID, first.Span.StartMS}),
			EndMS:   r.line.at(anchor{last.ClipUUID, last.Span.EndMS}),
		}
	})
	if len(chosen) == 0 {
		return nil
	}
	for _, row := range r.matcher.replaceLines(rows, joined, chosen) {
		row.UpdatedAt = r.t.Now
		write := func() error { return captions.Put(r.t, row) }
		if row.Text == "" {
			write = func() error { return captions.Delete(r.t, row.UUID) }
		}
		if err := write(); err != nil {
			return err
		}
	}

	return nil
}

// transcriptChange is the change of the transcript of a clip: what undoes it.
type transcriptChange struct {
	Words    []splice[media.Word]
	Segments []splice[media.TimedText]
}

// undo returns a transcript before the change, and the change that undoes this. It returns false if
// the change does not fit the transcript.
func (c transcriptChange) undo(m media.Transcript) (media.Transcript, transcriptChange, bool) {
	var again transcriptChange
	var fits, fit bool
	m.Words, again.Words, fits = undoSplices(m.Words, c.Words)
	m.Segments, again.Segments, fit = undoSplices(m.Segments, c.Segments)
	return m, again, fits && fit
}

// sameTexts reports whether two changes removed the same words and segments.
func (c transcriptChange) sameTexts(other transcriptChange) bool {
	return sameTexts(c.Words, other.Words, func(w media.Word) string { return w.Text }) &&
		sameTexts(c.Segments, other.Segments, func(s media.TimedText) string { return s.Text })
}

func sameTexts[T any](a, b []splice[T], text func(T) string) bool {
	return slices.EqualFunc(a, b, func(a, b splice[T]) bool {
		return slices.EqualFunc(a.Removed, b.Removed, func(a, b T) bool { return text(a) == text(b) })
	})
}

// rewriteTranscript replaces the transcript of a clip with m, the result of the change made.
func (t *txn) rewriteTranscript(runUUID, clipUUID string, m media.Transcript, made transcriptChange) error {
	_, again, ok := made.undo(m)
	if !ok {
		return errors.New("a change of a transcript does not fit it")
	}
	if err := t.noteChange(bucketWords, string(table.Key(runUUID, clipUUID)), made, again); err != nil {
		return err
	}
	if err := t.dropPrefix(bucketWords, table.Prefix(runUUID, clipUUID)); err != nil {
		return err
	}
	return t.putTranscript(runUUID, clipUUID, m)
}

// planWords restores the words of a clip. It skips a clip that was deleted. Errors: Conflict if the
// words have changed since.
func (u *undoing) planWords(s undoStep) (func() error, error) {
	runUUID, clipUUID, _ := strings.Cut(s.Key, "\x00")
	m, ok, err := u.clipTranscript(runUUID, clipUUID)
	if err != nil || !ok {
		return nil, err
	}
	var from, to transcriptChange
	if err := s.from.value(&from); err != nil {
		return nil, err
	}
	if err := s.to.value(&to); err != nil {
		return nil, err
	}
	m, again, fits := to.undo(m)
	if !fits || !again.sameTexts(from) {
		return nil, conflict("The transcript has changed since then, so it stays as it is.")
	}
	return func() error { return u.rewriteTranscript(runUUID, clipUUID, m, again) }, nil
}

// UndoReplacement undoes the last replacement of the active run. Texts that a person changed since
// then stay. Errors: NotFound, Forbidden; Conflict when a later replacement exists, or when the run
// is not the active one.
func (s *Store) UndoReplacement(userUUID, projectUUID, uuid string) error {
	return s.update(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		row, err := t.ownReplacement(userUUID, uuid)
		if err != nil {
			return err
		}
		list, err := history.List(t, historyByProject, row.ProjectUUID)
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(r *historyRow) bool { return r.Undone })
		newest := list[len(list)-1].UUID == uuid
		list = slices.DeleteFunc(list, func(r *historyRow) bool { return r.RunUUID != row.RunUUID })
		if list[len(list)-1].UUID != uuid || row.RunUUID != project.ActiveRunUUID {
			return conflict(
				"Only the last replacement of the active analysis can be undone. Undo the later ones first.",
			)
		}

		steps, err := historyStepsTable.Get(t, uuid)
		if err != nil {
			return err
		}
		if _, err := t.undo(row, steps, undoing{}); err != nil || newest {
			return err
		}
		return t.forgetEntry(row) // it cannot be redone among later changes
	})
}

// ownReplacement returns the history entry of a replacement in a user's project. Errors: NotFound,
// then Forbidden.
func (t *txn) ownReplacement(userUUID, uuid string) (*historyRow, error) {
	row, err := history.Find(t, uuid)
	if err == nil && (row == nil || row.RunUUID == "" || row.Undone) {
		err = notFound("replacement")
	}
	if err != nil {
		return nil, err
	}
	return row, t.ownPart(userUUID, row.ProjectUUID, "replacement")
}
