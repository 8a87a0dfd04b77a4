package interchange

import (
	"cmp"
	"slices"

	"roughcut/media"
)

// Layer is a placed asset on a separate track. It plays frames [In, Out) of the source, starting at
// Start.
type Layer struct {
	Source          int
	Audio           bool // audio only; otherwise video only
	Track           int  // from 1; a higher video track covers a lower one
	In, Out, Start  int64
	FadeIn, FadeOut int64   // frames of the fades at the ends of the placed asset
	Before, After   int64   // frames of the same asset on layers before and after, for one that repeats
	Gain            float64 // linear, of audio
	// Geometry of video, in pixels of the frame: the box before the rotation around its center.
	CenterX, CenterY float64
	Width, Height    int
	media.Appearance
}

// Frames returns the length of the layer.
func (l Layer) Frames() int64 { return l.Out - l.In }

// End returns the frame after the last one of the layer on the timeline.
func (l Layer) End() int64 { return l.Start + l.Frames() }

// addLayers appends the overlays and the asset audio of a plan.
func (t *Timeline) addLayers(p Project, plan media.RenderPlan, place Place, names *fileNames) {
	sources := map[string]int{}
	source := func(id, path string) int {
		if i, ok := sources[id+path]; ok {
			return i
		}
		for _, a := range p.Assets {
			if a.ID == id && a.Path == path {
				sources[id+path] = t.addAsset(a, place, names)
				break
			}
		}

		return sources[id+path]
	}
	for _, o := range plan.Overlays {
		l := Layer{
			Source: source(o.ID, o.Path), FadeIn: o.FadeIn, FadeOut: o.FadeOut, Appearance: o.Appearance,
			CenterX: float64(o.Left) + float64(o.RotatedSize[0])/2,
			CenterY: float64(o.Top) + float64(o.RotatedSize[1])/2,
			Width:   o.Width, Height: o.Height,
		}
		t.addLayer(l, o.Range.In, o.Range.Out, o.FirstFrame, o.LoopFrames)
	}

	for _, a := range plan.Audio.Assets {
		if a.Path == "" {
			continue
		}
		frame := func(samples int64) int64 { return t.Rate.Frame(samples * 1000 / media.SampleRate) }
		l := Layer{
			Source: source(a.ID, a.Path), Audio: true, Gain: a.Gain,
			FadeIn: frame(a.FadeIn), FadeOut: frame(a.FadeOut),
		}
		t.addLayer(l, frame(a.Range.From), frame(a.Range.To), frame(a.SkipSamples), frame(a.LoopSamples))
	}
}

// addAsset appends the source of an asset and returns its index.
func (t *Timeline) addAsset(a media.PlacedAsset, place Place, names *fileNames) int {
	name := names.reserve(a.Name, a.ID+a.Path)
	s := Source{
		Name: name, Path: place.pathOf("", name), File: a.Path, Asset: true, Info: a.Info, Rate: t.Rate,
		tracks: audioTracksOf(a.Info),
	}
	if v := a.Info.Video; v != nil {
		s.Still = v.Still
		if !v.Still && v.Rate.Num > 0 {
			s.Rate = media.SnapRate(v.Rate.Num, v.Rate.Den)
		}
	}

	s.Frames, s.Lead = framesOf(a.Info, s.Rate, t.Rate), leadOf(a.Info, t.Rate)
	t.Sources = append(t.Sources, s)
	return len(t.Sources) - 1
}

// addLayer appends a layer on frames [from, to), once for each repetition, on the lowest track
// above all that it covers.
func (t *Timeline) addLayer(l Layer, from, to, in, loop int64) {
	source := t.Sources[l.Source]
	to = min(to, t.Frames())
	first := from
	for from < to {
		piece := l
		piece.Start, piece.In, piece.Out = from, in, in+to-from
		if loop > 0 {
			piece.Out = min(piece.Out, loop)
		}
		if !source.Still {
			piece.Out = min(piece.Out, source.Frames)
		}
		if piece.Frames() <= 0 && (loop == 0 || in == 0) {
			return
		}
		if piece.Frames() > 0 {
			piece.Track = t.freeTrack(piece)
			piece.Before, piece.After = piece.Start-first, to-piece.End()
			t.Layers = append(t.Layers, piece)
			from = piece.End()
		}

		if in = 0; loop == 0 {
			return
		}
	}
}

// freeTrack returns the track above every earlier layer of the kind that overlaps a layer.
func (t *Timeline) freeTrack(l Layer) int {
	track := 1
	for _, other := range t.Layers {
		if other.Audio == l.Audio && other.Start < l.End() && l.Start < other.End() {
			track = max(track, other.Track+1)
		}
	}

	return track
}

// layers returns the layers of a kind by track; tracks are from 1.
func (t Timeline) layers(audio bool) (tracks [][]Layer) {
	for _, l := range t.Layers {
		if l.Audio != audio {
			continue
		}
		for len(tracks) < l.Track {
			tracks = append(tracks, nil)
		}
		tracks[l.Track-1] = append(tracks[l.Track-1], l)
	}

	for _, track := range tracks {
		slices.SortFunc(track, func(a, b Layer) int { return cmp.Compare(a.Start, b.Start) })
	}
	return tracks
}
