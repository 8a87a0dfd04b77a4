package media

import (
	"errors"
	"fmt"
	"strconv"
)

// Fit says how a picture is brought into a frame of another shape.
type Fit string

// The ways of fitting.
const (
	Letterbox Fit = "letterbox" // the whole picture, bars where it does not reach
	Crop      Fit = "crop"      // the frame is filled, what sticks out is lost
)

// Codecs that can be chosen for the picture of an export.
const (
	CodecH264   = "h264"
	CodecSource = "source" // HEVC where all footage is HEVC and can be copied, otherwise H.264
)

// PlanClip is one recording of a project, in display order.
type RenderClip struct {
	Path string
	// names the recording for good: no other content ever has it. Empty where nothing made of it is
	// to be kept
	ID   string
	Info Info // as ingest returned it

	EnergiesPath string // packed energies of the recording; empty where they are not known
}

// ShortSide returns the pixels of the output's short side for the name of a resolution; ok is false
// for a name that is none.
func ShortSide(resolution string) (pixels int, ok bool) {
	switch resolution {
	case "720p":
		return 720, true
	case "1080p":
		return 1080, true
	}
	return 0, false
}

// PlanSettings is what a person chose for an export. Except for VolumePercent, the zero value of a
// field means its default.
type RenderSettings struct {
	// pixels of the output's short side: default 1080, or the first clip's own with AspectRatio
	// "source"
	ShortSide int
	// "16:9" (default), "9:16", "1:1", or "source" for the first clip's own shape, never enlarged
	AspectRatio   string
	Background    string // colour of the bars, "#rrggbb"; default black
	Fit           Fit    // default Letterbox
	FlipH, FlipV  bool
	VolumePercent int  // 0-100, of the main sound; it has no default: 0 is silence
	AudioOnly     bool // no picture: the output is sound alone, on a grid of milliseconds
	Audio         AudioSettings
	Captions      *CaptionTrack // nil for none
	Watermark     bool          // a small mark in a corner
	// the output is HEVC where all footage that it shows is HEVC that can be copied, otherwise
	// H.264
	KeepCodec bool
	Assets    []PlacedAsset // a later one lies over those before it
}

// Input is one recording that a plan reads.
type Input struct {
	Path         string
	ID           string // of PlanClip
	EnergiesPath string // of PlanClip
	HasVideo     bool
	HasAudio     bool
	Frames       int64 // length on the plan's grid
}

// Segment is a stretch of footage that stays: frames [In, Out) of an input, shown from output frame
// Start on. Two neighbouring segments never continue one another in the source: every border
// between segments is a join.
type Segment struct {
	Input int
	In    int64
	Out   int64
	Start int64
}

// Frames returns the length of the segment.
func (s Segment) Frames() int64 { return s.Out - s.In }

// Plan is the RenderPlan: the edited video as integer frames on one constant grid. Preview, render
// and captions are all derived from it. Frame n of an input is the last picture whose own frame is
// not above n: the first picture takes the frame nearest to its time, and the others follow it,
// each round((pts - first pts)*Rate) frames later.
type RenderPlan struct {
	Rate           Rate
	Width          int // pixels of the output, even; 0 where the plan is of sound only
	Height         int
	Background     [3]uint8 // red, green, blue
	Fit            Fit
	FlipH          bool
	FlipV          bool
	Volume         float64 // linear gain of the main sound
	Inputs         []Input
	Segments       []Segment
	Audio          AudioPlan
	Captions       []Caption
	CaptionOptions CaptionOptions // of the captions
	Watermark      bool
	KeepCodec      bool      // of PlanSettings
	Overlays       []Overlay // below the captions; a later one lies over those before it
}

// ErrNothingLeft says that the cuts leave no frame to show.
var ErrNothingLeft = errors.New("the cuts leave nothing of the recording; switch some of them off")

// NewPlan makes the plan of clips with cuts, in project milliseconds, taken out. The rate is that
// of the first clip with a picture. Errors: ErrNothingLeft; no clip; settings that are out of
// range; too many assets at once.
func NewRenderPlan(clips []RenderClip, cuts []Span, settings RenderSettings) (RenderPlan, error) {
	if len(clips) == 0 {
		return RenderPlan{}, errors.New("a plan needs at least one clip")
	}
	plan := RenderPlan{
		Rate:   planRate(clips),
		Fit:    settings.Fit,
		FlipH:  settings.FlipH,
		FlipV:  settings.FlipV,
		Volume: float64(settings.VolumePercent) / 100,
	}
	if plan.Fit == "" {
		plan.Fit = Letterbox
	}
	var err error
	if settings.AudioOnly {
		plan.Rate = Rate{1000, 1}
	} else if plan.Width, plan.Height, err = outputSize(clips, settings); err != nil {
		return RenderPlan{}, err
	}
	if plan.Background, err = ParseColor(settings.Background); err != nil {
		return RenderPlan{}, err
	}
	var total int64
	for _, c := range clips {
		total += c.Info.DurationMS
	}
	kept := KeptSpans(total, cuts)
	start := int64(0)
	line := timeline{}
	for i, c := range clips {
		line.starts = append(line.starts, start)
		span := Span{start, start + c.Info.DurationMS}
		start = span.EndMS
		plan.Inputs = append(
			plan.Inputs,
			Input{
				Path:         c.Path,
				ID:           c.ID,
				EnergiesPath: c.EnergiesPath,
				HasVideo:     c.Info.Video != nil && !settings.AudioOnly,
				HasAudio:     c.Info.Audio != nil,
				Frames:       plan.Rate.Frame(c.Info.DurationMS),
			},
		)
		for _, k := range kept {
			part := k.Intersect(span)
			if part.EndMS > part.StartMS {
				plan.add(i, plan.Rate.Frame(part.StartMS-span.StartMS), plan.Rate.Frame(part.EndMS-span.StartMS))
			}
		}
	}
	if plan.Frames() == 0 {
		return RenderPlan{}, ErrNothingLeft
	}
	line.plan = plan
	plan.Audio, plan.Watermark, plan.KeepCodec = planSound(settings.Audio, line), settings.Watermark, settings.KeepCodec
	if settings.Captions != nil && !settings.AudioOnly {
		plan.Captions, plan.CaptionOptions = line.captions(*settings.Captions), settings.Captions.Options
	}
	if err := plan.place(settings.Assets, line); err != nil {
		return RenderPlan{}, err
	}
	return plan, nil
}

// add appends frames [in, out) of an input, joining what continues the last segment.
func (p *RenderPlan) add(input int, in, out int64) {
	if out <= in {
		return
	}
	if n := len(p.Segments); n > 0 && p.Segments[n-1].Input == input && p.Segments[n-1].Out == in {
		p.Segments[n-1].Out = out
		return
	}
	p.Segments = append(p.Segments, Segment{Input: input, In: in, Out: out, Start: p.Frames()})
}

// Frames returns the length of the output in frames.
func (p RenderPlan) Frames() int64 {
	if len(p.Segments) == 0 {
		return 0
	}
	last := p.Segments[len(p.Segments)-1]
	return last.Start + last.Frames()
}

// DurationMS returns the length of the output in milliseconds.
func (p RenderPlan) DurationMS() int64 { return p.Rate.MS(p.Frames()) }

// SoundOnly reports that the output has no picture.
func (p RenderPlan) AudioOnly() bool { return p.Width == 0 }

// HasAudio reports whether any input or placed asset has sound; without it the output has no sound
// track.
func (p RenderPlan) HasAudio() bool {
	for _, s := range p.Audio.Assets {
		if s.Path != "" {
			return true
		}
	}
	for _, in := range p.Inputs {
		if in.HasAudio {
			return true
		}
	}
	return false
}

// Samples returns where a segment's sound lies: it starts at sample from of its input's sound and
// fills output samples [at, at+n), all at SampleRate. Both ends come from absolute output frames,
// so segments fit without gap or overlap.
func (p RenderPlan) Samples(s Segment) (from, at, n int64) {
	at = p.Rate.Sample(s.Start, SampleRate)
	return p.Rate.Sample(s.In, SampleRate), at, p.Rate.Sample(s.Start+s.Frames(), SampleRate) - at
}

func planRate(clips []RenderClip) Rate {
	for _, c := range clips {
		if c.Info.Video != nil && !c.Info.Video.Still && c.Info.Video.Rate.Num > 0 {
			return SnapRate(c.Info.Video.Rate.Num, c.Info.Video.Rate.Den)
		}
	}
	return Rate{30, 1}
}

func outputSize(clips []RenderClip, settings RenderSettings) (width, height int, err error) {
	short := settings.ShortSide
	if short != 0 && (short < 16 || short > 4320) {
		return 0, 0, fmt.Errorf("the short side must be 16 to 4320 pixels, not %d", short)
	}
	if settings.AspectRatio == "source" {
		if width, height, ok := sourceSize(clips, short); ok {
			return width, height, nil
		}
	}
	if short == 0 {
		short = 1080
	}
	switch settings.AspectRatio {
	case "", "16:9", "source":
		return even(divide(short*16, 9)), even(short), nil
	case "9:16":
		return even(short), even(divide(short*16, 9)), nil
	case "1:1":
		return even(short), even(short), nil
	}
	return 0, 0, fmt.Errorf("unknown aspect ratio %q; use 16:9, 9:16, 1:1 or source", settings.AspectRatio)
}

// sourceSize is the size of the first clip with a picture, reduced to a short side where that is
// smaller and not 0.
func sourceSize(clips []RenderClip, short int) (width, height int, ok bool) {
	for _, c := range clips {
		v := c.Info.Video
		if v == nil || v.Width <= 0 || v.Height <= 0 {
			continue
		}
		side := min(v.Width, v.Height)
		if short == 0 || short > side {
			short = side
		}
		return even(divide(short*v.Width, side)), even(divide(short*v.Height, side)), true
	}
	return 0, 0, false
}

// even rounds to the nearest even number, at least 2, as 4:2:0 pictures need.
func even(n int) int { return max(2, (n+1)&^1) }

func divide(a, b int) int { return (a + b/2) / b }

// ParseColor reads a colour as red, green and blue from "#rrggbb"; an empty text is black.
func ParseColor(hex string) (rgb [3]uint8, err error) {
	if hex == "" {
		return rgb, nil
	}
	if len(hex) == 7 && hex[0] == '#' {
		if n, err := strconv.ParseUint(hex[1:], 16, 32); err == nil {
			return [3]uint8{uint8(n >> 16), uint8(n >> 8), uint8(n)}, nil
		}
	}
	return rgb, fmt.Errorf("%q is no colour; write it as #rrggbb", hex)
}
