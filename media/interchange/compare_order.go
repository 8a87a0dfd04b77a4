package interchange

import (
	"slices"
)

// maxDuplicates is the maximum number of duplicates that a ChangeArrange makes.
const maxDuplicates = 100

// Segment is a part of a recording that plays in one go, apart from the cuts in it. Times count
// from the start of the recording.
type Segment struct {
	Recording      string // UUID
	StartMS, EndMS int64
}

// piece is a part of the changed timeline that plays a recording forward. Its spans are sorted and
// disjoint.
type piece struct {
	source int
	spans  []frameSpan
}

// order adds a change if the timeline plays the recordings, or parts of them, in another order.
func (c *comparison) order() {
	pieces := c.pieces()
	played := map[int]int{}
	var order []int
	for _, p := range pieces {
		played[p.source]++
		order = append(order, p.source)
	}

	duplicates := len(pieces) - len(played)
	if duplicates > maxDuplicates {
		c.note("The new order of clips, which needs %d duplicates of recordings; at most %d are possible",
			duplicates, maxDuplicates)
		return
	}

	for i := range c.p.Recordings { // one that is cut stays behind the one before it
		if played[i] > 0 {
			continue
		}
		at := 0
		for n, source := range order {
			if source == i-1 {
				at = n + 1
			}
		}

		order = slices.Insert(order, at, i)
		pieces = slices.Insert(pieces, at, piece{i, []frameSpan{{c.bases[i], c.bases[i+1]}}})
	}

	if duplicates > 0 {
		c.addChange(Change{Kind: ChangeArrange, Segments: c.segments(pieces)})
		return
	}

	if slices.IsSorted(order) {
		return
	}
	change := Change{Kind: ChangeOrder}
	for _, i := range order {
		change.Recordings = append(change.Recordings, c.p.Recordings[i].UUID)
	}
	c.addChange(change)
}

// pieces divides the played clips wherever the timeline leaves a recording or jumps back in it. A
// rounded time that is one frame early is not a jump.
func (c *comparison) pieces() (list []piece) {
	for _, p := range c.played {
		span := p.frameSpan
		if n := len(list); n > 0 && list[n-1].source == p.source {
			last := &list[n-1].spans[len(list[n-1].spans)-1]
			if span.from == last.to-1 && span.to > last.to {
				span.from++
			}
			if span.from == last.to {
				last.to = span.to
				continue
			}

			if span.from > last.to {
				list[n-1].spans = append(list[n-1].spans, span)
				continue
			}
		}

		list = append(list, piece{p.source, []frameSpan{span}})
	}

	return list
}

// segments returns pieces as segments of their recordings. A segment has the cuts behind it, up to
// the next footage that plays, and the first one those before it. It ends where another piece plays
// the footage that follows.
func (c *comparison) segments(pieces []piece) (list []Segment) {
	var all []frameSpan
	for _, p := range pieces {
		all = append(all, p.spans...)
	}
	all = merged(all)
	begun := map[int]bool{} // recordings whose start is in a segment
	bounds := c.bounds()
	for _, p := range pieces {
		var spans []frameSpan
		for _, s := range p.spans {
			s.to = c.nextPlayed(all, p.source, s.to)
			if first := c.nextPlayed(all, p.source, c.bases[p.source]); s.from == first && !begun[p.source] {
				begun[p.source], s.from = true, c.bases[p.source]
			}
			if n := len(spans); n > 0 && spans[n-1].to >= s.from {
				spans[n-1].to = max(spans[n-1].to, s.to)
			} else {
				spans = append(spans, s)
			}
		}

		for _, s := range spans {
			list = append(list, Segment{
				Recording: c.p.Recordings[p.source].UUID,
				StartMS:   c.recordingMS(bounds, p.source, s.from),
				EndMS:     c.recordingMS(bounds, p.source, s.to),
			})
		}
	}

	return list
}

// nextPlayed returns the first frame of a recording, from one on, that sorted ranges have, or else
// the end of the recording.
func (c *comparison) nextPlayed(all []frameSpan, source int, from int64) int64 {
	i, _ := slices.BinarySearchFunc(all, from, func(s frameSpan, from int64) int {
		if s.to <= from {
			return -1
		}
		return 1
	})
	if i == len(all) || from == c.bases[source+1] {
		return c.bases[source+1]
	}
	return min(max(all[i].from, from), c.bases[source+1])
}

// bounds returns the exact times of the frames where edits begin and end after the changes, so that
// no sliver of an edit ends up in another segment.
func (c *comparison) bounds() map[int64]int64 {
	exact := map[int64]int64{}
	edits := Applied(c.p.Edits, c.difference.Changes)
	for _, ends := range []bool{false, true} { // an end counts more: a segment begins there
		for _, e := range edits {
			if !e.Active || e.Mute {
				continue
			}
			if span := c.editSpan(e); ends {
				exact[span.to] = e.EndMS
			} else {
				exact[span.from] = e.StartMS
			}
		}
	}

	return exact
}

// recordingMS returns the time of a frame from the start of its recording.
func (c *comparison) recordingMS(exact map[int64]int64, source int, frame int64) int64 {
	switch frame {
	case c.bases[source]:
		return 0
	case c.bases[source+1]:
		return c.p.Recordings[source].Info.DurationMS
	}

	if ms, ok := exact[frame]; ok {
		return ms - c.times[source]
	}
	return c.line.Rate.MS(frame - c.bases[source])
}
