package store

import (
	"cmp"
	"errors"
	"slices"

	"roughcut/media"
)

// errPreview rolls a transaction back whose result was only to be looked at.
var errPreview = errors.New("preview")

// ReplaceDetected replaces the detected edits of a completed run by others, derived from its
// evidence with other knobs. What a person toggled or moved stays as it is, and hides what would be
// detected in its place; an edit that stays in place keeps its uuid. It returns the run's edits on
// project time and how many were added, removed or changed. Errors: Conflict for a run that is not
// completed.
func (s *Store) ReplaceDetectedEdits(
	userUUID, projectUUID, runUUID string,
	k AnalysisSettings,
	found []DetectedEdit,
) ([]Edit, int, error) {
	var list []Edit
	var n int
	err := s.update(func(t *txn) (err error) {
		list, n, err = t.replaceDetected(userUUID, projectUUID, runUUID, k, found, StatusCompleted)
		return err
	})
	return list, n, err
}

// PreviewDetected returns what ReplaceDetected would, and changes nothing. It also takes a run that
// is under way.
func (s *Store) PreviewDetectedEdits(
	userUUID, projectUUID, runUUID string,
	k AnalysisSettings,
	found []DetectedEdit,
) ([]Edit, int, error) {
	var list []Edit
	var n int
	err := s.update(func(t *txn) (err error) {
		if list, n, err = t.replaceDetected(
			userUUID,
			projectUUID,
			runUUID,
			k,
			found,
			StatusCompleted,
			RunRunning,
		); err != nil {
			return err
		}
		return errPreview
	})
	if errors.Is(err, errPreview) {
		err = nil
	}
	return list, n, err
}

func notPlannable(run *runRow) error {
	return fail(Conflict, "conflict", "Only a completed analysis can be planned anew; this one is %s.", run.Status)
}

func (t *txn) replaceDetected(
	userUUID, projectUUID, runUUID string,
	k AnalysisSettings,
	found []DetectedEdit,
	allowed ...string,
) ([]Edit, int, error) {
	run, err := t.ownRun(userUUID, projectUUID, runUUID)
	if err != nil {
		return nil, 0, err
	}
	if !slices.Contains(allowed, run.Status) {
		return nil, 0, notPlannable(run)
	}
	line, err := t.timeline(projectUUID)
	if err != nil {
		return nil, 0, err
	}
	old, err := edits.list(t, editsByRun, runUUID)
	if err != nil {
		return nil, 0, err
	}
	plan, err := planReplacement(t, run, line, old, found)
	if err != nil {
		return nil, 0, err
	}
	if err := t.applyReplacement(projectUUID, plan); err != nil {
		return nil, 0, err
	}
	run.AnalysisSettings, run.UpdatedAt = k, t.now
	run.EditCount, run.SilenceCount, run.FalseStartCount = 0, 0, 0
	list := make([]Edit, 0, len(plan.rows))
	for _, row := range plan.rows {
		run.count(row.Type, 1)
		list = append(list, row.served(line))
	}
	slices.SortFunc(list, byStart)
	return list, len(plan.write) + len(plan.remove), runs.put(t, run)
}

// replacement is what a replan does to the edits of a run.
type replacement struct {
	rows   []*editRow // all that the run has afterwards
	write  []*editRow // those of rows that are new or changed
	remove []*editRow
}

// spot is the place of a detected edit.
type spot struct {
	clip, kind string
	span       media.Span
}

func (r *editRow) spot() spot { return spot{r.FoundClip, r.Type, *r.Found} }

// planReplacement matches what was found with what is there. Touched edits stay. An untouched one
// keeps its row where something of its type is found in exactly its place, or else overlapping it.
func planReplacement(t *txn, run *runRow, line *timeline, old []*editRow, found []DetectedEdit) (replacement, error) {
	var plan replacement
	var touched, free []*editRow
	exact := map[spot]*editRow{}
	for _, row := range old {
		if row.Touched {
			touched = append(touched, row)
			continue
		}
		free = append(free, row)
		exact[row.spot()] = row
	}
	slices.SortFunc(free, func(a, b *editRow) int { return cmp.Compare(a.Found.StartMS, b.Found.StartMS) })
	plan.rows = append(plan.rows, touched...)
	taken := map[*editRow]bool{}
	var fresh, unmatched []*editRow
	for _, d := range found {
		row, err := t.detected(run, line, d)
		if err != nil {
			return plan, err
		}
		if row != nil && !hidden(line, touched, row) {
			fresh = append(fresh, row)
		}
	}
	for _, row := range fresh {
		if match := exact[row.spot()]; match != nil && !taken[match] {
			taken[match] = true
			plan.keep(match, row)
		} else {
			unmatched = append(unmatched, row)
		}
	}
	for _, row := range unmatched {
		i := slices.IndexFunc(free, func(f *editRow) bool { return !taken[f] && overlaps(f.spot(), row.spot()) })
		if i < 0 {
			plan.rows = append(plan.rows, row)
			plan.write = append(plan.write, row)
			continue
		}
		taken[free[i]] = true
		plan.keep(free[i], row)
	}
	for _, row := range free {
		if !taken[row] {
			plan.remove = append(plan.remove, row)
		}
	}
	return plan, nil
}

// keep gives an edit that is there the place and reason of one that was found.
func (p *replacement) keep(old, found *editRow) {
	same := old.Start == found.Start && old.End == found.End && old.Active == found.Active &&
		old.Reason == found.Reason &&
		*old.Confidence == *found.Confidence &&
		(old.Placement == nil || *old.Placement == *found.Placement)
	if !same {
		found.UUID, found.CreatedAt = old.UUID, old.CreatedAt
		old = found
		p.write = append(p.write, old)
	}
	p.rows = append(p.rows, old)
}

// hidden reports whether a touched edit of the same type lies, or was detected, where something is
// found now.
func hidden(line *timeline, touched []*editRow, row *editRow) bool {
	now := media.Span{StartMS: line.at(row.Start), EndMS: line.at(row.End)}
	for _, other := range touched {
		if other.Type != row.Type {
			continue
		}
		moved := media.Span{StartMS: line.at(other.Start), EndMS: line.at(other.End)}
		if other.Found != nil && overlaps(other.spot(), row.spot()) || moved.Intersect(now).Duration() > 0 {
			return true
		}
	}
	return false
}

func overlaps(a, b spot) bool {
	return a.clip == b.clip && a.kind == b.kind && a.span.Intersect(b.span).Duration() > 0
}

func (t *txn) applyReplacement(projectUUID string, plan replacement) error {
	gone := map[string]bool{}
	for _, row := range plan.remove {
		gone[row.UUID] = true
		if err := edits.delete(t, row.UUID); err != nil {
			return err
		}
	}
	for _, row := range plan.write {
		if err := edits.put(t, row); err != nil {
			return err
		}
	}
	return t.forgetOverrides(projectUUID, gone)
}
