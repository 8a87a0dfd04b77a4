package av

import (
	"math"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// EncoderAAC is the encoder of proxies and of most exports, by libav's name.
const EncoderAAC = "aac"

// AACFrame is the number of samples of an AAC packet.
const AACFrame = 1024

// sampleFormat returns the sample format that an audio encoder gets.
func sampleFormat(encoder string) astiav.SampleFormat {
	switch encoder {
	case "flac", "pcm_s16le":
		return astiav.SampleFormatS16
	case "libopus":
		return astiav.SampleFormatFlt
	}

	return astiav.SampleFormatFltp
}

// openAudioEncoder opens an encoder of audio at media.SampleRate and adds its track. Lossless
// encoders ignore the bit rate.
func openAudioEncoder(m *Muxer, name string, layout astiav.ChannelLayout, bitRate int64) (*Encoder, error) {
	codec, err := findEncoder(name)
	if err != nil {
		return nil, err
	}
	c := astiav.AllocCodecContext(codec)
	c.SetSampleFormat(sampleFormat(name))
	c.SetSampleRate(media.SampleRate)
	c.SetChannelLayout(layout)
	c.SetTimeBase(astiav.NewRational(1, media.SampleRate))
	c.SetBitRate(bitRate)
	c.SetThreadCount(1)
	var options [][2]string
	if name == EncoderAAC {
		// The fast coder is as close to the source as the default one at these bit rates (speech 24
		// to 52 dB, music 31 dB), for a third of the work.
		options = [][2]string{{"aac_coder", "fast"}}
	}

	return (&Encoder{context: c, mux: m}).open(codec, astiav.NewRational(0, 1), options)
}

// AudioEncoder collects samples into frames for an encoder. Close frees it.
type AudioEncoder struct {
	*Encoder
	format astiav.SampleFormat
	size   int     // samples of a frame
	gain   float32 // of samples in planes
	frame  *astiav.Frame
	fill   int   // samples in frame
	at     int64 // samples encoded
}

// silence saves the encoder of AAC hours of digital silence, whose packets are all the same: after
// the first ones the newest packet is repeated. Packets of other encoders depend on those before.
type silence struct {
	frames  int            // silent frames at the end
	newest  *astiav.Packet // once frames is settledFrames; nil before
	skipped int64          // samples that the encoder has not seen
}

// settledFrames is the number of silent frames until packets hold nothing of the audio before them:
// a packet overlaps the next one, and the encoder is one frame behind.
const settledFrames = 4

// note corrects the times of a packet from the encoder and remembers it.
func (s *silence) note(p *astiav.Packet) {
	p.SetPts(p.Pts() + s.skipped)
	p.SetDts(p.Dts() + s.skipped)
	if s.frames >= settledFrames {
		s.close()
		s.newest = p.Clone()
	}
}

// repeat returns the packet of another silent frame, or nil if the encoder must make it.
func (s *silence) repeat(silent bool) *astiav.Packet {
	if !silent {
		s.frames = 0
		return nil
	}

	if s.frames++; s.frames <= settledFrames || s.newest == nil {
		return nil
	}
	s.newest.SetPts(s.newest.Pts() + AACFrame)
	s.newest.SetDts(s.newest.Dts() + AACFrame)
	s.skipped += AACFrame
	return s.newest.Clone()
}

func (s *silence) close() {
	if s.newest != nil {
		s.newest.Free()
		s.newest = nil
	}
}

// NewAudioEncoder opens an encoder of stereo audio by libav's name.
func NewAudioEncoder(m *Muxer, name string, bitRate int64) (*AudioEncoder, error) {
	return NewLayoutEncoder(m, name, astiav.ChannelLayoutStereo, bitRate)
}

// NewLayoutEncoder opens an encoder by libav's name. Only the encoder of AAC takes other layouts
// than mono and stereo.
func NewLayoutEncoder(m *Muxer, name string, layout astiav.ChannelLayout, bitRate int64) (*AudioEncoder, error) {
	e, err := openAudioEncoder(m, name, layout, bitRate)
	if err != nil {
		return nil, err
	}
	s := &AudioEncoder{Encoder: e, format: sampleFormat(name), size: e.context.FrameSize(), gain: 1}
	if s.size == 0 { // PCM takes frames of any size
		s.size = AACFrame
	}
	if name == EncoderAAC {
		e.silence = &silence{}
	}
	if name == "libmp3lame" {
		s.gain = 1 / lameScale(bitRate)
	}
	return s, nil
}

// lameScale returns how much LAME lowers its input at a constant bit rate, by its table
// abr_switch_map.
func lameScale(bitRate int64) float32 {
	switch {
	case bitRate <= 160_000:
		return 0.95
	case bitRate <= 192_000:
		return 0.97
	case bitRate <= 224_000:
		return 0.98
	}

	return 1
}

// Write encodes samples of all channels, which have the same length.
func (s *AudioEncoder) Write(channels ...[]float32) error {
	for at := 0; at < len(channels[0]); {
		if s.frame == nil {
			if err := s.newFrame(); err != nil {
				return err
			}
		}

		n := min(s.size-s.fill, len(channels[0])-at)
		s.fillIn(channels, at, at+n)
		at += n
		if s.fill += n; s.fill == s.size {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}

	return nil
}

// fillIn adds samples [from, to) to the frame.
func (s *AudioEncoder) fillIn(channels [][]float32, from, to int) {
	switch s.format {
	case astiav.SampleFormatFlt:
		out := packedFloats(s.frame, len(channels))[len(channels)*s.fill:]
		for k, samples := range channels {
			for i, v := range samples[from:to] {
				out[len(channels)*i+k] = v
			}
		}
	case astiav.SampleFormatS16:
		out := packed16(s.frame, len(channels))[len(channels)*s.fill:]
		for k, samples := range channels {
			for i, v := range samples[from:to] {
				out[len(channels)*i+k] = to16(v)
			}
		}
	default:
		for i, samples := range channels {
			plane := PlaneFloats(s.frame, i)[s.fill:]
			n := copy(plane, samples[from:to])
			if s.gain == 1 {
				continue
			}
			for k := range plane[:n] {
				plane[k] *= s.gain
			}
		}
	}
}

// to16 rounds a sample to 16 bits.
func to16(v float32) int16 {
	return int16(math.RoundToEven(min(max(float64(v)*32768, math.MinInt16), math.MaxInt16)))
}

func (s *AudioEncoder) newFrame() error {
	s.frame, s.fill = astiav.AllocFrame(), 0
	s.frame.SetNbSamples(s.size)
	s.frame.SetSampleFormat(s.format)
	s.frame.SetSampleRate(media.SampleRate)
	s.frame.SetChannelLayout(s.context.ChannelLayout())
	return s.frame.AllocBuffer(0)
}

func (s *AudioEncoder) flush() error {
	defer func() {
		s.frame.Free()
		s.frame = nil
	}()
	skipped := int64(0)
	if s.silence != nil {
		if p := s.silence.repeat(s.isSilent()); p != nil {
			s.at += int64(s.fill)
			return s.Put(p)
		}

		skipped = s.silence.skipped
	}

	s.frame.SetNbSamples(s.fill)
	s.frame.SetPts(s.at - skipped)
	s.at += int64(s.fill)
	return s.Encode(s.frame)
}

// IsSilent reports whether the frame is full and all its samples are 0. The samples are in planes.
func (s *AudioEncoder) isSilent() bool {
	for i := range s.context.ChannelLayout().Channels() {
		if s.fill < s.size || !allZero(PlaneFloats(s.frame, i)[:s.fill]) {
			return false
		}
	}

	return true
}

// Drain encodes the remaining samples.
func (s *AudioEncoder) Drain() error {
	if s.frame != nil && s.fill > 0 {
		if err := s.flush(); err != nil {
			return err
		}
	}

	return s.Encoder.Drain()
}

// Finish encodes the remaining samples and ends the track.
func (s *AudioEncoder) Finish() error {
	if err := s.Drain(); err != nil {
		return err
	}
	return s.mux.End(s.Track)
}

// Close frees the encoder. It does not end the track.
func (s *AudioEncoder) Close() {
	if s.frame != nil {
		s.frame.Free()
	}
	s.Encoder.Close()
}
