package store

import (
	"cmp"
	"math"
	"slices"
	"time"

	"roughcut/media"
	"roughcut/store/table"
)

// Types of edits.
const (
	EditSilence    = media.EditSilence
	EditFalseStart = media.EditFalseStart
	EditFiller     = media.EditFiller
	EditManual     = media.EditManual
	EditAsset      = media.EditAsset
)

// Actions of a cut.
const (
	ActionCut  = media.ActionCut
	ActionMute = media.ActionMute
)

// maxManualEdits is the maximum number of edits of a project that a person added.
const maxManualEdits = 10_000

// Edit is a cut, or an asset placement, which removes nothing. Its times are project time. It is
// stored on footage, so it moves with its clip.
type Edit struct {
	UUID, ProjectUUID string
	RunUUID           *string `json:",omitempty"` // nil for an edit that a person made
	Type              string
	StartMS, EndMS    int64 `json:",omitempty"`
	Active            bool
	Reason            string           `json:",omitempty"`
	Confidence        *float64         `json:",omitempty"` // nil for an edit that a person made
	Placement         *media.Placement `json:",omitempty"` // of type asset only
	// cut or mute; empty for an asset placement. Stored rows leave out cut.
	Action string `json:",omitempty"`
	// TakeGroup is the ID of a take group. The edit removes its take TakeNumber. Empty for edits
	// that remove no take.
	TakeGroup  string `json:",omitempty"`
	TakeNumber int    `json:",omitempty"` // from 1
	// a person toggled or moved it, so that a replan keeps it
	Touched              bool `json:",omitempty"`
	CreatedAt, UpdatedAt time.Time
	// StretchUUID is the first edit of the stretch that an active cut belongs to, see
	// media.Stretches; empty for other edits. It is derived.
	StretchUUID string `json:"-"`
}

// EditChange is a change to an edit. A nil field stays unchanged.
type EditChange struct {
	Active    *bool           `json:"active,omitempty"`
	StartMS   *int64          `json:"start_ms,omitempty"` // project time
	EndMS     *int64          `json:"end_ms,omitempty"`   // project time
	Action    *string         `json:"action,omitempty"`
	Placement PlacementChange `json:"-"`
}

// NamedEditChange is a change with the uuid of its edit.
type NamedEditChange struct {
	UUID string `json:"uuid"`
	EditChange
}

// editRow is the stored form of an Edit. Its times are the anchors, not StartMS and EndMS. Empty
// fields are not stored: changes of many edits are faster when more rows fit on a page.
type editRow struct {
	Edit
	Start, End anchor
	// span on FoundClip where the edit was detected; nil for an edit that a person made
	Found     *media.Span `json:",omitempty"`
	FoundClip string      `json:",omitempty"`
	// a cut of footage that another clip of the recording plays; it hides the edits in it
	Elsewhere bool `json:",omitempty"`
	// where the edit was before clips in the trash took a part of it; nil for a whole edit
	Origin *editBounds `json:",omitempty"`
	// nothing of an edit across clips is left, because its clips are in the trash. In rows of older
	// versions also edits on one clip.
	Trashed bool        `json:",omitempty"`
	Copied  *copiedEdit `json:",omitempty"` // of an edit that came with a duplicate of its clip
}

var (
	editsByProject = &table.Index[editRow]{
		Name: "edits.by_project",
		Keys: func(r *editRow) [][]byte {
			if r.Trashed {
				return nil
			}
			return table.Entry(r.ProjectUUID)
		},
	}
	editsByRun = &table.Index[editRow]{Name: "edits.by_run", Keys: func(r *editRow) [][]byte {
		if r.RunUUID == nil || r.Trashed {
			return nil
		}
		return table.Entry(*r.RunUUID)
	}}
	editsManual = &table.Index[editRow]{Name: "edits.manual", Keys: func(r *editRow) [][]byte {
		if r.RunUUID != nil || r.Trashed {
			return nil
		}
		return table.Entry(r.ProjectUUID)
	}}
	// editsByClip lists edits on one clip by run, which is empty for edits that a person made.
	editsByClip = &table.Index[editRow]{Name: "edits.by_clip", Keys: func(r *editRow) [][]byte {
		if r.Trashed || r.across() {
			return nil
		}
		return table.Entry(r.Start.Clip, r.run())
	}}
	editsAcross = &table.Index[editRow]{Name: "edits.across", Keys: func(r *editRow) [][]byte {
		if r.Trashed || !r.across() {
			return nil
		}
		return table.Entry(r.ProjectUUID)
	}}
	editsCopied = &table.Index[editRow]{Name: "edits.copied", Keys: func(r *editRow) [][]byte {
		if r.Copied == nil {
			return nil
		}
		return table.Entry(r.Copied.UUID)
	}}
	editsByAsset = &table.Index[editRow]{Name: "edits.by_asset", Keys: func(r *editRow) [][]byte {
		if r.Placement == nil {
			return nil
		}
		return table.Entry(r.Placement.AssetFileID)
	}}
	editsTrimmed = &table.Index[editRow]{Name: "edits.trimmed", Keys: func(r *editRow) [][]byte {
		if r.Origin == nil {
			return nil
		}
		return table.Entry(r.ProjectUUID)
	}}
	// editsToReview lists cuts by run, clip and time, with their stretchState. The run is empty for
	// cuts by hand.
	editsToReview = &table.Index[editRow]{Name: "edits.to_review", Keys: func(r *editRow) [][]byte {
		if r.Placement != nil || r.Trashed {
			return nil
		}
		end := r.End.MS
		if r.across() {
			end = math.MaxInt64
		}
		return table.Entry(r.run(), r.Start.Clip, uint64(r.Start.MS), uint64(end), stretchState(r))
	}}
	edits = &table.Table[editRow]{
		Name:       "edits",
		Noun:       "edit",
		Key:        func(r *editRow) []byte { return []byte(r.UUID) },
		Undoable:   true,
		CachedRows: 4096,
		Clone:      editRow.clone,
		Indexes: []*table.Index[editRow]{
			editsByProject,
			editsByRun,
			editsManual,
			editsByClip,
			editsAcross,
			editsCopied,
			editsByAsset,
			editsTrimmed,
			editsToReview,
		},
		SameEntries: (*editRow).indexedAlike,
	}
)

// run returns the uuid of the run of an edit, empty for an edit that a person made.
func (r *editRow) run() string {
	if r.RunUUID == nil {
		return ""
	}
	return *r.RunUUID
}

// across reports whether an edit has bounds that are not on one clip: over a border, or on a clip
// that is not ready yet. Only these can change with the places of the clips.
func (r *editRow) across() bool { return r.Start.Clip != r.End.Clip || r.Start.Clip == "" }

// indexedAlike reports whether both rows have the same index entries, which depend on the project,
// the span, the run, the placed asset, the trash, what it does, and the decision of a person.
func (r *editRow) indexedAlike(other *editRow) bool {
	return r.ProjectUUID == other.ProjectUUID && r.Trashed == other.Trashed &&
		r.Start == other.Start && r.End == other.End && stretchState(r) == stretchState(other) &&
		(r.Origin == nil) == (other.Origin == nil) && (r.Copied == nil) == (other.Copied == nil) &&
		(r.RunUUID == nil) == (other.RunUUID == nil) &&
		(r.RunUUID == nil || *r.RunUUID == *other.RunUUID) &&
		(r.Placement == nil) == (other.Placement == nil) &&
		(r.Placement == nil || r.Placement.AssetFileID == other.Placement.AssetFileID)
}

func (r editRow) clone() editRow {
	r.RunUUID = cloned(r.RunUUID)
	r.Confidence = cloned(r.Confidence)
	r.Placement = cloned(r.Placement)
	r.Found = cloned(r.Found)
	r.Origin = cloned(r.Origin)
	r.Copied = cloned(r.Copied)
	return r
}

// served returns the edit with its times in project time. An asset that lasts until the end of the
// project has no other end, and its own end counts again once that is switched off.
func (r *editRow) served(line *timeline) Edit {
	e := r.Edit
	e.StartMS, e.EndMS = line.at(r.Start), line.at(r.End)
	if e.Placement != nil && e.Placement.UntilEnd {
		e.EndMS = line.total
	}
	if e.Action == "" && e.Placement == nil {
		e.Action = ActionCut
	}
	return e
}

// setAction sets the action of a cut. Errors: Unprocessable for an unknown action, and for an asset
// placement.
func (r *editRow) setAction(action string) error {
	if r.Placement != nil {
		return failField("action", "A placed asset has no action. Only cuts can mute.")
	}
	if err := checkChoice("action", action, ActionCut, ActionMute); err != nil {
		return err
	}
	if r.Action = ""; action == ActionMute {
		r.Action = ActionMute
	}
	return nil
}

func byStart(a, b Edit) int {
	return cmp.Or(cmp.Compare(a.StartMS, b.StartMS), cmp.Compare(a.EndMS, b.EndMS), cmp.Compare(a.UUID, b.UUID))
}

// Edits returns the edits that a person made in a project and the detected edits of its active run,
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

// servedEdits returns the current edits of a project, by start, and its timeline.
func (t *txn) servedEdits(project *projectRow) ([]Edit, *timeline, error) {
	rows, line, err := t.currentEdits(project)
	if err != nil {
		return nil, nil, err
	}
	list := make([]Edit, 0, len(rows))
	for _, row := range rows {
		list = append(list, row.served(line))
	}
	slices.SortFunc(list, byStart)
	line.findStretches(list)
	return list, line, nil
}

// currentEdits returns the rows of servedEdits, in no order.
func (t *txn) currentEdits(project *projectRow) ([]*editRow, *timeline, error) {
	line, err := t.timeline(project.UUID)
	if err != nil {
		return nil, nil, err
	}
	rows, err := edits.List(t, editsManual, project.UUID)
	if err != nil || project.ActiveRunUUID == "" {
		return line.shown(rows), line, err
	}
	detected, err := edits.List(t, editsByRun, project.ActiveRunUUID)
	return line.shown(append(rows, detected...)), line, err
}

// CreateEdit creates a manual cut with the times, activity, action and reason of e. An empty action
// is a cut. Errors: Unprocessable for invalid times and actions, and past maxManualEdits; Invalid
// no_clips, out_of_bounds, but neither while a clip is processing.
func (s *Store) CreateEdit(userUUID, projectUUID string, e Edit, as ...Change) (Edit, error) {
	var made Edit
	err := s.batch(func(t *txn) (err error) {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		made, err = t.addEdit(projectUUID, EditManual, e, nil, optionalChange(as))
		return err
	})
	return s.withStretch(made, err)
}

// PlaceAsset creates an edit that places an asset, with the times, activity and reason of e.
// Errors: NotFound and Forbidden for the project and the asset; Unprocessable for values out of
// range; Conflict asset_not_ready; see also CreateEdit.
func (s *Store) PlaceAsset(
	userUUID, projectUUID string,
	e Edit,
	how PlacementChange,
	as ...Change,
) (Edit, error) {
	var made Edit
	err := s.batch(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		if how.AssetFileID == nil {
			return failField("asset_file_id", "No asset was given. Select the asset to place.")
		}
		asset, err := t.ownAssetFile(userUUID, *how.AssetFileID)
		if err != nil {
			return err
		}
		placed := media.NewPlacement(asset.AssetFileID, asset.Kind)
		if _, err := how.apply(&placed); err != nil {
			return err
		}
		if made, err = t.addEdit(projectUUID, EditAsset, e, &placed, optionalChange(as)); err != nil {
			return err
		}
		if err := checkReady(asset.Asset); err != nil {
			return err
		}
		return asset.checkOffset(placed.OffsetMS)
	})
	return made, err
}

// addEdit creates an edit that a person made.
func (t *txn) addEdit(projectUUID, kind string, e Edit, placed *media.Placement, as Change) (Edit, error) {
	row, line, err := t.newEdit(projectUUID, e)
	if err != nil {
		return Edit{}, err
	}
	if edits.Count(t, editsManual, projectUUID) >= maxManualEdits && t.editsOn(line, "") >= maxManualEdits {
		return Edit{}, tooMany(
			"A project can have %d cuts and assets that a person added. Remove some of them first.", maxManualEdits,
		)
	}

	row.Type, row.Placement = kind, placed
	if e.Action != "" {
		if err := row.setAction(e.Action); err != nil {
			return Edit{}, err
		}
	}

	if err := edits.Put(t, row); err != nil {
		return Edit{}, err
	}
	label := "add cut"
	if placed != nil {
		label = "place asset"
	}
	return row.served(line), t.record(projectUUID, HistoryEdits, as, label)
}

// newEdit returns a row with the times, activity and reason of e, and the timeline. Errors:
// Unprocessable for invalid times; Invalid no_clips, out_of_bounds.
func (t *txn) newEdit(projectUUID string, e Edit) (*editRow, *timeline, error) {
	if err := checkSpan("", &e.StartMS, &e.EndMS); err != nil {
		return nil, nil, err
	}
	t.announceEdits(projectUUID)
	line, err := t.timeline(projectUUID)
	if err != nil {
		return nil, nil, err
	}
	if err := line.checkBounds(e.EndMS); err != nil {
		return nil, nil, err
	}
	return &editRow{
		Start: line.startAnchor(e.StartMS),
		End:   line.endAnchor(e.EndMS),
		Edit: Edit{UUID: t.NewID(), ProjectUUID: projectUUID,
			Active: e.Active, Reason: e.Reason, CreatedAt: t.Now, UpdatedAt: t.Now},
	}, line, nil
}

// ownEdit returns an edit of a user. Errors: NotFound, then Forbidden.
func (t *txn) ownEdit(userUUID, uuid string) (*editRow, error) {
	row, err := edits.Get(t, uuid)
	if err != nil {
		return nil, err
	}
	if err := t.ownPart(userUUID, row.ProjectUUID, edits.Noun); err != nil {
		return nil, err
	}
	here, err := t.anchorsExist(row.Start, row.End)
	if err == nil && (row.Trashed || !here) {
		err = notFound(edits.Noun)
	}
	return row, err
}

// editsOn returns the number of edits of a run on the clips of a timeline. The empty run stands for
// the edits that a person made. Edits across clips do not count.
func (t *txn) editsOn(line *timeline, runUUID string) (n int) {
	for _, p := range line.places {
		n += edits.Count(t, editsByClip, p.row.UUID, runUUID)
	}
	return n
}

// UpdateEdit toggles or moves an edit, or changes its action or placement. Errors: NotFound and
// Forbidden for the edit and the asset; Unprocessable for an end that is not after the start, and
// for values out of range; Invalid out_of_bounds; Conflict asset_not_ready.
func (s *Store) UpdateEdit(userUUID, uuid string, c EditChange, as ...Change) (Edit, error) {
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
		if changed, err = t.changeEdit(userUUID, row, line, c); err != nil {
			return err
		}
		return t.record(row.ProjectUUID, HistoryEdits, optionalChange(as), "change edit")
	})
	return s.withStretch(changed, err)
}

// enoughEdits is the least number of changes that UpdateEdits writes in a separate transaction.
// Fewer changes share a transaction with other requests, which costs less.
const enoughEdits = 50

// UpdateEdits toggles and moves edits of one project and changes their actions, all or none. It
// returns the changed edits and the changes that undo them, both in the order of list. Errors:
// Unprocessable unknown_edit for an edit that the project does not have; Unprocessable for an edit
// that list has twice; see also UpdateEdit.
func (s *Store) UpdateEdits(
	userUUID, projectUUID string,
	list []NamedEditChange,
	as ...Change,
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
			row, err := edits.Find(t, c.UUID)
			if err != nil {
				return err
			}
			if row == nil || row.ProjectUUID != projectUUID || row.Trashed || !line.has(row) {
				return fail(Unprocessable, "unknown_edit", "The project has no edit %s. Reload the edits.", c.UUID)
			}
			if seen[c.UUID] {
				return failField("edits", "The list has the edit %s twice.", c.UUID)
			}
			seen[c.UUID] = true
			undo = append(undo, c.back(row.served(line)))
			now, err := t.changeEdit(userUUID, row, line, c.EditChange)
			if err != nil {
				return err
			}
			changed = append(changed, now)
		}

		return t.record(projectUUID, HistoryEdits, optionalChange(as), "change edits")
	})
	if err == nil {
		err = s.setStretches(projectUUID, changed)
	}
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
	if c.Action != nil {
		undo.Action = &before.Action
	}
	return undo
}

// changeEdit applies a change to an edit, writes it, and returns it.
func (t *txn) changeEdit(userUUID string, row *editRow, line *timeline, c EditChange) (Edit, error) {
	if err := t.changePlacement(userUUID, row, c.Placement); err != nil {
		return Edit{}, err
	}
	if err := row.move(line, c); err != nil {
		return Edit{}, err
	}
	if c.Action != nil {
		if err := row.setAction(*c.Action); err != nil {
			return Edit{}, err
		}
	}

	SetIfGiven(&row.Active, c.Active)
	if c != (EditChange{}) {
		t.announceEdits(row.ProjectUUID)
		row.Touched, row.UpdatedAt = true, t.Now
	}

	return row.served(line), edits.Put(t, row)
}

func (r *editRow) move(line *timeline, c EditChange) error {
	if c.StartMS == nil && c.EndMS == nil {
		return nil
	}
	now := r.served(line)
	start, end := now.StartMS, now.EndMS
	SetIfGiven(&start, c.StartMS)
	SetIfGiven(&end, c.EndMS)
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
		if r.Placement != nil && r.Placement.UntilEnd && c.EndMS == nil {
			r.End = line.endAnchor(end) // the asset's own end must not come before its start
		}
	}

	r.Origin = nil // the person has seen what is left of it
	return nil
}

// DeleteEdit deletes a manual cut or an asset placement and returns deleted true. It only switches
// off a detected cut.
func (s *Store) DeleteEdit(userUUID, uuid string, as ...Change) (deleted bool, e Edit, err error) {
	err = s.update(func(t *txn) error {
		row, err := t.ownEdit(userUUID, uuid)
		if err != nil {
			return err
		}
		line, err := t.timeline(row.ProjectUUID)
		if err != nil {
			return err
		}
		t.announceEdits(row.ProjectUUID)
		if row.RunUUID == nil || row.Type == EditAsset {
			deleted = true
			if err := t.dismiss(row); err != nil {
				return err
			}
			e = row.served(line)
			if err := edits.Delete(t, uuid); err != nil {
				return err
			}
			return t.record(row.ProjectUUID, HistoryEdits, optionalChange(as), "remove edit")
		}

		row.Active, row.Touched, row.UpdatedAt = false, true, t.Now
		e = row.served(line)
		if err := edits.Put(t, row); err != nil {
			return err
		}
		return t.record(row.ProjectUUID, HistoryEdits, optionalChange(as), "reject cut")
	})
	return deleted, e, err
}

// dropEdits deletes all edits of a project.
func (t *txn) dropEdits(projectUUID string) error {
	if err := edits.DeleteAll(t, editsByProject, projectUUID); err != nil {
		return err
	}
	return edits.DeleteAll(t, editsTrimmed, projectUUID)
}
