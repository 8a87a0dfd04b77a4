package interchange

import (
	"slices"
	"sort"
)

// placedMarker is a marker at a frame of all recordings end to end; -1 if that is unknown.
type placedMarker struct {
	name  string
	frame int64
}

// markers notes the chapters that a changed timeline removes and moves, and the markers that it
// adds. The markers of edits do not count: they come and go with the clips.
func (c *comparison) markers(r Reading) error {
	if !r.HasMarkers {
		return nil
	}
	whole, err := New(c.p, Place{}, true)
	if err != nil {
		return err
	}
	captions := c.placed(r, r.Captions)
	for i := range captions {
		if !r.CaptionsFollow {
			captions[i].frame = -1
		}
	}

	c.captions(whole, captions)
	own, read := c.chapters(c.line), c.placed(r, r.Markers)
	if len(read) == 0 && len(own) > 0 {
		c.note("The chapters of the project, which the file lacks")
		return nil
	}

	c.noteMarkers(own, c.chapters(whole), read)
	return nil
}

// chapters returns the chapters in a timeline of the project. One in a cut is after it, except in
// a timeline with the cuts as disabled clips.
func (c *comparison) chapters(line Timeline) (list []placedMarker) {
	for _, m := range line.Markers {
		if !m.Chapter {
			continue
		}
		list = append(list, placedMarker{m.Name, c.footage(line, m.Frame)})
	}

	return list
}

// footage returns the frame of the recordings that a timeline of the project plays at a frame.
func (c *comparison) footage(line Timeline, frame int64) int64 {
	i := sort.Search(len(line.Clips), func(i int) bool { return line.Clips[i].End() > frame })
	clip := line.Clips[i]
	return c.bases[clip.Source] + clip.In + frame - clip.Start
}

// placed returns markers or captions of a changed timeline, without the markers of edits.
func (c *comparison) placed(r Reading, markers []ReadMarker) (list []placedMarker) {
	clips := slices.DeleteFunc(slices.Clone(r.Clips), func(clip ReadClip) bool { return clip.Audio })
	for _, m := range markers {
		if isEditMarker(m.Name) {
			continue
		}
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

// noteMarkers notes how the markers of a changed timeline differ from the chapters of the project.
// whole are the same chapters in a timeline with the cuts as disabled clips.
func (c *comparison) noteMarkers(own, whole, read []placedMarker) {
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
	var rest []placedMarker
	for i, m := range own {
		other := whole[i].frame
		if !take(m.name, func(frame int64) bool { return frame < 0 || frame == m.frame || frame == other }) {
			rest = append(rest, m)
		}
	}

	for _, m := range rest {
		if take(m.name, func(int64) bool { return true }) {
			c.note("The new time of the chapter %q", shortName(m.name))
		} else {
			c.note("The removal of the chapter %q", shortName(m.name))
		}
	}

	for _, m := range read {
		if len(byName[m.name]) > 0 {
			byName[m.name] = byName[m.name][1:]
			c.note("The new marker %q", shortName(m.name))
		}
	}
}
