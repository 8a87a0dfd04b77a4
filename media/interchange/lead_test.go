package interchange_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/interchange"
)

// lateProjects returns the same film twice: of a recording, and of one whose audio starts eight
// frames earlier. The cut at the start removes those frames too.
func lateProjects(rate media.Rate) (early, late interchange.Project) {
	const frames = 900
	lead := rate.MS(8)
	edit := func(id string, start, end int64) interchange.Edit {
		return interchange.Edit{UUID: id, Kind: media.EditSilence, StartMS: start, EndMS: end, Active: true}
	}
	early = interchange.Project{
		Name: "Talk", VolumePercent: 100,
		Recordings: []interchange.Recording{{UUID: "c", Name: "talk.mkv", Info: video(rate, frames)}},
		Edits: []interchange.Edit{
			edit("first", 0, rate.MS(50)), edit("second", rate.MS(200), rate.MS(250)),
			edit("third", rate.MS(600), rate.MS(731)),
		},
	}
	late = early
	info := video(rate, frames+8)
	info.Video.StartUS = lead*1000 + 400
	late.Recordings = []interchange.Recording{{UUID: "c", Name: "talk.mkv", Info: info}}
	late.Edits = slices.Clone(early.Edits)
	for i, e := range early.Edits {
		late.Edits[i].StartMS, late.Edits[i].EndMS = rate.MS(rate.Frame(e.StartMS)+8), rate.MS(rate.Frame(e.EndMS)+8)
	}
	late.Edits[0].StartMS = 0
	return early, late
}

// Editors count the frames of a recording from its first video frame, so a recording whose audio
// starts earlier has the same timeline as one without that audio. LosslessCut and spreadsheets have
// the times of the file.
func TestVideoThatStartsLate(t *testing.T) {
	for _, rate := range media.TimelineRates() {
		first, second := lateProjects(rate)
		early, late := timelineOf(t, first, place, false), timelineOf(t, second, place, false)
		early.Markers, late.Markers = nil, nil // they state the length of the first cut
		for _, format := range []string{"fcpxml", "xmeml", "otio", "edl", "mlt", "shotcut", "kdenlive"} {
			want := written(t, format, early, interchange.Options{})
			if got := written(t, format, late, interchange.Options{}); got != want {
				t.Errorf("%s, %s: %s", rate, format, difference(got, want))
			}
		}
		start := fmt.Sprintf("%.6f", float64(58*rate.Den)/float64(rate.Num))
		for _, format := range []string{"csv", "llc"} {
			if text := written(t, format, late, interchange.Options{}); !strings.Contains(text, start[:4]) {
				t.Errorf("%s, %s does not start at %s s: %.300s", rate, format, start, text)
			}
		}
	}
}

// difference returns where two texts differ first.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d is %.400s\nwant %.400s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// A timeline has a gap where a recording plays audio before its first video frame, and no clip
// before the start of its file.
func TestTimelineBeforeTheFirstFrame(t *testing.T) {
	_, p := lateProjects(media.Rate{Num: 25, Den: 1})
	p.Edits = p.Edits[1:]
	line := timelineOf(t, p, place, false)
	spine := parseXML(t, written(t, "fcpxml", line, interchange.Options{})).all("spine")[0].children
	if gap := spine[0]; gap.name != "gap" || frames(t, gap.attr["duration"], line.Rate) != 8 ||
		frames(t, spine[1].attr["start"], line.Rate) != 0 || frames(t, spine[1].attr["offset"], line.Rate) != 8 {
		t.Errorf("the spine starts with %v and %v", spine[0].attr, spine[1].attr)
	}
	for _, format := range []string{"mlt", "shotcut", "kdenlive"} {
		doc := parseXML(t, written(t, format, line, interchange.Options{}))
		if blank := doc.all("blank"); len(blank) == 0 || blank[0].attr["length"] != "8" {
			t.Errorf("%s has the gaps %v", format, blank)
		}
	}
	item := parseXML(t, written(t, "xmeml", line, interchange.Options{})).all("clipitem")[0]
	if item.child("start").text != "8" || item.child("in").text != "0" {
		t.Errorf("the first item of the XML is from %s to frame %s", item.child("in").text, item.child("start").text)
	}
	edl := written(t, "edl", line, interchange.Options{})
	if !strings.Contains(edl, "00:00:00:00 00:00:08:00 01:00:00:08 01:00:08:08") {
		t.Errorf("the EDL starts with %.300s", edl)
	}
}

// Timelines of recordings whose video starts late come back without a difference, and changes of
// what editors see come back to the frame.
func TestLateVideoComesBack(t *testing.T) {
	_, p := lateProjects(media.Rate{Num: 30000, Den: 1001})
	start := p
	start.Edits = p.Edits[1:]
	inside := p // a clip is only audio before the first frame
	inside.Edits = append([]interchange.Edit{{
		UUID: "inside", Kind: media.EditSilence, StartMS: 130, EndMS: 900, Active: true,
	}}, p.Edits[1:]...)
	for name, p := range map[string]interchange.Project{"cut": p, "played": start, "inside": inside} {
		for _, format := range readable(p) {
			for _, whole := range []bool{false, true} {
				line := timelineOf(t, p, place, whole)
				found := readBack(t, format, written(t, format, line, interchange.Options{}), p)
				if len(found.Changes) > 0 || len(found.Ignored) > 0 {
					t.Errorf("%s, %s, whole %v: %+v", name, format, whole, found)
				}
			}
			for seed := range uint64(20) {
				line := timelineOf(t, p, place, false)
				line = changed(rand.New(rand.NewPCG(seed, 3)), line)
				unseen := func(c interchange.Clip) bool {
					return (c.In > 0 && c.In < 9) || (c.In == 0 && c.Out > 8 && name != "played")
				}
				if format != "llc" && slices.ContainsFunc(line.Clips, unseen) {
					continue
				}
				found := readBack(t, format, written(t, format, line, interchange.Options{}), p)
				after := p
				after.Edits = interchange.Applied(p.Edits, found.Changes)
				got, want := ranges(timelineOf(t, after, place, false)), ranges(line)
				if format != "llc" {
					silent := func(r [3]int64) bool { return r[2] <= 8 }
					got, want = slices.DeleteFunc(got, silent), slices.DeleteFunc(want, silent)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s, %s, seed %d: plays %v, want %v", name, format, seed, got, want)
				}
			}
		}
	}
}
