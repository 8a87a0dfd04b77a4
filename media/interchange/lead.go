package interchange

// countsFromFirstFrame reports whether the programs that read a format count the frames of a source
// from its first video frame. LosslessCut and spreadsheets have times of the file instead.
func countsFromFirstFrame(format string) bool {
	switch format {
	case "llc", "csv":
		return false
	}

	f, _ := LookupFormat(format)
	return f.Kind == KindTimeline
}

// fromFirstFrame returns the timeline with the frames of clips and layers counted from the first
// video frame of their sources, as editors count them. What a source plays before that frame is a
// clip without media.
func (t Timeline) fromFirstFrame() Timeline {
	clips, layers := t.Clips, t.Layers
	t.Clips, t.Layers = make([]Clip, 0, len(clips)), make([]Layer, 0, len(layers))
	for _, c := range clips {
		lead := t.Sources[c.Source].Lead
		c.In, c.Out = c.In-lead, c.Out-lead
		if c.In < 0 && c.Out > 0 {
			before := c
			before.Out, before.After = 0, nil
			t.Clips = append(t.Clips, before)
			c.Start, c.In = before.End(), 0
		}

		t.Clips = append(t.Clips, c)
	}

	for _, l := range layers {
		lead := t.Sources[l.Source].Lead
		if before := min(lead-l.In, l.Frames()); before > 0 {
			l.Start, l.In, l.Before = l.Start+before, l.In+before, l.Before+before
		}
		if l.In, l.Out = l.In-lead, l.Out-lead; l.Frames() > 0 {
			t.Layers = append(t.Layers, l)
		}
	}

	sources := make([]Source, 0, len(t.Sources))
	for _, s := range t.Sources {
		s.Frames = max(0, s.Frames-s.Lead)
		sources = append(sources, s)
	}

	t.Sources = sources
	return t
}

// empty reports whether a clip is before the first video frame of its source, where editors have no
// media.
func (c Clip) empty() bool { return c.In < 0 }

// fileFrames returns the length of a source's file from its first video frame on, in frames of the
// rate of the source.
func (s Source) fileFrames() int64 {
	return max(0, s.Rate.Frame(s.Info.DurationMS)-leadOf(s.Info, s.Rate))
}
