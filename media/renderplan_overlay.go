package media

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Ways of showing a placed asset.
const (
	VisualOverlay = "overlay" // over the footage
	VisualCutaway = "cutaway" // in place of it: the frame is filled, what sticks out is lost
	VisualNone    = "none"
)

// Ways of hearing a placed asset.
const (
	AudioMute    = "mute"
	AudioMix     = "mix"
	AudioReplace = "replace" // the main sound is silent meanwhile
)

// PositionCustom places an overlay by the centre that is given; the other positions are named for
// corners, edges and the middle.
const PositionCustom = "custom"

// PlacedAsset is an image, a video or a sound that lies on the project.
type PlacedAsset struct {
	Path, Name            string
	ID                    string // names the content for good, as that of PlanClip
	Info                  Info
	Span                  Span  // project time
	OffsetMS              int64 // where in the asset it begins
	VisualMode, AudioMode string
	Position              string
	X, Y                  float64 // centre as a fraction of the frame, where Position is PositionCustom
	SizePercent           int     // of the frame's width
	OpacityPercent        int
	FlipH, FlipV          bool
	RotationDeg           int // clockwise
	VolumePercent         int
	DuckMain              bool // the main sound is lowered while the asset is heard
}

// Overlay is a placed asset as it is shown: it is turned around its centre, and lies on frames
// Shown of the output.
type Overlay struct {
	Path, Name, ID string
	Range          FrameRange
	FirstFrame     int64 // frame of the asset, on the plan's grid, that is shown first
	LoopFrames     int64 // frames after which an animation begins anew; 0 for none
	Still          bool
	Cutaway        bool
	Width, Height  int // pixels before it is turned, even
	Left, Top      int // of the box around it once it is turned
	RotatedSize    [2]int
	RotationDeg    int
	FlipH, FlipV   bool
	OpacityPercent int
}

// AssetSound is a placed asset as it is heard, in samples at SampleRate.
type AssetAudio struct {
	Path, Name, ID string // an empty Path is silence
	Range          SampleRange
	SkipSamples    int64   // samples of the asset before the first that is heard
	Gain           float64 // linear
	Replace        bool    // the main sound is silent meanwhile
	Duck           bool    // the main sound is lowered where the asset is not silent
}

// Of overlays: the distance that named positions keep from the edges, as a share of the frame's
// short side, where there is room for it; how many times as long as the frame's a side of a picture
// can be; and how many assets can be seen, and heard, at once.
const (
	overlayMargin = 0.04
	overlayExcess = 4
	mostAtOnce    = 16
)

// output returns where an asset is shown and heard. It keeps its place on the footage: its start
// moves with the cuts before it, what is cut inside makes it shorter, and it plays on over the
// joins. A video or a sound ends where its file does.
func (a PlacedAsset) output(line timeline) (Span, bool) {
	span, ok := line.output(a.Span)
	if ok && !a.endless() {
		span.EndMS = min(span.EndMS, span.StartMS+a.Info.DurationMS-a.OffsetMS)
	}
	return span, ok && span.Duration() > 0
}

// endless reports an image, which is shown for as long as it is placed.
func (a PlacedAsset) endless() bool {
	return a.Info.Video != nil && (a.Info.Video.Still || a.Info.Format == "gif")
}

// place works out what is shown and heard of the assets, in the order in which they are drawn.
// Errors: more of them at once than there may be.
func (p *RenderPlan) place(assets []PlacedAsset, line timeline) error {
	for _, a := range assets {
		span, ok := a.output(line)
		if !ok {
			continue
		}
		if o, ok := p.overlay(a, span); ok {
			p.Overlays = append(p.Overlays, o)
		}
		if s, ok := a.sound(span); ok {
			p.Audio.Assets = append(p.Audio.Assets, s)
		}
	}
	var shown, heard []FrameRange
	for _, o := range p.Overlays {
		shown = append(shown, o.Range)
	}
	for _, s := range p.Audio.Assets {
		heard = append(heard, FrameRange{s.Range.From, s.Range.To})
	}
	if most := max(atOnce(shown), atOnce(heard)); most > mostAtOnce {
		return fmt.Errorf(
			"%d assets are placed at one moment; at most %d can be seen or heard at once: switch some of them off",
			most,
			mostAtOnce,
		)
	}
	return nil
}

// atOnce returns how many ranges share a point at most.
func atOnce(ranges []FrameRange) (most int) {
	type border struct {
		at   int64
		step int
	}
	var borders []border
	for _, r := range ranges {
		borders = append(borders, border{r.In, 1}, border{r.Out, -1})
	}
	slices.SortFunc(
		borders,
		func(a, b border) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.step, b.step)) },
	)
	now := 0
	for _, b := range borders {
		now += b.step
		most = max(most, now)
	}
	return most
}

// overlay returns how an asset is shown, false where nothing of it can be seen.
func (p *RenderPlan) overlay(a PlacedAsset, span Span) (Overlay, bool) {
	v := a.Info.Video
	if v == nil || v.Width <= 0 || v.Height <= 0 || a.OpacityPercent <= 0 || a.VisualMode == VisualNone ||
		p.AudioOnly() {
		return Overlay{}, false
	}
	o := Overlay{Path: a.Path, Name: a.Name, ID: a.ID, Still: v.Still, Cutaway: a.VisualMode == VisualCutaway,
		FlipH: a.FlipH, FlipV: a.FlipV, OpacityPercent: a.OpacityPercent}
	o.Range = FrameRange{max(0, p.Rate.Frame(span.StartMS)), min(p.Frames(), p.Rate.Frame(span.EndMS))}
	if o.Range.Out <= o.Range.In {
		return Overlay{}, false
	}
	// The sound begins between two frames; the picture keeps to it.
	o.FirstFrame = max(0, p.Rate.Frame(a.OffsetMS+p.Rate.MS(o.Range.In)-span.StartMS))
	if a.Info.Format == "gif" {
		o.LoopFrames = max(1, p.Rate.Frame(a.Info.DurationMS))
		o.FirstFrame %= o.LoopFrames
	}
	if o.Cutaway {
		o.fill(p.Width, p.Height, v)
	} else {
		o.RotationDeg = a.RotationDeg
		o.lay(p.Width, p.Height, v, a)
	}
	return o, true
}

// fill makes the picture cover the frame.
func (o *Overlay) fill(width, height int, v *VideoInfo) {
	scale := max(float64(width)/float64(v.Width), float64(height)/float64(v.Height))
	size := func(side, least int) int {
		return min(max(evenOf(float64(side)*scale), least), overlayExcess*least)
	}
	o.Width, o.Height = size(v.Width, width), size(v.Height, height)
	o.Left, o.Top = -((o.Width - width) / 2 &^ 1), -((o.Height - height) / 2 &^ 1)
	o.RotatedSize = [2]int{o.Width, o.Height}
}

// lay gives the picture its size and its place.
func (o *Overlay) lay(width, height int, v *VideoInfo, a PlacedAsset) {
	w := float64(width*a.SizePercent) / 100
	h := w * float64(v.Height) / float64(v.Width)
	if most := float64(overlayExcess * height); h > most {
		w, h = w*most/h, most
	}
	o.Width, o.Height = evenOf(w), evenOf(h)
	o.RotatedSize = [2]int{o.Width, o.Height}
	if a.RotationDeg != 0 {
		sin, cos := math.Sincos(float64(a.RotationDeg) * math.Pi / 180)
		sin, cos = math.Abs(sin), math.Abs(cos)
		w, h := float64(o.Width), float64(o.Height)
		o.RotatedSize = [2]int{evenOf(w*cos+h*sin) + 2, evenOf(w*sin+h*cos) + 2} // with room for smooth edges
	}
	margin := int(math.Round(overlayMargin * float64(min(width, height))))
	column, row := a.cell()
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

// cell returns the column and row, 0 to 2, of a named position; any other is the middle.
func (a PlacedAsset) cell() (column, row int) {
	names := [3][3]string{
		{"top_left", "top", "top_right"},
		{"left", "center", "right"},
		{"bottom_left", "bottom", "bottom_right"},
	}
	for row, list := range names {
		if column := slices.Index(list[:], a.Position); column >= 0 {
			return column, row
		}
	}
	return 1, 1
}

// evenOf rounds to the nearest even number, at least 2.
func evenOf(n float64) int { return max(2, 2*int(math.Round(n/2))) }

// sound returns how an asset is heard, false where it changes nothing.
func (a PlacedAsset) sound(span Span) (AssetAudio, bool) {
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
	}
	if a.Info.Audio == nil || a.VolumePercent <= 0 {
		s.Path = ""
	}
	return s, a.AudioMode == AudioReplace || a.AudioMode == AudioMix && s.Path != ""
}

// Of ducking: by how much the main sound is lowered, and over how many samples that begins before
// the asset is heard, and ends after it. Pauses that are shorter than the two together do not bring
// it back.
const (
	DuckDB      = -12.0
	DuckAttack  = SampleRate * 150 / 1000
	DuckRelease = SampleRate * 400 / 1000
)

// DuckGain returns the linear gain of the main sound at a sample that lies before samples before
// the next sound that lowers it and after samples after the last; none is a negative number.
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

// MergeSamples returns the union of stretches of samples: sorted, with those joined that are less
// than apart samples from each other.
func MergeSampleRanges(spans []SampleRange, apart int64) []SampleRange {
	sorted := slices.Clone(spans)
	slices.SortFunc(sorted, func(a, b SampleRange) int { return cmp.Compare(a.From, b.From) })
	var out []SampleRange
	for _, s := range sorted {
		if n := len(out); n > 0 && s.From < out[n-1].To+apart {
			out[n-1].To = max(out[n-1].To, s.To)
		} else {
			out = append(out, s)
		}
	}
	return out
}
