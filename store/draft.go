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
	Shorts                  []Short `json:"-"` // as they were saved; nil if the draft was saved without
	CreatedAt, UpdatedAt    time.Time
}

// DraftChange is a change to a draft. A nil field stays unchanged.
type DraftChange struct {
	Name           *string
	EditOverrides  map[string]Override // replaces all overrides
	ExportSettings json.RawMessage
	WithShorts     *bool // true saves the shorts of the project as they are now, false forgets them
}

// maxDrafts is the maximum number of drafts of a project, in all its runs.
const maxDrafts = 100

// draftRow is the stored form of a Draft. Its overrides and settings are in draftContent.
type draftRow struct {
	Draft
	RunUUID string // active run at its creation, empty before the first run
	Seq     uint64
}

// draftContent is what a draft holds. It has its own row, so that lists of drafts do not read it.
type draftContent struct {
	DraftUUID, ProjectUUID, UserUUID string
	ExportSettings                   json.RawMessage
	Overrides                        anchoredOverrides
	OverriddenAt                     time.Time  `json:",omitzero"` // when Overrides were saved; zero in older rows
	Shorts                           []shortRow // nil: saved without shorts
	Seq                              uint64     // grows with each save and each duplicate of a clip
}

// anchoredOverrides are overrides on footage, by edit uuid. They stay as a person saved them when
// their edits and clips go to the trash or are deleted; served leaves such overrides out. So these
// changes write no draft.
type anchoredOverrides map[string]anchoredOverride

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

	contentsByProject = &table.Index[draftContent]{
		Name: "draft_contents.by_project",
		Keys: func(r *draftContent) [][]byte { return table.Entry(r.ProjectUUID) },
	}
	// contentsAcross lists those with an override that is across.
	contentsAcross = &table.Index[draftContent]{
		Name: "draft_contents.across",
		Keys: func(r *draftContent) [][]byte {
			for _, o := range r.Overrides {
				if o.across() {
					return table.Entry(r.ProjectUUID)
				}
			}

			return nil
		},
	}
	draftContents = &table.Table[draftContent]{
		Name:    "draft_contents",
		Noun:    "draft",
		Key:     func(r *draftContent) []byte { return []byte(r.DraftUUID) },
		Owner:   func(r *draftContent) string { return r.UserUUID },
		Indexes: []*table.Index[draftContent]{contentsByProject, contentsAcross},

		Undoable: true,
	}
	// undoDrafts leaves drafts alone that a person has saved since.
	undoDrafts = &undoRows[draftContent]{
		Table: draftContents, only: []string{"Overrides", "Shorts", "Seq"}, members: "Overrides", version: "Seq",
	}
)

// across reports whether an override has bounds that are not on one clip: over a border, only one
// of them, or on a clip that is not ready yet. Only these can change with the places of the clips.
func (o anchoredOverride) across() bool {
	return (o.Start == nil) != (o.End == nil) || (o.Start != nil && (o.Start.Clip != o.End.Clip || o.Start.Clip == ""))
}

// on returns the override without the bounds on clips that a timeline does not have.
func (o anchoredOverride) on(line *timeline) anchoredOverride {
	kept := func(a *anchor) *anchor {
		if a == nil || a.Clip == "" {
			return a
		}
		if _, ok := line.find(a.Clip); !ok {
			return nil
		}
		return a
	}
	o.Start, o.End = kept(o.Start), kept(o.End)
	return o
}

// servedOverrides returns overrides in project time. It leaves out overrides whose edit or clip is
// deleted or in the trash.
func (t *txn) servedOverrides(line *timeline, list anchoredOverrides) (map[string]Override, error) {
	out := make(map[string]Override, len(list))
	for id, o := range list {
		row, err := edits.Find(t, id)
		if err != nil {
			return nil, err
		}
		if row == nil || row.Trashed || !line.has(row) {
			continue
		}
		o = o.on(line)
		shown := Override{Active: o.Active, Action: o.Action}
		if o.Start != nil {
			shown.StartMS = new(line.at(*o.Start))
		}
		if o.End != nil {
			shown.EndMS = new(line.at(*o.End))
		}
		out[id] = shown
	}

	return out, nil
}

// anchored anchors overrides to footage.
func (l *timeline) anchored(overrides map[string]Override) anchoredOverrides {
	list := make(anchoredOverrides, len(overrides))
	for id, o := range overrides {
		kept := anchoredOverride{Active: o.Active, Action: o.Action}
		if o.StartMS != nil {
			kept.Start = new(l.startAnchor(*o.StartMS))
		}
		if o.EndMS != nil {
			kept.End = new(l.endAnchor(*o.EndMS))
		}
		list[id] = kept
	}

	return list
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
		if row == nil || row.ProjectUUID != projectUUID || row.Trashed || !line.has(row) {
			e := failField("edit_overrides."+id, "The project has no edit %s. Reload the edits.", id)
			e.Code = "unknown_edit"
			return e
		}

		if action := overrides[id].Action; action != nil {
			if err := row.setAction(*action); err != nil {
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

// CreateDraft stores a draft with what a change sets. Errors: Invalid no_clips, out_of_bounds;
// Unprocessable unknown_edit; Unprocessable for invalid times and settings, past maxDrafts and past
// maxSettingsBytes.
func (s *Store) CreateDraft(userUUID, projectUUID string, c DraftChange) (Draft, error) {
	var made Draft
	err := s.updateSettings(userUUID, func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		if drafts.Count(t, draftsByProject, projectUUID) >= maxDrafts {
			return tooMany(
				"A project can have %d drafts, including drafts of other analyses. Delete some of them first.",
				maxDrafts,
			)
		}

		seq, err := drafts.NextSeq(t)
		if err != nil {
			return err
		}
		row := &draftRow{
			Seq:     seq,
			RunUUID: project.ActiveRunUUID,
			Draft:   Draft{UUID: s.NewID(), ProjectUUID: projectUUID, CreatedAt: t.Now},
		}
		content := &draftContent{DraftUUID: row.UUID, ProjectUUID: projectUUID, UserUUID: userUUID}
		c.ExportSettings = OrEmptyObject(c.ExportSettings)
		if c.EditOverrides == nil {
			c.EditOverrides = map[string]Override{}
		}
		made, err = t.changeDraft(row, content, c)
		return err
	})
	return made, err
}

// changeDraft changes a draft and writes it. Errors: see CreateDraft.
func (t *txn) changeDraft(row *draftRow, content *draftContent, c DraftChange) (Draft, error) {
	line, err := t.timeline(row.ProjectUUID)
	if err != nil {
		return Draft{}, err
	}
	SetIfGiven(&row.Name, c.Name)
	if c.ExportSettings != nil {
		if _, err := parseSettings(OrEmptyObject(c.ExportSettings)); err != nil {
			return Draft{}, err
		}
		content.ExportSettings = OrEmptyObject(c.ExportSettings)
	}

	if c.EditOverrides != nil {
		if err := t.checkOverrides(row.ProjectUUID, line, c.EditOverrides); err != nil {
			return Draft{}, err
		}
		if err := content.save(t, line.anchored(c.EditOverrides)); err != nil {
			return Draft{}, err
		}
		content.OverriddenAt = t.Now
	}

	if c.WithShorts != nil {
		if err := content.saveShorts(t, *c.WithShorts); err != nil {
			return Draft{}, err
		}
	}

	row.UpdatedAt = t.Now
	if err := drafts.Put(t, row); err != nil {
		return Draft{}, err
	}
	if err := draftContents.Put(t, content); err != nil {
		return Draft{}, err
	}
	return t.wholeDraft(row, content, line)
}

// all returns the overrides of a draft, including overrides of copied edits: a copy that was made
// after the draft was saved has the override of its original. So duplicating a clip writes no
// draft.
func (d *draftContent) all(t *txn) (anchoredOverrides, error) {
	list := maps.Clone(d.Overrides)
	for left := slices.Collect(maps.Keys(list)); len(left) > 0; left = left[1:] {
		copies, err := edits.List(t, editsCopied, left[0])
		if err != nil {
			return nil, err
		}
		for _, e := range copies {
			if _, known := list[e.UUID]; known || e.Copied.Seq <= d.Seq {
				continue
			}
			o := list[left[0]]
			o.Start, o.End = e.Copied.moved(o.Start), e.Copied.moved(o.End)
			list[e.UUID], left = o, append(left, e.UUID)
		}
	}

	return list, nil
}

// save replaces the overrides of a draft.
func (d *draftContent) save(t *txn, list anchoredOverrides) (err error) {
	d.Overrides = list
	d.Seq, err = draftContents.NextSeq(t)
	return err
}

// wholeDraft returns a draft with its content.
func (t *txn) wholeDraft(row *draftRow, content *draftContent, line *timeline) (d Draft, err error) {
	d = row.Draft
	d.ExportSettings, d.Shorts = content.ExportSettings, content.servedShorts(line)
	list, err := content.all(t)
	if err == nil {
		d.EditOverrides, err = t.servedOverrides(line, list)
	}
	return d, err
}

// Drafts returns the drafts of a project that were created for its active run or before any run,
// newest first, without their overrides and settings.
func (s *Store) Drafts(userUUID, projectUUID string) ([]Draft, error) {
	list := []Draft{}
	err := s.view(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		rows, _, err := drafts.Page(t, Page{}, draftsByProject, projectUUID)
		for _, row := range rows {
			if row.RunUUID == "" || row.RunUUID == project.ActiveRunUUID {
				list = append(list, row.Draft)
			}
		}

		return err
	})
	return list, err
}

// ownDraft returns a draft of a user and its content. Errors: NotFound, then Forbidden.
func (t *txn) ownDraft(userUUID, uuid string) (*draftRow, *draftContent, error) {
	row, err := drafts.Get(t, uuid)
	if err != nil {
		return nil, nil, err
	}
	if err := t.ownPart(userUUID, row.ProjectUUID, drafts.Noun); err != nil {
		return nil, nil, err
	}
	content, err := draftContents.Get(t, uuid)
	return row, content, err
}

// Draft returns a draft of any run. Errors: NotFound, Forbidden.
func (s *Store) Draft(userUUID, uuid string) (Draft, error) {
	return viewed(s, func(t *txn) (Draft, error) { return t.draft(userUUID, uuid) })
}

// draft is Draft in a transaction.
func (t *txn) draft(userUUID, uuid string) (Draft, error) {
	row, content, err := t.ownDraft(userUUID, uuid)
	if err != nil {
		return Draft{}, err
	}
	line, err := t.timeline(row.ProjectUUID)
	if err != nil {
		return Draft{}, err
	}
	return t.wholeDraft(row, content, line)
}

// UpdateDraft changes a draft. Errors: see CreateDraft.
func (s *Store) UpdateDraft(userUUID, uuid string, c DraftChange) (Draft, error) {
	var changed Draft
	err := s.updateSettings(userUUID, func(t *txn) error {
		row, content, err := t.ownDraft(userUUID, uuid)
		if err == nil {
			changed, err = t.changeDraft(row, content, c)
		}
		return err
	})
	return changed, err
}

// DeleteDraft deletes a draft. Errors: NotFound, Forbidden.
func (s *Store) DeleteDraft(userUUID, uuid string) error {
	return s.updateOnReserve(func(t *txn) error {
		if _, _, err := t.ownDraft(userUUID, uuid); err != nil {
			return err
		}
		if err := drafts.Delete(t, uuid); err != nil {
			return err
		}
		return draftContents.Delete(t, uuid)
	})
}

// changeOverrides calls fn with each content of a project's drafts in an index. It writes those
// that fn reports as changed, without the overrides of deleted edits.
func (t *txn) changeOverrides(
	projectUUID string, ix *table.Index[draftContent], fn func(*draftContent) bool,
) error {
	list, err := draftContents.List(t, ix, projectUUID)
	if err != nil {
		return err
	}
	for _, content := range list {
		list, err := content.all(t)
		if err == nil {
			err = content.save(t, list)
		}
		if err != nil {
			return err
		}
		if !fn(content) {
			continue
		}
		for id := range content.Overrides {
			row, err := edits.Find(t, id)
			if err != nil {
				return err
			}
			if row == nil {
				delete(content.Overrides, id)
			}
		}

		if err := draftContents.Put(t, content); err != nil {
			return err
		}
	}

	return nil
}

// dropDrafts deletes all drafts of a project.
func (t *txn) dropDrafts(projectUUID string) error {
	if err := drafts.DeleteAll(t, draftsByProject, projectUUID); err != nil {
		return err
	}
	return draftContents.DeleteAll(t, contentsByProject, projectUUID)
}

// drafts checks that each draft has a content, and each content a draft of its project.
func (c *check) drafts() error {
	known := map[string]string{} // project by draft
	err := drafts.Each(c.t, func(row *draftRow) error { known[row.UUID] = row.ProjectUUID; return nil })
	if err != nil {
		return err
	}
	err = draftContents.Each(c.t, func(row *draftContent) error {
		if project, ok := known[row.DraftUUID]; !ok || project != row.ProjectUUID {
			c.report("draft", "The content of draft %s has no draft in its project.", row.DraftUUID)
		}
		delete(known, row.DraftUUID)
		return nil
	})
	for id := range known {
		c.report("draft", "Draft %s has no content.", id)
	}
	return err
}
