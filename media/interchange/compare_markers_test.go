package interchange_test

import (
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/interchange"
)

// Markers and chapters that another editor adds, renames, removes or moves are listed as ignored.
// They stay unlisted where cuts only move them on the timeline.
func TestDifferencesNameChangedMarkers(t *testing.T) {
	rate := media.Rate{Num: 25, Den: 1}
	p := interchange.Project{
		Name: "Talk", VolumePercent: 100,
		Recordings: []interchange.Recording{{UUID: "c", Name: "talk.mp4", Info: video(rate, 1000)}},
		Edits: []interchange.Edit{
			{UUID: "e", Kind: media.EditSilence, StartMS: 4000, EndMS: 6000, Active: true},
			{UUID: "f", Kind: media.EditSilence, StartMS: 8000, EndMS: 9000},
		},
		Chapters: []media.Chapter{
			{StartMS: 0, Title: "Start"}, {StartMS: 12_000, Title: "Middle"}, {StartMS: 20_000, Title: "End"},
		},
	}
	chapter := func(line interchange.Timeline, name string) *interchange.Marker {
		i := slices.IndexFunc(line.Markers, func(m interchange.Marker) bool { return m.Name == name })
		return &line.Markers[i]
	}
	for name, c := range map[string]struct {
		change func(line *interchange.Timeline)
		want   []string
	}{
		"unchanged": {func(*interchange.Timeline) {}, nil},
		"added": {func(line *interchange.Timeline) {
			line.Markers = append(line.Markers, interchange.Marker{Frame: 700, Frames: 1, Name: "Look here"})
		}, []string{`The new marker "Look here"`}},
		"renamed": {func(line *interchange.Timeline) { chapter(*line, "Middle").Name = "Half time" },
			[]string{`The removal of the chapter "Middle"`, `The new marker "Half time"`}},
		"moved": {func(line *interchange.Timeline) { chapter(*line, "Middle").Frame += 5 },
			[]string{`The new time of the chapter "Middle"`}},
		"all removed": {func(line *interchange.Timeline) { line.Markers = nil },
			[]string{"The chapters of the project, which the file lacks"}},
		"cuts removed": {func(line *interchange.Timeline) {
			line.Markers = slices.DeleteFunc(line.Markers, func(m interchange.Marker) bool { return m.Edit != nil })
		}, nil},
		"shorter clip": {func(line *interchange.Timeline) { // the first clip loses its last 25 frames
			line.Clips[0].Out -= 25
			line.Clips[1].Start -= 25
			for i := range line.Markers {
				if line.Markers[i].Frame >= 75 {
					line.Markers[i].Frame -= 25
				}
			}
		}, nil},
	} {
		for _, format := range []string{"otio", "fcpxml"} {
			for _, whole := range []bool{false, true} {
				if whole && name == "shorter clip" {
					continue
				}
				line := timelineOf(t, p, place, whole)
				line.Clips, line.Markers = slices.Clone(line.Clips), slices.Clone(line.Markers)
				c.change(&line)
				found := readBack(t, format, written(t, format, line, interchange.Options{}), p)
				if !slices.Equal(found.Ignored, c.want) {
					t.Errorf("%s, %s, whole %v: %q, want %q", name, format, whole, found.Ignored, c.want)
				}
			}
		}
	}
}
