package interchange

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roughcut/media"
)

// Timeline is a project as editors see it. All positions and lengths are frames at Rate.
type Timeline struct {
	Name     string
	Rate     media.Rate // one of media.TimelineRates
	Drop     bool       // label frames with drop-frame timecode
	Width    int        // pixels of the frame, even
	Height   int
	HasVideo bool     // a source of Clips has video
	Sources  []Source // in order of their first use
	played   int      // audio tracks of the largest mix that Roughcut plays
	Clips    []Clip   // the main track: in order, from 0, without gaps
	Layers   []Layer  // placed assets
	Markers  []Marker // by position
	Volume   float64  // linear gain of the main audio
	Whole    bool     // the clips are all footage; those that are cut are disabled
	Edits    []Edit   // in project time
	Language string   // ISO 639-1, empty if unknown
	Words    []media.Word
	Phrases  []media.TimedText
	Captions []media.Caption
	Chapters []media.Chapter

	clock  clock   // of the clips
	latest []int64 // the latest end of Edits up to each one
}

// Source is a media file that a timeline uses.
type Source struct {
	UUID     string // of the recording; empty for an asset
	Name     string // unique file name
	Path     string // as Place has it
	File     string // path on this machine
	Asset    bool   // a placed asset
	Still    bool   // an image, which has any length
	Info     media.Info
	Rate     media.Rate // of the video; without video, of the timeline
	Frames   int64      // length, in whole frames of the timeline
	Timecode Timecode   // of the first frame, at Rate
	Lead     int64      // frames of the timeline from the start of the file to its first video frame
	// Origin is the first frame of the timeline's grid that is not before the timecode of the first
	// frame of the source.
	Origin int64

	tracks []audioTrack // of the file, first the one that Roughcut plays
}

// Clip is a part of a source on the main track: frames [In, Out) after the start of the source,
// from Start on.
type Clip struct {
	Source         int
	In, Out, Start int64
	Cut            *Edit // why the clip is disabled; nil for a segment that stays in the video
	Disabled       bool
	// Before and After are the edits that cut the footage before and after a segment of the video,
	// or nil.
	Before, After *Edit
}

// Frames returns the length of the clip.
func (c Clip) Frames() int64 { return c.Out - c.In }

// End returns the frame after the last one of the clip on the timeline.
func (c Clip) End() int64 { return c.Start + c.Frames() }

// Places of the cuts next to a clip, as files name them.
const (
	cutBefore = "cut_before"
	cutAfter  = "cut_after"
)

// nearCut is a cut next to a clip.
type nearCut struct {
	place string // cutBefore or cutAfter
	edit  *Edit
}

// cuts returns the cuts next to a clip.
func (c Clip) cuts() (list []nearCut) {
	for _, n := range []nearCut{{cutBefore, c.Before}, {cutAfter, c.After}} {
		if n.edit != nil {
			list = append(list, n)
		}
	}

	return list
}

// text returns a cut next to a clip on one line.
func (n nearCut) text() string {
	place := map[string]string{cutBefore: "Cut before", cutAfter: "Cut after"}[n.place]
	return fmt.Sprintf("%s: %s, %s (confidence %s, edit %s)",
		place, n.edit.label(), n.edit.Reason, decimal(n.edit.Confidence), n.edit.UUID)
}

// Marker is a named point or range of a timeline.
type Marker struct {
	Frame, Frames int64 // at least one frame, within the timeline
	Name, Note    string
	Chapter       bool
	Edit          *Edit // nil for a chapter
}

// Frames returns the length of the timeline.
func (t Timeline) Frames() int64 {
	if len(t.Clips) == 0 {
		return 0
	}
	return t.Clips[len(t.Clips)-1].End()
}

// timecode returns the label of a frame of the timeline.
func (t Timeline) timecode(frame int64) string {
	return Timecode{Frame: frame, Drop: t.Drop}.Label(t.Rate)
}

// New derives a timeline from a project. A whole timeline has all footage, with the parts that the
// edits cut as disabled clips, and its texts are in project time. Errors: as media.NewRenderPlan.
func New(p Project, place Place, whole bool) (Timeline, error) {
	p.Edits = p.inRange()
	edited, all, err := p.plans()
	if err != nil {
		return Timeline{}, err
	}
	t := Timeline{
		Name: p.Name, Rate: edited.Rate, Width: edited.Width, Height: edited.Height, Volume: edited.Volume,
		Whole: whole, Edits: p.Edits, Language: p.Transcript.Language,
	}
	names := &fileNames{portable: place.Bundled}
	for _, r := range p.Recordings {
		t.addRecording(r, place, names)
	}
	t.alignTracks()
	plan := edited
	if whole {
		plan = all
	}
	t.clock = newClock(p, plan)
	for i, e := range p.Edits {
		t.latest = append(t.latest, e.EndMS)
		if i > 0 {
			t.latest[i] = max(e.EndMS, t.latest[i-1])
		}
	}

	t.addClips(p, edited, all)
	t.addLayers(p, plan, place, names)
	t.Captions, t.Chapters = plan.Captions, plan.Chapters
	t.addWords(p)
	t.addMarkers()
	return t, nil
}

// addRecording appends the source of a recording.
func (t *Timeline) addRecording(r Recording, place Place, names *fileNames) {
	same := slices.IndexFunc(t.Sources, func(s Source) bool { return r.File != "" && s.File == r.File })
	if same >= 0 { // a duplicate, maybe with another name
		r.Name = t.Sources[same].Name
	}
	name := names.reserve(r.Name, fmt.Sprint(r.Path, r.SizeBytes, r.Info.DurationMS))
	s := Source{
		UUID: r.UUID, Name: name, Path: place.pathOf(r.Path, name), File: r.File, Info: r.Info, Rate: t.Rate,
		tracks: audioTracksOf(r.Info),
	}
	if v := r.Info.Video; v != nil && !v.Still {
		t.HasVideo = true
		s.Rate = media.SnapRate(v.Rate.Num, v.Rate.Den)
	}

	if tc, ok := ParseTimecode(r.Info.Timecode, s.Rate); ok {
		s.Timecode = tc
		if tc.Drop && canDrop(t.Rate) {
			t.Drop = true
		}
	} else if a := r.Info.Audio; a != nil && r.Info.Video == nil && a.SampleRate > 0 {
		s.Timecode.Frame = -floorDiv(-r.Info.TimeReference*t.Rate.Num, int64(a.SampleRate)*t.Rate.Den)
	}

	s.Frames, s.Lead = framesOf(r.Info, s.Rate, t.Rate), leadOf(r.Info, t.Rate)
	s.Origin = -floorDiv(-s.Timecode.Frame*s.Rate.Den*t.Rate.Num, s.Rate.Num*t.Rate.Den)
	t.Sources = append(t.Sources, s)
}

// leadOf returns the frames of a rate from the start of a file to its first video frame.
func leadOf(info media.Info, r media.Rate) int64 {
	if info.Video == nil || info.Video.Still {
		return 0
	}
	return (info.Video.StartUS*r.Num + r.Den*500_000) / (r.Den * 1_000_000)
}

// framesOf returns how many whole frames of a grid a file fills.
func framesOf(info media.Info, own, grid media.Rate) int64 {
	if info.Video == nil || info.Video.Still {
		return floorDiv(info.DurationMS*grid.Num, 1000*grid.Den)
	}
	return floorDiv(own.Frame(info.DurationMS)*own.Den*grid.Num, own.Num*grid.Den)
}

// floorDiv returns a/b rounded down. b must be positive.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// addClips appends the clips of the main track, and those that are cut if the timeline is whole.
// The segments of all are the footage that a whole timeline has.
func (t *Timeline) addClips(p Project, edited, all media.RenderPlan) {
	var projectStart int64 // of the input, in milliseconds
	segments, footage := edited.Segments, all.Segments
	for i := range t.Sources {
		if len(footage) == 0 || footage[0].Input != i {
			projectStart += p.Recordings[i].Info.DurationMS
			continue
		}

		at, last := footage[0].In, footage[0].Out
		footage = footage[1:]
		before := -1 // clip of the segment before
		for {
			end, ends := last, true
			if len(segments) > 0 && segments[0].Input == i {
				end, ends = segments[0].In, false
			}
			cut := t.editOf(projectStart, at, end)
			if before >= 0 {
				t.Clips[before].After = cut
			}
			if t.Whole && end > at {
				t.addClip(Clip{Source: i, In: at, Out: end, Disabled: true, Cut: cut})
			}
			if ends {
				break
			}
			before = t.addClip(Clip{Source: i, In: segments[0].In, Out: segments[0].Out, Before: cut})
			at, segments = segments[0].Out, segments[1:]
		}

		projectStart += p.Recordings[i].Info.DurationMS
	}
}

// addClip appends a clip, limited to its source, and returns its index; -1 for no frames.
func (t *Timeline) addClip(c Clip) int {
	c.Out = min(c.Out, t.Sources[c.Source].Frames)
	c.Start = t.Frames()
	if c.Frames() <= 0 {
		return -1
	}
	t.Clips = append(t.Clips, c)
	return len(t.Clips) - 1
}

// editOf returns the active cut that covers the most of frames [in, out) of a recording, which
// starts at a project time. It returns nil if no cut covers them.
func (t *Timeline) editOf(projectStart, in, out int64) *Edit {
	if out <= in {
		return nil
	}
	span := media.Span{StartMS: projectStart + t.Rate.MS(in), EndMS: projectStart + t.Rate.MS(out)}
	var most int64
	var best *Edit
	for i := t.editsBefore(span.EndMS) - 1; i >= 0 && t.latest[i] > span.StartMS; i-- {
		e := &t.Edits[i]
		if !e.Active || e.Mute {
			continue
		}
		if n := span.Intersect(media.Span{StartMS: e.StartMS, EndMS: e.EndMS}).Duration(); n >= max(most, 1) {
			most, best = n, e
		}
	}

	return best
}

// editsBefore returns the number of edits that start before a time.
func (t *Timeline) editsBefore(ms int64) int {
	n, _ := slices.BinarySearchFunc(t.Edits, ms, func(e Edit, ms int64) int { return cmp.Compare(e.StartMS, ms) })
	return n
}

// What the names of the markers of edits begin with.
const (
	markedMute  = "Mute: "
	markedCut   = "Cut: "
	markedUncut = "Not cut: "
)

// isEditMarker reports whether a marker has a name that addMarkers gives to an edit.
func isEditMarker(name string) bool {
	begins := []string{markedMute, markedCut, markedUncut}
	return strings.HasSuffix(name, " s)") && slices.ContainsFunc(begins, func(begin string) bool {
		return strings.HasPrefix(name, begin)
	})
}

// addMarkers appends the chapters and the edits as markers, by position. Cuts of a whole timeline
// are clips, not markers.
func (t *Timeline) addMarkers() {
	at := func(ms int64) int64 { return min(t.Rate.Frame(ms), t.Frames()-1) }
	for _, c := range t.Chapters {
		t.Markers = append(t.Markers, Marker{Frame: at(c.StartMS), Frames: 1, Name: c.Title, Chapter: true})
	}
	for i := range t.Edits {
		e := &t.Edits[i]
		m := Marker{Frames: 1, Edit: e, Note: e.Reason}
		start, end := t.clock.output(e.StartMS), t.clock.output(e.EndMS)
		m.Frame = at(start)
		m.Name = fmt.Sprintf("%s (%s s)", e.label(), seconds(e.EndMS-e.StartMS))
		switch {
		case e.Active && !e.Mute && t.Whole:
			continue
		case e.Active && e.Mute:
			m.Name, m.Frames = markedMute+m.Name, max(1, at(end)-m.Frame)
		case e.Active:
			m.Name = markedCut + m.Name
		default:
			m.Name, m.Frames = markedUncut+m.Name, max(1, at(end)-m.Frame)
		}

		t.Markers = append(t.Markers, m)
	}

	slices.SortStableFunc(t.Markers, func(a, b Marker) int { return cmp.Compare(a.Frame, b.Frame) })
}

// seconds returns milliseconds as seconds with at most three decimals.
func seconds(ms int64) string { return decimal(float64(ms) / 1000) }
