package store

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"roughcut/store/table"
)

// Override is the change that a draft or an export makes to one edit. Times are project time.
type Override struct {
	Active  *bool   `json:"active,omitempty"`
	StartMS *int64  `json:"start_ms,omitempty"`
	EndMS   *int64  `json:"end_ms,omitempty"`
	Action  *string `json:"action,omitempty"` // cut or mute
}

// Draft is a saved set of overrides with export settings.
type Draft struct {
	UUID, ProjectUUID, Name string
	EditOverrides           map[string]Override // by edit uuid
	ExportSettings          json.RawMessage
	CreatedAt, UpdatedAt    time.Time
}

// DraftChange is a change to a draft. A nil field stays unchanged.
type DraftChange struct {
	Name           *string
	EditOverrides  map[string]Override // replaces all overrides
	ExportSettings json.RawMessage
}

// draftRow is the stored form of a Draft. Its overrides are in Overrides, on footage, and not in
// EditOverrides.
type draftRow struct {
	Draft
	RunUUID   string // active run at its creation, empty before the first run
	Seq       uint64
	Overrides map[string]anchoredOverride
	// overrides that clips in the trash have changed, as they were before
	Origins map[string]anchoredOverride `json:",omitempty"`
}

// anchoredOverride is an Override on footage.
type anchoredOverride struct {
	Active     *bool   `json:",omitempty"`
	Start, End *anchor `json:",omitempty"`
	Action     *string `json:",omitempty"`
}

var (
	draftsByProject = &table.Index[draftRow]{
		Name: "drafts.by_project",
		Keys: func(r *draftRow) [][]byte { return table.Entry(r.ProjectUUID, r.Seq) },
	}
	drafts = &table.Table[draftRow]{
		Name:    "drafts",
		Noun:    "draft",
		Key:     func(r *draftRow) []byte { return []byte(r.UUID) },
		Indexes: []*table.Index[draftRow]{draftsByProject},
	}
)

// served returns the draft with its times in project time.
func (r *draftRow) served(line *timeline) Draft {
	d := r.Draft
	d.EditOverrides = make(map[string]Override, len(r.Overrides))
	for id, o := range r.Overrides {
		out := Override{Active: o.Active, Action: o.Action}
		if o.Start != nil {
			ms := line.at(*o.Start)
			out.StartMS = &ms
		}
		if o.End != nil {
			ms := line.at(*o.End)
			out.EndMS = &ms
		}
		d.EditOverrides[id] = out
	}
	return d
}

// override replaces the overrides of a draft and anchors them to footage.
func (r *draftRow) override(line *timeline, overrides map[string]Override) {
	r.Overrides, r.Origins = make(map[string]anchoredOverride, len(overrides)), nil
	for id, o := range overrides {
		kept := anchoredOverride{Active: o.Active, Action: o.Action}
		if o.StartMS != nil {
			a := line.startAnchor(*o.StartMS)
			kept.Start = &a
		}
		if o.EndMS != nil {
			a := line.endAnchor(*o.EndMS)
			kept.End = &a
		}
		r.Overrides[id] = kept
	}
}

// checkOverrides refuses overrides without any clip, with invalid times, with an edit of another
// project or an action that it cannot have, and with a bound past the end, in this order. It checks
// each bound separately. Errors: Invalid no_clips, out_of_bounds; Unprocessable unprocessable,
// unknown_edit.
func (t *txn) checkOverrides(projectUUID string, line *timeline, overrides map[string]Override) error {
	if len(overrides) == 0 {
		return nil
	}
	if err := line.checkBounds(); err != nil {
		return err
	}
	ids := slices.Sorted(maps.Keys(overrides))
	for _, id := range ids {
		if err := checkSpan("edit_overrides."+id+".", overrides[id].StartMS, overrides[id].EndMS); err != nil {
			return err
		}
	}
	for _, id := range ids {
		row, err := edits.Find(t, id)
		if err != nil {
			return err
		}
		if row == nil || row.ProjectUUID != projectUUID || row.Trashed {
			e := failField("edit_overrides."+id, "The project has no edit %s. Reload the edits.", id)
			e.Code = "unknown_edit"
			return e
		}
		if action := overrides[id].Action; action != nil {
			if err := row.act(*action); err != nil {
				return err
			}
		}
	}
	for _, id := range ids {
		for _, ms := range []*int64{overrides[id].StartMS, overrides[id].EndMS} {
			if ms == nil {
				continue
			}
			if err := line.checkBounds(*ms); err != nil {
				return err
			}
		}
	}
	return nil
}

// CreateDraft stores a draft with the name, overrides and settings of d. Errors: Invalid no_clips,
// out_of_bounds; Unprocessable unknown_edit; Unprocessable for invalid times and settings.
func (s *Store) CreateDraft(userUUID, projectUUID string, d Draft) (Draft, error) {
	var made Draft
	err := s.update(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		line, err := t.timeline(projectUUID)
		if err != nil {
			return err
		}
		if _, err := parseSettings(object(d.ExportSettings)); err != nil {
			return err
		}
		if err := t.checkOverrides(projectUUID, line, d.EditOverrides); err != nil {
			return err
		}
		seq, err := drafts.NextSeq(t)
		if err != nil {
			return err
		}
		row := &draftRow{
			Seq:     seq,
			RunUUID: project.ActiveRunUUID,
			Draft: Draft{UUID: s.NewID(), ProjectUUID: projectUUID, Name: d.Name,
				ExportSettings: object(d.ExportSettings), CreatedAt: t.now, UpdatedAt: t.now},
		}
		row.override(line, d.EditOverrides)
		made = row.served(line)
		return drafts.Put(t, row)
	})
	return made, err
}

// Drafts returns the drafts of a project that were created for its active run or before any run,
// newest first.
func (s *Store) Drafts(userUUID, projectUUID string) ([]Draft, error) {
	list := []Draft{}
	err := s.view(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		line, err := t.timeline(projectUUID)
		if err != nil {
			return err
		}
		rows, _, err := drafts.Page(t, Page{}, draftsByProject, projectUUID)
		for _, row := range rows {
			if row.RunUUID == "" || row.RunUUID == project.ActiveRunUUID {
				list = append(list, row.served(line))
			}
		}
		return err
	})
	return list, err
}

// ownDraft returns a draft of a user with its project's timeline. Errors: NotFound, then Forbidden.
func (t *txn) ownDraft(userUUID, uuid string) (*draftRow, *timeline, error) {
	row, err := drafts.Get(t, uuid)
	if err != nil {
		return nil, nil, err
	}
	if err := t.ownPart(userUUID, row.ProjectUUID, drafts.Noun); err != nil {
		return nil, nil, err
	}
	line, err := t.timeline(row.ProjectUUID)
	return row, line, err
}

// Draft returns a draft of any run. Errors: NotFound, Forbidden.
func (s *Store) Draft(userUUID, uuid string) (Draft, error) {
	var d Draft
	err := s.view(func(t *txn) error {
		row, line, err := t.ownDraft(userUUID, uuid)
		if err == nil {
			d = row.served(line)
		}
		return err
	})
	return d, err
}

// UpdateDraft changes a draft. Errors: those of CreateDraft.
func (s *Store) UpdateDraft(userUUID, uuid string, c DraftChange) (Draft, error) {
	var changed Draft
	err := s.update(func(t *txn) error {
		row, line, err := t.ownDraft(userUUID, uuid)
		if err != nil {
			return err
		}
		if c.Name != nil {
			row.Name = *c.Name
		}
		if c.ExportSettings != nil {
			if _, err := parseSettings(object(c.ExportSettings)); err != nil {
				return err
			}
			row.ExportSettings = object(c.ExportSettings)
		}
		if c.EditOverrides != nil {
			if err := t.checkOverrides(row.ProjectUUID, line, c.EditOverrides); err != nil {
				return err
			}
			row.override(line, c.EditOverrides)
		}
		row.UpdatedAt = t.now
		changed = row.served(line)
		return drafts.Put(t, row)
	})
	return changed, err
}

// DeleteDraft deletes a draft. Errors: NotFound, Forbidden.
func (s *Store) DeleteDraft(userUUID, uuid string) error {
	return s.free(func(t *txn) error {
		if _, _, err := t.ownDraft(userUUID, uuid); err != nil {
			return err
		}
		return drafts.Delete(t, uuid)
	})
}

// forgetOverrides removes deleted edits from a project's drafts.
func (t *txn) forgetOverrides(projectUUID string, gone map[string]bool) error {
	if len(gone) == 0 {
		return nil
	}
	return t.changeDrafts(projectUUID, func(d *draftRow) bool {
		before := len(d.Overrides)
		maps.DeleteFunc(d.Overrides, func(id string, _ anchoredOverride) bool { return gone[id] })
		return len(d.Overrides) != before
	})
}

// changeDrafts calls fn with each draft of a project and writes those that fn reports as changed.
func (t *txn) changeDrafts(projectUUID string, fn func(*draftRow) bool) error {
	list, err := drafts.List(t, draftsByProject, projectUUID)
	if err != nil {
		return err
	}
	for _, d := range list {
		if fn(d) {
			if err := drafts.Put(t, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropDrafts deletes all drafts of a project.
func (t *txn) dropDrafts(projectUUID string) error {
	return deleteRows(t, drafts, draftsByProject, projectUUID)
}
