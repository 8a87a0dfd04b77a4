package store

import (
	"bytes"
	"cmp"
	"slices"
	"time"
)

// AppliedDraft counts where a project differs from a draft after the draft was applied.
type AppliedDraft struct {
	SwitchedOff int // edits that were active, but are newer than the draft
	Missing     int // edits and shorts of the draft that the project no longer has
}

// ApplyDraft brings the edits and shorts of a project back to the state of a draft, as one change.
// It switches off edits that are newer than the overrides of the draft, except cuts of
// ArrangeClips. Other edits and shorts that the draft does not have stay as they are. Errors:
// NotFound, Forbidden; Conflict conflict for a draft of another analysis; Unprocessable past
// maxShorts and past maxSettingsBytes.
func (s *Store) ApplyDraft(userUUID, uuid string, as ...Change) (AppliedDraft, error) {
	var result AppliedDraft
	err := s.updateSettings(userUUID, func(t *txn) error {
		row, content, err := t.ownDraft(userUUID, uuid)
		if err != nil {
			return err
		}
		project, err := projects.Get(t, row.ProjectUUID)
		if err != nil {
			return err
		}
		if row.RunUUID != "" && row.RunUUID != project.ActiveRunUUID {
			return conflict(
				"The draft belongs to another analysis of the project. Make that analysis active first.",
			)
		}

		result, err = t.applyOverrides(userUUID, project, row, content)
		if err != nil {
			return err
		}
		changed, missing, err := t.applyShorts(project.UUID, content)
		if err != nil {
			return err
		}
		result.Missing += missing
		kind := HistoryEdits
		if changed {
			kind = HistoryShorts
		}

		return t.record(project.UUID, kind, optionalChange(as), "apply draft")
	})
	return result, err
}

// applyOverrides gives the edits of a project the overrides of a draft.
func (t *txn) applyOverrides(
	userUUID string, project *projectRow, draft *draftRow, content *draftContent,
) (result AppliedDraft, err error) {
	rows, line, err := t.currentEdits(project)
	if err != nil {
		return result, err
	}
	list, err := content.all(t)
	if err != nil {
		return result, err
	}
	overrides, err := t.servedOverrides(line, list)
	if err != nil {
		return result, err
	}
	result.Missing = len(list)
	saved := cmp.Or(content.OverriddenAt, draft.UpdatedAt)
	for _, row := range rows {
		var change EditChange
		if o, ok := overrides[row.UUID]; ok {
			result.Missing--
			change = o.changeOf(row.served(line))
		} else if row.Active && !row.Elsewhere {
			newer, err := t.madeAfter(row, saved)
			if err != nil {
				return result, err
			}
			if newer {
				result.SwitchedOff++
				change.Active = new(bool)
			}
		}

		if change == (EditChange{}) {
			continue
		}
		if _, err := t.changeEdit(userUUID, row, line, change); err != nil {
			return result, err
		}
	}

	return result, nil
}

// madeAfter reports whether an edit is newer than a time. A copy that came with a duplicate of its
// clip is as old as its original.
func (t *txn) madeAfter(row *editRow, at time.Time) (bool, error) {
	for row.Copied != nil {
		original, err := edits.Find(t, row.Copied.UUID)
		if err != nil {
			return false, err
		}
		if original == nil {
			break
		}
		row = original
	}

	return row.CreatedAt.After(at), nil
}

// changeOf returns the change that gives an edit an override. An override with crossed bounds
// switches the edit off, as it does in exports.
func (o Override) changeOf(now Edit) (c EditChange) {
	if o.Active != nil && *o.Active != now.Active {
		c.Active = o.Active
	}
	if o.Action != nil && *o.Action != now.Action {
		c.Action = o.Action
	}
	start, end := now.StartMS, now.EndMS
	SetIfGiven(&start, o.StartMS)
	SetIfGiven(&end, o.EndMS)
	if start >= end {
		c.Active = new(bool)
		return c
	}

	if start != now.StartMS {
		c.StartMS = &start
	}
	if end != now.EndMS {
		c.EndMS = &end
	}
	return c
}

// saveShorts lets a draft hold the shorts of its project as they are now, or no longer hold shorts.
func (d *draftContent) saveShorts(t *txn, with bool) error {
	d.Shorts = nil
	if with {
		rows, err := shorts.List(t, shortsByProject, d.ProjectUUID)
		if err != nil {
			return err
		}
		d.Shorts = make([]shortRow, 0, len(rows))
		for _, row := range rows {
			d.Shorts = append(d.Shorts, *row)
		}
	}

	list, err := d.all(t)
	if err != nil {
		return err
	}
	return d.save(t, list)
}

// servedShorts returns the shorts of a draft in project time, by start. It leaves out shorts on
// clips that are not on the timeline. A short ends where its next clip no longer follows.
func (d *draftContent) servedShorts(line *timeline) []Short {
	if d.Shorts == nil {
		return nil
	}
	list := []Short{}
	for _, row := range d.Shorts {
		if groups := line.joined(row.Parts); len(groups) > 0 {
			row.Parts = groups[0]
		}

		if short, ok := row.served(line); ok {
			list = append(list, short)
		}
	}

	slices.SortStableFunc(list, func(a, b Short) int { return int(a.StartMS - b.StartMS) })
	return list
}

// applyShorts brings the shorts of a draft back to the project. It returns whether any has changed,
// and how many are missing because their clips are deleted or in the trash. A short whose clips no
// longer follow each other keeps the first of them, like servedShorts: a move of the clips has made
// other shorts of the rest, see moveShorts. A deleted short comes back in as many shorts.
func (t *txn) applyShorts(projectUUID string, content *draftContent) (changed bool, missing int, err error) {
	line, err := t.timeline(projectUUID)
	if err != nil {
		return false, 0, err
	}
	for _, row := range content.Shorts {
		if err := row.forgetDeleted(t); err != nil {
			return false, 0, err
		}
		if _, shown := row.served(line); !shown {
			missing++
			continue
		}

		groups := line.joined(row.Parts)
		now, err := shorts.Find(t, row.UUID)
		if err != nil {
			return false, 0, err
		}
		if now != nil {
			groups = groups[:1]
		} else if shorts.Count(t, shortsByProject, projectUUID)+len(groups) > maxShorts {
			return false, 0, tooMany(shortsOn.refusal, maxShorts)
		}

		row.UpdatedAt = t.Now
		for i, group := range groups {
			if row.Parts = group; i > 0 {
				row.UUID = t.NewID()
			}
			if now != nil && now.same(row) {
				continue
			}
			changed = true
			if err := shorts.Put(t, &row); err != nil {
				return false, 0, err
			}
		}
	}

	return changed, missing, nil
}

// same reports whether two versions of a short have equal names, places and settings.
func (r *shortRow) same(other shortRow) bool {
	return r.Name == other.Name && slices.Equal(r.Parts, other.Parts) &&
		bytes.Equal(r.ExportSettings, other.ExportSettings)
}
