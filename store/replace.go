package store

import (
	"slices"
	"time"

	"roughcut/media"
	"roughcut/store/table"
)

// keptReplacements is how many replacements of a run can be undone.
const keptReplacements = 20

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

// textChange is a stored replacement, for undo.
type textChange struct {
	UUID, RunUUID string
	Seq           uint64
	Clips         []clipReplacement
	Captions      []captionChange
	Reasons       []reasonChange `json:",omitempty"`
	CreatedAt     time.Time
}

// clipReplacement is the change of the transcript of a clip.
type clipReplacement struct {
	ClipUUID string
	Words    []splice[media.Word]
	Segments []splice[media.TimedText]
}

var (
	replacementsByRun = &table.Index[textChange]{
		Name: "replacements.by_run",
		Keys: func(r *textChange) [][]byte { return table.Entry(r.RunUUID, r.Seq) },
	}
	replacements = &table.Table[textChange]{
		Name:    "replacements",
		Noun:    "replacement",
		Key:     func(r *textChange) []byte { return []byte(r.UUID) },
		Indexes: []*table.Index[textChange]{replacementsByRun},
	}
)

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
		run := &replacing{t: t, matcher: matcher, dryRun: r.DryRun, only: indexSet(r.Only), as: first(as)}
		run.captionsOnly = r.CaptionsOnly
		run.hits = map[string][]spokenHit{}
		if err := run.replace(userUUID, projectUUID); err != nil {
			return err
		}
		places, changed, undoUUID = run.places, run.changed, run.made.UUID
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
	made    textChange
	hits    map[string][]spokenHit // by clip
	as      Change

	captionsOnly bool
	versions     []captionVersion // of the changed lines
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
	if err := r.t.keepReplacement(project.ActiveRunUUID, &r.made); err != nil {
		return err
	}
	steps := historySteps{Text: &r.made, Captions: r.versions}
	if err := r.t.record(projectUUID, HistoryText, r.as, "replace text", steps); err != nil {
		return err
	}
	r.t.edited(projectUUID)
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
	change := clipReplacement{ClipUUID: p.row.UUID}
	m.Words, change.Words = r.matcher.replaceWords(m.Words, text, starts, chosen)
	m.Segments, change.Segments = replaceSegments(m.Segments, m.Words, change.Words)
	r.made.Clips = append(r.made.Clips, change)
	return r.t.rewriteTranscript(runUUID, p.row.UUID, m)
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
	changes := r.matcher.replaceLines(rows, joined, chosen)
	after := make(map[string]*captionRow, len(rows))
	for _, row := range rows {
		after[row.UUID] = row
	}
	r.made.Captions = append(r.made.Captions, changes...)
	for _, change := range changes {
		for _, before := range change.Before {
			row := after[before.UUID]
			version := captionVersion{Before: &before}
			if row.Text != "" {
				version.After = row
			}
			r.versions = append(r.versions, version)
			if row.Text == "" {
				if err := captions.Delete(r.t, before.UUID); err != nil {
					return err
				}
				continue
			}
			row.UpdatedAt = r.t.now
			if err := captions.Put(r.t, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// rewriteTranscript replaces the transcript of a clip.
func (t *txn) rewriteTranscript(runUUID, clipUUID string, m media.Transcript) error {
	if err := t.dropPrefix(bucketWords, table.Prefix(runUUID, clipUUID)); err != nil {
		return err
	}
	return t.putTranscript(runUUID, clipUUID, m)
}

// keepReplacement stores a replacement for undo, and forgets the oldest ones of the run.
func (t *txn) keepReplacement(runUUID string, r *textChange) error {
	seq, err := replacements.NextSeq(t)
	if err != nil {
		return err
	}
	r.UUID, r.RunUUID, r.Seq, r.CreatedAt = t.s.NewID(), runUUID, seq, t.now
	if err := replacements.Put(t, r); err != nil {
		return err
	}
	kept, err := replacements.List(t, replacementsByRun, runUUID)
	if err != nil {
		return err
	}
	for _, old := range kept[:max(len(kept)-keptReplacements, 0)] {
		if err := replacements.Delete(t, old.UUID); err != nil {
			return err
		}
	}
	return nil
}

// UndoReplacement restores the texts before the last replacement of the active run. Caption lines
// that a person changed since then stay. Errors: NotFound, Forbidden; Conflict when a later
// replacement exists, or when the run is not the active one.
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
		kept, err := replacements.List(t, replacementsByRun, row.RunUUID)
		if err != nil {
			return err
		}
		if kept[len(kept)-1].UUID != uuid || row.RunUUID != project.ActiveRunUUID {
			return fail(
				Conflict,
				"conflict",
				"Only the last replacement of the active analysis can be undone. Undo the later ones first.",
			)
		}
		again, err := t.revert(row)
		if err != nil {
			return err
		}
		if err := t.undoneOutside(projectUUID, uuid, again); err != nil {
			return err
		}
		t.edited(projectUUID)
		return t.Changed(projectUUID)
	})
}

// ownReplacement returns a replacement in a user's project. Errors: NotFound, then Forbidden.
func (t *txn) ownReplacement(userUUID, uuid string) (*textChange, error) {
	row, err := replacements.Get(t, uuid)
	if err != nil {
		return nil, err
	}
	run, err := runs.Get(t, row.RunUUID)
	if err != nil {
		return nil, err
	}
	return row, t.ownPart(userUUID, run.ProjectUUID, replacements.Noun)
}

// revert restores the texts before a replacement and deletes its row. It skips clips that were
// deleted. again is the replacement of the words that undoes this.
func (t *txn) revert(row *textChange) (again textChange, err error) {
	again = *row
	if again.Clips, err = t.revertWords(row); err != nil {
		return again, err
	}
	for _, change := range row.Captions {
		if err := t.revertCaptions(change); err != nil {
			return again, err
		}
	}
	if err := t.revertReasons(row.RunUUID, row.Reasons); err != nil {
		return again, err
	}
	again.Captions, again.Reasons = nil, nil
	for _, r := range row.Reasons {
		r.Before, r.After = r.After, r.Before
		again.Reasons = append(again.Reasons, r)
	}
	return again, replacements.Delete(t, row.UUID)
}

// revertWords restores the words before a replacement, and returns the changes that undo this.
func (t *txn) revertWords(row *textChange) (again []clipReplacement, err error) {
	for _, change := range row.Clips {
		m, ok, err := t.clipTranscript(row.RunUUID, change.ClipUUID)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		back := clipReplacement{ClipUUID: change.ClipUUID}
		var fits, fit bool
		m.Words, back.Words, fits = undo(m.Words, change.Words)
		m.Segments, back.Segments, fit = undo(m.Segments, change.Segments)
		if !fits || !fit {
			return nil, fail(Conflict, "conflict", "The transcript has changed since then, so it stays as it is.")
		}
		if err := t.rewriteTranscript(row.RunUUID, change.ClipUUID, m); err != nil {
			return nil, err
		}
		again = append(again, back)
	}
	return again, nil
}

// revertCaptions restores caption lines, unless one of them was changed or deleted later.
func (t *txn) revertCaptions(change captionChange) error {
	for i, before := range change.Before {
		now, err := captions.Find(t, before.UUID)
		if err != nil {
			return err
		}
		if change.After[i] != "" && (now == nil || now.Text != change.After[i]) {
			return nil
		}
	}
	for _, before := range change.Before {
		before.UpdatedAt = t.now
		if err := captions.Put(t, &before); err != nil {
			return err
		}
	}
	return nil
}
