package estimate

import (
	"cmp"
	"math"
	"runtime"

	"roughcut/media"
)

// Figures of a typical machine: CPU time of one processor core, and the speed of an SSD.
const (
	typicalEncodeNS   = 11.0
	typicalCopyNS     = 2.0
	decodeShare       = 0.25 // of the time to decode and encode a pixel, for decoding
	encodingCores     = 8    // more cores hardly speed up one encoder
	audioNSPerMS      = 7e3  // to cut and encode 1 ms of audio, as AAC
	mp3NSPerMS        = 6e3  // the same as MP3
	flacNSPerMS       = 2e3  // the same as FLAC
	pcmNSPerMS        = 1e3  // the same without compression
	reusedNSPerMS     = 200  // to read and write 1 ms of encoded audio
	denoiseNSPerMS    = 6e3  // to reduce the noise of 1 ms of audio
	normalizeNSPerMS  = 4e3  // to measure and adjust the loudness of 1 ms of audio
	startNS           = 2e8  // to open the recordings and complete the file
	audioStartNS      = 2e7  // the same for audio alone, which needs no index of frames and no encoder of video
	checkNSPerPixel   = 1.5  // to compare frames of a copy with the recording
	mostCheckedPixels = 2.5e8
	checkedShare      = 30 // one frame in this many is compared
)

// formatNSPerMS returns the time to cut and encode 1 ms of the audio of an export format on a
// typical machine.
func formatNSPerMS(f media.ExportFormat) float64 {
	switch f.AudioEncoder {
	case "pcm_s16le":
		return pcmNSPerMS
	case "flac":
		return flacNSPerMS
	case "libmp3lame":
		return mp3NSPerMS
	}

	return audioNSPerMS
}

// typicalNS returns the time of the render on a typical machine with the processors of this one.
func (in Input) typicalNS(counts media.FrameCounts) float64 {
	p, known := in.Plan, int64(0)
	pixels, bytes := 0.0, 0.0
	for i, c := range counts.Inputs {
		if known += c.Copied + c.Reused; c.Copied > 0 {
			bytes += float64(in.Sources[i].SizeBytes)
		}
		frame := float64(p.Width * p.Height)
		if v := in.Clips[i].Info.Video; v != nil {
			frame += decodeShare * (float64(v.Width*v.Height) - frame)
		}
		pixels += float64(c.Encoded) * frame
	}

	_, audio := in.audio()
	if counts.AudioReused {
		audio = reusedNSPerMS * float64(p.DurationMS())
	}
	if p.AudioOnly() {
		return audioStartNS + audio
	}
	power := math.Pow(float64(min(runtime.NumCPU(), encodingCores)), 0.85)
	ns := startNS + bytes*typicalCopyNS + max(audio, pixels*typicalEncodeNS/power)
	if known > 0 {
		checked := float64(p.Frames()) * float64(p.Width*p.Height) / checkedShare
		ns += checkNSPerPixel * min(mostCheckedPixels, checked)
	}

	return ns
}

// kind names renders that take about the same time and bytes per pixel. encoder is
// RenderResult.Encoder.
func (in Input) kind(encoder string, copied int64) string {
	p := in.Plan
	if p.AudioOnly() {
		return p.Format.AudioEncoder
	}
	if encoder == "" {
		return "copy"
	}
	if len(p.CompositedRanges()) > 0 {
		encoder += ", drawn"
	}
	if copied > 0 {
		encoder += ", partly" // with another effort
	}
	if _, video := media.FirstVideo(in.Clips); !video {
		encoder += ", no video"
	}
	return encoder
}

// rates returns the factors for a kind of render: the size of the last one of the project, and the
// time of the last ones of this machine.
func (in Input) rates(kind string) media.RenderRates {
	found := media.RenderRates{Kind: kind, Time: 1}
	for _, r := range in.Rates {
		if r.Kind != kind {
			continue
		}
		found.Size = cmp.Or(found.Size, r.Size)
		if r.Time > 0 {
			found.Time = r.Time
		}
	}

	return found
}

// Limits of what a render teaches. Short renders, which mostly measure chance, teach no time, and a
// few frames no size.
const (
	worthTimingMS = 1000
	worthSizing   = 30  // frames
	learnedShare  = 0.5 // weight of one render in the factors of the machine
)

// Measure returns the factors of a finished render. They are 0 if it was too short.
func (in Input) Measure(made media.RenderResult) media.RenderRates {
	counts := media.FrameCounts{Inputs: make([]media.InputCounts, len(in.Plan.Inputs))}
	recorded := 0.0
	for _, s := range in.Plan.Segments {
		share := float64(s.Frames()) / float64(in.Plan.Frames())
		c := &counts.Inputs[s.Input]
		c.Copied += int64(math.Ceil(share * float64(made.Copied)))
		c.Reused += int64(share * float64(made.Reused))
		if made.Encoded == 0 {
			continue
		}
		c.Encoded += int64(share * float64(made.Encoded))
		recorded += share * float64(made.Encoded) * in.recordedBytes(s.Input)
	}

	rates := media.RenderRates{Kind: in.kind(made.Encoder, made.Copied)}
	if made.TookMS >= worthTimingMS {
		rates.Time = 1e6 * float64(made.TookMS) / in.typicalNS(counts)
	}
	switch {
	case in.Plan.AudioOnly():
		rates.Size = float64(made.SizeBytes) / max(1, in.audioBytes())
	case made.Encoded >= worthSizing && recorded > 0:
		rates.Size = float64(made.EncodedBytes) / recorded
	}

	return rates
}

// Learn returns the known factors of a machine after another render of the kind. Other programs
// that slow one render down change little.
func Learn(known, made media.RenderRates) media.RenderRates {
	learn := func(before, measured float64) float64 {
		switch {
		case measured <= 0:
			return before
		case before <= 0:
			return measured
		}

		return before + learnedShare*(min(max(measured, before/2), before*2)-before)
	}
	return media.RenderRates{Kind: made.Kind, Time: learn(known.Time, made.Time), Size: learn(known.Size, made.Size)}
}
