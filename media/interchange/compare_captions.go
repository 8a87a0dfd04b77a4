package interchange

import "slices"

// captions notes how the captions of a changed timeline differ from the captions of the project. It
// ignores removed captions of footage that the changed timeline does not play. A timeline of all
// footage has different captions, with the words that are cut.
func (c *comparison) captions(whole Timeline, read []placedMarker) {
	if len(read) == 0 {
		return // most editors drop them
	}
	own, other := c.placedCues(c.line), c.placedCues(whole)
	if countCommon(other, read) > countCommon(own, read) {
		own = other
	}
	left := newPlacedSet(read)
	own = slices.DeleteFunc(own, func(m placedMarker) bool {
		return left.takeFirst(left.same[m]) || left.takeFirst(left.same[placedMarker{m.name, -1}])
	})
	for _, m := range own {
		switch {
		case left.takeFirst(left.named[m.name]):
			c.note("The new time of the caption %q", shortName(m.name))
		case left.takeFirst(left.at[m.frame]):
			c.note("The new text of the caption %q", shortName(m.name))
		case c.plays(m.frame):
			c.note("The removal of the caption %q", shortName(m.name))
		}
	}

	for i, m := range read {
		if !left.taken[i] {
			c.note("The new caption %q", shortName(m.name))
		}
	}
}

// placedSet finds markers that were not taken, as indexes of a list.
type placedSet struct {
	same  map[placedMarker][]int
	named map[string][]int
	at    map[int64][]int
	taken []bool
}

func newPlacedSet(list []placedMarker) placedSet {
	s := placedSet{map[placedMarker][]int{}, map[string][]int{}, map[int64][]int{}, make([]bool, len(list))}
	for i, m := range list {
		s.same[m] = append(s.same[m], i)
		s.named[m.name] = append(s.named[m.name], i)
		if m.frame >= 0 {
			s.at[m.frame] = append(s.at[m.frame], i)
		}
	}

	return s
}

// takeFirst takes the first of some markers that was not taken, and reports whether there was one.
func (s placedSet) takeFirst(some []int) bool {
	for _, i := range some {
		if !s.taken[i] {
			s.taken[i] = true
			return true
		}
	}

	return false
}

// placedCues returns the captions of a timeline of the project.
func (c *comparison) placedCues(line Timeline) (list []placedMarker) {
	for _, said := range line.cues() {
		list = append(list, placedMarker{said.line(), c.footage(line, said.start)})
	}
	return list
}

// countCommon returns how many captions two lists share.
func countCommon(a, b []placedMarker) (n int) {
	known := map[placedMarker]bool{}
	for _, m := range a {
		known[m], known[placedMarker{m.name, -1}] = true, true
	}
	for _, m := range b {
		if known[m] {
			n++
		}
	}

	return n
}

// plays reports whether the changed timeline plays a frame of the recordings.
func (c *comparison) plays(frame int64) bool {
	return slices.ContainsFunc(c.played, func(p playedClip) bool { return p.from <= frame && frame < p.to })
}
