package interchange

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"roughcut/media"
)

// Kinds of changes.
const (
	ChangeAdd     = "add"     // a cut that the project lacks
	ChangeMove    = "move"    // another start or end of an active cut
	ChangeRestore = "restore" // an active cut that the timeline plays
	ChangeApply   = "apply"   // a proposed cut that the timeline makes
)

// Change is a difference between a project and a changed timeline, as an edit that makes the
// project like the timeline. Times are project time.
type Change struct {
	Kind           string
	EditUUID       string // empty for ChangeAdd
	StartMS, EndMS int64  // of the edit after the change
	FromMS, ToMS   int64  // of the edit before a ChangeMove
}

// Difference is what a changed timeline changes.
type Difference struct {
	Changes []Change // by start
	Ignored []string // what is not taken over, in words
}

// Compare returns how a changed timeline differs from a project. It compares whole frames: reading
// an unchanged timeline gives no difference. Errors: *ReadError when the timeline plays no
// recording of the project; those of New.
func Compare(p Project, r Reading) (Difference, error) {
	line, err := New(p, Place{}, false)
	if err != nil {
		return Difference{}, err
	}
	c := comparison{p: p, line: line, difference: Difference{Ignored: r.Ignored}}
	c.axis()
	found := c.played(r)
	if len(found) == 0 {
		return Difference{}, readErrorf("The timeline plays no recording of this project.")
	}
	var now []frameSpan
	for _, clip := range line.Clips {
		now = append(now, c.span(clip.Source, clip.In, clip.Out))
	}
	c.compare(c.rest(merged(now)), c.rest(merged(found)))
	slices.SortFunc(c.difference.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.StartMS, b.StartMS), cmp.Compare(a.EndMS, b.EndMS))
	})
	return c.difference, nil
}

// frameSpan is a range of frames of all recordings end to end.
type frameSpan struct{ from, to int64 }

func (s frameSpan) overlap(o frameSpan) int64 { return min(s.to, o.to) - max(s.from, o.from) }

type comparison struct {
	p          Project
	line       Timeline
	bases      []int64 // first frame of each recording, then the number of all frames
	starts     []int64 // of each recording in project time
	used       map[string]bool
	difference Difference
}

// axis numbers the frames of the recordings.
func (c *comparison) axis() {
	c.used = map[string]bool{}
	var base, start int64
	for i, r := range c.p.Recordings {
		c.bases, c.starts = append(c.bases, base), append(c.starts, start)
		base += c.line.Sources[i].Frames
		start += r.Info.DurationMS
	}
	c.bases = append(c.bases, base)
}

func (c *comparison) span(source int, in, out int64) frameSpan {
	return frameSpan{c.bases[source] + in, c.bases[source] + out}
}

// source returns the recording of a clip: by its UUID, otherwise by its file name. It returns -1
// for another file.
func (c *comparison) source(clip ReadClip) int {
	if i := slices.IndexFunc(c.p.Recordings, func(r Recording) bool { return r.UUID == clip.ClipUUID }); i >= 0 {
		return i
	}
	return slices.IndexFunc(c.line.Sources[:len(c.p.Recordings)], func(s Source) bool {
		return strings.EqualFold(s.Name, clip.FileName)
	})
}

// played returns the ranges that a timeline plays, and notes what does not fit.
func (c *comparison) played(r Reading) (list []frameSpan) {
	last := int64(-1)
	for _, clip := range r.Clips {
		i := c.source(clip)
		if clip.Audio && (i < 0 || c.p.Recordings[i].Info.Video != nil) {
			continue // as the video track has it
		}
		if i < 0 {
			c.note("The clip %q, which is not a recording of this project", shortName(clip.FileName))
			continue
		}
		if clip.Disabled {
			continue
		}
		s := c.span(i, c.frame(clip.Start), c.frame(clip.End))
		s.from = max(s.from, c.bases[i])
		if s.to = min(s.to, c.bases[i+1]); s.to <= s.from {
			continue
		}
		switch {
		case s.from >= last:
		case slices.ContainsFunc(list, func(o frameSpan) bool { return o.overlap(s) > 0 }):
			c.note("Footage that the timeline plays more than once")
		default:
			c.note("The new order of clips; Roughcut keeps the order of the recordings")
		}
		last = max(last, s.to)
		list = append(list, s)
	}
	return list
}

func (c *comparison) note(format string, args ...any) {
	r := Reading{Ignored: c.difference.Ignored}
	r.ignore(format, args...)
	c.difference.Ignored = r.Ignored
}

// frame returns the frame that seconds of a recording are in. Files hold rounded times, so a time
// just before a frame counts as its start.
func (c *comparison) frame(seconds float64) int64 {
	const slack = 0.02 // of a frame
	return int64(math.Floor(seconds*c.line.Rate.Float() + slack))
}

// merged returns the union of ranges, sorted and disjoint.
func merged(list []frameSpan) (out []frameSpan) {
	slices.SortFunc(list, func(a, b frameSpan) int { return cmp.Compare(a.from, b.from) })
	for _, s := range list {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// rest returns the frames that are not in sorted ranges.
func (c *comparison) rest(list []frameSpan) (out []frameSpan) {
	var at int64
	for _, s := range append(list, frameSpan{c.bases[len(c.bases)-1], c.bases[len(c.bases)-1]}) {
		if s.from > at {
			out = append(out, frameSpan{at, s.from})
		}
		at = s.to
	}
	return out
}

// compare finds the changes from one set of cut ranges to another. Ranges that overlap or touch
// form a group, which is changed as a whole.
func (c *comparison) compare(before, after []frameSpan) {
	for len(before) > 0 || len(after) > 0 {
		var old, next []frameSpan
		end := int64(math.MinInt64)
		for {
			switch {
			case len(before) > 0 && (end == math.MinInt64 && (len(after) == 0 || before[0].from <= after[0].from) ||
				before[0].from <= end):
				end = max(end, before[0].to)
				old, before = append(old, before[0]), before[1:]
				continue
			case len(after) > 0 && (end == math.MinInt64 || after[0].from <= end):
				end = max(end, after[0].to)
				next, after = append(next, after[0]), after[1:]
				continue
			}
			break
		}
		if !slices.Equal(old, next) {
			c.group(old, next)
		}
	}
}

// group changes the edits that cut some ranges so that they cut others.
func (c *comparison) group(old, next []frameSpan) {
	var edits []*Edit
	for i := range c.p.Edits {
		e := &c.p.Edits[i]
		span := c.editSpan(*e)
		if e.Active && !e.Mute && slices.ContainsFunc(old, func(o frameSpan) bool { return o.overlap(span) > 0 }) {
			edits = append(edits, e)
		}
	}
	for _, target := range next {
		best, most := -1, int64(0)
		for i, e := range edits {
			if n := c.editSpan(*e).overlap(target); n > most {
				best, most = i, n
			}
		}
		if best < 0 {
			c.add(target)
			continue
		}
		e := edits[best]
		edits = slices.Delete(edits, best, best+1)
		c.move(*e, target)
	}
	for _, e := range edits {
		if span := c.editSpan(*e); slices.ContainsFunc(next, func(n frameSpan) bool {
			return n.from <= span.from && span.to <= n.to
		}) {
			continue // a part of another cut
		}
		c.change(Change{Kind: ChangeRestore, EditUUID: e.UUID, StartMS: e.StartMS, EndMS: e.EndMS})
	}
}

func (c *comparison) change(change Change) {
	c.difference.Changes = append(c.difference.Changes, change)
}

// move moves an edit to a range unless it has the range.
func (c *comparison) move(e Edit, target frameSpan) {
	span := c.editSpan(e)
	if span == target {
		return
	}
	change := Change{
		Kind: ChangeMove, EditUUID: e.UUID, StartMS: e.StartMS, EndMS: e.EndMS, FromMS: e.StartMS, ToMS: e.EndMS,
	}
	if span.from != target.from {
		change.StartMS = c.startMS(target.from)
	}
	if span.to != target.to {
		change.EndMS = c.endMS(target.to)
	}
	c.change(change)
}

// add cuts a range: with a proposed edit that has it, otherwise with a new one.
func (c *comparison) add(target frameSpan) {
	for _, e := range c.p.Edits {
		if !e.Active && !e.Mute && !c.used[e.UUID] && c.editSpan(e) == target {
			c.used[e.UUID] = true
			c.change(Change{Kind: ChangeApply, EditUUID: e.UUID, StartMS: e.StartMS, EndMS: e.EndMS})
			return
		}
	}
	c.change(Change{Kind: ChangeAdd, StartMS: c.startMS(target.from), EndMS: c.endMS(target.to)})
}

// editSpan returns the frames of an edit, as render plans round them.
func (c *comparison) editSpan(e Edit) (s frameSpan) {
	bound := func(ms int64, end bool) int64 {
		for i, r := range c.p.Recordings {
			from, to := c.starts[i], c.starts[i]+r.Info.DurationMS
			if ms < to || end && ms <= to || i == len(c.p.Recordings)-1 {
				return c.bases[i] + min(c.line.Rate.Frame(max(0, ms-from)), c.line.Sources[i].Frames)
			}
		}
		return 0
	}
	return frameSpan{bound(e.StartMS, false), bound(e.EndMS, true)}
}

// startMS returns the project time of the first frame of a cut.
func (c *comparison) startMS(frame int64) int64 {
	i := len(c.bases) - 2
	for i > 0 && frame < c.bases[i] {
		i--
	}
	return c.starts[i] + c.line.Rate.MS(frame-c.bases[i])
}

// endMS returns the project time of the frame after the last one of a cut. The end of a recording
// is exact.
func (c *comparison) endMS(frame int64) int64 {
	i := 0
	for i < len(c.bases)-2 && frame > c.bases[i+1] {
		i++
	}
	if frame == c.bases[i+1] {
		return c.starts[i] + c.p.Recordings[i].Info.DurationMS
	}
	return c.starts[i] + c.line.Rate.MS(frame-c.bases[i])
}

// Applied returns the edits of a project after changes. New edits have no UUID.
func Applied(edits []Edit, changes []Change) []Edit {
	edits = slices.Clone(edits)
	for _, change := range changes {
		i := slices.IndexFunc(edits, func(e Edit) bool { return e.UUID == change.EditUUID && e.UUID != "" })
		switch {
		case change.Kind == ChangeAdd:
			edits = append(edits, Edit{
				Kind: media.EditManual, StartMS: change.StartMS, EndMS: change.EndMS, Active: true,
			})
		case i < 0:
		case change.Kind == ChangeRestore:
			edits[i].Active = false
		default:
			edits[i].Active, edits[i].StartMS, edits[i].EndMS = true, change.StartMS, change.EndMS
		}
	}
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.StartMS, b.StartMS) })
	return edits
}
