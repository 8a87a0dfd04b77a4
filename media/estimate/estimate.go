package estimate

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"roughcut/media"
)

// Source is what an estimate knows about a recording besides its clip.
type Source struct {
	Name      string
	SizeBytes int64
	// Keyframes holds, in ascending milliseconds of clip time, where packet copies can start.
	Keyframes []int64
}

// Basis is what the size of an estimate rests on.
type Basis string

// Bases of an estimate.
const (
	BasisIndex   Basis = "index"   // packets to copy, whose sizes the recordings list, and fixed bit rates
	BasisLearned Basis = "learned" // finished renders of the same kind
	BasisGuess   Basis = "guess"   // the frame size, the frame rate and the quality
)

// Result predicts a render.
type Result struct {
	Frames         int64 // of the video
	Copied         int64 // frames whose packets are copied from the recordings
	Reused         int64 // frames that an earlier render encoded
	DurationMS     int64
	Width, Height  int
	Rate           media.Rate
	SizeBytes      int64
	LowBytes       int64 // the range of the size; as SizeBytes unless it is a guess
	HighBytes      int64
	TookMS         int64 // time to render
	Basis          Basis
	EncodedBecause string // why most frames, or all of a recording, are encoded, as a clause; otherwise empty
	MissingGlyphs  string // characters of the captions that no font can draw
	H264Because    string // why the requested HEVC cannot be kept, as a clause; usually empty
	H264Recording  string // the one of several recordings that H264Because is about
}

// CopiesMost reports whether at least half of the frames are copied, and some of each recording.
func (e Result) CopiesMost() bool { return 2*e.Copied >= e.Frames && e.EncodedBecause == "" }

// Warnings says what will come out other than asked for, as sentences.
func (e Result) Warnings() (all []string) {
	if warning := media.GlyphWarning(e.MissingGlyphs); warning != "" {
		all = append(all, warning)
	}
	if e.H264Because != "" {
		const warning = "The video will be H.264, because %s cannot stay HEVC: %s."
		all = append(all, fmt.Sprintf(warning, cmp.Or(e.H264Recording, "the recording"), e.H264Because))
	}

	return all
}

// Input is everything that decides an estimate.
type Input struct {
	Plan       media.RenderPlan
	Resolution string // the name that the person chose
	Aspect     string // the name that the person chose
	Clips      []media.RenderClip
	Sources    []Source            // one for each clip
	Rates      []media.RenderRates // of the project, newest first, then of the machine
	Counts     *media.FrameCounts  // nil if they are unknown
}

// Estimate predicts the size and the time of a render. It reads no media.
func (in Input) Estimate() Result {
	p, counts := in.Plan, in.counts()
	out := Result{
		Frames:     p.Frames(),
		DurationMS: p.DurationMS(),
		Width:      p.Width,
		Height:     p.Height,
		Rate:       p.Rate,
		Basis:      BasisIndex,

		MissingGlyphs: counts.MissingGlyphs,
	}
	out.H264Because, out.H264Recording = in.h264Because(counts)
	rates := in.rates(in.kind(counts.Encoder, copiedFrames(counts)))
	known, encoded := in.audioBytes(), 0.0
	for i, c := range counts.Inputs {
		out.Copied += c.Copied
		out.Reused += c.Reused
		if known += float64(c.CopiedBytes + c.ReusedBytes); c.CopiedBytes == 0 {
			known += float64(c.Copied) / p.Rate.Float() * in.videoBitRate(i) / 8
		}
		switch {
		case c.Encoded == 0:
		case rates.Size > 0:
			encoded += float64(c.Encoded) * in.recordedBytes(i) * rates.Size
		default:
			encoded += float64(c.Encoded) * min(in.recordedBytes(i), in.usualBytes())
		}
	}

	off := 1.0
	switch {
	case p.AudioOnly() && rates.Size > 0:
		known, out.Basis = known*rates.Size, BasisLearned
	case p.AudioOnly() && p.Format.AudioEncoder == "flac": // has no fixed bit rate
		known, encoded, out.Basis, off = 0, known, BasisGuess, guessOff
	case encoded*mostlyKnown <= known:
	case rates.Size > 0:
		out.Basis = BasisLearned
	default:
		out.Basis, off = BasisGuess, guessOff
	}

	if !p.AudioOnly() {
		known += float64(out.Frames) * videoPacketBytes
	}
	out.SizeBytes, out.LowBytes = int64(known+encoded), int64(known+encoded/off)
	out.HighBytes = int64(known + encoded*off)
	out.TookMS = int64(in.typicalNS(counts) * rates.Time / 1e6)
	switch {
	case p.AudioOnly():
	case 2*out.Copied < out.Frames:
		out.EncodedBecause = in.because(out.Copied > 0)
	default:
		out.EncodedBecause = in.mostRefused(func(input int) bool { return counts.Inputs[input].Copied == 0 })
	}

	return out
}

// counts returns how the frames are made. Without Counts, nothing is taken from the cache, and the
// sizes of packets are unknown.
func (in Input) counts() media.FrameCounts {
	if in.Counts != nil {
		return *in.Counts
	}
	counts := media.FrameCounts{Inputs: make([]media.InputCounts, len(in.Plan.Inputs))}
	if in.Plan.AudioOnly() {
		return counts
	}
	const chunkSeconds, worthCopying = 4, 3
	frames := max(1, in.Plan.Rate.Frame(chunkSeconds*1000))
	for _, c := range in.Plan.Chunks(in.CountRequest().Packets, frames, worthCopying) {
		if c.Copy {
			counts.Inputs[c.Input].Copied += c.Frames()
			continue
		}

		counts.Inputs[c.Input].Encoded += c.Frames()
		if counts.Encoder = "x264"; in.Plan.KeepCodec && in.allHEVC() {
			counts.Encoder = "x265"
		}
	}

	return counts
}

// copiedFrames returns the copied frames of all inputs.
func copiedFrames(c media.FrameCounts) (frames int64) {
	for _, in := range c.Inputs {
		frames += in.Copied
	}
	return frames
}

// CountRequest returns the request for the counts of the render.
func (in Input) CountRequest() media.CountRequest {
	request := media.CountRequest{
		Plan:    in.Plan,
		Packets: make([]media.PacketIndex, len(in.Plan.Inputs)),
		Uneven:  make([]bool, len(in.Plan.Inputs)),
	}
	for i := range in.Plan.Inputs {
		why := in.notCopied(i)
		if request.Uneven[i] = why != "" && (why == whyUneven || why == in.otherRate(i)); why == "" {
			request.Packets[i] = in.packets(i)
		}
	}

	return request
}

// packets returns the packets that a recording would have if it had no B-frames.
func (in Input) packets(input int) media.PacketIndex {
	frames := in.Plan.Inputs[input].Frames
	index := media.PacketIndex{Frames: make([]int64, frames)}
	for i := range index.Frames {
		index.Frames[i] = int64(i)
	}
	keys := in.Sources[input].Keyframes
	if in.Clips[input].Info.Video.Codec == "hevc" { // ingest lists none, and cameras set one a second
		for ms := int64(0); ms < in.Clips[input].Info.DurationMS; ms += 1000 {
			keys = append(keys, ms)
		}
	}

	for _, ms := range keys {
		frame := in.Plan.Rate.Frame(ms)
		n := len(index.Sync)
		isNext := n == 0 || int(frame) > index.Sync[n-1]
		if frame < frames && isNext {
			index.Sync = append(index.Sync, int(frame))
		}
	}

	return index
}

// whyUneven is why only the index of the file tells which packets can be copied.
const whyUneven = "the frame rate of the recording varies"

// notCopied returns why no packet of a recording can be copied, empty if packets can be copied.
func (in Input) notCopied(input int) string {
	p, v, name := in.Plan, in.Clips[input].Info.Video, in.name(input)
	keep := p.KeepCodec && in.allHEVC()
	switch {
	case v == nil || v.Still:
		return name + " has no video"
	case v.RotationDeg != 0 && !in.sameRotation():
		return "the clips are rotated differently"
	case v.RotationDeg != 0 && p.Draws():
		return name + " is stored rotated, and " + in.drawn()
	case v.Width != p.Width || v.Height != p.Height:
		return in.otherSize(input)
	case p.FlipH || p.FlipV:
		return "the video is flipped"
	case v.HDR && !keep:
		return name + " is HDR, and H.264 exports have standard dynamic range"
	case v.Codec == "hevc" && !keep && !p.KeepCodec:
		return name + " is HEVC, and H.264 is chosen"
	case v.Codec != "h264" && !keep:
		return fmt.Sprintf("%s is %s, and exports are H.264", name, codecName(v.Codec))
	case v.Interlaced:
		return name + " is interlaced, and exports are deinterlaced"
	case v.HDR && !p.KeepsHDR():
		return fmt.Sprintf("%s is HDR, and %s has no video", name, in.withoutVideo())
	case v.HDR && len(p.CompositedRanges()) > 0:
		return name + " is HDR, and captions, assets or a punch-in are drawn in standard dynamic range"
	case v.Converted && p.DrawsIn709():
		return fmt.Sprintf("the colors of %s are not BT.709, and %s in BT.709", name, in.drawn())
	case v.Converted && !in.sameColors():
		return "the colors of the recordings differ"
	case v.Codec == "h264" && len(in.Sources[input].Keyframes) == 0:
		return fmt.Sprintf("the pixel format or the container of %s cannot be copied", name)
	case v.VariableRate:
		return whyUneven
	case in.otherRate(input) != "":
		return in.otherRate(input)
	case in.Counts != nil && in.Counts.Inputs[input].Refused && v.Codec == "hevc" && in.Counts.H264Because != "":
		return in.refusedHEVC(input)
	case in.Counts != nil && in.Counts.Inputs[input].Refused:
		return fmt.Sprintf("the colors or the container of %s cannot be copied", name)
	}

	return ""
}

// name names a recording if the export has several.
func (in Input) name(input int) string {
	if len(in.Clips) > 1 {
		return in.Sources[input].Name
	}
	return "the recording"
}

// refusedHEVC returns why an HEVC recording is not copied into an export that cannot stay HEVC.
func (in Input) refusedHEVC(input int) string {
	switch {
	case len(in.Clips) == 1 || in.Counts.H264Input < 0:
		return in.Counts.H264Because
	case in.Counts.H264Input != input:
		return fmt.Sprintf("%s is HEVC, and %s cannot stay HEVC", in.name(input), in.name(in.Counts.H264Input))
	}

	return fmt.Sprintf("%s cannot stay HEVC: %s", in.name(input), in.Counts.H264Because)
}

// drawn names the drawings on the frames of the export, as a clause.
func (in Input) drawn() string {
	switch p := in.Plan; {
	case p.Watermark || len(p.Captions)+len(p.Overlays) > 0:
		return "captions or assets are drawn"
	case p.Cover != nil:
		return "a cover is drawn for " + in.withoutVideo()
	}

	return "a waveform is drawn for " + in.withoutVideo()
}

// withoutVideo returns the name of the first recording in the export that has no video.
func (in Input) withoutVideo() string {
	for _, s := range in.Plan.Segments {
		if !in.Plan.Inputs[s.Input].HasVideo {
			return in.Sources[s.Input].Name
		}
	}

	return ""
}

// otherRate says why the export and a recording have different frame rates, if they have.
func (in Input) otherRate(input int) string {
	v, name := in.Clips[input].Info.Video, in.Sources[input].Name
	if v == nil || v.Rate == in.Plan.Rate {
		return ""
	}
	rate := v.Rate
	if in.Plan.Rate == media.MaxRate && rate.Exceeds(media.MaxRate) {
		return fmt.Sprintf("%s has %.4g frames per second, and exports have at most %.4g",
			name, rate.Float(), media.MaxRate.Float())
	}

	return fmt.Sprintf("%s has %.4g frames per second instead of %.4g", name, rate.Float(), in.Plan.Rate.Float())
}

// h264Because returns why the requested HEVC cannot be kept, usually empty, and the recording that
// cannot, empty for the only one. Stored properties say it better than the packets. Exports of any
// frame rate can be HEVC.
func (in Input) h264Because(counts media.FrameCounts) (why, recording string) {
	if counts.H264Because == "" {
		return "", ""
	}
	found := counts.H264Input
	why = counts.H264Because
	in.Counts = nil
	for i, c := range in.Clips {
		stored := in.notCopied(i)
		isKept := stored == "" || stored == whyUneven || stored == in.otherRate(i)
		if c.Info.Video != nil && in.allHEVC() && !isKept {
			found, why = i, stored
			break
		}
	}

	switch {
	case len(in.Clips) == 1:
		return why, ""
	case found < 0:
		return why, "the recordings"
	}

	if rest, ok := strings.CutPrefix(why, in.name(found)+" "); ok {
		why = "it " + rest
	}
	return why, in.name(found)
}

// sameRotation reports whether all clips with video are stored with one rotation. An export then
// keeps it.
func (in Input) sameRotation() bool {
	first, _ := media.FirstVideo(in.Clips)
	return !slices.ContainsFunc(in.Clips, func(c media.RenderClip) bool {
		return c.Info.Video != nil && c.Info.Video.RotationDeg != first.RotationDeg
	})
}

// sameColors reports whether the colors of all clips with video are unusual in the same way. It
// compares stored properties and does not read the recordings.
func (in Input) sameColors() bool {
	first, _ := media.FirstVideo(in.Clips)
	return !slices.ContainsFunc(in.Clips, func(c media.RenderClip) bool {
		v := c.Info.Video
		return v != nil && (v.Converted != first.Converted || v.HDR != first.HDR)
	})
}

func (in Input) allHEVC() bool {
	return !slices.ContainsFunc(in.Clips, func(c media.RenderClip) bool {
		return c.Info.Video != nil && c.Info.Video.Codec != "hevc"
	})
}

// otherSize says why the export and a recording have different frame sizes.
func (in Input) otherSize(input int) string {
	v := in.Clips[input].Info.Video
	side := min(v.Width, v.Height)
	short, _ := media.ShortSide(in.Resolution)
	first, _ := media.FirstVideo(in.Clips)
	switch {
	case in.Aspect != media.AsRecorded && v.Width*in.Plan.Height != v.Height*in.Plan.Width:
		return fmt.Sprintf("%s is chosen and the recording is %d×%d", in.Aspect, v.Width, v.Height)
	case short > 0 && short != side:
		return fmt.Sprintf("%s is chosen and the recording is %dp", in.Resolution, side)
	case first.Width != v.Width || first.Height != v.Height:
		return fmt.Sprintf("%s is %d×%d and the first clip is %d×%d",
			in.Sources[input].Name, v.Width, v.Height, first.Width, first.Height)
	}

	return fmt.Sprintf("the frame size is %d×%d and the recording is %d×%d",
		in.Plan.Width, in.Plan.Height, v.Width, v.Height)
}

// mostRefused returns why the recording with the most frames in the video cannot be copied, among
// those that cannot and that include takes. It is empty without any.
func (in Input) mostRefused(include func(input int) bool) (reason string) {
	most := int64(0)
	for i := range in.Plan.Inputs {
		why, frames := in.notCopied(i), int64(0)
		for _, s := range in.Plan.Segments {
			if s.Input == i {
				frames += s.Frames()
			}
		}

		if why != "" && frames > most && include(i) {
			reason, most = why, frames
		}
	}

	return reason
}

// because says why most frames are encoded. partly says that some are copied.
func (in Input) because(partly bool) string {
	if in.Plan.Watermark {
		return "the video gets a watermark"
	}
	reason := in.mostRefused(func(int) bool { return true })
	drawn := int64(0)
	for _, r := range in.Plan.CompositedRanges() {
		drawn += r.Out - r.In
	}
	switch {
	case reason != "":
		return reason
	case drawn > 0 && len(in.Plan.Captions) > 0:
		return "captions are drawn on the video"
	case drawn > 0 && len(in.Plan.Overlays) > 0:
		return "assets are drawn on the video"
	case drawn > 0:
		return "every other segment is enlarged"
	case partly:
		return "the keyframes of the recording are far apart"
	}

	return "the recording has no keyframe after a cut"
}

// codecName returns the short name of a codec with libav's name.
func codecName(codec string) string {
	switch codec {
	case "hevc":
		return "HEVC"
	case "mpeg4":
		return "MPEG-4"
	case "dnxhd":
		return "DNxHD"
	}

	if c, ok := media.CodecNamed(codec); ok {
		return c.Title
	}
	return codec
}

// recordedAudioBits returns the bit rate of a recording's audio.
func recordedAudioBits(c media.RenderClip) float64 {
	a := c.Info.Audio
	switch {
	case a == nil:
		return 0
	case a.BitRate > 0:
		return float64(a.BitRate)
	case len(a.Codec) > 4 && a.Codec[:4] == "pcm_":
		return float64(16 * a.SampleRate * a.Channels)
	}

	return 64_000 * float64(min(a.Channels, 2))
}

// videoBitRate returns the bit rate of a recording's video.
func (in Input) videoBitRate(input int) float64 {
	c := in.Clips[input]
	if v := c.Info.Video; v != nil && v.BitRate > 0 {
		return float64(v.BitRate)
	}
	whole := 8000 * float64(in.Sources[input].SizeBytes) / float64(max(1, c.Info.DurationMS))
	return max(whole/10, whole-recordedAudioBits(c))
}

// Figures of encoded video. With a quality of CRF 23, the default of x264, little motion takes
// usualBits a pixel (the "Kush gauge": K. Amerasinghe, H.264 for the rest of us, Adobe 2010), and
// six steps of CRF double or halve the size (FFmpeg's guide to H.264). Exports have CRF 20.
const (
	usualBits    = 0.07 * 1.41
	stillShare   = 0.1    // of the usual bits, for a picture that stands still: a cover behind the bars of a waveform
	barsShare    = 0.0075 // the same for bars alone
	guessOff     = 2      // a guess may be this many times too large or too small
	detailPower  = 0.75   // bits grow with this power of the number of pixels
	modernFactor = 1.6    // bits of H.264 for one bit of a newer codec
	mostlyKnown  = 4      // encoded bytes count if they are more than one in this many others
)

// usualBytes returns the size of an encoded frame of unknown footage.
func (in Input) usualBytes() float64 {
	return usualBits / 8 * float64(in.Plan.Width*in.Plan.Height)
}

// recordedBytes returns what a frame of a recording has in the recording, at the frame size of the
// render. Without video, it returns the usual size of what is drawn instead.
func (in Input) recordedBytes(input int) float64 {
	v := in.Clips[input].Info.Video
	switch {
	case v == nil && in.Plan.Cover == nil:
		return barsShare * in.usualBytes()
	case v == nil, v.Still:
		return stillShare * in.usualBytes()
	case v.Width*v.Height == 0:
		return in.usualBytes()
	}

	bytes := in.videoBitRate(input) / 8 / max(1, v.Rate.Float())
	switch v.Codec {
	case "hevc", "vp9", "av1":
		bytes *= modernFactor
	}

	visible, shown := in.visiblePixels(*v)
	scaled := bytes * visible / float64(v.Width*v.Height) * math.Pow(shown/visible, detailPower)
	return scaled * min(1, v.Rate.Float()/in.Plan.Rate.Float())
}

// visiblePixels returns how many pixels of a recording's frame are visible in the export, and on
// how many pixels of the export they are.
func (in Input) visiblePixels(v media.VideoInfo) (visible, shown float64) {
	width, height := float64(in.Plan.Width), float64(in.Plan.Height)
	sx, sy := width/float64(v.Width), height/float64(v.Height)
	scale := min(sx, sy)
	if in.Plan.Fit == media.Crop {
		scale = max(sx, sy)
	}
	shown = min(width, scale*float64(v.Width)) * min(height, scale*float64(v.Height))
	return shown / (scale * scale), shown
}

// Bytes that a container adds for each packet of video and audio.
const (
	videoPacketBytes = 12
	audioPacketBytes = 6
	audioPacketMS    = 1024 * 1000.0 / media.SampleRate
)

// exportAudioBits is the bit rate of the audio that an export encodes.
const exportAudioBits = 192_000

// audioBytes returns the size of the audio, with what the container adds.
func (in Input) audioBytes() float64 {
	bytes, _ := in.audio()
	if in.Plan.HasAudio() {
		tracks := float64(1 + len(in.Plan.OtherTracks))
		bytes += audioPacketBytes * tracks * float64(in.Plan.DurationMS()) / audioPacketMS
	}

	return bytes
}

// audio returns the size of all audio tracks and the time to make them. A render makes them at the
// same time.
func (in Input) audio() (bytes, ns float64) {
	bytes, ns = in.audioTrack()
	longest := ns
	for _, track := range in.Plan.OtherTracks {
		trackBytes, trackNS := in.other(track).audioTrack()
		bytes, ns, longest = bytes+trackBytes, ns+trackNS, max(longest, trackNS)
	}

	return bytes, max(longest, ns/float64(runtime.NumCPU()))
}

// other returns the input of the audio of a further track.
func (in Input) other(track media.OtherTrack) Input {
	in.Plan, in.Clips = in.Plan.Other(track), slices.Clone(in.Clips)
	for i, number := range track.Tracks {
		if number >= 0 {
			_ = in.Clips[i].Info.Hear([]int{number}) // the plan has only tracks that decode
		}
	}

	return in
}

// audioTrack returns the size of the heard audio and the time to make it.
func (in Input) audioTrack() (bytes, ns float64) {
	p, ms := in.Plan, float64(in.Plan.DurationMS())
	if !p.HasAudio() {
		return 0, 0
	}
	if in.copiesAudio() {
		return ms * recordedAudioBits(in.Clips[p.Segments[0].Input]) / 8000, 0
	}
	cost := formatNSPerMS(p.Format)
	if p.Audio.Denoise > 0 {
		cost += denoiseNSPerMS
	}
	if p.Audio.Normalize {
		cost += normalizeNSPerMS
	}
	bits := formatAudioBits(p.Format)
	if p.Mono {
		bits /= 2
	} else if p.Channels > 0 {
		bits *= float64(p.Channels) / 2
	}

	return ms * bits / 8000, ms * cost
}

// copiesAudio reports whether the audio is copied from the recording.
func (in Input) copiesAudio() bool {
	p := in.Plan
	if !p.AudioUnchanged() || p.Format.AudioEncoder != "aac" {
		return false
	}
	info := in.Clips[p.Segments[0].Input].Info
	a := info.Audio
	return info.Format == "mov" && a.Codec == "aac" && (a.Channels == 2 || (p.Mono && a.Channels == 1)) &&
		a.SampleRate == media.SampleRate
}

// formatAudioBits returns the usual bit rate of the stereo audio of an export format.
func formatAudioBits(f media.ExportFormat) float64 {
	switch f.AudioEncoder {
	case "pcm_s16le":
		return media.SampleRate * 2 * 16
	case "flac":
		return media.SampleRate * 2 * 16 / 2 // of speech
	}

	return exportAudioBits
}
