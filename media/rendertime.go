package media

import (
	"math"
	"runtime"
)

// RenderSpeed is how fast a machine renders. The zero value stands for a typical machine with the
// processors of this one.
type RenderSpeed struct {
	EncodeNSPerPixel float64 `json:"encode_ns_per_pixel"` // to decode, convert and encode one pixel
	CopyNSPerByte    float64 `json:"copy_ns_per_byte"`    // to read, copy and check one byte of the recordings
	// Renders take this many times as long as their samples predict, mostly copied and mostly
	// encoded ones.
	CopyScale   float64 `json:"copy_scale,omitempty"`
	EncodeScale float64 `json:"encode_scale,omitempty"`
}

// Figures of a typical machine: CPU time of one processor core, and the speed of an SSD.
const (
	typicalEncodeNS   = 11.0
	typicalCopyNS     = 2.0
	encodingCores     = 8   // more cores hardly speed up one encoder
	audioNSPerMS      = 7e3 // to cut and encode 1 ms of audio, as AAC
	mp3NSPerMS        = 6e3 // the same as MP3
	flacNSPerMS       = 2e3 // the same as FLAC
	pcmNSPerMS        = 1e3 // the same without compression
	reusedNSPerMS     = 200 // to read and write 1 ms of encoded audio
	denoiseNSPerMS    = 6e3 // to reduce the noise of 1 ms of audio
	normalizeNSPerMS  = 4e3 // to measure and adjust the loudness of 1 ms of audio
	startNS           = 2e8 // to open the recordings and complete the file
	audioStartNS      = 2e7 // the same for audio alone, which needs no index of frames and no encoder of video
	checkNSPerPixel   = 1.5 // to compare frames of a copy with the recording
	mostCheckedPixels = 2.5e8
	checkedShare      = 30 // frames of which one is compared
)

// typical returns the speed with the values of a typical machine for unknown ones.
func (s RenderSpeed) typical() RenderSpeed {
	if s.EncodeNSPerPixel <= 0 {
		s.EncodeNSPerPixel = typicalEncodeNS / encodersPower()
	}
	if s.CopyNSPerByte <= 0 {
		s.CopyNSPerByte = typicalCopyNS
	}
	if s.CopyScale <= 0 {
		s.CopyScale = 1
	}
	if s.EncodeScale <= 0 {
		s.EncodeScale = 1
	}
	return s
}

// encodersPower returns how many processors of this machine a render keeps busy.
func encodersPower() float64 { return math.Pow(float64(min(runtime.NumCPU(), encodingCores)), 0.85) }

// start returns the fixed time of a render.
func (p RenderPlan) start() float64 {
	if p.AudioOnly() {
		return audioStartNS
	}
	return startNS
}

// audioNSPerMS returns the time to cut and encode 1 ms of audio on a typical machine.
func (f ExportFormat) audioNSPerMS() float64 {
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

// scale returns the factor of renders with a share of copied frames.
func (s *RenderSpeed) scale(copied, frames int64) *float64 {
	if 2*copied >= frames && copied > 0 {
		return &s.CopyScale
	}
	return &s.EncodeScale
}

// sampledNS returns the time that the sample predicts for the render.
func (in EstimateInput) sampledNS() float64 {
	p, speed, rates := in.Plan, in.Speed.typical(), in.Sample.Rates
	pixels := float64(p.Width * p.Height)
	video, read, known, decodeNS := 0.0, 0.0, int64(0), pixels*checkNSPerPixel
	for i, s := range in.Sample.Inputs {
		known += s.Copied + s.Reused
		if s.Copied > 0 {
			read += float64(in.Sources[i].SizeBytes) * speed.CopyNSPerByte
		}
		own, ok := rates.of(i)
		switch {
		case s.Encoded == 0:
		case ok && rates.Timed:
			decodeNS = own.DecodeNS
			video += (float64(s.Encoded)*own.EncodeNS + float64(s.Decoded)*own.DecodeNS) / encodersPower()
		default:
			video += float64(s.Encoded) * pixels * speed.EncodeNSPerPixel
		}
	}
	_, audio := in.audio()
	switch {
	case in.Sample.AudioReused:
		audio = reusedNSPerMS * float64(p.DurationMS())
	case rates.Timed && rates.Audio.NSPerMS > 0 && !in.copiesAudio():
		audio = rates.Audio.NSPerMS * float64(p.DurationMS())
	}
	check := 0.0
	if known > 0 && pixels > 0 {
		check = decodeNS * min(mostCheckedPixels/pixels, float64(p.Frames())/checkedShare)
	}
	return p.start() + read + max(audio, video+audio/float64(runtime.NumCPU())) + check
}

// learnedShare is the weight of one render in what a machine learns from it. Short renders, which
// mostly measure chance, teach no scale. Neither do other programs that slow the machine down:
// beyond mostOff, they are the likely reason.
const (
	learnedShare    = 0.5
	worthLearningMS = 1000
	mostOff         = 2.0
)

// Learn returns the speed after a render that read recordings of a size in bytes. Audio alone
// teaches nothing about video.
func (s RenderSpeed) Learn(made RenderResult, read int64) RenderSpeed {
	if made.Frames == 0 {
		return s
	}
	known := s.typical()
	pixels := float64(made.Encoded) * float64(made.Width*made.Height)
	encode, copying := pixels*known.EncodeNSPerPixel, float64(read)*known.CopyNSPerByte
	left := float64(made.TookMS)*1e6 - startNS
	if made.Copied > 0 {
		left -= checkNS(made.Frames, made.Width*made.Height)
	}
	learn := func(old *float64, measured, standard float64) {
		measured = min(max(measured, standard/20), standard*20)
		if *old <= 0 {
			*old = measured
		}
		*old += learnedShare * (measured - *old)
	}
	if made.ExpectedMS >= worthLearningMS {
		scale := s.scale(made.Copied, made.Frames)
		if *scale <= 0 {
			*scale = 1
		}
		off := float64(made.TookMS) / float64(made.ExpectedMS)
		*scale += learnedShare * (min(max(off, 1/mostOff), mostOff) - *scale)
	}
	switch {
	case encode > 2*copying && pixels > 1e8:
		learn(&s.EncodeNSPerPixel, (left-copying)/pixels, typicalEncodeNS)
	case copying > 2*encode && read > 2e7:
		learn(&s.CopyNSPerByte, (left-encode)/float64(read), typicalCopyNS)
	}
	return s
}

// checkNS returns the time to compare frames of a copy with the recording.
func checkNS(frames int64, pixels int) float64 {
	return checkNSPerPixel * min(mostCheckedPixels, float64(frames)*float64(pixels)/checkedShare)
}
