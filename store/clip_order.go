package store

import "slices"

// OrderClips puts the clips of a project into another display order, which names each of them once.
// Edits, drafts, captions and words stay on their footage; an edit over clips that are no longer
// neighbours becomes one edit on each part. Errors: Unprocessable unless order names every clip
// once; Conflict while an analysis or export of the project is under way; Conflict clips_processing
// while a bound lies on footage that is still being processed.
func (s *Store) OrderClips(userUUID, projectUUID string, order []string) ([]Clip, error) {
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
			if err := t.reorder(project, ordered); err != nil {
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

// orderRows returns rows in the order of their ids.
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
				"The project has no clip %s, or it is named twice; load the clips again.",
				id,
			)
		}
		delete(byID, id)
		ordered = append(ordered, row)
	}
	if len(byID) > 0 {
		return nil, failField(
			"clip_uuids",
			"All %d clips of the project must be named; %d are missing. Load the clips again.",
			len(rows),
			len(byID),
		)
	}
	return ordered, nil
}

func (t *txn) reorder(project *projectRow, ordered []*clipRow) error {
	if err := t.refuseWhileUsed(project.UUID); err != nil {
		return err
	}
	before, err := t.timeline(project.UUID)
	if err != nil {
		return err
	}
	if before.processing {
		if err := t.refuseUnanchored(project.UUID); err != nil {
			return err
		}
	}
	for i, row := range ordered {
		if row.Position == i {
			continue
		}
		row.Position, row.UpdatedAt = i, t.now
		if err := clips.Put(t, row); err != nil {
			return err
		}
	}
	if err := t.refresh(project); err != nil {
		return err
	}
	return t.rearrange(project.UUID, before)
}

// refuseUnanchored refuses while an edit or draft has a bound on footage that is not known yet:
// nobody could say where it goes.
func (t *txn) refuseUnanchored(projectUUID string) error {
	refusal := fail(
		Conflict,
		"clips_processing",
		"A cut lies on a clip that is still being processed; wait until it is ready.",
	)
	list, err := edits.List(t, editsByProject, projectUUID)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.Start.Clip == "" || e.End.Clip == "" {
			return refusal
		}
	}
	saved, err := drafts.List(t, draftsByProject, projectUUID)
	if err != nil {
		return err
	}
	for _, d := range saved {
		for _, o := range d.Overrides {
			if o.Start != nil && o.Start.Clip == "" || o.End != nil && o.End.Clip == "" {
				return refusal
			}
		}
	}
	return nil
}

// stretch is a part of the project without a gap, bounded by footage.
type stretch struct{ start, end anchor }

// pieces cuts a span at the borders of clips. It is empty where the span is, and where a bound lies
// on no clip of the timeline. An end past the end of all footage is taken back to it, once there is
// no more to come.
func (l *timeline) pieces(span stretch) []stretch {
	if span.end.Clip == "" && !l.processing {
		span.end = l.endAnchor(l.total)
	}
	if !l.holds(span) {
		return nil
	}
	var out []stretch
	start, end := l.at(span.start), l.at(span.end)
	for _, p := range l.places {
		from, to := max(start, p.start), min(end, p.end)
		if from < to {
			out = append(out, stretch{anchor{p.row.UUID, from - p.start}, anchor{p.row.UUID, to - p.start}})
		}
	}
	return out
}

// holds reports whether both bounds of a span lie on clips of the timeline.
func (l *timeline) holds(span stretch) bool {
	_, start := l.find(span.start.Clip)
	_, end := l.find(span.end.Clip)
	return start && end
}

// continues reports whether the timeline begins with all that was on another one, so that nothing
// on that one has moved.
func (l *timeline) continues(before *timeline) bool {
	n := len(before.places)
	return n <= len(l.places) &&
		slices.EqualFunc(before.places, l.places[:n], func(a, b place) bool { return a.row.UUID == b.row.UUID })
}

// join puts pieces of one span together again wherever one clip follows the other on this timeline.
func (l *timeline) join(pieces []stretch) []stretch {
	follows := func(a, b string) bool {
		i := slices.IndexFunc(l.places, func(p place) bool { return p.row.UUID == a })
		return i >= 0 && i+1 < len(l.places) && l.places[i+1].row.UUID == b
	}
	var out []stretch
	for _, p := range pieces {
		if n := len(out); n > 0 && follows(out[n-1].end.Clip, p.start.Clip) {
			out[n-1].end = p.end
			continue
		}
		out = append(out, p)
	}
	return out
}

// meets reports whether two stretches have a clip in common.
func (l *timeline) meets(a, b stretch) bool {
	for _, p := range l.pieces(a) {
		if slices.ContainsFunc(l.pieces(b), func(q stretch) bool { return p.start.Clip == q.start.Clip }) {
			return true
		}
	}
	return false
}

// rearranged is what became of an edit whose clips moved.
type rearranged struct {
	before stretch
	rows   []*editRow // the edit itself, then those that were split off
}

// rearrange brings edits and drafts, which lie on the footage as it was laid out before, onto the
// project's timeline as it is now: what spans clips that no longer follow each other is split.
func (t *txn) rearrange(projectUUID string, before *timeline) error {
	now, err := t.timeline(projectUUID)
	if err != nil {
		return err
	}
	if now.continues(before) {
		return nil
	}
	list, err := edits.List(t, editsByProject, projectUUID)
	if err != nil {
		return err
	}
	moved := make(map[string]rearranged, len(list))
	for _, e := range list {
		m := rearranged{before: stretch{e.Start, e.End}, rows: []*editRow{e}}
		if parts := now.join(before.pieces(m.before)); len(parts) > 0 {
			if m.rows, err = t.splitEdit(before, e, parts); err != nil {
				return err
			}
		}
		moved[e.UUID] = m
	}
	return t.changeDrafts(projectUUID, func(d *draftRow) bool { return d.rearrange(before, now, moved) })
}

// length is how long a stretch is.
func (l *timeline) length(s stretch) int64 { return l.at(s.end) - l.at(s.start) }

// splitEdit gives an edit the first of its parts, in the order that they had before, and makes one
// like it for each of the others.
func (t *txn) splitEdit(before *timeline, e *editRow, parts []stretch) ([]*editRow, error) {
	rows := []*editRow{e}
	if len(parts) == 1 && parts[0] == (stretch{e.Start, e.End}) {
		return rows, nil
	}
	e.UpdatedAt = t.now
	shown := before.length(parts[0])
	for _, part := range parts[1:] {
		other := *e
		other.UUID, other.Start, other.End = t.s.NewID(), part.start, part.end
		if err := t.skipAhead(&other, shown); err != nil {
			return nil, err
		}
		shown += before.length(part)
		rows = append(rows, &other)
	}
	e.Start, e.End = parts[0].start, parts[0].end
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

// rearrange does for the overrides of a draft what was done for the edits, and reports whether
// anything changed.
func (d *draftRow) rearrange(before, now *timeline, moved map[string]rearranged) bool {
	changed := false
	for id, m := range moved {
		o, ok := d.Overrides[id]
		if !ok {
			continue
		}
		if o.Start == nil && o.End == nil {
			for _, row := range m.rows[1:] {
				d.Overrides[row.UUID] = o
				changed = true
			}
			continue
		}
		span := m.before
		if o.Start != nil {
			span.start = *o.Start
		}
		if o.End != nil {
			span.end = *o.End
		}
		parts := now.join(before.pieces(span))
		// Bounds that cross cut nothing; they must not begin to when the clips move.
		uncrossed := len(parts) == 0 && before.holds(span) && now.at(span.end) > now.at(span.start)
		if len(m.rows) == 1 && len(parts) <= 1 && !uncrossed {
			continue
		}
		d.share(now, o.Active, m.rows, parts)
		changed = true
	}
	return changed
}

// share gives each edit that part of an overridden span that lies on its clips. The first edit
// takes any part rather than none; the others are off without one. What is left over lies where no
// edit is, and is let go.
func (d *draftRow) share(now *timeline, active *bool, rows []*editRow, parts []stretch) {
	for i, row := range rows {
		at := slices.IndexFunc(parts, func(p stretch) bool { return now.meets(p, stretch{row.Start, row.End}) })
		if at < 0 && i == 0 && len(parts) > 0 {
			at = 0
		}
		if at < 0 {
			off := false
			d.Overrides[row.UUID] = anchoredOverride{Active: &off}
			continue
		}
		part := parts[at]
		parts = slices.Delete(slices.Clone(parts), at, at+1)
		d.Overrides[row.UUID] = anchoredOverride{Active: active, Start: &part.start, End: &part.end}
	}
}
