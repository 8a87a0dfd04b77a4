package interchange_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/interchange"
)

// readBack reads a written timeline and compares it with a project.
func readBack(t *testing.T, format, text string, p interchange.Project) interchange.Difference {
	t.Helper()
	reading, err := interchange.Read(strings.NewReader(text), format)
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	found, err := interchange.Compare(p, reading)
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return found
}

// readable returns the formats that hold a project and can be read back.
func readable(p interchange.Project) (names []string) {
	for _, f := range interchange.Formats() {
		if f.Reads && (f.Name != "llc" || !slices.ContainsFunc(p.Recordings, func(r interchange.Recording) bool {
			return r.Name != p.Recordings[0].Name
		})) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Reading an unchanged timeline gives no difference, whatever the footage.
func TestUnchangedTimelinesHaveNoDifference(t *testing.T) {
	for _, p := range allProjects() {
		for _, whole := range []bool{false, true} {
			line := timelineOf(t, p.project, place, whole)
			for _, format := range readable(p.project) {
				found := readBack(t, format, written(t, format, line, interchange.Options{}), p.project)
				if len(found.Changes) > 0 || len(found.Ignored) > 0 {
					t.Errorf("%s, %s, whole %v: %+v", p.name, format, whole, found)
				}
			}
		}
	}
}

// ranges returns what a timeline plays, without splits that change nothing.
func ranges(line interchange.Timeline) (list [][3]int64) {
	for _, c := range line.Clips {
		if c.Disabled {
			continue
		}
		if n := len(list) - 1; n >= 0 && list[n][0] == int64(c.Source) && list[n][2] == c.In {
			list[n][2] = c.Out
			continue
		}
		list = append(list, [3]int64{int64(c.Source), c.In, c.Out})
	}
	return list
}

// changed returns a timeline with random changes of its clips: trimmed and extended edges, splits,
// and clips that are removed.
func changed(random *rand.Rand, line interchange.Timeline) interchange.Timeline {
	clips := slices.Clone(line.Clips)
	for range 1 + random.IntN(5) {
		i := random.IntN(len(clips))
		c := &clips[i]
		low, high := int64(0), line.Sources[c.Source].Frames
		if i > 0 && clips[i-1].Source == c.Source {
			low = clips[i-1].Out
		}
		if i+1 < len(clips) && clips[i+1].Source == c.Source {
			high = clips[i+1].In
		}
		switch random.IntN(4) {
		case 0:
			c.In = low + random.Int64N(c.Out-low)
		case 1:
			c.Out = c.In + 1 + random.Int64N(high-c.In)
		case 2:
			if len(clips) > 1 {
				clips = slices.Delete(clips, i, i+1)
			}
		case 3:
			if c.Frames() > 2 { // a new cut in the middle
				later := *c
				c.Out = c.In + 1 + random.Int64N(c.Frames()-2)
				later.In = c.Out + random.Int64N(later.Out-c.Out)
				clips = slices.Insert(clips, i+1, later)
			}
		}
	}
	var at int64
	for i := range clips {
		clips[i].Start = at
		at = clips[i].End()
	}
	line.Clips, line.Markers, line.Layers = clips, nil, nil
	return line
}

// Random changes come back as edits that make the project like the changed timeline, to the frame.
func TestRandomChangesComeBack(t *testing.T) {
	projects := allProjects()
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 2))
		p := projects[random.IntN(len(projects))]
		line := changed(random, timelineOf(t, p.project, place, false))
		for _, format := range readable(p.project) {
			found := readBack(t, format, written(t, format, line, interchange.Options{}), p.project)
			after := p.project
			after.Edits = interchange.Applied(p.project.Edits, found.Changes)
			if got, want := ranges(timelineOf(t, after, place, false)), ranges(line); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %s, %s: %+v\nplays %v\nwant  %v", seed, p.name, format, found.Changes, got, want)
			}
		}
	}
}

// A difference names the edits that it changes, and touches no other.
func TestDifferencesNameTheEdits(t *testing.T) {
	edit := func(id string, start, end int64, active bool) interchange.Edit {
		return interchange.Edit{UUID: id, Kind: media.EditSilence, StartMS: start, EndMS: end, Active: active}
	}
	p := interchange.Project{
		Name: "Talk", VolumePercent: 100,
		Recordings: []interchange.Recording{
			{UUID: "c", Name: "talk.mp4", Info: video(media.Rate{Num: 25, Den: 1}, 500)},
		},
		Edits: []interchange.Edit{
			edit("restored", 1003, 2000, true), edit("moved", 4003, 5000, true), edit("kept", 7003, 8000, true),
			edit("applied", 12_003, 13_000, false), edit("proposed", 16_000, 17_000, false),
		},
	}
	line := timelineOf(t, p, place, false)
	line.Clips = nil
	for _, r := range [][2]int64{{0, 95}, {125, 175}, {200, 225}, {250, 300}, {325, 500}} {
		line.Clips = append(line.Clips, interchange.Clip{In: r[0], Out: r[1], Start: line.Frames()})
	}
	want := []interchange.Change{
		{Kind: interchange.ChangeRestore, EditUUID: "restored", StartMS: 1003, EndMS: 2000},
		{Kind: interchange.ChangeMove, EditUUID: "moved", StartMS: 3800, EndMS: 5000, FromMS: 4003, ToMS: 5000},
		{Kind: interchange.ChangeAdd, StartMS: 9000, EndMS: 10_000},
		{Kind: interchange.ChangeApply, EditUUID: "applied", StartMS: 12_003, EndMS: 13_000},
	}
	for _, format := range readable(p) {
		found := readBack(t, format, written(t, format, line, interchange.Options{}), p)
		if !reflect.DeepEqual(found.Changes, want) || len(found.Ignored) > 0 {
			t.Errorf("%s: %+v", format, found)
		}
	}
}

// Clips match by the UUID of their recording, otherwise by file name. What Roughcut cannot take
// over is named.
func TestDifferencesNameWhatIsIgnored(t *testing.T) {
	p := textOf()
	line := timelineOf(t, p, place, false)
	otio := written(t, "otio", line, interchange.Options{})
	renamed := strings.ReplaceAll(otio, "talk.mp4", "copy.mov")
	if found := readBack(t, "otio", renamed, p); len(found.Changes) > 0 {
		t.Errorf("a renamed file: %+v", found)
	}
	anonymous := strings.ReplaceAll(otio, "clip_uuid", "other")
	if found := readBack(t, "otio", anonymous, p); len(found.Changes) > 0 {
		t.Errorf("without UUIDs: %+v", found)
	}
	for what, text := range map[string]string{
		"speed": strings.ReplaceAll(otio, `"effects":[]`, `"effects":[{"OTIO_SCHEMA":"LinearTimeWarp.1"}]`),
		"title": strings.Replace(written(t, "fcpxml", line, interchange.Options{}), "<spine>",
			`<spine><title name="Hello" duration="1s"/>`, 1),
	} {
		format := "otio"
		if what == "title" {
			format = "fcpxml"
		}
		found := readBack(t, format, text, p)
		if len(found.Ignored) == 0 || len(found.Changes) > 0 {
			t.Errorf("%s: %+v", what, found)
		}
	}
	var refused *interchange.ReadError
	reading, err := interchange.Read(strings.NewReader(strings.ReplaceAll(anonymous, "talk.mp4", "other.mp4")), "otio")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := interchange.Compare(p, reading); !errors.As(err, &refused) {
		t.Errorf("a timeline of other recordings: %v", err)
	}
}

// A recording that a project has twice plays its parts in any order. Clips without UUID match by
// file and time.
func TestPartsOfARecordingChangeTheirOrder(t *testing.T) {
	info := video(media.Rate{Num: 25, Den: 1}, 250)
	p := interchange.Project{
		VolumePercent: 100,
		Recordings: []interchange.Recording{
			{UUID: "first", Name: "talk.mp4", Info: info}, {UUID: "second", Name: "talk.mp4", Info: info},
		},
		Edits: []interchange.Edit{
			{UUID: "1", Kind: media.EditManual, StartMS: 6000, EndMS: 10_000, Active: true},
			{UUID: "2", Kind: media.EditManual, StartMS: 10_000, EndMS: 16_000, Active: true},
		},
	}
	line := timelineOf(t, p, place, false)
	for _, format := range []string{"otio", "fcpxml"} {
		for _, named := range []bool{true, false} {
			text := written(t, format, reversed(line), interchange.Options{})
			if !named {
				text = strings.NewReplacer("first", "other", "second", "others").Replace(text)
			}
			found := readBack(t, format, text, p)
			if len(found.Changes) != 1 || len(found.Ignored) > 0 ||
				!slices.Equal(found.Changes[0].Recordings, []string{"second", "first"}) {
				t.Errorf("%s, UUIDs %v: %+v", format, named, found)
			}
		}
	}
}

// reversed returns a timeline with its clips in the opposite order.
func reversed(line interchange.Timeline) interchange.Timeline {
	line.Clips = slices.Clone(line.Clips)
	slices.Reverse(line.Clips)
	return line
}

// LosslessCut writes JSON5, and leaves out bounds at the ends of the recording.
func TestLosslessCutProjectsAreJSON5(t *testing.T) {
	text := `// a comment
{
  version: 1,
  mediaFileName: 'talk.mp4', /* another */
  cutSegments: [
    { end: 2, name: 'it\'s "here"', },
    { start: 5., name: '', },
    { start: 6, end: 6.5, name: 'no', selected: false },
  ],
}`
	if found := readBack(t, "llc", text, textOf()); len(found.Changes) > 0 {
		t.Errorf("%+v", found)
	}
}

// Hostile files are refused in words, without using much memory.
func TestHostileTimelinesAreRefused(t *testing.T) {
	otio := func(clip string) string {
		return `{"OTIO_SCHEMA":"Timeline.1","tracks":{"OTIO_SCHEMA":"Stack.1","children":[{"OTIO_SCHEMA":"Track.1",` +
			`"kind":"Video","children":[` + clip + `]}]}}`
	}
	clip := func(start string) string {
		return otio(`{"OTIO_SCHEMA":"Clip.2","source_range":{"start_time":{"rate":25,"value":` + start + `},` +
			`"duration":{"rate":25,"value":10}},` +
			`"media_references":{"DEFAULT_MEDIA":{"OTIO_SCHEMA":"ExternalReference.1"}}}`)
	}
	spine := func(clip string) string {
		return `<fcpxml><resources><asset id="r1" src="a.mp4"/></resources><sequence><spine>` + clip +
			`</spine></sequence></fcpxml>`
	}
	bomb := `<!DOCTYPE f [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>` +
		spine(`<asset-clip name="&b;" ref="r1"/>`)
	for i, c := range []struct{ format, text string }{
		{"otio", ""}, {"otio", "[]"}, {"otio", "{}"}, {"otio", otio("")}, {"otio", "{\"OTIO_SCHEMA\":"},
		{"otio", "\xff\xfe"},
		{"otio", strings.Repeat("[", 1_000_000)}, {"otio", strings.Repeat(`{"children":[`, 1_000_000)},
		{"otio", otio(strings.Repeat("{},", 500_000) + "{}")}, {"otio", clip("1e300")}, {"otio", clip("-1e12")},
		{"otio", strings.ReplaceAll(clip("5"), `"rate":25`, `"rate":0`)},
		{"otio", strings.ReplaceAll(clip("5"), `"value":10`, `"value":-10`)},
		{"otio", strings.Repeat(" ", interchange.MaxReadBytes+1)},
		{"fcpxml", ""}, {"fcpxml", "<a/>"}, {"fcpxml", "<fcpxml>"}, {"fcpxml", "<fcpxml/>"}, {"fcpxml", spine("")},
		{"fcpxml", bomb},
		{"fcpxml", strings.Repeat("<a>", 200_000)}, {"fcpxml", spine(strings.Repeat("<a/>", 500_000))},
		{"fcpxml", spine(`<asset-clip ref="r1" duration="1/0s"/>`)},
		{"fcpxml", spine(`<asset-clip ref="r1" duration="soon"/>`)},
		{"fcpxml", spine(`<asset-clip ref="r1" duration="-5s"/>`)},
		{"fcpxml", spine(`<asset-clip ref="r1" duration="1e9s"/>`)},
		{"fcpxml", spine(`<asset-clip ref="r1" start="99999999999s" duration="1s"/>`)},
		{"llc", ""}, {"llc", "{}"}, {"llc", "{cutSegments:[{start:'x'}]}"}, {"llc", "{/*"}, {"llc", "{a:'"},
		{"llc", strings.Repeat("[", 500_000)}, {"llc", "{cutSegments:[{start:5,end:1}]}"},
		{"otio", otio(strings.Repeat("null,", 500_000) + "{}")},
		{"llc", "{cutSegments:[" + strings.Repeat("null,", 500_000) + "{start:1,end:2}]}"},
		{"fcpxml", spine("<asset-clip ref='r1' " + strings.Repeat("a='' ", 300_000) + "/>")},
		{"otio", "}}" + strings.Repeat("[", 50)},
		{"edl", "TITLE: x"},
	} {
		_, err := interchange.Read(strings.NewReader(c.text), c.format)
		var refused *interchange.ReadError
		if !errors.As(err, &refused) || len(refused.Reason) > 300 {
			t.Errorf("case %d (%s, %.60q): %v", i, c.format, c.text, fmt.Sprintf("%.200v", err))
		}
	}
}
