package interchange_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/interchange"
)

// arranged returns a project after a ChangeArrange or ChangeOrder, as the store makes it: each part
// that goes back in its recording is a duplicate, edits are on the part that has their footage, and
// the rest of each duplicate is cut.
func arranged(p interchange.Project, changes []interchange.Change) interchange.Project {
	if len(changes) == 0 {
		return p
	}
	last := changes[len(changes)-1]
	segments := last.Segments
	for _, id := range last.Recordings {
		i := recordingIndex(p, id)
		segments = append(segments, interchange.Segment{Recording: id, EndMS: p.Recordings[i].Info.DurationMS})
	}
	if len(segments) == 0 {
		return p
	}
	starts := map[string]int64{}
	var at int64
	for _, r := range p.Recordings {
		starts[r.UUID] = at
		at += r.Info.DurationMS
	}
	after := p
	after.Recordings, after.Edits = nil, nil
	at = 0
	used := map[string]int{}
	for n := 0; n < len(segments); {
		first := segments[n]
		r := p.Recordings[recordingIndex(p, first.Recording)]
		if used[r.UUID]++; used[r.UUID] > 1 {
			r.UUID += fmt.Sprintf("#%d", used[r.UUID])
		}
		var kept []media.Span
		for ; n < len(segments) && segments[n].Recording == first.Recording; n++ {
			s := segments[n]
			if len(kept) > 0 && s.StartMS < kept[len(kept)-1].EndMS {
				break
			}
			span := media.Span{StartMS: s.StartMS, EndMS: s.EndMS}
			kept = append(kept, span)
			for _, e := range p.Edits {
				start := starts[s.Recording]
				on := media.Span{StartMS: e.StartMS - start, EndMS: e.EndMS - start}.Intersect(span)
				if on.Duration() > 0 {
					e.StartMS, e.EndMS = at+on.StartMS, at+on.EndMS
					after.Edits = append(after.Edits, e)
				}
			}
		}
		for _, cut := range media.KeptSpans(r.Info.DurationMS, kept) {
			after.Edits = append(after.Edits, interchange.Edit{
				UUID: fmt.Sprintf("elsewhere-%d", len(after.Edits)), Kind: media.EditManual, Active: true,
				StartMS: at + cut.StartMS, EndMS: at + cut.EndMS,
			})
		}
		after.Recordings = append(after.Recordings, r)
		at += r.Info.DurationMS
	}
	slices.SortStableFunc(after.Edits, func(a, b interchange.Edit) int { return int(a.StartMS - b.StartMS) })
	return after
}

func recordingIndex(p interchange.Project, id string) int {
	return slices.IndexFunc(p.Recordings, func(r interchange.Recording) bool { return r.UUID == id })
}

// footage returns what a timeline plays: the recording without regard to duplicates, and its
// frames.
func footage(line interchange.Timeline, p, first interchange.Project) (list [][3]int64) {
	for _, r := range ranges(line) {
		id, _, _ := strings.Cut(p.Recordings[r[0]].UUID, "#")
		r[0] = int64(recordingIndex(first, id))
		if n := len(list) - 1; n >= 0 && list[n][0] == r[0] && list[n][2] == r[1] {
			list[n][2] = r[2]
			continue
		}
		list = append(list, r)
	}
	return list
}

// shuffled returns a timeline whose clips are split, moved and played twice at random.
func shuffled(random *rand.Rand, line interchange.Timeline) interchange.Timeline {
	clips := slices.Clone(line.Clips)
	for range 1 + random.IntN(4) {
		i, to := random.IntN(len(clips)), random.IntN(len(clips))
		c := clips[i]
		switch random.IntN(4) {
		case 0: // plays twice
			clips = slices.Insert(clips, to, c)
		case 1: // a part of it moves
			if c.Frames() > 4 {
				part := c
				part.In += 1 + random.Int64N(c.Frames()-2)
				clips[i].Out = part.In
				clips = slices.Insert(clips, to, part)
			}
		default:
			clips = slices.Delete(clips, i, i+1)
			clips = slices.Insert(clips, min(to, len(clips)), c)
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

// lostChapters is noted because shuffled drops the markers.
const lostChapters = "The chapters of the project, which the file lacks"

// Random changes of the order come back as an arrangement that plays the changed timeline to the
// frame, along with random changes of the cuts. The timeline of the new project has no difference.
func TestRandomOrdersComeBack(t *testing.T) {
	projects := allProjects()
	arrangements := 0
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 3))
		p := projects[random.IntN(len(projects))]
		line := shuffled(random, changed(random, timelineOf(t, p.project, place, false)))
		want := footage(line, p.project, p.project)
		for _, format := range readable(p.project) {
			found := readBack(t, format, written(t, format, line, interchange.Options{}), p.project)
			if len(found.Ignored) > 0 && found.Ignored[0] != lostChapters {
				t.Fatalf("seed %d, %s, %s: ignored %q", seed, p.name, format, found.Ignored)
			}
			after := p.project
			after.Edits = interchange.Applied(p.project.Edits, found.Changes)
			after = arranged(after, found.Changes)
			if len(after.Recordings) > len(p.project.Recordings) {
				arrangements++
			}
			now := timelineOf(t, after, place, false)
			if got := footage(now, after, p.project); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %s, %s: %+v\nplays %v\nwant  %v", seed, p.name, format, found.Changes, got, want)
			}
			again := readBack(t, format, written(t, format, now, interchange.Options{}), after)
			if len(again.Changes)+len(again.Ignored) > 0 {
				t.Fatalf("seed %d, %s, %s: the new timeline has %+v", seed, p.name, format, again)
			}
		}
	}
	if arrangements < 100 {
		t.Errorf("only %d of the timelines needed duplicates", arrangements)
	}
}

// playsAlike reports whether two files play the same parts of recordings in the same order.
func playsAlike(t *testing.T, format, a, b string) bool {
	t.Helper()
	type part struct {
		file       string
		start, end float64
	}
	parts := func(text string) (list []part) {
		r, err := interchange.Read(strings.NewReader(text), format)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Clips {
			if c.Disabled || c.Audio {
				continue
			}
			if n := len(list) - 1; n >= 0 && list[n].file == c.FileName && math.Abs(list[n].end-c.Start) < 0.002 {
				list[n].end = c.End
				continue
			}
			list = append(list, part{c.FileName, c.Start, c.End})
		}
		return list
	}
	return slices.EqualFunc(parts(a), parts(b), func(a, b part) bool {
		return a.file == b.file && math.Abs(a.start-b.start) < 0.002 && math.Abs(a.end-b.end) < 0.002
	})
}

// LosslessCut checks the types of a project of version 2, where every segment has a start and only
// text in its tags. It drops other fields.
func TestLosslessCutProjectsHaveVersion2(t *testing.T) {
	for _, p := range allProjects() {
		for _, whole := range []bool{false, true} {
			if len(p.project.Recordings) > 1 {
				continue
			}
			var file struct {
				Version  int               `json:"version"`
				Media    string            `json:"mediaFileName"`
				Segments []json.RawMessage `json:"cutSegments"`
			}
			strict := func(text string, into any) {
				t.Helper()
				d := json.NewDecoder(strings.NewReader(text))
				d.DisallowUnknownFields()
				if err := d.Decode(into); err != nil {
					t.Fatalf("%s: %v in %s", p.name, err, text)
				}
			}
			line := timelineOf(t, p.project, place, whole)
			strict(written(t, "llc", line, interchange.Options{}), &file)
			if file.Version != 2 || file.Media == "" || len(file.Segments) == 0 {
				t.Errorf("%s: %+v", p.name, file)
			}
			for _, text := range file.Segments {
				var s struct {
					Start, End *float64
					Name       *string
					Tags       map[string]string
					Selected   *bool
				}
				strict(string(text), &s)
				if s.Start == nil || s.End == nil || *s.End <= *s.Start || s.Name == nil ||
					(s.Selected != nil) != whole {
					t.Errorf("%s: %s", p.name, text)
				}
			}
		}
	}
}
