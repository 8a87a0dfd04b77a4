package media

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Fit says how a video fills a frame with another aspect ratio.
type Fit string

// The values of Fit.
const (
	Letterbox Fit = "letterbox" // show the whole video between bars
	Crop      Fit = "crop"      // fill the frame and crop the video
)

// Video codecs of an export.
const (
	CodecH264   = "h264"
	CodecSource = "source" // HEVC if all footage is HEVC that can be copied, otherwise H.264
)

// RenderClip is one recording of a project. Clips are in display order.
type RenderClip struct {
	Path string
	// ID identifies the content of the recording permanently. The renderer caches nothing for an
	// empty ID.
	ID   string
	Info Info // from ingest

	EnergiesPath string // packed energies of the recording; empty if unknown

	// PeaksPath is the file of the waveform, see IngestResult.Peaks. It is empty if unknown.
	PeaksPath string

	Crop  []CropKeyframe // where Fit Crop crops it; empty for the face, or for the center without a face
	Joins []Join
	Faces []Face // see MainFaces
}

// AsRecorded is the resolution and the aspect ratio of the first clip with video.
const AsRecorded = "source"

// recordedSide is the ShortSide of RenderSettings that stands for the one of the first clip with
// video.
const recordedSide = -1

// Resolutions returns the names of the resolutions of an export.
func Resolutions() []string { return []string{AsRecorded, "720p", "1080p", "1440p", "2160p"} }

// AspectRatios returns the names of the aspect ratios of an export.
func AspectRatios() []string { return []string{AsRecorded, "16:9", "9:16", "1:1"} }

// ShortSide returns the ShortSide of RenderSettings for the name of a resolution. ok is false for
// an unknown name.
func ShortSide(resolution string) (pixels int, ok bool) {
	switch resolution {
	case AsRecorded:
		return recordedSide, true
	case "720p":
		return 720, true
	case "1080p":
		return 1080, true
	case "1440p":
		return 1440, true
	case "2160p":
		return 2160, true
	}

	return 0, false
}

// RenderSettings are a person's choices for an export. The zero value of a field means its default,
// except for VolumePercent.
type RenderSettings struct {
	// ShortSide is the short side of the output in pixels, or the value of ShortSide(AsRecorded).
	// The default is 1080, or the short side of the first clip if AspectRatio is AsRecorded.
	ShortSide int
	// AspectRatio is "16:9" (default), "9:16", "1:1", or AsRecorded.
	AspectRatio   string
	Background    string // color of the bars, "#rrggbb"; default black
	Fit           Fit    // default Letterbox
	FlipH, FlipV  bool
	VolumePercent int // of the main audio, 0-100; no default: 0 is silence
	// AudioOnly writes no video; the frame grid of the plan is then 1 ms. A Format for audio
	// implies it.
	AudioOnly bool
	// Format is the name of an export format. The default is DefaultExportFormat, or M4A for
	// AudioOnly.
	Format    string
	Audio     AudioSettings
	Captions  *CaptionTrack // nil for none
	Watermark bool          // a small mark in a corner
	// KeepCodec writes HEVC if all visible footage is HEVC that can be copied, otherwise H.264.
	KeepCodec bool
	// KeepLocation states the place of the recording that the export starts with.
	KeepLocation bool
	// DropOtherTracks leaves out the audio tracks of the recordings that are not heard. Otherwise
	// the file has them as further tracks, if its format can and the volume is not 0.
	DropOtherTracks bool

	Assets  []PlacedAsset // a later one covers earlier ones
	PunchIn PunchIn       // not of audio-only exports
	// AudioClips says what the frame shows during recordings without video.
	AudioClips AudioClips
	// Voice lists the spans of project time with speech. They lower assets that duck.
	Voice []Span
	// Muted lists spans of project time whose main audio is replaced by room tone. The video stays.
	Muted []Span
	// Range is the span of project time that the video is made from; empty for all of it.
	Range Span
	// Chapters are in project time and in order.
	Chapters []Chapter
}

// Input is one recording that a RenderPlan reads.
type Input struct {
	Path         string
	ID           string // of RenderClip
	EnergiesPath string // of RenderClip
	HasVideo     bool
	HasAudio     bool
	Channels     int    // of AudioInfo; 0 if unknown
	Tracks       []int  // of Info.HeardTracks
	PeaksPath    string // of RenderClip, if its waveform is shown
	Frames       int64  // length on the grid of the plan
	Microphones  bool   // of AudioInfo
	Unheard      []int  // of AudioInfo; microphones that a mix leaves out

	// First is the grid frame of the first frame of the recording, if Aligned says so.
	First   int64
	Aligned bool
	// VoiceOn is the channel that the output has on both sides, with the gain VoiceGain; see
	// AudioSettings.BothEars. It is empty if the channels stay.
	VoiceOn   string
	VoiceGain float64

	Crop  []CropKeyframe // in order of time, at most one for each time
	Joins []Join         // in order of time

	Width, Height int            // of the upright footage in pixels; 0 without video
	Face          []CropKeyframe // the center of a punch-in that follows the face; see FaceCenter
}

// Segment is a part of an input that stays in the video: frames [In, Out), shown from output frame
// Start. The next segment never continues this one in the source, so every boundary between
// segments is a join.
type Segment struct {
	Input int
	In    int64
	Out   int64
	Start int64
}

// Frames returns the length of the segment.
func (s Segment) Frames() int64 { return s.Out - s.In }

// RenderPlan is the edited video as integer frames on one constant grid. Preview, render and
// captions all derive from it.
//
// The grid of an input starts with its first source frame: it is exactly on a grid frame, and the
// audio of the input moves along by samples. In a recording whose VideoInfo is not aligned, the
// first source frame takes the grid frame nearest to its time. Each later one follows round((pts -
// first pts)*Rate) grid frames after it. Frame n of an input shows the last source frame whose grid
// frame is at most n.
type RenderPlan struct {
	Format         ExportFormat
	Rate           Rate
	Width          int // pixels of the output, even; 0 for an audio-only plan
	Height         int
	Background     [3]uint8 // red, green, blue
	Fit            Fit
	FlipH          bool
	FlipV          bool
	Volume         float64 // linear gain of the main audio
	Inputs         []Input
	Segments       []Segment
	Audio          AudioPlan
	Captions       []Caption
	CaptionOptions CaptionOptions
	Watermark      bool
	KeepCodec      bool      // of RenderSettings
	KeepLocation   bool      // of RenderSettings
	Overlays       []Overlay // below the captions; a later one covers earlier ones
	PunchIn        PunchIn
	Waveform       Waveform
	Cover          *Overlay  // during recordings without video, below the waveform; nil for none
	Chapters       []Chapter // in output time, with titles
	// Channels keeps this number of audio channels as recorded, 1 to MaxChannels. Nothing but cuts
	// and the volume may change the audio. 0 means stereo.
	Channels int
	// Mono writes one channel, because all recordings have one and no asset has sound. It leaves
	// Channels at 0.
	Mono bool
	// OtherTracks are the further audio tracks of the file.
	OtherTracks []OtherTrack
	// Timecode is the timecode of frame TimecodeFrame, which can be before the first one. It has
	// the format of Info.Timecode and is empty if the export has no timecode.
	Timecode      string
	TimecodeFrame int64
	// TimeReference is Info.TimeReference of the first sample, in samples of SampleRate. It is 0 if
	// the export has none.
	TimeReference int64
}

// MaxChannels is the maximum number of audio channels that a render keeps as recorded.
const MaxChannels = 8

// ErrNothingLeft means that the cuts leave no frame.
var ErrNothingLeft = errors.New("the cuts leave nothing of the video; switch some of them off")

// NewRenderPlan plans the clips without the cuts, which are in project milliseconds. The plan has
// the frame rate of the first clip with video. Errors: ErrNothingLeft; no clips; settings out of
// range; too many assets at the same time.
func NewRenderPlan(clips []RenderClip, cuts []Span, settings RenderSettings) (RenderPlan, error) {
	if len(clips) == 0 {
		return RenderPlan{}, errors.New("a render plan needs at least one clip")
	}
	plan := RenderPlan{
		Rate:   frameRate(clips),
		Fit:    settings.Fit,
		FlipH:  settings.FlipH,
		FlipV:  settings.FlipV,
		Volume: float64(settings.VolumePercent) / 100,

		PunchIn: settings.PunchIn,
	}
	plan.Fit = cmp.Or(plan.Fit, Letterbox)

	var err error
	if plan.Format, err = settings.format(); err != nil {
		return RenderPlan{}, err
	}
	settings.AudioOnly = plan.Format.AudioOnly
	if settings.AudioOnly {
		plan.Rate = Rate{1000, 1}
	} else if plan.Width, plan.Height, err = outputSize(clips, settings); err != nil {
		return RenderPlan{}, err
	}

	if plan.Background, err = ParseColor(settings.Background); err != nil {
		return RenderPlan{}, err
	}

	cuts = slices.Concat(cuts, settings.Range.Outside(totalMS(clips)))
	starts := plan.addClips(clips, cuts)
	if settings.Audio.BothEars {
		plan.spreadVoices(clips)
	}
	if plan.Frames() == 0 {
		return RenderPlan{}, ErrNothingLeft
	}

	line := timeline{plan, starts}
	plan.Audio = planAudio(settings.Audio, settings.Muted, line)
	plan.Chapters = line.chapters(settings.Chapters)
	plan.Watermark, plan.KeepCodec, plan.KeepLocation = settings.Watermark, settings.KeepCodec, settings.KeepLocation
	if settings.Captions != nil && !settings.AudioOnly {
		plan.Captions = line.captions(*settings.Captions, settings.Muted)
		plan.CaptionOptions = settings.Captions.Options
	}

	if err := plan.addAudioClips(clips, settings.AudioClips); err != nil {
		return RenderPlan{}, err
	}
	if err := plan.addAssets(settings.Assets, settings.Voice, line); err != nil {
		return RenderPlan{}, err
	}
	plan.setTracks(clips, settings)
	plan.setTimecode(clips)
	return plan, nil
}

// setTracks plans the audio tracks of the file and their channels.
func (p *RenderPlan) setTracks(clips []RenderClip, settings RenderSettings) {
	keepChannels := settings.Audio.KeepChannels
	p.Mono = len(p.Audio.Assets) == 0 && isMono(clips)
	if keepChannels && p.MixedBecause(clips) == "" {
		p.Channels = channelsOf(clips)
	}
	if p.Format.AudioTracks && !settings.DropOtherTracks && settings.VolumePercent > 0 {
		p.addOtherTracks(clips, keepChannels)
	}
}

// MixedBecause returns why the plan cannot keep more than two channels of the recordings, as a
// clause, or an empty text.
func (p RenderPlan) MixedBecause(clips []RenderClip) string {
	s := p.Audio
	switch channels := channelsOf(clips); {
	case channels == 0:
		return "the recordings have different numbers of channels"
	case channels < 3:
		return "no recording has more than two channels"
	case channels > MaxChannels:
		return fmt.Sprintf("more than %d channels cannot be kept", MaxChannels)
	case p.Format.AudioEncoder == "libmp3lame":
		return "MP3 has at most two channels"
	case s.Denoise > 0 || s.Normalize || len(s.Bleeped)+len(s.Muted)+len(s.Assets) > 0:
		return "noise reduction, normalization, muted words and assets need a mix"
	}

	return ""
}

// channelsOf returns the number of channels that all clips with audio have, or 0.
func channelsOf(clips []RenderClip) (channels int) {
	for _, c := range clips {
		switch a := c.Info.Audio; {
		case a == nil:
		case channels > 0 && a.Channels != channels:
			return 0
		default:
			channels = a.Channels
		}
	}

	return channels
}

// setTimecode states the timecode of the first frame, which counts on over the cuts. A recording at
// another rate than the plan has labels that the plan cannot count. The time reference of audio
// gives frames since midnight, as in timelines.
func (p *RenderPlan) setTimecode(clips []RenderClip) {
	first := p.Segments[0]
	info := clips[first.Input].Info
	v, a := info.Video, info.Audio
	isTimed := v == nil && a != nil && a.SampleRate > 0 && info.TimeReference > 0
	switch {
	case isTimed && p.AudioOnly():
		start := divRound(info.TimeReference*SampleRate, int64(a.SampleRate)) + p.Rate.Sample(first.In, SampleRate)
		p.TimeReference = start % (24 * 3600 * SampleRate)
		return
	case isTimed:
		const midnight = "00:00:00:00"
		samples := int64(a.SampleRate) * p.Rate.Den
		start := (info.TimeReference*p.Rate.Num + samples - 1) / samples
		p.Timecode, p.TimecodeFrame = midnight, -start-first.In
		return
	}

	if p.AudioOnly() || v == nil || v.Still || v.Rate.Num <= 0 || SnapRate(v.Rate.Num, v.Rate.Den) != p.Rate ||
		v.Rate.Exceeds(p.Rate) {
		return
	}

	p.Timecode, p.TimecodeFrame = info.Timecode, v.firstFrame(p.Rate)-first.In
}

// isMono reports whether all clips with audio have one channel.
func isMono(clips []RenderClip) bool {
	return !slices.ContainsFunc(clips, func(c RenderClip) bool {
		return c.Info.Audio != nil && c.Info.Audio.Channels != 1
	})
}

// MonoLUFS is how much quieter audio is by ITU-R BS.1770 as one channel than on both sides.
const MonoLUFS = 3.0103

// MonoGain is the linear gain of one channel on each of two sides. ITU-R BS.1770 adds their powers,
// so both together are as loud as the channel alone.
const MonoGain = math.Sqrt2 / 2

// audioFormat is the name of the format of audio without another choice.
const audioFormat = "m4a"

// format returns the export format.
func (s RenderSettings) format() (ExportFormat, error) {
	name := s.Format
	if name == "" && s.AudioOnly {
		name = audioFormat
	}
	format, ok := FindExportFormat(name)
	if !ok {
		return format, fmt.Errorf("the export format %q is unknown", name)
	}
	if s.AudioOnly && !format.AudioOnly {
		return format, fmt.Errorf("the export format %q is not for audio alone", name)
	}
	return format, nil
}

// addClips appends the inputs, and the segments that the cuts leave. It returns where each input
// starts, in project milliseconds.
func (p *RenderPlan) addClips(clips []RenderClip, cuts []Span) (starts []int64) {
	kept := KeptSpans(totalMS(clips), cuts)

	start := int64(0)
	for i, c := range clips {
		starts = append(starts, start)
		span := Span{start, start + c.Info.DurationMS}
		start = span.EndMS
		input := Input{
			Path:         c.Path,
			ID:           c.ID,
			EnergiesPath: c.EnergiesPath,
			HasVideo:     c.Info.Video != nil && !p.AudioOnly(),
			Tracks:       c.Info.HeardTracks(),
			Unheard:      unheardMicrophones(c.Info.Audio),
			Frames:       p.Rate.Frame(c.Info.DurationMS),
			Crop:         sortedCrop(c.Crop),
			Joins:        sortedJoins(c.Joins),
		}
		if a := c.Info.Audio; a != nil {
			input.HasAudio, input.Channels, input.Microphones = true, a.Channels, a.Microphones
		}
		if input.HasVideo {
			input.Width, input.Height = c.Info.Video.Width, c.Info.Video.Height
			input.follow(FaceCenter(c.Faces), *p)
		}

		input.First, input.Aligned = c.Info.firstFrame(p.Rate)

		p.Inputs = append(p.Inputs, input)
		for _, k := range kept {
			part := k.Intersect(span)
			if part.EndMS > part.StartMS {
				p.appendSegment(i, p.Rate.Frame(part.StartMS-span.StartMS), p.Rate.Frame(part.EndMS-span.StartMS))
			}
		}
	}

	return starts
}

// totalMS returns the length of the clips in milliseconds.
func totalMS(clips []RenderClip) (total int64) {
	for _, c := range clips {
		total += c.Info.DurationMS
	}
	return total
}

// spreadVoices puts the voice of each recording that has it on one channel on both sides.
func (p *RenderPlan) spreadVoices(clips []RenderClip) {
	for i, c := range clips {
		if a := c.Info.Audio; a != nil && a.VoiceOn != "" {
			p.Inputs[i].VoiceOn, p.Inputs[i].VoiceGain = a.VoiceOn, a.VoiceGain
		}
	}
}

// unheardMicrophones returns the channels of a recording that a mix of its microphones leaves out.
func unheardMicrophones(a *AudioInfo) []int {
	if a == nil || a.Channels < 3 {
		return nil
	}
	return a.Unheard
}

// appendSegment appends frames [in, out) of an input. It extends the last segment if they continue
// it.
func (p *RenderPlan) appendSegment(input int, in, out int64) {
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

// AudioOnly reports whether the output has no video.
func (p RenderPlan) AudioOnly() bool { return p.Width == 0 }

// HasAudio reports whether any input or placed asset has audio. Otherwise the output has no audio
// track.
func (p RenderPlan) HasAudio() bool {
	return slices.ContainsFunc(p.Audio.Assets, func(s AssetAudio) bool { return s.Path != "" }) ||
		slices.ContainsFunc(p.Inputs, func(in Input) bool { return in.HasAudio })
}

// Samples returns the position of a segment's audio: it starts at sample from of its input and
// fills output samples [at, at+n), all at SampleRate. Both ends derive from absolute output frames,
// so segments meet without gap or overlap.
func (p RenderPlan) Samples(s Segment) (from, at, n int64) {
	at = p.Rate.Sample(s.Start, SampleRate)
	return p.Rate.Sample(s.In, SampleRate), at, p.Rate.Sample(s.Start+s.Frames(), SampleRate) - at
}

// firstFrame returns the grid frame of the first video frame. ok is false if that is not known
// exactly.
func (i Info) firstFrame(rate Rate) (frame int64, ok bool) {
	if i.Video == nil || !i.Video.Aligned {
		return 0, false
	}
	return i.Video.firstFrame(rate), true
}

// firstFrame returns the grid frame nearest to the first video frame.
func (v VideoInfo) firstFrame(rate Rate) int64 {
	return (v.StartUS*rate.Num + rate.Den*500_000) / (rate.Den * 1_000_000)
}

func frameRate(clips []RenderClip) Rate {
	for _, c := range clips {
		if c.Info.Video != nil && !c.Info.Video.Still && c.Info.Video.Rate.Num > 0 {
			return SnapRate(c.Info.Video.Rate.Num, c.Info.Video.Rate.Den)
		}
	}

	return Rate{30, 1}
}

func outputSize(clips []RenderClip, settings RenderSettings) (width, height int, err error) {
	short := settings.ShortSide
	if short != 0 && short != recordedSide && (short < 16 || short > 4320) {
		return 0, 0, fmt.Errorf("the short side must be 16 to 4320 pixels, not %d", short)
	}
	first, found := FirstVideo(clips)
	if side := min(first.Width, first.Height); found && settings.AspectRatio == AsRecorded {
		if short <= 0 {
			short = side
		}
		return roundUpEven(divHalfUp(short*first.Width, side)), roundUpEven(divHalfUp(short*first.Height, side)), nil
	} else if found && short == recordedSide {
		short = side
	}

	if short <= 0 {
		short = 1080
	}
	switch settings.AspectRatio {
	case "", "16:9", AsRecorded:
		return roundUpEven(divHalfUp(short*16, 9)), roundUpEven(short), nil
	case "9:16":
		return roundUpEven(short), roundUpEven(divHalfUp(short*16, 9)), nil
	case "1:1":
		return roundUpEven(short), roundUpEven(short), nil
	}

	return 0, 0, fmt.Errorf("unknown aspect ratio %q; use 16:9, 9:16, 1:1 or source", settings.AspectRatio)
}

// FirstVideo returns the video of the first clip that has one. found is false without video.
func FirstVideo(clips []RenderClip) (video VideoInfo, found bool) {
	for _, c := range clips {
		if v := c.Info.Video; v != nil && v.Width > 0 && v.Height > 0 {
			return *v, true
		}
	}

	return VideoInfo{}, false
}

// roundUpEven rounds up to an even number, at least 2, as 4:2:0 video requires.
func roundUpEven(n int) int { return max(2, (n+1)&^1) }

func divHalfUp(a, b int) int { return (a + b/2) / b }

// ParseColor returns the red, green and blue of "#rrggbb". An empty text is black.
func ParseColor(hex string) (rgb [3]uint8, err error) {
	if hex == "" {
		return rgb, nil
	}
	if len(hex) == 7 && hex[0] == '#' {
		if n, err := strconv.ParseUint(hex[1:], 16, 32); err == nil {
			return [3]uint8{uint8(n >> 16), uint8(n >> 8), uint8(n)}, nil
		}
	}

	return rgb, fmt.Errorf("%q is not a color; write it as #rrggbb", hex)
}
