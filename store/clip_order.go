package store

import (
	"cmp"
	"slices"
)

// OrderClips changes the display order of the clips of a project. The parameter order has the uuid
// of each clip once. Edits, drafts, captions and words stay on their footage. An edit or short
// across clips that are no longer neighbors is split. Errors: Unprocessable unless order has every
// clip once; Conflict conflict while an analysis or export of the project runs; Conflict
// clips_processing while an edit ends on a clip that is being processed. The history can undo the
// change, under the name as.
func (s *Store) OrderClips(userUUID, projectUUID string, order []string, as ...Change) ([]Clip, error) {
	list := []Clip{}
	err := s.update(func(t *txn) error {
		list = list[:0]
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		rows, err := clips.List(t, clipsByProject, projectUUID)
		if err != nil {
			return err
		}
		ordered, err := orderRows(rows, order)
		if err != nil {
			return err
		}
		if !slices.Equal(rows, ordered) {
			if err := t.reorder(project, ordered, nil); err != nil {
				return err
			}
			if err := t.record(projectUUID, HistoryClips, optionalChange(as), "reorder clips"); err != nil {
				return err
			}
		}

		for _, row := range ordered {
			list = append(list, row.Clip)
		}
		return nil
	})
	return list, err
}

// clipIDs returns the uuids of clips.
func clipIDs(rows []*clipRow) (list []string) {
	for _, row := range rows {
		list = append(list, row.UUID)
	}
	return list
}

// planOrder brings the clips of a project into another order. Clips that were added since keep
// their place, and deleted ones are skipped. It leaves the edits alone that the entry restores.
func (u *undoing) planOrder(s undoStep) (func() error, error) {
	var wanted []string
	err := s.to.value(&wanted)
	return func() error { return u.restoreOrder(wanted) }, err
}

// reorders reports whether the clips that both lists of a change of the order have changed places.
func (c rowChange) reorders() (bool, error) {
	var before, after []string
	if err := c.Before.value(&before); err != nil {
		return false, err
	}
	if err := c.After.value(&after); err != nil {
		return false, err
	}
	missing := func(in []string) func(string) bool {
		return func(id string) bool { return !slices.Contains(in, id) }
	}
	kept := slices.DeleteFunc(slices.Clone(before), missing(after))
	return !slices.Equal(kept, slices.DeleteFunc(after, missing(before))), nil
}

func (u *undoing) restoreOrder(wanted []string) error {
	project, err := projects.Get(u, u.projectUUID)
	if err != nil {
		return err
	}
	rows, err := clips.List(u, clipsByProject, u.projectUUID)
	if err != nil {
		return err
	}
	byID := make(map[string]*clipRow, len(rows))
	for _, row := range rows {
		byID[row.UUID] = row
	}
	var known []*clipRow
	for _, id := range wanted {
		if row := byID[id]; row != nil {
			known = append(known, row)
		}
	}

	former := slices.Clone(rows)
	for i, row := range rows {
		if slices.Contains(wanted, row.UUID) {
			rows[i], known = known[0], known[1:]
		}
	}

	if slices.Equal(rows, former) {
		return nil
	}
	return u.reorder(project, rows, u.whole)
}

// orderRows returns rows in the order of uuids. Errors: Unprocessable.
func orderRows(rows []*clipRow, order []string) ([]*clipRow, error) {
	byID := make(map[string]*clipRow, len(rows))
	for _, row := range rows {
		byID[row.UUID] = row
	}
	ordered := make([]*clipRow, 0, len(rows))
	for _, id := range order {
		row := byID[id]
		if row == nil {
			return nil, failField(
				"clip_uuids",
				"The clip %s is not in the project, or the list has it twice. Reload the clips.",
				id,
			)
		}

		delete(byID, id)
		ordered = append(ordered, row)
	}

	if len(byID) > 0 {
		return nil, failField(
			"clip_uuids",
			"The list must have all %d clips of the project, but %d are missing. Reload the clips.",
			len(rows),
			len(byID),
		)
	}

	return ordered, nil
}

// reorder gives clips their places, and adapts edits and drafts but those in whole.
func (t *txn) reorder(project *projectRow, ordered []*clipRow, whole map[string]bool) error {
	before, err := t.movableTimeline(project.UUID)
	if err != nil {
		return err
	}
	if err := t.writePositions(ordered); err != nil {
		return err
	}
	if err := t.refresh(project); err != nil {
		return err
	}
	return t.rearrange(project.UUID, before, whole)
}

// refuseUnanchored refuses while an edit or draft has a bound without a clip, because the bound's
// new place is not known. Errors: Conflict clips_processing.
func (t *txn) refuseUnanchored(projectUUID string) error {
	refusal := fail(
		Conflict,
		"clips_processing",
		"A cut is on a clip that is still being processed. Wait until the clip is ready.",
	)
	list, err := edits.List(t, editsAcross, projectUUID)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.Start.Clip == "" || e.End.Clip == "" {
			return refusal
		}
	}

	saved, err := draftContents.List(t, contentsAcross, projectUUID)
	if err != nil {
		return err
	}
	for _, d := range saved {
		for _, o := range d.Overrides {
			if (o.Start != nil && o.Start.Clip == "") || (o.End != nil && o.End.Clip == "") {
				return refusal
			}
		}
	}

	return nil
}

// anchoredSpan is a span with bounds on footage.
type anchoredSpan struct{ Start, End anchor }

// split cuts a span at the borders of clips. The result is empty for an empty span, and when a
// bound is on no clip of the timeline. An end past the last clip moves back to that clip, unless a
// clip is being processed.
func (l *timeline) split(span anchoredSpan) []anchoredSpan {
	if span.End.Clip == "" && !l.processing {
		span.End = l.endAnchor(l.total)
	}
	if !l.holds(span) {
		return nil
	}
	var out []anchoredSpan
	start, end := l.at(span.Start), l.at(span.End)
	for _, p := range l.places[l.index(span.Start.Clip):] {
		if p.start >= end {
			break
		}
		from, to := max(start, p.start), min(end, p.end)
		if from < to {
			out = append(out, anchoredSpan{anchor{p.row.UUID, from - p.start}, anchor{p.row.UUID, to - p.start}})
		}
	}

	return out
}

// holds reports whether both bounds of a span are on clips of the timeline.
func (l *timeline) holds(span anchoredSpan) bool {
	_, start := l.find(span.Start.Clip)
	_, end := l.find(span.End.Clip)
	return start && end
}

// extends reports whether the timeline begins with all clips of another one, so that no clip has
// moved.
func (l *timeline) extends(before *timeline) bool {
	n := len(before.places)
	return n <= len(l.places) &&
		slices.EqualFunc(before.places, l.places[:n], func(a, b place) bool { return a.row.UUID == b.row.UUID })
}

// join joins consecutive spans whose clips follow each other on this timeline.
func (l *timeline) join(pieces []anchoredSpan) []anchoredSpan {
	follows := func(a, b string) bool {
		i := l.index(a)
		return i >= 0 && i+1 < len(l.places) && l.places[i+1].row.UUID == b
	}
	var out []anchoredSpan
	for _, p := range pieces {
		if n := len(out); n > 0 && follows(out[n-1].End.Clip, p.Start.Clip) {
			out[n-1].End = p.End
			continue
		}

		out = append(out, p)
	}

	return out
}

// overlaps reports whether two spans share a clip.
func (l *timeline) overlaps(a, b anchoredSpan) bool {
	for _, p := range l.split(a) {
		if slices.ContainsFunc(l.split(b), func(q anchoredSpan) bool { return p.Start.Clip == q.Start.Clip }) {
			return true
		}
	}

	return false
}

// movedEdit is an edit after its clips moved.
type movedEdit struct {
	before anchoredSpan
	rows   []*editRow // the edit itself, then the ones that were split off
}

// rearrange adapts edits, drafts and shorts to a new order of clips. They stay on their footage. An
// edit or short is split where its clips no longer follow each other. Only those across clips can
// change, without the ones in whole.
func (t *txn) rearrange(projectUUID string, before *timeline, whole map[string]bool) error {
	now, err := t.timeline(projectUUID)
	if err != nil {
		return err
	}
	if now.extends(before) {
		return nil
	}
	list, err := edits.List(t, editsAcross, projectUUID)
	if err != nil {
		return err
	}
	moved := make(map[string]movedEdit, len(list))
	for _, e := range now.shown(list) {
		if whole[e.UUID] {
			continue
		}
		m := movedEdit{before: anchoredSpan{e.Start, e.End}, rows: []*editRow{e}}
		if parts := now.join(before.split(m.before)); len(parts) > 0 {
			if m.rows, err = t.splitEdit(before, e, parts); err != nil {
				return err
			}
		}

		moved[e.UUID] = m
	}

	parts := func(span anchoredSpan) []anchoredSpan { return now.join(before.split(span)) }
	affected := contentsAcross
	for _, m := range moved {
		if len(m.rows) > 1 {
			affected = contentsByProject
		}
	}

	changed := t.changeOverrides(projectUUID, affected, func(d *draftContent) bool {
		if err != nil || whole[d.DraftUUID] {
			return false
		}
		for id, o := range d.Overrides {
			if _, known := moved[id]; known || whole[id] || !o.across() {
				continue
			}
			var e *editRow
			if e, err = edits.Find(t, id); err != nil {
				return false
			}
			if e != nil && !e.Trashed && now.has(e) {
				moved[id] = movedEdit{before: anchoredSpan{e.Start, e.End}, rows: []*editRow{e}}
			}
		}

		return d.Overrides.rearrange(before, now, moved, parts)
	})
	if err != nil || changed != nil {
		return cmp.Or(err, changed)
	}
	return t.moveShorts(projectUUID, now, whole, func(p anchoredSpan) []anchoredSpan { return []anchoredSpan{p} })
}

// length returns the length of a span in milliseconds.
func (l *timeline) length(s anchoredSpan) int64 { return l.at(s.End) - l.at(s.Start) }

// splitEdit gives an edit the first of its parts, in the former order, and creates a similar edit
// for each of the others.
func (t *txn) splitEdit(before *timeline, e *editRow, parts []anchoredSpan) ([]*editRow, error) {
	rows := []*editRow{e}
	if len(parts) == 1 && parts[0] == (anchoredSpan{e.Start, e.End}) {
		return rows, nil
	}
	e.UpdatedAt = t.Now
	shown := before.length(parts[0])
	for _, part := range parts[1:] {
		other := *e
		other.UUID, other.Start, other.End = t.NewID(), part.Start, part.End
		other.Origin, other.Copied = nil, nil
		if err := t.skipAhead(&other, shown); err != nil {
			return nil, err
		}
		shown += before.length(part)
		rows = append(rows, &other)
	}

	e.Start, e.End, e.Origin = parts[0].Start, parts[0].End, nil
	for _, row := range rows {
		if err := edits.Put(t, row); err != nil {
			return nil, err
		}
	}

	if e.RunUUID == nil || len(rows) == 1 {
		return rows, nil
	}
	return rows, t.changeRun(*e.RunUUID, func(r *runRow) { r.count(e.Type, len(rows)-1) })
}

// rearrange adapts the overrides of a draft to the moved edits, and reports whether anything
// changed. split returns the parts of a span after the move.
func (l anchoredOverrides) rearrange(
	before, now *timeline,
	moved map[string]movedEdit,
	split func(anchoredSpan) []anchoredSpan,
) bool {
	changed := false
	for id, m := range moved {
		o, ok := l[id]
		if !ok {
			continue
		}
		o = o.on(now)
		if o.Start == nil && o.End == nil {
			for _, row := range m.rows[1:] {
				l[row.UUID] = o
				changed = true
			}

			continue
		}

		span := m.before
		if o.Start != nil {
			span.Start = *o.Start
		}
		if o.End != nil {
			span.End = *o.End
		}
		parts := split(span)
		// An override with crossed bounds cuts nothing, and must still cut nothing after the move.
		uncrossed := len(parts) == 0 && before.holds(span) && now.at(span.End) > now.at(span.Start)
		if len(m.rows) == 1 && len(parts) <= 1 && !uncrossed {
			continue
		}
		l.distribute(now, o.Active, m.rows, parts)
		changed = true
	}

	return changed
}

// distribute gives each edit the part of an overridden span that is on its clips. The first edit
// takes any part if none fits. The other edits are switched off if none fits. Parts that are left
// over have no edit and are dropped.
func (l anchoredOverrides) distribute(now *timeline, active *bool, rows []*editRow, parts []anchoredSpan) {
	for i, row := range rows {
		span := anchoredSpan{row.Start, row.End}
		at := slices.IndexFunc(parts, func(p anchoredSpan) bool { return now.overlaps(p, span) })
		if at < 0 && i == 0 && len(parts) > 0 {
			at = 0
		}
		if at < 0 {
			off := false
			l[row.UUID] = anchoredOverride{Active: &off}
			continue
		}

		part := parts[at]
		parts = slices.Delete(slices.Clone(parts), at, at+1)
		l[row.UUID] = anchoredOverride{Active: active, Start: &part.Start, End: &part.End}
	}
}
