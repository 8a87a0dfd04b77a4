package store

import (
	"cmp"
	"slices"
	"time"

	"roughcut/media"
)

// Types of edits.
const (
	EditSilence    = media.EditSilence
	EditFalseStart = media.EditFalseStart
	EditFiller     = media.EditFiller
	EditManual     = media.EditManual
	EditAsset      = media.EditAsset
)

// Edit is a cut on project time, or an asset placed there, which removes nothing. It is stored on
// the footage under it, so it moves with its clip.
type Edit struct {
	UUID, ProjectUUID    string
	RunUUID              *string `json:",omitempty"` // nil for what a person made
	Type                 string
	StartMS, EndMS       int64 `json:",omitempty"`
	Active               bool
	Reason               string     `json:",omitempty"`
	Confidence           *float64   `json:",omitempty"` // nil for what a person made
	Placement            *Placement `json:",omitempty"` // of type asset only
	Touched              bool       `json:",omitempty"` // a person toggled or moved it: a replan leaves it alone
	CreatedAt, UpdatedAt time.Time
}

// EditChange is what shall change on an edit; nil leaves a field as it is.
type EditChange struct {
	Active         *bool
	StartMS, EndMS *int64 // project time
	Placement      PlacementChange
}

// NamedEditChange is an EditChange with the edit that it is for.
type NamedEditChange struct {
	UUID string
	EditChange
}

// editRow is an Edit as it is stored: its times are those of the anchors, not those of Edit. What
// is empty is left out, since many rows to a page is what makes many changes at once cheap.
type editRow struct {
	Edit
	Start, End anchor
	Found      *media.Span `json:",omitempty"` // where it was detected, on FoundClip; nil for what a person made
	FoundClip  string      `json:",omitempty"`
}

var (
	editsByProject = &index[editRow]{
		name: "edits.by_project",
		keys: func(r *editRow) [][]byte { return one(r.ProjectUUID) },
	}
	editsByRun = &index[editRow]{name: "edits.by_run", keys: func(r *editRow) [][]byte {
		if r.RunUUID == nil {
			return nil
		}
		return one(*r.RunUUID)
	}}
	editsManual = &index[editRow]{name: "edits.manual", keys: func(r *editRow) [][]byte {
		if r.RunUUID != nil {
			return nil
		}
		return one(r.ProjectUUID)
	}}
	editsByAsset = &index[editRow]{name: "edits.by_asset", keys: func(r *editRow) [][]byte {
		if r.Placement == nil {
			return nil
		}
		return one(r.Placement.AssetFileID)
	}}
	edits = &table[editRow]{
		name:   "edits",
		what:   "edit",
		key:    func(r *editRow) []byte { return []byte(r.UUID) },
		recent: newRecent(4096, editRow.clone),
		indexes: []*index[editRow]{
			editsByProject,
			editsByRun,
			editsManual,
			editsByAsset,
		},
		indexedAlike: (*editRow).indexedAlike,
	}
)

// indexedAlike reports whether the keys of all indexes are the same: those of the project, the run
// and the placed asset.
func (r *editRow) indexedAlike(other *editRow) bool {
	return r.ProjectUUID == other.ProjectUUID && (r.RunUUID == nil) == (other.RunUUID == nil) && (r.RunUUID == nil || *r.RunUUID == *other.RunUUID) &&
		(r.Placement == nil) == (other.Placement == nil) &&
		(r.Placement == nil || r.Placement.AssetFileID == other.Placement.AssetFileID)
}

func (r editRow) clone() editRow {
	r.RunUUID = cloned(r.RunUUID)
	r.Confidence = cloned(r.Confidence)
	r.Placement = cloned(r.Placement)
	r.Found = cloned(r.Found)
	return r
}

// served returns the edit with its times on the project.
func (r *editRow) served(line *timeline) Edit {
	e := r.Edit
	e.StartMS, e.EndMS = line.at(r.Start), line.at(r.End)
	return e
}

func byStart(a, b Edit) int {
	return cmp.Or(cmp.Compare(a.StartMS, b.StartMS), cmp.Compare(a.EndMS, b.EndMS), cmp.Compare(a.UUID, b.UUID))
}

// Edits returns the edits that a person made in a project and the detected ones of its active run,
// by start.
func (s *Store) Edits(userUUID, projectUUID string, activeOnly bool) ([]Edit, error) {
	list := []Edit{}
	err := s.view(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		all, _, err := t.servedEdits(project)
		for _, e := range all {
			if e.Active || !activeOnly {
				list = append(list, e)
			}
		}
		return err
	})
	return list, err
}

// servedEdits returns the edits that hold for a project, by start, and its timeline.
func (t *txn) servedEdits(project *projectRow) ([]Edit, *timeline, error) {
	line, err := t.timeline(project.UUID)
	if err != nil {
		return nil, nil, err
	}
	rows, err := edits.list(t, editsManual, project.UUID)
	if err != nil {
		return nil, nil, err
	}
	if project.ActiveRunUUID != "" {
		detected, err := edits.list(t, editsByRun, project.ActiveRunUUID)
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, detected...)
	}
	list := make([]Edit, 0, len(rows))
	for _, row := range rows {
		list = append(list, row.served(line))
	}
	slices.SortFunc(list, byStart)
	return list, line, nil
}

// CreateEdit makes a manual cut from the times, activity and reason of e. Errors: Unprocessable for
// times that make no sense; Invalid no_clips, out_of_bounds, both not while a clip is processing.
func (s *Store) CreateEdit(userUUID, projectUUID string, e Edit) (Edit, error) {
	var made Edit
	err := s.batch(func(t *txn) (err error) {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		made, err = t.addEdit(projectUUID, EditManual, e, nil)
		return err
	})
	return made, err
}

// PlaceAsset makes an edit that places an asset from the times, activity and reason of e. Errors:
// those of CreateEdit; NotFound and Forbidden for the asset; Unprocessable for values out of range;
// Conflict asset_not_ready.
func (s *Store) PlaceAsset(userUUID, projectUUID string, e Edit, how PlacementChange) (Edit, error) {
	var made Edit
	err := s.batch(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		if how.AssetFileID == nil {
			return failField("asset_file_id", "Say which asset to place.")
		}
		asset, err := t.ownAssetFile(userUUID, *how.AssetFileID)
		if err != nil {
			return err
		}
		placed := newPlacement(asset)
		if err := placed.apply(how); err != nil {
			return err
		}
		if made, err = t.addEdit(projectUUID, EditAsset, e, placed); err != nil {
			return err
		}
		if err := checkReady(asset.Asset); err != nil {
			return err
		}
		return asset.checkOffset(placed.OffsetMS)
	})
	return made, err
}

// addEdit makes an edit by hand.
func (t *txn) addEdit(projectUUID, kind string, e Edit, placed *Placement) (Edit, error) {
	if err := checkSpan("", &e.StartMS, &e.EndMS); err != nil {
		return Edit{}, err
	}
	t.recut(projectUUID)
	line, err := t.timeline(projectUUID)
	if err != nil {
		return Edit{}, err
	}
	if err := line.checkBounds(e.EndMS); err != nil {
		return Edit{}, err
	}
	row := &editRow{
		Start: line.startAnchor(e.StartMS),
		End:   line.endAnchor(e.EndMS),
		Edit: Edit{UUID: t.s.NewID(), ProjectUUID: projectUUID,
			Type: kind, Active: e.Active, Reason: e.Reason, Placement: placed, CreatedAt: t.now, UpdatedAt: t.now},
	}
	return row.served(line), edits.put(t, row)
}

// ownEdit returns an edit of a user. Errors: NotFound, then Forbidden.
func (t *txn) ownEdit(userUUID, uuid string) (*editRow, error) {
	row, err := edits.get(t, uuid)
	if err != nil {
		return nil, err
	}
	return row, t.ownPart(userUUID, row.ProjectUUID, edits.what)
}

// UpdateEdit toggles or moves an edit, or changes how the asset that it places shows and sounds.
// Errors: NotFound and Forbidden for edit and asset; Unprocessable where the end would not come
// after the start, or for values out of range; Invalid out_of_bounds; Conflict asset_not_ready.
func (s *Store) UpdateEdit(userUUID, uuid string, c EditChange) (Edit, error) {
	var changed Edit
	err := s.batch(func(t *txn) error {
		row, err := t.ownEdit(userUUID, uuid)
		if err != nil {
			return err
		}
		line, err := t.timeline(row.ProjectUUID)
		if err != nil {
			return err
		}
		changed, err = t.changeEdit(userUUID, row, line, c)
		return err
	})
	return changed, err
}

// enoughEdits is how many changes are worth a flush of their own: with fewer, waiting for others to
// share it costs less.
const enoughEdits = 50

// UpdateEdits toggles and moves edits of one project, all or none, and returns them as they are
// now, and the changes that bring them back to what they were, both in the order of what was asked
// for. Errors: Unprocessable unknown_edit for one that the project does not have, Unprocessable for
// one that is named twice, and those of UpdateEdit.
func (s *Store) UpdateEdits(
	userUUID, projectUUID string,
	list []NamedEditChange,
) (changed []Edit, undo []NamedEditChange, err error) {
	write := s.batch
	if len(list) >= enoughEdits {
		write = s.update
	}
	err = write(func(t *txn) error {
		changed, undo = make([]Edit, 0, len(list)), make([]NamedEditChange, 0, len(list))
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		line, err := t.timeline(projectUUID)
		if err != nil {
			return err
		}
		seen := map[string]bool{}
		for _, c := range list {
			row, err := edits.find(t, c.UUID)
			if err != nil {
				return err
			}
			if row == nil || row.ProjectUUID != projectUUID {
				return fail(Unprocessable, "unknown_edit", "The project has no edit %s.", c.UUID)
			}
			if seen[c.UUID] {
				return failField("edits", "The edit %s is named twice.", c.UUID)
			}
			seen[c.UUID] = true
			before := row.served(line)
			now, err := t.changeEdit(userUUID, row, line, c.EditChange)
			if err != nil {
				return err
			}
			changed, undo = append(changed, now), append(undo, c.back(before))
		}
		return nil
	})
	return changed, undo, err
}

// back returns the change that undoes this one.
func (c NamedEditChange) back(before Edit) NamedEditChange {
	undo := NamedEditChange{UUID: c.UUID}
	if c.Active != nil {
		undo.Active = &before.Active
	}
	if c.StartMS != nil {
		undo.StartMS = &before.StartMS
	}
	if c.EndMS != nil {
		undo.EndMS = &before.EndMS
	}
	return undo
}

// changeEdit writes what shall change on an edit, and returns the edit.
func (t *txn) changeEdit(userUUID string, row *editRow, line *timeline, c EditChange) (Edit, error) {
	if err := t.changePlacement(userUUID, row, c.Placement); err != nil {
		return Edit{}, err
	}
	if err := row.move(line, c); err != nil {
		return Edit{}, err
	}
	if c.Active != nil {
		row.Active = *c.Active
	}
	if c != (EditChange{}) {
		t.recut(row.ProjectUUID)
		row.Touched, row.UpdatedAt = true, t.now
	}
	return row.served(line), edits.put(t, row)
}

func (r *editRow) move(line *timeline, c EditChange) error {
	if c.StartMS == nil && c.EndMS == nil {
		return nil
	}
	now := r.served(line)
	start, end := now.StartMS, now.EndMS
	if c.StartMS != nil {
		start = *c.StartMS
	}
	if c.EndMS != nil {
		end = *c.EndMS
	}
	if err := checkSpan("", &start, &end); err != nil {
		return err
	}
	if c.EndMS != nil {
		if err := line.checkBounds(end); err != nil {
			return err
		}
		r.End = line.endAnchor(end)
	}
	if c.StartMS != nil {
		r.Start = line.startAnchor(start)
	}
	return nil
}

// DeleteEdit deletes an edit that cuts by hand or places an asset for good (deleted is true), and
// switches a detected cut off.
func (s *Store) DeleteEdit(userUUID, uuid string) (deleted bool, e Edit, err error) {
	err = s.update(func(t *txn) error {
		row, err := t.ownEdit(userUUID, uuid)
		if err != nil {
			return err
		}
		line, err := t.timeline(row.ProjectUUID)
		if err != nil {
			return err
		}
		t.recut(row.ProjectUUID)
		if row.RunUUID == nil || row.Type == EditAsset {
			deleted = true
			if err := t.dismiss(row); err != nil {
				return err
			}
			if err := t.forgetOverrides(row.ProjectUUID, map[string]bool{uuid: true}); err != nil {
				return err
			}
			e = row.served(line)
			return edits.delete(t, uuid)
		}
		row.Active, row.Touched, row.UpdatedAt = false, true, t.now
		e = row.served(line)
		return edits.put(t, row)
	})
	return deleted, e, err
}

// dropEdits deletes all edits of a project.
func (t *txn) dropEdits(projectUUID string) error {
	return deleteRows(t, edits, editsByProject, projectUUID)
}
