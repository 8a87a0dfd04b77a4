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
	ChangeMove    = "move"    // a new start or end of an active cut
	ChangeRestore = "restore" // an active cut that the timeline plays
	ChangeApply   = "apply"   // a proposed cut that the timeline makes
	ChangeOrder   = "order"   // a new order of the recordings
	ChangeArrange = "arrange" // a new order within recordings, or a segment that plays twice
)

// Change is a difference between a project and a changed timeline. Applying it makes the project
// match the timeline. Times are project time.
type Change struct {
	Kind           string
	EditUUID       string    // empty for ChangeAdd, ChangeOrder and ChangeArrange
	StartMS, EndMS int64     // of the edit after the change; zero for ChangeOrder and ChangeArrange
	FromMS, ToMS   int64     // of the edit before a ChangeMove
	Recordings     []string  // UUIDs of all recordings in their new order, for ChangeOrder
	Segments       []Segment // of all recordings in their new order, for ChangeArrange
}

// Difference holds the differences between a project and a changed timeline.
type Difference struct {
	Changes []Change // by start; a ChangeOrder or ChangeArrange is the last one
	Ignored []string // differences that Roughcut does not apply, in words
}

// Compare returns how a changed timeline differs from a project. It compares whole frames, so an
// unchanged timeline has no difference. A range that the timeline cuts belongs to the edit that the
// clips around the range name. If they name none, it belongs to the edits that overlap it. Errors:
// *ReadError if the timeline plays no recording of the project; as New.
func Compare(p Project, r Reading) (Difference, error) {
	line, err := New(p, Place{}, false)
	if err != nil {
		return Difference{}, err
	}
	c := comparison{p: p, line: line, sources: map[ReadClip]int{}, difference: Difference{Ignored: r.Ignored}}
	c.axis()
	c.play(r)
	if len(c.played) == 0 {
		return Difference{}, readErrorf("The timeline plays no recording of this project.")
	}
	var now []frameSpan
	for _, clip := range line.Clips {
		span := c.span(clip.Source, clip.In, clip.Out)
		now = append(now, span)
		c.starts[span.from], c.ends[span.to] = true, true
		if !r.FileTimes && clip.Out <= line.Sources[clip.Source].Lead {
			c.unseen = append(c.unseen, span)
		}
	}

	c.cut = c.rest(merged(now))
	c.compare(c.targets())
	slices.SortStableFunc(c.difference.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.StartMS, b.StartMS), cmp.Compare(a.EndMS, b.EndMS))
	})
	c.order()
	return c.difference, c.markers(r)
}

// frameSpan is the range of frames [from, to). Frames are numbered across all recordings, end to
// end.
type frameSpan struct{ from, to int64 }

func (s frameSpan) overlap(o frameSpan) int64 { return min(s.to, o.to) - max(s.from, o.from) }

type comparison struct {
	p          Project
	line       Timeline
	bases      []int64        // first frame of each recording, then the number of all frames
	times      []int64        // start of each recording in project time
	starts     map[int64]bool // first frame of each clip of the project
	ends       map[int64]bool // frame after the last one of each clip of the project
	cut        []frameSpan    // ranges that the project cuts
	unseen     []frameSpan    // clips of the project before the first video frame
	played     []playedClip   // in the order of the changed timeline
	disabled   []playedClip   // disabled clips that name their edit
	sources    map[ReadClip]int
	used       map[string]bool
	difference Difference
}

// playedClip is a clip of the changed timeline.
type playedClip struct {
	frameSpan
	source int
	clip   ReadClip
}

// target is a range that the changed timeline cuts.
type target struct {
	frameSpan
	edit string // UUID of the edit that the clips around the range name, or empty
}

// axis numbers the frames of all recordings, end to end.
func (c *comparison) axis() {
	c.used, c.starts, c.ends = map[string]bool{}, map[int64]bool{}, map[int64]bool{}
	var base, start int64
	for i, r := range c.p.Recordings {
		c.bases, c.times = append(c.bases, base), append(c.times, start)
		base += c.line.Sources[i].Frames
		start += r.Info.DurationMS
	}

	c.bases = append(c.bases, base)
}

func (c *comparison) span(source int, in, out int64) frameSpan {
	return frameSpan{c.bases[source] + in, c.bases[source] + out}
}

// source returns the index of the recording that a clip plays, or -1 if the project has no such
// file. It finds the recording by its UUID, otherwise by its file name or the name of its
// constant-rate copy. If several recordings have that name, it chooses the recording that plays
// most of the clip in the project, not counting footage that earlier clips play.
func (c *comparison) source(clip ReadClip) int {
	i, known := c.sources[clip]
	if !known {
		i = c.findSource(clip)
		c.sources[clip] = i
	}

	return i
}

func (c *comparison) findSource(clip ReadClip) int {
	if i := slices.IndexFunc(c.p.Recordings, func(r Recording) bool { return r.UUID == clip.ClipUUID }); i >= 0 {
		return i
	}
	var named []int
	for i, s := range c.line.Sources[:len(c.p.Recordings)] {
		name := portableName(clip.FileName) // as an archive has it
		if strings.EqualFold(portableName(s.Name), name) || strings.EqualFold(portableName(CopyName(s.Name)), name) {
			named = append(named, i)
		}
	}

	switch len(named) {
	case 0:
		return -1
	case 1:
		return named[0]
	}

	plays := make([]int64, len(c.p.Recordings))
	for _, now := range c.line.Clips {
		span := c.span(now.Source, c.frame(clip.Start), c.frame(clip.End))
		plays[now.Source] += max(0, span.overlap(c.span(now.Source, now.In, now.Out)))
	}

	for _, p := range c.played {
		span := c.span(p.source, c.frame(clip.Start), c.frame(clip.End))
		plays[p.source] -= max(0, span.overlap(p.frameSpan))
	}

	return slices.MaxFunc(named, func(a, b int) int { return cmp.Compare(plays[a], plays[b]) })
}

// play collects the clips that a timeline plays, and notes clips of other files.
func (c *comparison) play(r Reading) {
	for _, clip := range r.Clips {
		i := c.source(clip)
		if clip.Audio && (i < 0 || c.p.Recordings[i].Info.Video != nil) {
			continue // the clip on the video track counts
		}
		if i < 0 {
			c.note("The clip %q, which is not a recording of this project", shortName(clip.FileName))
			continue
		}

		var lead int64
		if !r.FileTimes {
			lead = c.line.Sources[i].Lead
		}
		s := c.span(i, c.frame(clip.Start)+lead, c.frame(clip.End)+lead)
		if lead > 0 && s.from == c.bases[i]+lead {
			s.from = c.leadFrom(i)
		}
		s.from, s.to = max(s.from, c.bases[i]), min(s.to, c.bases[i+1])
		switch {
		case s.to <= s.from:
		case !clip.Disabled:
			c.played = append(c.played, playedClip{s, i, clip})
		case clip.CutUUID != "":
			c.disabled = append(c.disabled, playedClip{s, i, clip})
		}
	}
}

// leadFrom returns the first frame of a clip that a changed timeline plays from the first video
// frame of a recording. The project may play audio before that frame, and the clip then starts with
// this audio.
func (c *comparison) leadFrom(source int) int64 {
	lead := c.line.Sources[source].Lead
	for _, clip := range c.line.Clips {
		if clip.Source == source && clip.In < lead && clip.Out > lead {
			return c.bases[source] + clip.In
		}
	}

	return c.bases[source] + lead
}

// targets returns the ranges that the changed timeline cuts, with the edits that its clips name.
func (c *comparison) targets() (list []target) {
	from, to := map[int64]ReadClip{}, map[int64]ReadClip{}
	var spans []frameSpan
	for _, p := range c.played {
		from[p.from], to[p.to] = p.clip, p.clip
		spans = append(spans, p.frameSpan)
	}

	slices.SortFunc(c.disabled, func(a, b playedClip) int { return cmp.Compare(a.from, b.from) })
	disabled := c.disabled
	for _, s := range c.rest(merged(append(spans, c.unseen...))) {
		t := target{frameSpan: s}
		before, after := to[s.from].After, from[s.to].Before
		if before == after {
			t.edit = before
		}
		var most int64
		for len(disabled) > 0 && disabled[0].to <= s.to {
			if n := s.overlap(disabled[0].frameSpan); t.edit == "" && n > most {
				most, t.edit = n, disabled[0].clip.CutUUID
			}
			disabled = disabled[1:]
		}

		if t.edit == "" && (before == "" || after == "") {
			t.edit = before + after
		}
		list = append(list, t)
	}

	return list
}

func (c *comparison) note(format string, args ...any) {
	r := Reading{Ignored: c.difference.Ignored}
	r.ignore(format, args...)
	c.difference.Ignored = r.Ignored
}

// frame returns the frame at a time of a recording in seconds. Files hold rounded times, so a time
// just before a frame counts as the start of that frame.
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

// rest returns the ranges of frames between sorted ranges, before them and after them.
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

// activeCut is an active edit with the frames that it cuts.
type activeCut struct {
	edit Edit
	frameSpan
}

// compare finds the changes that make the project cut the targets.
func (c *comparison) compare(targets []target) {
	var active []activeCut
	for _, e := range c.p.Edits {
		if span := c.editSpan(e); e.Active && !e.Mute && span.to > span.from {
			active = append(active, activeCut{e, span})
		}
	}

	slices.SortStableFunc(active, func(a, b activeCut) int { return cmp.Compare(a.from, b.from) })
	groups := c.assign(targets, active)
	for i, t := range targets {
		if !slices.Contains(c.cut, t.frameSpan) || !allWithin(groups[i], t.frameSpan) {
			c.reach(t, groups[i])
		}
	}

	for _, a := range active {
		if !c.used[a.edit.UUID] {
			c.addChange(Change{
				Kind: ChangeRestore, EditUUID: a.edit.UUID, StartMS: a.edit.StartMS, EndMS: a.edit.EndMS,
			})
		}
	}
}

// allWithin reports whether edits cut nothing outside a range.
func allWithin(list []activeCut, s frameSpan) bool {
	return !slices.ContainsFunc(list, func(a activeCut) bool { return a.from < s.from || a.to > s.to })
}

// assign returns the edits of each target, and marks these edits as used. An edit belongs to a
// target that names and overlaps it, otherwise to the target that overlaps it most.
func (c *comparison) assign(targets []target, active []activeCut) [][]activeCut {
	groups := make([][]activeCut, len(targets))
	named := map[string][]int{}
	for i, t := range targets {
		if t.edit != "" {
			named[t.edit] = append(named[t.edit], i)
		}
	}

	overlapped := make([]bool, len(targets))
	first := 0
	var rest []activeCut
	for _, a := range active {
		for first < len(targets) && targets[first].to <= a.from {
			first++
		}
		best, most := -1, int64(0)
		for i := first; i < len(targets) && targets[i].from < a.to; i++ {
			overlapped[i] = true
			if n := a.overlap(targets[i].frameSpan); n > most {
				best, most = i, n
			}
		}

		if i := c.claim(a, targets, named[a.edit.UUID]); i >= 0 {
			best = i
		}
		if best < 0 {
			rest = append(rest, a)
			continue
		}

		c.used[a.edit.UUID] = true
		groups[best] = append(groups[best], a)
	}

	// An edit that no target overlaps moves to a target that names it, unless other edits cut that
	// target.
	for _, a := range rest {
		for _, i := range named[a.edit.UUID] {
			if !overlapped[i] && len(groups[i]) == 0 {
				c.used[a.edit.UUID] = true
				groups[i] = append(groups[i], a)
				break
			}
		}
	}

	return groups
}

// claim returns, of the targets that name an edit, the index of the target that overlaps the edit
// most. It returns -1 if none of them overlaps it.
func (c *comparison) claim(a activeCut, targets []target, named []int) int {
	best, most := -1, int64(0)
	for _, i := range named {
		if n := a.overlap(targets[i].frameSpan); n > most {
			best, most = i, n
		}
	}

	return best
}

// reach changes edits, sorted by start, so that they cut a target. Footage between the edits and
// whole clips that the target removes get new edits. Over other footage at the ends of the target,
// the first and the last edit grow.
func (c *comparison) reach(t target, list []activeCut) {
	if len(list) == 0 {
		c.add(t)
		return
	}

	moved := make([]frameSpan, len(list))
	last := 0 // the edit that ends last
	at := t.from
	for i, a := range list {
		moved[i] = frameSpan{max(a.from, t.from), min(a.to, t.to)}
		if a.overlap(t.frameSpan) <= 0 {
			moved[i] = t.frameSpan
		}
		if piece := (frameSpan{at, moved[i].from}); piece.to > piece.from && !c.isCut(piece) {
			if i > 0 || c.isClips(piece) {
				c.add(target{frameSpan: piece})
			} else {
				moved[i].from = at
			}
		}

		if at = max(at, moved[i].to); moved[i].to == at {
			last = i
		}
	}

	if piece := (frameSpan{at, t.to}); piece.to > piece.from && !c.isCut(piece) {
		if c.isClips(piece) {
			c.add(target{frameSpan: piece})
		} else {
			moved[last].to = t.to
		}
	}

	for i, a := range list {
		c.move(a.edit, moved[i])
	}
}

// isCut reports whether the project cuts a whole range.
func (c *comparison) isCut(s frameSpan) bool {
	return slices.ContainsFunc(c.cut, func(o frameSpan) bool { return o.from <= s.from && s.to <= o.to })
}

// isClips reports whether a range consists of whole clips of the project.
func (c *comparison) isClips(s frameSpan) bool { return c.starts[s.from] && c.ends[s.to] }

func (c *comparison) addChange(change Change) {
	c.difference.Changes = append(c.difference.Changes, change)
}

// move moves an edit to a range unless the edit already has that range.
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
	c.addChange(change)
}

// add cuts a range. It applies a proposed edit that the target names or that has the same range.
// Without such an edit, it adds a new one.
func (c *comparison) add(t target) {
	i := slices.IndexFunc(c.p.Edits, func(e Edit) bool {
		if e.Active || e.Mute || c.used[e.UUID] {
			return false
		}
		return e.UUID == t.edit || c.editSpan(e) == t.frameSpan
	})
	change := Change{Kind: ChangeAdd, StartMS: c.startMS(t.from), EndMS: c.endMS(t.to)}
	if i >= 0 {
		e := c.p.Edits[i]
		c.used[e.UUID] = true
		change.Kind, change.EditUUID = ChangeApply, e.UUID
		span := c.editSpan(e)
		if span.from == t.from {
			change.StartMS = e.StartMS
		}
		if span.to == t.to {
			change.EndMS = e.EndMS
		}
	}

	c.addChange(change)
}

// editSpan returns the frames of an edit, rounded as render plans do.
func (c *comparison) editSpan(e Edit) (s frameSpan) {
	bound := func(ms int64, end bool) int64 {
		for i, r := range c.p.Recordings {
			from, to := c.times[i], c.times[i]+r.Info.DurationMS
			if ms < to || (end && ms <= to) || i == len(c.p.Recordings)-1 {
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
	return c.times[i] + c.line.Rate.MS(frame-c.bases[i])
}

// endMS returns the project time of the frame after the last one of a cut. At the end of a
// recording, it returns the exact end instead.
func (c *comparison) endMS(frame int64) int64 {
	i := 0
	for i < len(c.bases)-2 && frame > c.bases[i+1] {
		i++
	}
	if frame == c.bases[i+1] {
		return c.times[i] + c.p.Recordings[i].Info.DurationMS
	}
	return c.times[i] + c.line.Rate.MS(frame-c.bases[i])
}

// Applied returns the edits of a project with changes applied. New edits have no UUID.
func Applied(edits []Edit, changes []Change) []Edit {
	edits = slices.Clone(edits)
	for _, change := range changes {
		i := slices.IndexFunc(edits, func(e Edit) bool { return e.UUID == change.EditUUID && e.UUID != "" })
		switch {
		case change.Kind == ChangeAdd:
			edits = append(edits, Edit{
				Kind: media.EditManual, StartMS: change.StartMS, EndMS: change.EndMS, Active: true,
			})
		case i < 0 || change.Kind == ChangeOrder || change.Kind == ChangeArrange:
		case change.Kind == ChangeRestore:
			edits[i].Active = false
		default:
			edits[i].Active, edits[i].StartMS, edits[i].EndMS = true, change.StartMS, change.EndMS
		}
	}

	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.StartMS, b.StartMS) })
	return edits
}
