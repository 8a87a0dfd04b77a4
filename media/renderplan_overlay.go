package media

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// PlacedAsset is an image, video or audio asset on the project timeline.
type PlacedAsset struct {
	Path, Name string
	ID         string // identifies the content permanently, like RenderClip.ID
	Info       Info
	Span       Span // project time
	Placement
}

// Overlay is a placed asset as it is composited on frames Range of the output, rotated around its
// center.
type Overlay struct {
	Path, Name, ID string
	Range          FrameRange
	FirstFrame     int64 // first visible frame of the asset, on the grid of the plan
	LoopFrames     int64 // length of a video or animation that repeats; 0 if it does not
	Still          bool
	Cutaway        bool
	Width, Height  int    // pixels before the rotation, even
	Left, Top      int    // of the bounding box after the rotation
	RotatedSize    [2]int // width and height of that bounding box
	Appearance

	FadeIn, FadeOut int64 // frames of rising and falling opacity at the ends of Range
}

// OpacityAt returns the opacity at an output frame, 0 to 100, and the frame of its next possible
// change.
func (o Overlay) OpacityAt(frame int64) (percent int, until int64) {
	share, until := 1.0, o.Range.Out-o.FadeOut
	if in := frame - o.Range.In + 1; in <= o.FadeIn {
		share, until = float64(in)/float64(o.FadeIn+1), frame+1
	}
	if out := o.Range.Out - frame; out <= o.FadeOut {
		share, until = min(share, float64(out)/float64(o.FadeOut+1)), frame+1
	}
	return int(math.Round(float64(o.OpacityPercent) * share)), until
}

// AssetAudio is the audio of a placed asset, in samples at SampleRate.
type AssetAudio struct {
	Path, Name, ID string // an empty Path is silence
	Range          SampleRange
	SkipSamples    int64   // samples of the asset before the first audible one
	Gain           float64 // linear
	Replace        bool    // mute the main audio
	Duck           bool    // lower the main audio while the asset is not silent
	UnderVoice     bool    // lower the asset in AudioPlan.Voice

	LoopSamples     int64 // length of an asset that repeats; 0 if it does not
	FadeIn, FadeOut int64 // samples of rising and falling gain at the ends of Range
}

// Limits of overlays.
const (
	overlayMargin       = 0.04 // margin of named positions, of the frame's short side, if there is room
	maxOverlayScale     = 4    // longest side of an overlay, in sides of the frame
	maxConcurrentAssets = 16   // visible at the same time, and audible at the same time
)

// outputSpan returns the output time of an asset. Cuts before the asset move it, cuts inside it
// make it shorter, and it plays on over joins. A video or audio asset ends with its file.
func (a PlacedAsset) outputSpan(line timeline) (Span, bool) {
	span, ok := line.outputSpan(a.Span)
	if ok && !a.isImage() && !a.Loop {
		span.EndMS = min(span.EndMS, span.StartMS+a.Info.DurationMS-a.OffsetMS)
	}
	return span, ok && span.Duration() > 0
}

// isImage reports whether the asset is an image, which is visible for its whole span.
func (a PlacedAsset) isImage() bool {
	return a.Info.Video != nil && (a.Info.Video.Still || a.Info.Format == "gif")
}

// addAssets appends the overlays and the audio of the assets, in drawing order. voice is in project
// time. It fails if more than maxConcurrentAssets are visible or audible at the same time.
func (p *RenderPlan) addAssets(assets []PlacedAsset, voice []Span, line timeline) error {
	for _, a := range assets {
		span, ok := a.outputSpan(line)
		if !ok {
			continue
		}
		if o, ok := p.overlayOf(a, span); ok {
			p.Overlays = append(p.Overlays, o)
		}
		if s, ok := a.audioOn(span); ok {
			p.Audio.Assets = append(p.Audio.Assets, s)
		}
	}

	if slices.ContainsFunc(p.Audio.Assets, func(s AssetAudio) bool { return s.UnderVoice }) {
		p.Audio.Voice = MergeSampleRanges(line.sampleRanges(voice, 0), voiceGap)
	}
	var visible, audible []FrameRange
	for _, o := range p.Overlays {
		visible = append(visible, o.Range)
	}
	for _, s := range p.Audio.Assets {
		audible = append(audible, FrameRange{s.Range.From, s.Range.To})
	}
	if most := max(maxOverlap(visible), maxOverlap(audible)); most > maxConcurrentAssets {
		return fmt.Errorf(
			"%d assets overlap, but at most %d may; switch some of them off",
			most,
			maxConcurrentAssets,
		)
	}

	return nil
}

// maxOverlap returns the largest number of ranges that share a point.
func maxOverlap(ranges []FrameRange) (most int) {
	type boundary struct {
		at   int64
		step int
	}
	var boundaries []boundary
	for _, r := range ranges {
		boundaries = append(boundaries, boundary{r.In, 1}, boundary{r.Out, -1})
	}
	slices.SortFunc(
		boundaries,
		func(a, b boundary) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.step, b.step)) },
	)
	now := 0
	for _, b := range boundaries {
		now += b.step
		most = max(most, now)
	}

	return most
}

// overlayOf returns the overlay of an asset. ok is false if nothing of the asset is visible.
func (p *RenderPlan) overlayOf(a PlacedAsset, span Span) (Overlay, bool) {
	v := a.Info.Video
	if v == nil || v.Width <= 0 || v.Height <= 0 || a.OpacityPercent <= 0 || a.VisualMode == VisualNone ||
		p.AudioOnly() {
		return Overlay{}, false
	}

	o := Overlay{Path: a.Path, Name: a.Name, ID: a.ID, Still: v.Still, Cutaway: a.VisualMode == VisualCutaway,
		Appearance: a.Appearance, FadeIn: p.Rate.Frame(a.FadeInMS), FadeOut: p.Rate.Frame(a.FadeOutMS)}
	o.Range = FrameRange{max(0, p.Rate.Frame(span.StartMS)), min(p.Frames(), p.Rate.Frame(span.EndMS))}
	if o.Range.Out <= o.Range.In {
		return Overlay{}, false
	}
	// The audio may start between two frames. FirstFrame compensates, so that both stay in sync.
	o.FirstFrame = max(0, p.Rate.Frame(a.OffsetMS+p.Rate.MS(o.Range.In)-span.StartMS))
	if a.Info.Format == "gif" || (a.Loop && !v.Still) {
		o.LoopFrames = max(1, p.Rate.Frame(a.Info.DurationMS))
		o.FirstFrame %= o.LoopFrames
	}

	if o.Cutaway {
		o.RotationDeg = 0
		o.coverFrame(p.Width, p.Height, v)
	} else {
		o.placeInFrame(p.Width, p.Height, v, a.Placement)
	}

	return o, true
}

// coverFrame scales the overlay so that it covers the frame.
func (o *Overlay) coverFrame(width, height int, v *VideoInfo) {
	scale := max(float64(width)/float64(v.Width), float64(height)/float64(v.Height))
	size := func(side, least int) int {
		return min(max(roundEven(float64(side)*scale), least), maxOverlayScale*least)
	}
	o.Width, o.Height = size(v.Width, width), size(v.Height, height)
	o.Left, o.Top = -((o.Width - width) / 2 &^ 1), -((o.Height - height) / 2 &^ 1)
	o.RotatedSize = [2]int{o.Width, o.Height}
}

// placeInFrame sets the size, rotated size and position of the overlay.
func (o *Overlay) placeInFrame(width, height int, v *VideoInfo, a Placement) {
	w := float64(width*a.SizePercent) / 100
	h := w * float64(v.Height) / float64(v.Width)
	if most := float64(maxOverlayScale * height); h > most {
		w, h = w*most/h, most
	}
	o.Width, o.Height = roundEven(w), roundEven(h)
	o.RotatedSize = [2]int{o.Width, o.Height}
	if a.RotationDeg != 0 {
		sin, cos := math.Sincos(float64(a.RotationDeg) * math.Pi / 180)
		sin, cos = math.Abs(sin), math.Abs(cos)
		w, h := float64(o.Width), float64(o.Height)
		const edge = 2 // pixels for antialiasing
		o.RotatedSize = [2]int{roundEven(w*cos+h*sin) + edge, roundEven(w*sin+h*cos) + edge}
	}

	margin := int(math.Round(overlayMargin * float64(min(width, height))))
	column, row := a.gridCell()
	at := func(cell, frame, box int) int {
		middle, gap := (frame-box)/2, max(0, min(margin, (frame-box)/2))
		return [3]int{gap, middle, frame - box - gap}[cell]
	}
	o.Left, o.Top = at(column, width, o.RotatedSize[0]), at(row, height, o.RotatedSize[1])
	if a.Position == PositionCustom {
		o.Left = int(math.Round(a.X*float64(width) - float64(o.RotatedSize[0])/2))
		o.Top = int(math.Round(a.Y*float64(height) - float64(o.RotatedSize[1])/2))
	}
}

// roundEven rounds to the nearest even number, at least 2.
func roundEven(n float64) int { return max(2, 2*int(math.Round(n/2))) }

// audioOn returns the audio of an asset on its span. ok is false if it changes nothing.
func (a PlacedAsset) audioOn(span Span) (AssetAudio, bool) {
	const perMS = SampleRate / 1000
	s := AssetAudio{
		Path:        a.Path,
		Name:        a.Name,
		ID:          a.ID,
		Range:       SampleRange{span.StartMS * perMS, span.EndMS * perMS},
		SkipSamples: a.OffsetMS * perMS,
		Gain:        float64(a.VolumePercent) / 100,
		Replace:     a.AudioMode == AudioReplace,
		Duck:        a.DuckMain && a.AudioMode == AudioMix,
		UnderVoice:  a.DuckUnderVoice && a.AudioMode == AudioMix,
		FadeIn:      a.FadeInMS * perMS,
		FadeOut:     a.FadeOutMS * perMS,
	}
	if a.Loop {
		s.LoopSamples = a.Info.DurationMS * perMS
	}
	if a.Info.Audio == nil || a.VolumePercent <= 0 {
		s.Path = ""
	}
	return s, a.AudioMode == AudioReplace || (a.AudioMode == AudioMix && s.Path != "")
}

// Parameters of ducking. Pauses shorter than DuckAttack and DuckRelease together do not bring the
// main audio back.
const (
	DuckDB      = -12.0                   // gain of the audio that is lowered
	DuckAttack  = SampleRate * 150 / 1000 // samples of the fade before the asset is audible
	DuckRelease = SampleRate * 400 / 1000 // samples of the fade after it
)

// voiceGap is the length in samples of the longest pause in speech that keeps music lowered.
const voiceGap = SampleRate

// DuckGain returns the linear gain of lowered audio at one sample. The next span that lowers it
// starts in before samples, and the last one ended after samples ago. A negative number means
// "none".
func DuckGain(before, after int64) float64 {
	depth := 0.0 // 0 to 1
	if before >= 0 && before < DuckAttack {
		depth = 1 - float64(before)/DuckAttack
	}
	if after >= 0 && after < DuckRelease {
		depth = max(depth, 1-float64(after)/DuckRelease)
	}
	return math.Pow(10, depth*DuckDB/20)
}

// MergeSampleRanges returns the sorted union of sample ranges. It joins ranges with a gap of less
// than gap samples.
func MergeSampleRanges(ranges []SampleRange, gap int64) []SampleRange {
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(a, b SampleRange) int { return cmp.Compare(a.From, b.From) })
	var out []SampleRange
	for _, s := range sorted {
		if n := len(out); n > 0 && s.From < out[n-1].To+gap {
			out[n-1].To = max(out[n-1].To, s.To)
		} else {
			out = append(out, s)
		}
	}

	return out
}
