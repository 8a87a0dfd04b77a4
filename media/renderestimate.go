package media

import (
	"fmt"
	"math"
	"slices"
)

// RenderSource is what an estimate knows about a recording besides its clip.
type RenderSource struct {
	Name      string
	SizeBytes int64
	// Keyframes holds the clip times in milliseconds from which packets can be copied, ascending.
	Keyframes []int64
}

// EarlierRender is a finished render of the same project.
type EarlierRender struct {
	Width, Height int
	DurationMS    int64
	SizeBytes     int64
	Encoded       float64 // share of the frames that were encoded, 0-1
}

// RenderEstimate predicts a render.
type RenderEstimate struct {
	Frames         int64 // of the video
	Copied         int64 // frames whose packets are copied from the recordings
	Reused         int64 // frames that an earlier render encoded
	DurationMS     int64
	Width, Height  int
	Rate           Rate
	SizeBytes      int64
	TookMS         int64  // time to render
	ExpectedMS     int64  // TookMS before it is scaled by what the machine has learned; 0 without a sample
	EncodedBecause string // why most frames are encoded, a clause without a full stop; otherwise empty
}

// EstimateInput is everything that decides an estimate.
type EstimateInput struct {
	Plan       RenderPlan
	Resolution string // the name that the person chose
	Aspect     string // the name that the person chose
	Clips      []RenderClip
	Sources    []RenderSource  // one for each clip
	Earlier    []EarlierRender // newest first
	Speed      RenderSpeed
	Cached     bool          // an earlier render has encoded the same plan
	Sample     *RenderSample // nil without one
}

// Estimate predicts the size and the time of a render from its sample. Without a sample, it uses
// the bit rates of the recordings, earlier renders and the speed of the machine. It reads no media.
func (in EstimateInput) Estimate() RenderEstimate {
	p := in.Plan
	out := RenderEstimate{
		Frames:     p.Frames(),
		DurationMS: p.DurationMS(),
		Width:      p.Width,
		Height:     p.Height,
		Rate:       p.Rate,
	}
	if in.Sample != nil {
		in.sampled(&out)
		return out
	}
	speed := in.Speed.typical()
	if p.AudioOnly() {
		bytes, ns := in.audio()
		out.SizeBytes = int64(bytes)
		out.TookMS = int64((audioStartNS + ns + in.readBytes()*speed.CopyNSPerByte) / 1e6)
		return out
	}
	var copiedBytes, encodedBits float64
	for _, c := range in.Chunks() {
		seconds := float64(c.Frames()) / p.Rate.Float()
		switch {
		case c.Copy:
			out.Copied += c.Frames()
			copiedBytes += seconds * in.videoBitRate(c.Input) / 8
			continue
		case in.Cached:
			out.Reused += c.Frames()
		}
		encodedBits += seconds * in.encodedBitRate(c.Input)
	}
	encoded := float64(out.Frames-out.Copied-out.Reused) * float64(p.Width*p.Height)
	video := encoded*speed.EncodeNSPerPixel + in.readBytes()*speed.CopyNSPerByte
	if out.Copied > 0 {
		video += checkNS(out.Frames, p.Width*p.Height)
	}
	audioBytes, audio := in.audio()
	out.SizeBytes = int64(copiedBytes + encodedBits/8 + audioBytes)
	out.TookMS = int64((startNS + max(video, audio)) / 1e6)
	if 2*out.Copied < out.Frames {
		out.EncodedBecause = in.because(out.Copied > 0)
	}
	return out
}

// Chunks returns the chunks of the render as far as they are known without reading the recordings.
func (in EstimateInput) Chunks() []Chunk {
	const chunkSeconds, worthCopying = 4, 3
	return in.Plan.Chunks(in.Packets(), max(1, in.Plan.Rate.Frame(chunkSeconds*1000)), worthCopying)
}

// Packets returns the packets of each input that a render can copy, as far as they are known
// without reading the recordings.
func (in EstimateInput) Packets() []PacketIndex {
	packets := make([]PacketIndex, len(in.Plan.Inputs))
	for i := range in.Plan.Inputs {
		if in.notCopied(i) == "" {
			packets[i] = in.packets(i)
		}
	}
	return packets
}

// SampleRequest returns the request for a sample of the render.
func (in EstimateInput) SampleRequest() SampleRequest {
	request := SampleRequest{Plan: in.Plan, Packets: in.Packets(), Uneven: make([]bool, len(in.Plan.Inputs))}
	for i := range request.Uneven {
		request.Uneven[i] = in.notCopied(i) == whyUneven
	}
	return request
}

// packets returns the packets that a recording would have if it had no B-frames.
func (in EstimateInput) packets(input int) PacketIndex {
	frames := in.Plan.Inputs[input].Frames
	index := PacketIndex{Frames: make([]int64, frames)}
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
		if n := len(index.Sync); frame < frames && (n == 0 || int(frame) > index.Sync[n-1]) {
			index.Sync = append(index.Sync, int(frame))
		}
	}
	return index
}

// whyUneven is why it is not known before a sample which packets can be copied.
const whyUneven = "the frame rate of the recording varies"

// notCopied returns why no packet of a recording can be copied, empty if packets can be copied.
func (in EstimateInput) notCopied(input int) string {
	p, v := in.Plan, in.Clips[input].Info.Video
	keep := p.KeepCodec && in.allHEVC()
	switch {
	case v == nil || v.Still:
		return "the recording has no video"
	case v.RotationDeg != 0 && !in.sameRotation():
		return "the clips are rotated differently"
	case v.RotationDeg != 0 && p.Draws():
		return "the recording is stored rotated, and captions or assets are drawn on it"
	case v.Width != p.Width || v.Height != p.Height:
		return in.otherSize(input)
	case p.FlipH || p.FlipV:
		return "the video is flipped"
	case v.HDR && !keep:
		return "the recording is HDR, and H.264 exports have standard dynamic range"
	case v.Codec == "hevc" && !keep && !p.KeepCodec:
		return "the recording is HEVC, and H.264 is chosen"
	case v.Codec != "h264" && !keep:
		return fmt.Sprintf("the recording is %s, and exports are H.264", CodecName(v.Codec))
	case v.Interlaced:
		return "the recording is interlaced, and exports are deinterlaced"
	case v.HDR && len(p.CompositedRanges()) > 0:
		return "the recording is HDR, and captions, assets or a punch-in are drawn in standard dynamic range"
	case v.Converted && p.Draws():
		return "the colors of the recording are not BT.709, and captions or assets are drawn in BT.709"
	case v.Converted && !in.sameColors():
		return "the colors of the recordings differ"
	case v.Codec == "h264" && len(in.Sources[input].Keyframes) == 0:
		return "the pixel format or the container of the recording cannot be copied"
	case v.VariableRate:
		return whyUneven
	case v.Rate != p.Rate:
		return fmt.Sprintf("%s has %.4g frames per second instead of %.4g",
			in.Sources[input].Name, v.Rate.Float(), p.Rate.Float())
	case in.Sample != nil && in.Sample.Inputs[input].Refused:
		return "the colors or the container of the recording cannot be copied"
	}
	return ""
}

// sameRotation reports whether all clips with video are stored with one rotation. An export then
// keeps it.
func (in EstimateInput) sameRotation() bool {
	first, _ := firstVideo(in.Clips)
	return !slices.ContainsFunc(in.Clips, func(c RenderClip) bool {
		return c.Info.Video != nil && c.Info.Video.RotationDeg != first.RotationDeg
	})
}

// sameColors reports whether the colors of all clips with video are unusual in the same way, as far
// as that is known without reading the recordings.
func (in EstimateInput) sameColors() bool {
	first, _ := firstVideo(in.Clips)
	return !slices.ContainsFunc(in.Clips, func(c RenderClip) bool {
		return c.Info.Video == nil || c.Info.Video.Converted != first.Converted || c.Info.Video.HDR != first.HDR
	})
}

func (in EstimateInput) allHEVC() bool {
	for _, c := range in.Clips {
		if v := c.Info.Video; v != nil && v.Codec != "hevc" {
			return false
		}
	}
	return true
}

// otherSize says why the frame size of the export differs from that of a recording.
func (in EstimateInput) otherSize(input int) string {
	v := in.Clips[input].Info.Video
	side := min(v.Width, v.Height)
	short, _ := ShortSide(in.Resolution)
	first, _ := firstVideo(in.Clips)
	switch {
	case in.Aspect != AsRecorded && v.Width*in.Plan.Height != v.Height*in.Plan.Width:
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

// because says why most frames are encoded. partly says that some are copied.
func (in EstimateInput) because(partly bool) string {
	if in.Plan.Watermark {
		return "the video gets a watermark"
	}
	reason, most := "", int64(0)
	for i := range in.Plan.Inputs {
		why, frames := in.notCopied(i), int64(0)
		for _, s := range in.Plan.Segments {
			if s.Input == i {
				frames += s.Frames()
			}
		}
		if why != "" && frames > most {
			reason, most = why, frames
		}
	}
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

// CodecName returns the usual spelling of a codec's name in libav.
func CodecName(codec string) string {
	names := map[string]string{
		"h264": "H.264", "hevc": "HEVC", "vp8": "VP8", "vp9": "VP9", "av1": "AV1", "prores": "ProRes",
		"mpeg2video": "MPEG-2", "mpeg4": "MPEG-4", "mjpeg": "Motion JPEG", "dnxhd": "DNxHD",
	}
	if name, ok := names[codec]; ok {
		return name
	}
	return codec
}

// audioBits returns the bit rate of a recording's audio.
func (c RenderClip) audioBits() float64 {
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
func (in EstimateInput) videoBitRate(input int) float64 {
	c := in.Clips[input]
	if v := c.Info.Video; v != nil && v.BitRate > 0 {
		return float64(v.BitRate)
	}
	whole := 8000 * float64(in.Sources[input].SizeBytes) / float64(max(1, c.Info.DurationMS))
	return max(whole/10, whole-c.audioBits())
}

// Figures of encoded video. Noise of a camera costs bits in the recording and few in an export.
const (
	cameraBits   = 0.09 // bits per pixel above which a recording is mostly noise
	noiseShare   = 0.12 // of the bits above, which an export keeps
	detailPower  = 0.75 // bits grow with this power of the number of pixels
	modernFactor = 1.6  // bits of H.264 for one bit of a newer codec
	mostlyEnough = 0.8  // share of encoded frames from which an earlier render tells their bit rate
)

// encodedBitRate returns the bit rate of the frames of a recording that are encoded.
func (in EstimateInput) encodedBitRate(input int) float64 {
	p := in.Plan
	same := slices.IndexFunc(in.Earlier, func(e EarlierRender) bool {
		return e.tells() && e.Width == p.Width && e.Height == p.Height
	})
	if same < 0 {
		same = slices.IndexFunc(in.Earlier, EarlierRender.tells)
	}
	if same >= 0 {
		e := in.Earlier[same]
		bits := 8000*float64(e.SizeBytes)/float64(e.DurationMS) - exportAudioBits
		return max(bits, 1000) * math.Pow(float64(p.Width*p.Height)/float64(e.Width*e.Height), detailPower)
	}
	v := in.Clips[input].Info.Video
	if v == nil || v.Width*v.Height == 0 {
		return 1000
	}
	recorded := float64(v.Width*v.Height) * v.Rate.Float()
	perPixel := in.videoBitRate(input) / max(recorded, 1)
	switch v.Codec {
	case "hevc", "vp9", "av1":
		perPixel *= modernFactor
	}
	if perPixel > cameraBits {
		perPixel = cameraBits + noiseShare*(perPixel-cameraBits)
	}
	visible, shown := in.visiblePixels(*v)
	return math.Pow(shown/visible, detailPower) * perPixel * visible * min(p.Rate.Float(), v.Rate.Float())
}

// visiblePixels returns how many pixels of a recording's frame are visible in the export, and on
// how many pixels of the export they are.
func (in EstimateInput) visiblePixels(v VideoInfo) (visible, shown float64) {
	width, height := float64(in.Plan.Width), float64(in.Plan.Height)
	sx, sy := width/float64(v.Width), height/float64(v.Height)
	scale := min(sx, sy)
	if in.Plan.Fit == Crop {
		scale = max(sx, sy)
	}
	shown = min(width, scale*float64(v.Width)) * min(height, scale*float64(v.Height))
	return shown / (scale * scale), shown
}

// tells reports whether the size of a render tells the bit rate of encoded frames.
func (e EarlierRender) tells() bool {
	return e.Encoded >= mostlyEnough && e.DurationMS > 0 && e.Width*e.Height > 0
}

// exportAudioBits is the bit rate of the audio that an export encodes.
const exportAudioBits = 192_000

// audio returns the size of the audio and the time to make it.
func (in EstimateInput) audio() (bytes, ns float64) {
	p, ms := in.Plan, float64(in.Plan.DurationMS())
	if !p.HasAudio() {
		return 0, 0
	}
	if in.copiesAudio() {
		return ms * in.Clips[p.Segments[0].Input].audioBits() / 8000, 0
	}
	cost := p.Format.audioNSPerMS()
	if p.Audio.Denoise > 0 {
		cost += denoiseNSPerMS
	}
	if p.Audio.Normalize {
		cost += normalizeNSPerMS
	}
	return ms * p.Format.audioBits() / 8000, ms * cost
}

// copiesAudio reports whether the audio is copied from the recording.
func (in EstimateInput) copiesAudio() bool {
	p := in.Plan
	if !p.AudioUnchanged() || p.Format.AudioEncoder != "aac" {
		return false
	}
	a := in.Clips[p.Segments[0].Input].Info
	return a.Format == "mov" && a.Audio.Codec == "aac" && a.Audio.Channels == 2 && a.Audio.SampleRate == SampleRate
}

// audioBits returns the usual bit rate of encoded stereo audio.
func (f ExportFormat) audioBits() float64 {
	switch f.AudioEncoder {
	case "pcm_s16le":
		return SampleRate * 2 * 16
	case "flac":
		return SampleRate * 2 * 16 / 2 // of speech
	}
	return exportAudioBits
}

// readBytes returns how many bytes of the recordings in use the render reads.
func (in EstimateInput) readBytes() (bytes float64) {
	used := make([]bool, len(in.Sources))
	for _, s := range in.Plan.Segments {
		if !used[s.Input] {
			used[s.Input] = true
			bytes += float64(in.Sources[s.Input].SizeBytes)
		}
	}
	return bytes
}
