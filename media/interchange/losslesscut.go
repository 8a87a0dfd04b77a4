package interchange

import (
	"bufio"
	"encoding/json"
	"math"
)

// losslessCut is a project of LosslessCut. It holds segments of one recording, in seconds. Version
// 1 has no selected: current versions of LosslessCut drop it, and would export the disabled
// segments.
type losslessCut struct {
	Version  int                  `json:"version"`
	File     string               `json:"mediaFileName"`
	Segments []losslessCutSegment `json:"cutSegments"`
}

type losslessCutSegment struct {
	Start    *float64          `json:"start,omitempty"` // nil for the start of the recording
	End      *float64          `json:"end,omitempty"`   // nil for its end
	Name     string            `json:"name"`
	Selected *bool             `json:"selected,omitempty"`
	Tags     map[string]string `json:"tags,omitempty"`
}

// writeLosslessCut writes the segments of the only recording. Disabled clips are segments that are
// not selected.
func writeLosslessCut(w *bufio.Writer, t Timeline, _ Options) error {
	p := losslessCut{Version: 2, Segments: []losslessCutSegment{}}
	used := -1
	for i, c := range t.Clips {
		if used >= 0 && !t.sameFile(used, c.Source) {
			return &UnsupportedError{"LosslessCut opens one recording at a time, and the project has several. " +
				"Choose another format, or make a project for each recording."}
		}

		used = c.Source
		start, end := t.sourceSeconds(c.In), t.sourceSeconds(c.Out)
		segment := losslessCutSegment{Start: &start, End: &end, Name: "Segment " + num(i+1)}
		if t.Whole {
			segment.Selected = new(!c.Disabled)
		}

		if c.Cut != nil {
			segment.Name = c.Cut.label()
		}
		segment.Tags = tagsOf(c)
		segment.Tags[keyRecording] = t.Sources[c.Source].UUID
		p.Segments = append(p.Segments, segment)
	}

	if used >= 0 {
		p.File = t.Sources[used].Name
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(p)
}

// sameFile reports whether two sources are duplicates of a recording.
func (t Timeline) sameFile(a, b int) bool {
	return t.Sources[a].Name == t.Sources[b].Name && t.Sources[a].File == t.Sources[b].File
}

// tagsOf returns the edits of a clip as tags of a segment, which LosslessCut keeps.
func tagsOf(c Clip) map[string]string {
	tags := map[string]string{}
	add := func(prefix string, e *Edit) {
		tags[prefix+keyEdit], tags[prefix+keyReason] = e.UUID, e.Reason
		tags[prefix+keyConfidence] = decimal(e.Confidence)
	}
	if c.Cut != nil {
		add("", c.Cut)
	}
	for _, n := range c.cuts() {
		add(n.place+"_", n.edit)
	}
	return tags
}

// sourceSeconds returns a frame as seconds, exact to a microsecond.
func (t Timeline) sourceSeconds(frame int64) float64 {
	return math.Round(float64(frame)*float64(t.Rate.Den)/float64(t.Rate.Num)*1e6) / 1e6
}
