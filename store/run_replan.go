package store

import (
	"cmp"
	"errors"
	"slices"

	"roughcut/media"
)

// errPreview rolls back the transaction of a preview.
var errPreview = errors.New("preview")

// ReplaceDetectedEdits replaces the detected edits and take groups of a completed run with those
// that were derived from its evidence with other settings. Edits that a person toggled or moved
// stay, and hide detected edits in the same place. An edit that stays in place keeps its uuid. It
// returns the run's edits in project time and the number of added, removed and changed edits.
// Errors: Conflict for a run that is not completed; ErrMotionMeasured.
func (s *Store) ReplaceDetectedEdits(
	userUUID, projectUUID, runUUID string,
	k AnalysisSettings,
	found Proposal,
	as ...Change,
) ([]Edit, int, error) {
	var list []Edit
	var n int
	err := s.update(func(t *txn) error {
		run, err := t.ownRun(userUUID, projectUUID, runUUID)
		if err != nil {
			return err
		}
		former := run.AnalysisSettings
		if list, n, err = t.replaceDetected(userUUID, projectUUID, runUUID, k, found, StatusCompleted); err != nil {
			return err
		}
		if err := t.noteChange(noteSettings, runUUID, former, k); err != nil {
			return err
		}
		return t.record(projectUUID, HistorySettings, optionalChange(as), "change settings", noteSettings)
	})
	return list, n, err
}

// planSettings gives a run other settings, with the edits that a replan has found with them.
func (u *undoing) planSettings(s undoStep) (func() error, error) {
	var k AnalysisSettings
	err := s.to.value(&k)
	return func() error {
		_, _, err := u.replaceDetected(u.actor, u.projectUUID, s.Key, k, u.found, StatusCompleted)
		return err
	}, err
}

// PreviewDetectedEdits returns what ReplaceDetectedEdits would return, and changes nothing. It also
// accepts a running run. Errors: see ReplaceDetectedEdits.
func (s *Store) PreviewDetectedEdits(
	userUUID, projectUUID, runUUID string,
	k AnalysisSettings,
	found Proposal,
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

// ErrMotionMeasured says that the motion that a proposal lacks has been measured since. A new
// proposal has it.
var ErrMotionMeasured = errors.New("the motion of a clip has been measured since")

// MotionRuns returns the completed runs of a project whose edits lack the motion of a clip that has
// been measured since, or cannot be measured. An empty project stands for all projects.
func (s *Store) MotionRuns(projectUUID string) (list []Run, err error) {
	return viewed(s, func(t *txn) (list []Run, err error) {
		var rows []*runRow
		if projectUUID == "" {
			err = runs.Each(t, func(row *runRow) error { rows = append(rows, row); return nil })
		} else {
			rows, err = runs.List(t, runsByProject, projectUUID)
		}

		if err != nil {
			return list, err
		}
		for _, row := range rows {
			if !row.MotionLeft || row.Status != StatusCompleted {
				continue
			}
			waits, err := t.awaitsMotion(row.ProjectUUID, row.AnalysisSettings)
			if err != nil {
				return list, err
			}
			if !waits {
				list = append(list, row.Run)
			}
		}

		return list, nil
	})
}

func notPlannable(run *runRow) error {
	return conflict("Only a completed analysis can get new edits. This one is %s.", run.Status)
}

func (t *txn) replaceDetected(
	userUUID, projectUUID, runUUID string,
	k AnalysisSettings,
	found Proposal,
	allowed ...string,
) ([]Edit, int, error) {
	run, err := t.ownRun(userUUID, projectUUID, runUUID)
	if err != nil {
		return nil, 0, err
	}
	if err := checkCutOptions(k.CutOptions); err != nil {
		return nil, 0, err
	}
	if !slices.Contains(allowed, run.Status) {
		return nil, 0, notPlannable(run)
	}
	waits, err := t.awaitsMotion(projectUUID, k)
	if err != nil {
		return nil, 0, err
	}
	if found.MotionLeft && !waits {
		return nil, 0, ErrMotionMeasured
	}
	line, err := t.timeline(projectUUID)
	if err != nil {
		return nil, 0, err
	}
	old, err := edits.List(t, editsByRun, runUUID)
	if err != nil {
		return nil, 0, err
	}
	plan, err := planReplacement(t, run, line, line.shown(old), found)
	if err != nil {
		return nil, 0, err
	}
	if err := t.putTakeGroups(run, line, found.TakeGroups); err != nil {
		return nil, 0, err
	}
	if err := t.applyReplacement(plan); err != nil {
		return nil, 0, err
	}
	run.AnalysisSettings, run.MotionLeft, run.UpdatedAt = k, found.MotionLeft, t.Now
	run.EditCount, run.SilenceCount, run.FalseStartCount = 0, 0, 0
	list := make([]Edit, 0, len(plan.rows))
	for _, row := range plan.rows {
		run.count(row.Type, 1)
		list = append(list, row.served(line))
	}

	slices.SortFunc(list, byStart)
	return list, len(plan.write) + len(plan.remove), runs.Put(t, run)
}

// replacement is the effect of a replan on the edits of a run.
type replacement struct {
	rows   []*editRow // all edits of the run afterwards
	write  []*editRow // new or changed edits among rows
	remove []*editRow
}

// spot identifies the place of a detected edit.
type spot struct {
	clip, kind string
	span       media.Span
}

func (r *editRow) spot() spot { return spot{r.FoundClip, r.Type, *r.Found} }

// planReplacement matches found edits with existing ones. Touched edits stay. An untouched edit
// keeps its row when an edit of the same type is found in exactly the same place, or else in an
// overlapping place.
func planReplacement(t *txn, run *runRow, line *timeline, old []*editRow, found Proposal) (replacement, error) {
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
	plan.write = relink(touched, found.TakeGroups)
	fresh, err := t.freshEdits(run, line, touched, found.Edits)
	if err != nil {
		return plan, err
	}
	taken := map[*editRow]bool{}
	var unmatched []*editRow
	for _, row := range fresh {
		if match := exact[row.spot()]; match != nil && !taken[match] {
			taken[match] = true
			plan.keep(match, row)
		} else {
			unmatched = append(unmatched, row)
		}
	}

	longest := int64(0)
	for _, f := range free {
		longest = max(longest, f.Found.Duration())
	}
	for _, row := range unmatched {
		match := overlapping(free, row, longest, taken)
		if match == nil {
			plan.rows = append(plan.rows, row)
			plan.write = append(plan.write, row)
			continue
		}

		taken[match] = true
		plan.keep(match, row)
	}

	for _, row := range free {
		if !taken[row] {
			plan.remove = append(plan.remove, row)
		}
	}

	return plan, nil
}

// freshEdits returns the rows of found edits. It leaves out what touched edits cover, and footage
// that is cut where another clip plays it.
func (t *txn) freshEdits(
	run *runRow, line *timeline, touched []*editRow, found []DetectedEdit,
) (fresh []*editRow, err error) {
	elsewhere, err := t.elsewhere(run.ProjectUUID)
	if err != nil {
		return nil, err
	}
	covered := line.coverage(touched)
	for _, d := range found {
		row, err := t.detected(run, line, d)
		if err != nil {
			return nil, err
		}
		if row != nil && !covered.has(line, row.Type, row) && !elsewhere.hide(row) {
			fresh = append(fresh, row)
		}
	}

	return fresh, nil
}

// overlapping returns the first edit of a list that overlaps a found one and is not taken, or nil.
// The list is in the order of the starts, and none of its edits is longer than longest.
func overlapping(free []*editRow, row *editRow, longest int64, taken map[*editRow]bool) *editRow {
	from, _ := slices.BinarySearchFunc(free, row.Found.StartMS-longest, func(f *editRow, ms int64) int {
		return cmp.Compare(f.Found.StartMS, ms)
	})
	for _, f := range free[from:] {
		if f.Found.StartMS >= row.Found.EndMS {
			return nil
		}
		if !taken[f] && overlaps(f.spot(), row.spot()) {
			return f
		}
	}

	return nil
}

// keep updates an existing edit with the place and reason of a found one.
func (p *replacement) keep(old, found *editRow) {
	same := old.Start == found.Start && old.End == found.End && old.Active == found.Active &&
		old.Reason == found.Reason &&
		*old.Confidence == *found.Confidence &&
		old.Action == found.Action && old.TakeGroup == found.TakeGroup && old.TakeNumber == found.TakeNumber &&
		(old.Placement == nil || *old.Placement == *found.Placement)
	if !same {
		found.UUID, found.CreatedAt, found.Copied = old.UUID, old.CreatedAt, old.Copied
		old = found
		p.write = append(p.write, old)
	}

	p.rows = append(p.rows, old)
}

// coverage holds the project time that edits cover now and covered when they were detected, by
// type. The empty type stands for all types.
type coverage map[string][]media.Span

func (l *timeline) coverage(touched []*editRow) coverage {
	c := coverage{}
	for _, row := range touched {
		spans := []media.Span{{StartMS: l.at(row.Start), EndMS: l.at(row.End)}}
		if p, ok := l.find(row.FoundClip); ok && row.Found != nil {
			spans = append(spans, media.Span{StartMS: p.start + row.Found.StartMS, EndMS: p.start + row.Found.EndMS})
		}
		c[row.Type], c[""] = append(c[row.Type], spans...), append(c[""], spans...)
	}

	for kind, spans := range c {
		c[kind] = media.MergeSpans(spans)
	}
	return c
}

// has reports whether a found edit overlaps an edit of a type, or the place where that edit was
// detected.
func (c coverage) has(line *timeline, kind string, row *editRow) bool {
	now, spans := media.Span{StartMS: line.at(row.Start), EndMS: line.at(row.End)}, c[kind]
	i, _ := slices.BinarySearchFunc(spans, now.StartMS, func(s media.Span, ms int64) int {
		return cmp.Compare(s.EndMS, ms+1)
	})
	return i < len(spans) && spans[i].Intersect(now).Duration() > 0
}

func overlaps(a, b spot) bool {
	return a.clip == b.clip && a.kind == b.kind && a.span.Intersect(b.span).Duration() > 0
}

func (t *txn) applyReplacement(plan replacement) error {
	for _, row := range plan.remove {
		if err := edits.Delete(t, row.UUID); err != nil {
			return err
		}
	}

	for _, row := range plan.write {
		if err := edits.Put(t, row); err != nil {
			return err
		}
	}

	return nil
}
