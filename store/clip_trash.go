package store

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"roughcut/store/table"
)

// trashedClip is what a clip in the trash needs to return to its place.
type trashedClip struct {
	At    time.Time // of the removal
	Order []string  // uuids of all clips in display order before the removal, trashed ones among them
}

// editBounds is where an edit is, and where its asset starts.
type editBounds struct {
	Start, End anchor
	OffsetMS   int64 `json:",omitempty"`
}

func (r *editRow) bounds() editBounds {
	b := editBounds{Start: r.Start, End: r.End}
	if r.Placement != nil {
		b.OffsetMS = r.Placement.OffsetMS
	}
	return b
}

var (
	clipsTrashed = &table.Index[clipRow]{Name: "clips.trashed", Keys: func(r *clipRow) [][]byte {
		if r.Trashed == nil {
			return nil
		}
		return table.Entry(r.Trashed.At)
	}}
	clipsTrashedByProject = &table.Index[clipRow]{
		Name: "clips.trashed_by_project",
		Keys: func(r *clipRow) [][]byte {
			if r.Trashed == nil {
				return nil
			}
			return table.Entry(r.ProjectUUID, r.Trashed.At)
		},
	}
)

// trashClip moves a clip to the trash. The edits that are on it only, its transcripts, caption
// lines, take groups, markers and shorts stay and are not served. Errors: Conflict while an
// analysis or export of the project runs.
func (t *txn) trashClip(row *clipRow) error {
	if row.Status == ClipReady {
		if err := t.refuseWhileUsed(row.ProjectUUID); err != nil {
			return err
		}
	}

	order, err := t.fullOrder(row.ProjectUUID)
	if err != nil {
		return err
	}
	if row.Status == ClipReady {
		if err := t.noteOrigins(row); err != nil {
			return err
		}
	}

	list, err := clips.List(t, clipsByProject, row.ProjectUUID)
	if err != nil {
		return err
	}
	row.Trashed, row.UpdatedAt = &trashedClip{At: t.Now, Order: order}, t.Now
	if err := t.cancelCopy(row); err != nil {
		return err
	}
	if err := clips.Put(t, row); err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(list), func(r *clipRow) bool { return r.UUID == row.UUID })
	if err := t.noteChange(noteOrder, row.ProjectUUID, clipIDs(list), clipIDs(left)); err != nil {
		return err
	}
	t.announceEdits(row.ProjectUUID)
	_, err = t.refitTrimmed(row.ProjectUUID)
	if err != nil {
		return err
	}
	if err := t.cancelJob(row.UUID); err != nil {
		return err
	}
	if err := t.enqueueTracks(row); err != nil { // of a duplicate
		return err
	}
	if err := t.cancelTiles(row); err != nil {
		return err
	}
	if err := t.Changed(row.ProjectUUID); err != nil {
		return err
	}
	return t.refreshProject(row.ProjectUUID)
}

// fullOrder returns the clips of a project in display order, including clips in the trash, each at
// the place where a restore would put it.
func (t *txn) fullOrder(projectUUID string) ([]string, error) {
	list, err := clips.List(t, clipsByProject, projectUUID)
	if err != nil {
		return nil, err
	}
	removed, err := clips.List(t, clipsTrashedByProject, projectUUID)
	order := make([]string, 0, len(list)+len(removed))
	for _, c := range list {
		order = append(order, c.UUID)
	}
	for _, c := range slices.Backward(removed) { // the last removed knows most of the others
		order = slices.Insert(order, c.Trashed.position(c.UUID, order), c.UUID)
	}
	return order, err
}

// restoreClip moves a clip from the trash back to its place, with its edits. It leaves the edits
// and drafts in whole as they are. Errors: Conflict while an analysis or export of the project
// runs.
func (t *txn) restoreClip(row *clipRow, whole map[string]bool) error {
	if err := t.refuseWhileUsed(row.ProjectUUID); err != nil {
		return err
	}
	before, err := t.timeline(row.ProjectUUID)
	if err != nil {
		return err
	}
	list, err := clips.List(t, clipsByProject, row.ProjectUUID)
	if err != nil {
		return err
	}
	order := clipIDs(list)
	at := row.Trashed.position(row.UUID, order)
	row.Trashed, row.UpdatedAt = nil, t.Now
	ordered := slices.Insert(slices.Clone(list), at, row)
	if err := t.noteChange(noteOrder, row.ProjectUUID, order, clipIDs(ordered)); err != nil {
		return err
	}
	for i, c := range ordered {
		if c != row && c.Position == i {
			continue
		}
		c.Position = i
		if err := clips.Put(t, c); err != nil {
			return err
		}
	}

	if err := t.enqueueLeft(row); err != nil {
		return err
	}
	seen, err := t.refitTrimmed(row.ProjectUUID)
	if err != nil {
		return err
	}
	if seen == nil {
		seen = map[string]bool{}
	}
	maps.Copy(seen, whole)
	t.announceEdits(row.ProjectUUID)
	if err := t.rearrange(row.ProjectUUID, before, seen); err != nil {
		return err
	}
	if err := t.settleAnchors(row.ProjectUUID); err != nil {
		return err
	}
	if err := t.Changed(row.ProjectUUID); err != nil {
		return err
	}
	return t.refreshProject(row.ProjectUUID)
}

// enqueueLeft queues the jobs of a clip that the trash ended.
func (t *txn) enqueueLeft(row *clipRow) error {
	if row.Status == ClipProcessing {
		if err := t.enqueue(JobClip, row.UUID, row.UserUUID, row.ProjectUUID); err != nil {
			return err
		}
	}

	if row.TilesLeft {
		if err := t.enqueueTiles(row); err != nil {
			return err
		}
	}

	return t.enqueueTracks(row)
}

// position returns the index where a restored clip goes in a list of clips: after the nearest clip
// that preceded it, or else before the nearest clip that followed it.
func (k *trashedClip) position(clipUUID string, list []string) int {
	at := max(0, slices.Index(k.Order, clipUUID))
	for _, before := range slices.Backward(k.Order[:at]) {
		if i := slices.Index(list, before); i >= 0 {
			return i + 1
		}
	}

	for _, after := range k.Order[at:] {
		if i := slices.Index(list, after); i >= 0 {
			return i
		}
	}

	return len(list)
}

// noteOrigins keeps where the edits across a clip and others are before the clip goes to the trash.
func (t *txn) noteOrigins(row *clipRow) error {
	line, err := t.timeline(row.ProjectUUID)
	if err != nil {
		return err
	}
	list, err := edits.List(t, editsAcross, row.ProjectUUID)
	if err != nil {
		return err
	}
	for _, e := range list {
		b := e.bounds()
		if e.Origin != nil || !line.covers(b, row.UUID) {
			continue
		}
		e.Origin = &b
		if err := edits.Put(t, e); err != nil {
			return err
		}
	}

	return nil
}

// covers reports whether a span has footage of a clip, or a bound on it.
func (l *timeline) covers(b editBounds, clipUUID string) bool {
	if b.Start.Clip == clipUUID || b.End.Clip == clipUUID {
		return true
	}
	p, ok := l.find(clipUUID)
	return ok && l.at(b.Start) < p.end && l.at(b.End) > p.start
}

// refitTrimmed adjusts the edits that clips in the trash have trimmed after a clip was removed,
// restored or permanently deleted: each edit covers the remaining part of its origin. An edit
// without a remaining part goes to the trash. refitTrimmed returns the edits that it has checked.
func (t *txn) refitTrimmed(projectUUID string) (seen map[string]bool, err error) {
	list, err := edits.List(t, editsTrimmed, projectUUID)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	all, here, err := t.fullTimeline(projectUUID)
	if err != nil {
		return nil, err
	}
	seen = map[string]bool{}
	for _, e := range list {
		seen[e.UUID] = true
		if err := t.refitEdit(all, here, e); err != nil {
			return nil, err
		}
	}

	return seen, nil
}

// fullTimeline returns the ready clips of a project, those in the trash among them, and which of
// them are not in the trash.
func (t *txn) fullTimeline(projectUUID string) (all *timeline, here map[string]bool, err error) {
	order, err := t.fullOrder(projectUUID)
	if err != nil {
		return nil, nil, err
	}
	all, here = &timeline{}, map[string]bool{}
	for _, uuid := range order {
		row, err := clips.Find(t, uuid)
		if err != nil {
			return nil, nil, err
		}
		if row == nil || row.Status != ClipReady {
			continue
		}
		here[uuid] = row.Trashed == nil
		end := all.total + *row.DurationMS
		all.places = append(all.places, place{row: row, start: all.total, end: end})
		all.total = end
	}

	return all, here, nil
}

func (t *txn) refitEdit(all *timeline, here map[string]bool, e *editRow) error {
	origin := *e.Origin
	var left, shown []anchoredSpan
	for _, part := range all.split(anchoredSpan{origin.Start, origin.End}) {
		left = append(left, part)
		if here[part.Start.Clip] {
			shown = append(shown, part)
		}
	}

	if len(left) == 0 && !e.Trashed { // its clips have another order since
		e.Origin = nil
		return edits.Put(t, e)
	}

	if len(left) == 0 {
		return edits.Delete(t, e.UUID)
	}
	e.UpdatedAt = t.Now
	if e.Trashed = len(shown) == 0; e.Trashed {
		return edits.Put(t, e)
	}
	e.Start, e.End = shown[0].Start, shown[len(shown)-1].End
	if e.Placement != nil {
		e.Placement.OffsetMS = origin.OffsetMS
		if err := t.skipAhead(e, all.at(e.Start)-all.at(left[0].Start)); err != nil {
			return err
		}
	}

	if len(shown) == len(left) {
		e.Origin = nil
	}
	return edits.Put(t, e)
}

// purgeClip deletes a clip in the trash, and frees its storage. dropClipRows deletes the rows on
// its footage.
func (t *txn) purgeClip(row *clipRow) error {
	err := t.forgetOrigin(row)
	if err == nil {
		err = t.dropClip(row)
	}
	if err == nil {
		_, err = t.refitTrimmed(row.ProjectUUID)
	}
	if err != nil {
		return err
	}
	if err := t.forgetClip(row.ProjectUUID, row.UUID); err != nil {
		return err
	}
	return deletions.Put(t, &deletion{UUID: row.UUID, ClipOf: row.ProjectUUID})
}

// dropClipRows deletes the edits, captions, takes, markers, transcripts and parts of shorts of a
// deleted clip while the transaction has room.
func (t *txn) dropClipRows(clipUUID, projectUUID string) error {
	return t.dropAll(
		clipUUID,
		func(uuid string) error { return edits.DeleteAll(t, editsByClip, uuid) },
		func(uuid string) error { return captions.DeleteAll(t, captionsByClip, uuid) },
		func(uuid string) error { return t.dropTakeGroupsOf(uuid, projectUUID) },
		func(uuid string) error { return t.dropFromFootage(uuid, projectUUID) },
		func(uuid string) error { return t.dropTranscripts(uuid, projectUUID) },
	)
}

// forgetOrigin limits the origins of edits to the other clips before a clip is permanently deleted.
func (t *txn) forgetOrigin(row *clipRow) error {
	list, err := edits.List(t, editsTrimmed, row.ProjectUUID)
	if err != nil || len(list) == 0 {
		return err
	}
	all, _, err := t.fullTimeline(row.ProjectUUID)
	if err != nil {
		return err
	}
	for _, e := range list {
		parts := all.split(anchoredSpan{e.Origin.Start, e.Origin.End})
		others := slices.DeleteFunc(slices.Clone(parts), func(p anchoredSpan) bool { return p.Start.Clip == row.UUID })
		if len(others) == len(parts) && e.Origin.Start.Clip != row.UUID && e.Origin.End.Clip != row.UUID {
			continue
		}
		if len(others) == 0 && !e.Trashed {
			e.Origin = nil
			if err == nil {
				err = edits.Put(t, e)
			}
			continue
		}

		if len(others) == 0 {
			if err == nil {
				err = edits.Delete(t, e.UUID)
			}
			continue
		}

		origin := editBounds{Start: others[0].Start, End: others[len(others)-1].End, OffsetMS: e.Origin.OffsetMS}
		origin.OffsetMS += all.at(origin.Start) - all.at(parts[0].Start)
		e.Origin = &origin
		if err == nil {
			err = edits.Put(t, e)
		}
	}

	return err
}

// movesClip are the tables that an undo restores after a clip was removed, restored or duplicated.
// Edits, overrides and shorts across clips change with it.
var movesClip = []string{clips.Name, noteOrder, edits.Name, draftContents.Name, shorts.Name}

// planClip restores the name of a clip, and moves the clip to the trash or back. Undoing an entry
// that created the clip also moves the clip to the trash. planClip skips a permanently deleted
// clip.
func (u *undoing) planClip(s undoStep) (func() error, error) {
	row, err := clips.Find(u, s.Key)
	if err != nil || row == nil {
		return nil, err
	}
	renamed := s.from != nil && s.to != nil && s.to["Name"] != nil && s.from.is("Name", row.Name)
	_, moves := s.to["Trashed"]
	moves = moves || s.from == nil || s.to == nil
	remove := s.to == nil || !sameValue(s.to["Trashed"], nil)
	return func() error {
		row, err := clips.Find(u, s.Key)
		if err != nil {
			return err
		}
		if renamed {
			if err := json.Unmarshal(s.to["Name"], &row.Name); err != nil {
				return err
			}
			row.UpdatedAt = u.Now
			if err := clips.Put(u, row); err != nil {
				return err
			}
		}

		switch {
		case moves && remove && row.Trashed == nil:
			return u.trashClip(row)
		case moves && !remove && row.Trashed != nil:
			return u.restoreClip(row, u.whole)
		}

		return nil
	}, nil
}

// forgetClip removes a permanently deleted clip from the history of its project.
func (t *txn) forgetClip(projectUUID, clipUUID string) error {
	list, err := history.List(t, historyByProject, projectUUID)
	if err != nil {
		return err
	}
	for _, row := range list {
		if row.Kind != HistoryClips {
			continue
		}
		steps, err := historyStepsTable.Get(t, row.UUID)
		if err != nil {
			return err
		}
		n := len(steps.Changes)
		steps.Changes = slices.DeleteFunc(steps.Changes, func(c rowChange) bool {
			return c.Table == clips.Name && c.Key == clipUUID
		})
		if len(steps.Changes) == n {
			continue
		}
		left := false // anything but what followed from the clip
		for _, c := range steps.Changes {
			left = left || c.Table == clips.Name
			if c.Table == noteOrder && !left {
				if left, err = c.reorders(); err != nil {
					return err
				}
			}
		}

		if left {
			err = historyStepsTable.Put(t, steps)
		} else {
			err = t.forgetEntry(row)
		}

		if err != nil {
			return err
		}
	}

	return nil
}
