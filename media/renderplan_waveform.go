package media

import (
	"math"
	"slices"
)

// AudioClips says what the frame shows during recordings without video. The zero value shows the
// background.
type AudioClips struct {
	Waveform bool
	Color    string       // of the waveform, "#rrggbb"
	Cover    *PlacedAsset // an image that fills the frame as Fit says; may be nil
}

// Waveform shows the audio of recordings without video as bars. A page of bars stays in the frame
// until all of them have been played.
type Waveform struct {
	Shown bool
	Color [3]uint8 // of played bars
}

// Measures of a waveform. Lengths are fractions of the frame.
const (
	waveformPage  = 60  // bars
	waveformBarMS = 100 // of output time that one bar shows

	waveformWidth  = 0.8  // of the page
	waveformBar    = 0.6  // of the room that a bar has
	waveformHeight = 0.4  // of the highest bar, of the shorter side of the frame
	waveformLeast  = 0.01 // of the lowest bar, of the shorter side of the frame
	waveformMargin = 1.3  // of the band behind the bars, of the highest bar
	waveformCurve  = 0.7  // exponent of levels, so that quiet speech stays visible
	waveformQuiet  = 16   // a recording whose highest peak is lower is not enlarged further
)

// addAudioClips sets what the frame shows during recordings without video. It fails with an invalid
// color.
func (p *RenderPlan) addAudioClips(clips []RenderClip, s AudioClips) (err error) {
	shown := slices.ContainsFunc(p.Segments, func(seg Segment) bool { return !p.Inputs[seg.Input].HasVideo })
	if p.AudioOnly() || !shown {
		return nil
	}
	if p.Waveform.Color, err = ParseColor(s.Color); err != nil {
		return err
	}
	p.Waveform.Shown = s.Waveform
	for i, c := range clips {
		if s.Waveform && !p.Inputs[i].HasVideo {
			p.Inputs[i].PeaksPath = c.PeaksPath
		}
	}

	if s.Cover != nil {
		p.Cover = p.coverOf(*s.Cover)
	}
	return nil
}

// coverOf returns the overlay of an image that fills the frame as Fit says.
func (p *RenderPlan) coverOf(a PlacedAsset) *Overlay {
	v := a.Info.Video
	if v == nil || v.Width <= 0 || v.Height <= 0 {
		return nil
	}
	o := Overlay{
		Path: a.Path, Name: a.Name, ID: a.ID, Range: FrameRange{0, p.Frames()}, Still: true,
		Appearance: Appearance{OpacityPercent: 100},
	}
	if p.Fit == Crop {
		o.Cutaway = true
		o.coverFrame(p.Width, p.Height, v)
		return &o
	}

	scale := min(float64(p.Width)/float64(v.Width), float64(p.Height)/float64(v.Height))
	o.Width, o.Height = roundEven(float64(v.Width)*scale), roundEven(float64(v.Height)*scale)
	o.Width, o.Height = min(o.Width, p.Width), min(o.Height, p.Height)
	o.Left, o.Top = (p.Width-o.Width)/2&^1, (p.Height-o.Height)/2&^1
	o.RotatedSize = [2]int{o.Width, o.Height}
	return &o
}

// drawnSegments returns the output ranges with a cover or a waveform, in order.
func (p RenderPlan) drawnSegments() (ranges []FrameRange) {
	if !p.Waveform.Shown && p.Cover == nil {
		return nil
	}
	for _, s := range p.Segments {
		if !p.Inputs[s.Input].HasVideo {
			ranges = append(ranges, FrameRange{s.Start, s.Start + s.Frames()})
		}
	}

	return ranges
}

// WaveformLevels returns the height of each bar of the output, 0 to 1 of the highest bar. peaks are
// the peaks of the inputs. A negative level means that footage with video plays there, and no bar
// is shown.
func (p RenderPlan) WaveformLevels(peaks [][]byte) []float64 {
	levels := make([]float64, (p.DurationMS()+waveformBarMS-1)/waveformBarMS)
	for i := range levels {
		levels[i] = -1
	}
	highest := waveformQuiet
	for _, s := range p.Segments {
		if p.Inputs[s.Input].HasVideo {
			continue
		}
		start, from := p.Rate.MS(s.Start), p.Rate.MS(s.In)
		own := peaks[s.Input]
		const each = 1000 / PeaksPerSecond
		for at, end := start, p.Rate.MS(s.Start+s.Frames()); at < end; at += each {
			top := 0
			if k := (from + at - start) / each; k < int64(len(own)) {
				top = int(own[k])
			}
			bar := &levels[at/waveformBarMS]
			*bar, highest = max(*bar, float64(top)), max(highest, top)
		}
	}

	for i, level := range levels {
		if level >= 0 {
			levels[i] = math.Pow(level/float64(highest), waveformCurve)
		}
	}

	return levels
}

// WaveformBand returns the rows of a frame that the bars of a waveform may take, with a margin, in
// pixels.
func (p RenderPlan) WaveformBand() (top, height float64) {
	height = waveformHeight * waveformMargin * float64(min(p.Width, p.Height))
	return (float64(p.Height) - height) / 2, height
}

// WaveformBar is a bar of a waveform in a frame, in pixels.
type WaveformBar struct {
	Left, Top, Width, Height float64
	Played                   bool
}

// WaveformBars returns the bars that an output frame shows, and the first later frame that shows
// other bars. levels come from WaveformLevels.
func (p RenderPlan) WaveformBars(levels []float64, frame int64) (bars []WaveformBar, until int64) {
	now := p.Rate.MS(frame) / waveformBarMS
	first := now / waveformPage * waveformPage
	until = frame + 1
	for until < p.Frames() && p.Rate.MS(until)/waveformBarMS == now {
		until++
	}
	width, height := float64(p.Width), float64(p.Height)
	room, side := waveformWidth*width/waveformPage, min(width, height)
	for i := first; i < min(first+waveformPage, int64(len(levels))); i++ {
		if levels[i] < 0 {
			continue
		}
		high := side * max(waveformLeast, waveformHeight*levels[i])
		bars = append(bars, WaveformBar{
			Left:   width*(1-waveformWidth)/2 + room*(float64(i-first)+(1-waveformBar)/2),
			Top:    (height - high) / 2,
			Width:  room * waveformBar,
			Height: high,
			Played: i <= now,
		})
	}

	return bars, until
}
