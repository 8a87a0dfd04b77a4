package interchange

import (
	"slices"
	"sort"
)

// placedMarker is a marker at a frame of all recordings end to end; -1 if that is unknown.
type placedMarker struct {
	name  string
	frame int64
	fixed bool // a chapter, whose frame counts
}

// markers notes the markers and chapters that a changed timeline adds, removes and moves. Cuts
// are markers in timelines without disabled clips only, so the variant with fewer changes counts.
func (c *comparison) markers(r Reading) error {
	if !r.HasMarkers {
		return nil
	}
	whole, err := New(c.p, Place{}, true)
	if err != nil {
		return err
	}
	read := c.readMarkers(r)
	notes, found := c.markerNotes(c.lineMarkers(c.line), read)
	if other, known := c.markerNotes(c.lineMarkers(whole), read); len(other) < len(notes) {
		notes, found = other, known
	}
	if found == 0 && len(read) == 0 && len(notes) > 0 {
		c.note("The markers and chapters of the project, which the file lacks")
		return nil
	}
	for _, note := range notes {
		c.note("%s", note)
	}
	return nil
}

// lineMarkers returns the markers of a timeline of the project.
func (c *comparison) lineMarkers(line Timeline) (list []placedMarker) {
	for _, m := range line.Markers {
		i := sort.Search(len(line.Clips), func(i int) bool { return line.Clips[i].End() > m.Frame })
		clip := line.Clips[i]
		frame := c.bases[clip.Source] + clip.In + m.Frame - clip.Start
		list = append(list, placedMarker{m.Name, frame, m.Chapter})
	}
	return list
}

// readMarkers returns the markers of a changed timeline.
func (c *comparison) readMarkers(r Reading) (list []placedMarker) {
	clips := slices.DeleteFunc(slices.Clone(r.Clips), func(clip ReadClip) bool { return clip.Audio })
	for _, m := range r.Markers {
		placed := placedMarker{name: m.Name, frame: -1}
		at := c.frame(m.At)
		n := sort.Search(len(clips), func(n int) bool { return c.frame(clips[n].at+clips[n].End-clips[n].Start) > at })
		if n < len(clips) && c.frame(clips[n].at) <= at {
			if i := c.source(clips[n]); i >= 0 {
				placed.frame = c.bases[i] + c.line.Sources[i].Lead + c.frame(clips[n].Start+m.At-clips[n].at)
			}
		}
		list = append(list, placed)
	}
	return list
}

// markerNotes returns what a changed timeline changes in the markers of a project, and how many it
// has unchanged.
func (c *comparison) markerNotes(own, read []placedMarker) (notes []string, found int) {
	byName := map[string][]int64{} // frames
	for _, m := range read {
		byName[m.name] = append(byName[m.name], m.frame)
	}
	take := func(name string, fits func(frame int64) bool) bool {
		i := slices.IndexFunc(byName[name], fits)
		if i >= 0 {
			byName[name] = slices.Delete(byName[name], i, i+1)
		}
		return i >= 0
	}
	rest := slices.DeleteFunc(slices.Clone(own), func(m placedMarker) bool {
		same := take(m.name, func(frame int64) bool { return !m.fixed || frame < 0 || frame == m.frame })
		if same {
			found++
		}
		return same
	})
	for _, m := range rest {
		if take(m.name, func(int64) bool { return true }) {
			notes = append(notes, "The new time of the chapter \""+shortName(m.name)+"\"")
		} else {
			notes = append(notes, "The removal of the marker \""+shortName(m.name)+"\"")
		}
	}
	for _, m := range read {
		if len(byName[m.name]) > 0 {
			byName[m.name] = byName[m.name][1:]
			notes = append(notes, "The new marker \""+shortName(m.name)+"\"")
		}
	}
	return notes, found
}
