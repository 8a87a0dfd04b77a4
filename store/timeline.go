package store

import (
	"slices"

	"roughcut/media"
)

// anchor is a point on footage, in milliseconds on a clip. Without a clip it is a point in project
// time: past the end of the clips that were ready when it was set.
type anchor struct {
	Clip string `json:",omitempty"`
	MS   int64
}

// place is a clip's position in project time.
type place struct {
	row   *clipRow
	start int64 // project time
	end   int64
}

// timeline is the ready clips of a project end to end in display order.
type timeline struct {
	places     []place
	byClip     map[string]int // index in places, see index
	total      int64          // milliseconds
	processing bool           // a clip is being processed, so the end is not known yet
}

func (t *txn) timeline(projectUUID string) (*timeline, error) {
	rows, err := clips.List(t, clipsByProject, projectUUID)
	if err != nil {
		return nil, err
	}
	line := &timeline{}
	for _, row := range rows {
		switch row.Status {
		case ClipProcessing:
			line.processing = true
		case ClipReady:
			line.places = append(line.places, place{row: row, start: line.total, end: line.total + *row.DurationMS})
			line.total += *row.DurationMS
		}
	}

	return line, nil
}

// heard returns the length of the recordings that an analysis hears, in milliseconds. A recording
// that several clips have is heard once.
func (l *timeline) heard() (ms int64) {
	known := map[string]bool{}
	for _, p := range l.places {
		if !known[p.row.ClipFileID] {
			known[p.row.ClipFileID] = true
			ms += *p.row.DurationMS
		}
	}

	return ms
}

// find returns the place of a clip, and whether the timeline has the clip.
func (l *timeline) find(clipUUID string) (place, bool) {
	i := l.index(clipUUID)
	if i < 0 {
		return place{}, false
	}
	return l.places[i], true
}

// index returns the index of a clip in places, or -1 if the timeline does not have the clip.
func (l *timeline) index(clipUUID string) int {
	if len(l.byClip) != len(l.places) {
		l.byClip = make(map[string]int, len(l.places))
		for i, p := range l.places {
			l.byClip[p.row.UUID] = i
		}
	}

	if i, ok := l.byClip[clipUUID]; ok {
		return i
	}
	return -1
}

// has reports whether all clips of an edit are on the timeline, and not in the trash.
func (l *timeline) has(e *editRow) bool {
	hasClip := func(uuid string) bool { return uuid == "" || l.index(uuid) >= 0 }
	return hasClip(e.Start.Clip) && hasClip(e.End.Clip)
}

// shown returns the edits of a list whose clips are not in the trash.
func (l *timeline) shown(list []*editRow) []*editRow {
	return slices.DeleteFunc(list, func(e *editRow) bool { return !l.has(e) })
}

// startAnchor anchors the start of a span. At a border between two clips it uses the later clip.
func (l *timeline) startAnchor(ms int64) anchor {
	for _, p := range l.places {
		if ms >= p.start && ms < p.end {
			return anchor{p.row.UUID, ms - p.start}
		}
	}

	return anchor{MS: ms}
}

// endAnchor anchors the end of a span. At a border between two clips it uses the earlier clip.
func (l *timeline) endAnchor(ms int64) anchor {
	for _, p := range l.places {
		if ms > p.start && ms <= p.end {
			return anchor{p.row.UUID, ms - p.start}
		}
	}

	return anchor{MS: ms}
}

// at returns the project time of an anchor.
func (l *timeline) at(a anchor) int64 {
	if p, ok := l.find(a.Clip); ok {
		return p.start + a.MS
	}
	return a.MS
}

// clamp limits a span on a clip to the clip. It returns an empty span for a clip that is not on the
// timeline.
func (l *timeline) clamp(clipUUID string, span media.Span) media.Span {
	p, ok := l.find(clipUUID)
	if !ok {
		return media.Span{}
	}
	return span.Intersect(media.Span{EndMS: p.end - p.start})
}

// checkBounds refuses bounds past the end of the project, unless a clip is being processed. Errors:
// Invalid no_clips, out_of_bounds.
func (l *timeline) checkBounds(bounds ...int64) error {
	if l.processing {
		return nil
	}
	if len(l.places) == 0 {
		return noClips()
	}
	for _, ms := range bounds {
		if ms > l.total {
			return fail(Invalid, "out_of_bounds", "The project is %d ms long, so %d ms is past its end.", l.total, ms)
		}
	}

	return nil
}

func noClips() *Error {
	return fail(Invalid, "no_clips", "The project has no ready clip. Add a recording first.")
}

// checkSpan refuses bounds that are wrong for any project. Nil bounds are not checked. Errors:
// Unprocessable.
func checkSpan(field string, start, end *int64) error {
	if start != nil && *start < 0 {
		return failField(field+"start_ms", "Times cannot be negative.")
	}
	if end != nil && *end < 0 {
		return failField(field+"end_ms", "Times cannot be negative.")
	}
	if start != nil && end != nil && *end <= *start {
		return failField(field+"end_ms", "The end must come after the start.")
	}
	return nil
}

// settleAnchors anchors bounds that were set past the end of the project, after the project has
// become longer.
func (t *txn) settleAnchors(projectUUID string) error {
	line, err := t.timeline(projectUUID)
	if err != nil {
		return err
	}
	list, err := edits.List(t, editsAcross, projectUUID)
	if err != nil {
		return err
	}
	for _, e := range list {
		if line.settle(&e.Start, &e.End) {
			if err := edits.Put(t, e); err != nil {
				return err
			}
		}
	}

	return t.changeOverrides(projectUUID, contentsAcross, func(d *draftContent) bool {
		moved := false
		for _, o := range d.Overrides {
			moved = line.settle(o.Start, o.End) || moved
		}
		return moved
	})
}

// settle anchors bounds without a clip that a clip covers now, and reports whether it did. It
// ignores nil bounds.
func (l *timeline) settle(start, end *anchor) bool {
	moved := false
	if start != nil && start.Clip == "" {
		*start = l.startAnchor(start.MS)
		moved = start.Clip != ""
	}

	if end != nil && end.Clip == "" {
		*end = l.endAnchor(end.MS)
		moved = moved || end.Clip != ""
	}

	return moved
}
