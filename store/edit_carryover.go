package store

import (
	"slices"
	"strings"

	"roughcut/media"
	"roughcut/store/table"
)

// userEdits returns the decisions of a person in a project, on clip time: manual cuts, and the
// detected edits of a run that were toggled or moved.
func (t *txn) userEdits(projectUUID, runUUID string, line *timeline) ([]DetectedEdit, error) {
	rows, err := edits.List(t, editsManual, projectUUID)
	if err != nil {
		return nil, err
	}
	if runUUID != "" {
		detected, err := edits.List(t, editsByRun, runUUID)
		if err != nil {
			return nil, err
		}
		rows = append(rows, slices.DeleteFunc(detected, func(r *editRow) bool { return !r.Touched })...)
	}

	var list []DetectedEdit
	for _, row := range line.shown(rows) {
		where := media.Span{StartMS: line.at(row.Start), EndMS: line.at(row.End)}
		for _, p := range line.places {
			part := where.Intersect(media.Span{StartMS: p.start, EndMS: p.end})
			if part.Duration() <= 0 {
				continue
			}
			list = append(list, DetectedEdit{
				ClipUUID:  p.row.UUID,
				Type:      row.Type,
				Span:      media.Span{StartMS: part.StartMS - p.start, EndMS: part.EndMS - p.start},
				Active:    row.Active,
				Placement: cloned(row.Placement),
				Action:    row.Action,
			})
		}
	}

	return list, nil
}

// dismissal is a detected placement that a person deleted. The asset is not placed there again.
type dismissal struct {
	AssetFileID, Clip string
	Span              media.Span
}

// dismiss records that a person deleted a detected placement.
func (t *txn) dismiss(row *editRow) error {
	if row.RunUUID == nil || row.Placement == nil || row.Found == nil {
		return nil
	}
	return t.changeRun(*row.RunUUID, func(r *runRow) {
		r.Dismissed = append(r.Dismissed, dismissal{row.Placement.AssetFileID, row.FoundClip, *row.Found})
	})
}

// undismiss takes back what dismiss has recorded for an edit like this one.
func (t *txn) undismiss(row *editRow) error {
	if row.RunUUID == nil || row.Placement == nil || row.Found == nil {
		return nil
	}
	gone := dismissal{row.Placement.AssetFileID, row.FoundClip, *row.Found}
	return t.changeRun(*row.RunUUID, func(r *runRow) {
		r.Dismissed = slices.DeleteFunc(r.Dismissed, func(d dismissal) bool { return d == gone })
	})
}

// dismissed reports whether a person has deleted a detected placement like this one.
func (r *runRow) dismissed(row *editRow) bool {
	return row.Placement != nil && slices.ContainsFunc(r.Dismissed, func(d dismissal) bool {
		return d.AssetFileID == row.Placement.AssetFileID && d.Clip == row.FoundClip &&
			d.Span.Intersect(*row.Found).Duration() > 0
	})
}

// canPlace checks the placement of a detected edit. It returns false when the asset does not exist
// or is not ready.
func (t *txn) canPlace(userUUID string, p *media.Placement) (bool, error) {
	asset, err := assets.Lookup(t, assetsByFile, p.AssetFileID)
	if err != nil || asset == nil || asset.UserUUID != userUUID || asset.Status != AssetUploaded {
		return false, err
	}
	_, err = PlacementChange{}.apply(p)
	if err != nil {
		return true, err
	}
	return true, asset.checkOffset(p.OffsetMS)
}

// inherit copies a person's decisions from the run before: the toggled and moved edits become edits
// of this run, and the deleted placements stay dismissed. It returns the copies.
func (t *txn) inherit(
	run *runRow, line *timeline, beforeUUID string, r AnalysisResult,
) (kept decisions, err error) {
	if beforeUUID == "" || beforeUUID == run.UUID {
		return kept, nil
	}
	before, err := runs.Find(t, beforeUUID)
	if err != nil || before == nil {
		return kept, err
	}
	run.Dismissed = append(run.Dismissed, before.Dismissed...)
	rows, err := edits.List(t, editsByRun, beforeUUID)
	if err != nil {
		return kept, err
	}
	said := map[string][]media.Word{} // of the run before, by clip
	var copies []*editRow
	kept.said = map[string][]*editRow{}
	for _, old := range line.shown(rows) {
		if !old.Touched {
			continue
		}
		row := old.clone()
		row.UUID = t.NewID()
		row.RunUUID = &run.UUID
		row.CreatedAt = t.Now
		row.UpdatedAt = t.Now
		copies = append(copies, &row)
		if _, ok := said[row.FoundClip]; !ok {
			m, _, err := t.clipTranscript(beforeUUID, row.FoundClip)
			if err != nil {
				return kept, err
			}
			said[row.FoundClip] = m.Words
		}

		words := wordsIn(said[row.FoundClip], row.Found)
		kept.said[words] = append(kept.said[words], &row)
	}

	relink(copies, r.TakeGroups)
	kept.covered = line.coverage(copies)
	for _, row := range copies {
		run.count(row.Type, 1)
		if err := edits.Put(t, row); err != nil {
			return kept, err
		}
	}

	return kept, nil
}

// decisions are the edits that a person toggled or moved: the project time that the edits cover,
// and the edits by the words that they removed.
type decisions struct {
	covered coverage
	said    map[string][]*editRow
}

// settles reports whether a decision is about a found edit: it has the same type and overlaps, or
// it overlaps and removes the same words.
func (d decisions) settles(line *timeline, row *editRow, words []media.Word) bool {
	if d.covered.has(line, row.Type, row) {
		return true
	}
	if row.Placement != nil || !d.covered.has(line, "", row) {
		return false
	}
	said := wordsIn(words, row.Found)
	if said == "" {
		return false
	}
	return slices.ContainsFunc(d.said[said], func(other *editRow) bool {
		return other.FoundClip == row.FoundClip && other.Found.Intersect(*row.Found).Duration() > 0
	})
}

// wordsIn returns the words that are more than half inside a span, without case and punctuation.
func wordsIn(words []media.Word, span *media.Span) string {
	if span == nil {
		return ""
	}
	var list []string
	for _, w := range words {
		spoken := media.Span{StartMS: w.StartMS, EndMS: w.EndMS}
		if 2*spoken.Intersect(*span).Duration() > spoken.Duration() {
			list = append(list, media.TrimPunct(table.Fold(w.Text)))
		}
	}

	return strings.Join(list, " ")
}
