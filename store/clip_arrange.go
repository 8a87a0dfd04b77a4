package store

import (
	"cmp"
	"slices"

	"roughcut/media"
)

// maxSegments is the maximum number of segments of an arrangement.
const maxSegments = 2000

// elsewhereReason is the reason of the cuts of footage that another clip of an arrangement plays.
const elsewhereReason = "Plays in another clip of this recording"

// ClipSegment is a part of a clip, in clip time.
type ClipSegment struct {
	ClipUUID string
	media.Span
}

// clipPiece is a clip of an arrangement with its segments, by time and disjoint.
type clipPiece struct {
	from, row *clipRow // row is from, or a duplicate of it
	segments  []media.Span
}

// length returns the length of the segments in milliseconds.
func (p clipPiece) length() (ms int64) {
	for _, s := range p.segments {
		ms += s.Duration()
	}
	return ms
}

// ArrangeClips makes a project play segments of its clips in a new order. A recording may play out
// of order and more than once. Segments of a clip that follow each other in time stay in one clip.
// Others become duplicates of the clip, and each clip gets cuts of the footage that the others
// play. Edits, markers, shorts and the overrides of drafts move to the clip that plays their
// footage. Footage outside all segments stays cut. Clips without a recording keep their place.
// Errors: Unprocessable for a segment that is not on a clip, and for a ready clip without a
// segment; see also DuplicateClip. The history can undo the change, under the name as.
func (s *Store) ArrangeClips(
	userUUID, projectUUID string,
	segments []ClipSegment,
	as ...Change,
) ([]Clip, error) {
	list := []Clip{}
	err := s.update(func(t *txn) error {
		list = list[:0]
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		before, err := t.movableTimeline(projectUUID)
		if err != nil {
			return err
		}
		if before.processing {
			return fail(
				Conflict, "clips_processing", "A clip is still being processed. Wait until all clips are ready.",
			)
		}

		a := &arrangement{txn: t, projectUUID: projectUUID, before: before}
		if err := a.split(segments); err != nil {
			return err
		}
		if err := a.arrange(optionalChange(as)); err != nil {
			return err
		}
		rows, err := clips.List(t, clipsByProject, projectUUID)
		for _, row := range rows {
			list = append(list, row.Clip)
		}
		return err
	})
	return list, err
}

// arrangement is a running ArrangeClips.
type arrangement struct {
	*txn
	projectUUID   string
	before, after *timeline
	pieces        []*clipPiece            // in the order of the arrangement
	of            map[string][]*clipPiece // the pieces by the clip that they are from
	sources       map[string]string       // the clip that a piece is from, by that of the piece
	moved         map[string]movedEdit
}

// split divides segments into pieces. Errors: Unprocessable.
func (a *arrangement) split(segments []ClipSegment) error {
	if len(segments) > maxSegments {
		return failField("segments", "The list has %d segments. At most %d are possible.", len(segments), maxSegments)
	}
	played := map[string]bool{}
	for _, s := range segments {
		p, ok := a.before.find(s.ClipUUID)
		if !ok {
			return failField(
				"segments", "The clip %s is not a ready clip of the project. Reload the clips.", s.ClipUUID,
			)
		}

		if s.StartMS < 0 || s.EndMS > p.end-p.start || s.Duration() <= 0 {
			return failField(
				"segments", "%d to %d ms is not a part of %q, which is %d ms long.",
				s.StartMS, s.EndMS, p.row.Name, p.end-p.start,
			)
		}

		played[s.ClipUUID] = true
		if n := len(a.pieces); n > 0 && a.pieces[n-1].from.UUID == s.ClipUUID {
			last := a.pieces[n-1]
			if end := &last.segments[len(last.segments)-1].EndMS; s.StartMS == *end {
				*end = s.EndMS
				continue
			} else if s.StartMS > *end {
				last.segments = append(last.segments, s.Span)
				continue
			}
		}

		a.pieces = append(a.pieces, &clipPiece{from: p.row, segments: []media.Span{s.Span}})
	}

	for _, p := range a.before.places {
		if !played[p.row.UUID] {
			return failField("segments", "The clip %q has no segment. Each clip needs at least one.", p.row.Name)
		}
	}

	return nil
}

// arrange creates the clips of the pieces and moves the edits, markers and overrides on their
// footage.
func (a *arrangement) arrange(as Change) error {
	rows, err := clips.List(a, clipsByProject, a.projectUUID)
	if err != nil {
		return err
	}
	ordered, err := a.duplicate(rows)
	if err != nil {
		return err
	}
	if slices.Equal(clipIDs(rows), clipIDs(ordered)) && !slices.ContainsFunc(a.pieces, (*clipPiece).trims) {
		return nil
	}
	if err := a.writePositions(ordered); err != nil {
		return err
	}
	if err := a.refreshProject(a.projectUUID); err != nil {
		return err
	}
	if a.after, err = a.timeline(a.projectUUID); err != nil {
		return err
	}
	if err := a.moveEdits(); err != nil {
		return err
	}
	if err := a.cutOthers(); err != nil {
		return err
	}
	if err := a.moveMarkers(); err != nil {
		return err
	}
	if err := a.moveShorts(a.projectUUID, a.after, nil, a.shortParts); err != nil {
		return err
	}
	if err := a.checkCopies(a.projectUUID); err != nil {
		return err
	}
	a.announceEdits(a.projectUUID)
	if err := a.Changed(a.projectUUID); err != nil {
		return err
	}
	return a.record(
		a.projectUUID, HistoryClips, as, "rearrange recordings",
		noteOrder, clips.Name, edits.Name, markers.Name, draftContents.Name, shorts.Name,
	)
}

// duplicate gives each piece its clip, and returns the clips in their order. rows are those before.
// A clip stays with its longest piece.
func (a *arrangement) duplicate(rows []*clipRow) (ordered []*clipRow, err error) {
	longest := map[string]*clipPiece{}
	a.of, a.sources = map[string][]*clipPiece{}, map[string]string{}
	for _, p := range a.pieces {
		if other := longest[p.from.UUID]; other == nil || p.length() > other.length() {
			longest[p.from.UUID] = p
		}
	}

	list, err := runs.List(a, runsByProject, a.projectUUID)
	if err != nil {
		return nil, err
	}
	for _, p := range a.pieces {
		if p.row = p.from; longest[p.from.UUID] != p {
			if p.row, err = a.duplicateClip(p.from); err != nil {
				return nil, err
			}
			for _, run := range list {
				if err := a.duplicateSpeech(run, p.from.UUID, p.row.UUID); err != nil {
					return nil, err
				}
			}

			if err = clips.Put(a, p.row); err != nil { // counts for the next one
				return nil, err
			}
		}

		ordered = append(ordered, p.row)
		a.of[p.from.UUID] = append(a.of[p.from.UUID], p)
		a.sources[p.row.UUID] = p.from.UUID
	}

	for i, row := range rows {
		if row.Status != ClipReady {
			ordered = slices.Insert(ordered, min(i, len(ordered)), row)
		}
	}

	return ordered, nil
}

// trims reports whether the segments lack a part of the clip.
func (p *clipPiece) trims() bool { return len(p.segments) > 1 || p.length() < *p.from.DurationMS }

// parts returns the parts of a span on the clips that play them, in the order of the span. Parts
// that follow each other are one. Of a span that no segment has, it returns the span.
func (a *arrangement) parts(span anchoredSpan) (parts []anchoredSpan) {
	on := a.before.split(span)
	for _, part := range on {
		whole := media.Span{StartMS: part.Start.MS, EndMS: part.End.MS}
		var found []anchoredSpan
		for _, p := range a.of[part.Start.Clip] {
			for _, s := range p.segments {
				if s = s.Intersect(whole); s.Duration() > 0 {
					found = append(found, anchoredSpan{anchor{p.row.UUID, s.StartMS}, anchor{p.row.UUID, s.EndMS}})
				}
			}
		}

		slices.SortStableFunc(found, func(a, b anchoredSpan) int { return cmp.Compare(a.Start.MS, b.Start.MS) })
		parts = append(parts, found...)
	}

	if len(parts) == 0 {
		return on
	}
	joined := parts[:1]
	for _, p := range parts[1:] {
		if last := &joined[len(joined)-1]; a.after.at(last.End) == a.after.at(p.Start) {
			last.End = p.End
		} else {
			joined = append(joined, p)
		}
	}

	return joined
}

// moveEdits moves edits and the overrides of drafts to the clips that play their footage.
func (a *arrangement) moveEdits() error {
	list, err := edits.List(a, editsByProject, a.projectUUID)
	if err != nil {
		return err
	}
	a.moved = make(map[string]movedEdit, len(list))
	for _, e := range list {
		span := anchoredSpan{e.Start, e.End}
		m := movedEdit{before: span, rows: []*editRow{e}}
		if parts := a.parts(span); len(parts) > 0 {
			if m.rows, err = a.moveEdit(e, parts); err != nil {
				return err
			}
		}

		a.moved[e.UUID] = m
	}

	return a.moveDrafts()
}

// moveEdit gives an edit the first of its parts, and creates a similar edit for each of the others.
func (a *arrangement) moveEdit(e *editRow, parts []anchoredSpan) ([]*editRow, error) {
	rows := []*editRow{e}
	if len(parts) == 1 && parts[0] == (anchoredSpan{e.Start, e.End}) {
		return rows, nil
	}
	before := e.clone()
	for _, part := range parts[1:] {
		from := a.footage(part.Start)
		other := e.clone()
		other.UUID, other.Start, other.End = a.NewID(), part.Start, part.End
		other.Origin, other.Copied = nil, nil
		other.CreatedAt, other.UpdatedAt = a.Now, a.Now
		other.moveTo(from.Clip, part.Start.Clip)
		ahead := a.before.at(from) - a.before.at(e.Start)
		if err := a.skipAhead(&other, ahead); err != nil {
			return nil, err
		}
		if err := a.countEdit(&other, 1); err != nil {
			return nil, err
		}
		rows = append(rows, &other)
	}

	from := a.footage(parts[0].Start)
	if err := a.skipAhead(e, a.before.at(from)-a.before.at(before.Start)); err != nil {
		return nil, err
	}
	e.Start, e.End, e.Origin, e.UpdatedAt = parts[0].Start, parts[0].End, nil, a.Now
	e.moveTo(from.Clip, parts[0].Start.Clip)
	for _, row := range rows {
		if err := edits.Put(a, row); err != nil {
			return nil, err
		}
	}

	return rows, nil
}

// footage moves an anchor on a duplicate to the clip that was duplicated.
func (a *arrangement) footage(at anchor) anchor {
	if source, ok := a.sources[at.Clip]; ok {
		at.Clip = source
	}
	return at
}

// cutOthers cuts the footage of each clip that is not in its segments.
func (a *arrangement) cutOthers() error {
	for _, p := range a.pieces {
		for _, span := range media.KeptSpans(*p.from.DurationMS, p.segments) {
			row := &editRow{
				Start: anchor{p.row.UUID, span.StartMS}, End: anchor{p.row.UUID, span.EndMS}, Elsewhere: true,
				Edit: Edit{
					UUID: a.NewID(), ProjectUUID: a.projectUUID, Type: EditManual, Active: true,
					Reason: elsewhereReason, CreatedAt: a.Now, UpdatedAt: a.Now,
				},
			}
			if err := edits.Put(a, row); err != nil {
				return err
			}
		}
	}

	return nil
}

// moveMarkers moves markers to the clips that play their footage.
func (a *arrangement) moveMarkers() error {
	return markersOn.change(a.txn, a.projectUUID, func(row *markerRow) (changed, keep bool) {
		plays := func(s media.Span) bool { return s.StartMS <= row.At.MS && row.At.MS < s.EndMS }
		list := a.of[row.At.Clip]
		i := slices.IndexFunc(list, func(p *clipPiece) bool { return slices.ContainsFunc(p.segments, plays) })
		if i < 0 || list[i].row.UUID == row.At.Clip {
			return false, true
		}
		row.At.Clip, row.UpdatedAt = list[i].row.UUID, a.Now
		return true, true
	})
}

// shortParts returns the parts of a short that play a part of it.
func (a *arrangement) shortParts(part anchoredSpan) (parts []anchoredSpan) {
	if !a.before.holds(part) { // in the trash
		return []anchoredSpan{part}
	}
	for _, p := range a.parts(part) {
		parts = append(parts, a.after.split(p)...)
	}
	return parts
}

// elsewhereCuts are the active cuts of footage that another clip of the recording plays.
type elsewhereCuts []*editRow

func (t *txn) elsewhere(projectUUID string) (elsewhereCuts, error) {
	list, err := edits.List(t, editsManual, projectUUID)
	return slices.DeleteFunc(list, func(r *editRow) bool { return !r.Elsewhere || !r.Active }), err
}

// hide reports whether a cut has a whole detected edit, which the other clip has too.
func (l elsewhereCuts) hide(row *editRow) bool { return l.cover(row.Start, row.End) }

// play reports whether cuts have all takes of a group, which another clip has too.
func (l elsewhereCuts) play(g *takeGroupRow) bool {
	return !slices.ContainsFunc(g.Takes, func(take DetectedTake) bool {
		return !l.cover(anchor{g.ClipUUID, take.Span.StartMS}, anchor{g.ClipUUID, take.Span.EndMS})
	})
}

func (l elsewhereCuts) cover(start, end anchor) bool {
	return slices.ContainsFunc(l, func(r *editRow) bool {
		return r.Start.Clip == start.Clip && r.End.Clip == end.Clip && r.Start.MS <= start.MS && end.MS <= r.End.MS
	})
}

// moveDrafts moves the overrides and shorts of drafts to the clips that play their footage.
func (a *arrangement) moveDrafts() error {
	return a.changeOverrides(a.projectUUID, contentsByProject, func(d *draftContent) bool {
		changed := d.Overrides.rearrange(a.before, a.after, a.moved, a.parts)
		for i, short := range d.Shorts {
			parts := movedParts(short.Parts, a.shortParts)
			changed = changed || !slices.Equal(parts, short.Parts)
			d.Shorts[i].Parts = parts
		}

		return changed
	})
}
