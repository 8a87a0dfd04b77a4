package av

import (
	"errors"
	"fmt"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// Lengths in samples at media.SampleRate.
const (
	FadeSamples   = media.SampleRate * 5 / 1000 // of a fade where audio starts or ends
	jumpSamples   = media.SampleRate * 40 / 1000
	driftSamples  = media.SampleRate * 3 / 1000
	driftPatience = media.SampleRate
	mostSamples   = media.SampleRate * MaxSeconds
)

// stereoMask is the layoutMask of front left and front right.
const stereoMask = 0x3

// Sample rates that are read, in hertz. At a lower rate, which no recorder has, some bytes would
// become hours of audio.
const (
	minSampleRate = 2000
	maxSampleRate = 768_000
)

// AudioTimeline places decoded audio on a 48 kHz stereo track by its time stamps. It fills gaps
// with silence and drops overlaps. It smooths time stamps that deviate by less than jumpSamples,
// unless they drift to one side for a second. Close frees it.
type AudioTimeline struct {
	base      astiav.Rational
	origin    int64   // PTS of clip time 0
	joins     []int64 // of the track
	resampler *resampler

	head     Stereo // samples [start, start+len)
	gap      int64  // samples of silence after head
	tail     Stereo // samples after gap
	start    int64
	anchored bool  // start is set
	fadeNext bool  // the next gapless run starts with a fade
	skip     int64 // output samples of the resampler that are still to drop

	runStart   int64 // where the current gapless run starts
	fed        int64 // input samples of the run, at the input rate of the resampler
	drift      int64 // how long time stamps have deviated to one side, in samples
	driftLeast int64 // the smallest deviation in that time, signed
	ended      bool
}

// NewAudioTimeline returns an empty timeline of a track. start is the PTS of clip time 0.
func NewAudioTimeline(t *Track, start int64) *AudioTimeline {
	return &AudioTimeline{base: t.Base, origin: start, joins: t.joins, resampler: &resampler{}}
}

// KeepPair makes the track two neighboring channels as recorded, counted in pairs from 0, of audio
// with that number of channels. The last one of an odd number is on both sides.
func (s *AudioTimeline) KeepPair(pair, channels int) {
	s.resampler.pair, s.resampler.kept = pair, channels
}

// MixEqually mixes the channels as microphones, also if the track names speakers for them.
func (s *AudioTimeline) MixEqually() { s.resampler.equal = true }

// Listen makes the mix of microphones leave out those that never pause and have no voice.
func (s *AudioTimeline) Listen() { s.resampler.listens = true }

// Unheard returns the microphones, from 0, that Listen left out of nearly all of the mix and that
// have no voice. hasVoice reports whether a microphone has a voice in the seconds from some
// positions.
func (s *AudioTimeline) Unheard(
	hasVoice func(microphone int, seconds []int64) (bool, error),
) (microphones []int, err error) {
	for i, c := range s.resampler.steady {
		if !c.Always() {
			continue
		}
		voice, err := hasVoice(i, c.Doubts())
		if err != nil {
			return nil, err
		}
		if !voice {
			microphones = append(microphones, i)
		}
	}

	if len(microphones) == len(s.resampler.steady) {
		return nil, nil
	}
	return microphones, nil
}

// LeaveOut leaves microphones out of the mix, counted from 0.
func (s *AudioTimeline) LeaveOut(microphones []int) { s.resampler.left = microphones }

// ApplyPanLaw lowers frames of one channel by 3 dB, the pan law of a center. Both sides together
// are then as loud as the channel alone.
func (s *AudioTimeline) ApplyPanLaw() { s.resampler.panLaw = true }

// Begin makes the track start at clip time 0. Audio that starts later gets silence before it.
func (s *AudioTimeline) Begin() { s.anchored, s.fadeNext = true, false }

// restart resets the timeline after a seek. The track then starts at the next frame.
func (s *AudioTimeline) restart() {
	s.resampler.close()
	*s = AudioTimeline{
		base:      s.base,
		origin:    s.origin,
		joins:     s.joins,
		resampler: s.resampler,
		head:      s.head.Cut(0, 0),
		tail:      s.tail.Cut(0, 0),
	}
}

func (s *AudioTimeline) end() int64 { return s.start + s.head.Len() + s.gap + s.tail.Len() }

// Ready returns the end of the final samples. The last few samples may still become a fade.
func (s *AudioTimeline) Ready() int64 {
	if s.ended {
		return s.end()
	}
	return max(s.start, s.end()-FadeSamples)
}

// Push adds a decoded frame, which stays the caller's.
func (s *AudioTimeline) Push(f *astiav.Frame) error {
	if f.NbSamples() <= 0 || f.SampleRate() <= 0 || frameChannels(f) <= 0 {
		return nil
	}
	if rate := f.SampleRate(); rate < minSampleRate || rate > maxSampleRate {
		return Errorf(
			"the audio of this recording has %d samples a second, but %d to %d are supported; "+
				"convert it to 48000 and upload it again",
			rate, minSampleRate, maxSampleRate,
		)
	}

	several := frameChannels(f) > 2 && frameChannels(f) <= media.MaxChannels
	mixes := several && (s.resampler.equal || namesNoSpeakers(f))
	nameLayout(f)
	at := s.expected()
	if pts := framePTS(f); pts != NoPTS {
		at = astiav.RescaleQ(pts-s.origin, s.base, astiav.NewRational(1, media.SampleRate))
	}
	if at = max(at, -mostSamples); at > mostSamples {
		return Errorf("this recording is longer than %d hours; split it", MaxSeconds/3600)
	}

	if !s.anchored {
		s.anchored = true
		s.start = at
		s.runStart = at
		s.fed = 0
	} else if place, off := s.offTimeline(at, f.NbSamples(), f.SampleRate()); s.fed == 0 || off {
		if s.fed == 0 {
			place = at
		}
		if err := s.move(place); err != nil {
			return err
		}
	}

	if !s.resampler.fits(f) || s.resampler.mixes != mixes {
		next := s.expected()
		if err := s.drain(); err != nil {
			return err
		}
		s.runStart, s.fed = next, 0
		if err := s.resampler.open(f); err != nil {
			return err
		}
		s.resampler.mixes = mixes
	}

	s.fed += int64(f.NbSamples())
	s.resampler.at = s.end()
	return s.resampler.convert(f, s.append)
}

// expected returns the position of the next sample if audio continues without a gap.
func (s *AudioTimeline) expected() int64 {
	if s.fed == 0 {
		return s.runStart
	}
	rate := int64(s.resampler.rate)
	return s.runStart + (s.fed*media.SampleRate+rate/2)/rate
}

// offTimeline reports whether a frame at a position breaks the current run, and where the new run
// starts.
func (s *AudioTimeline) offTimeline(at int64, samples, rate int) (place int64, yes bool) {
	off := at - s.expected()
	most := int64(jumpSamples)
	if s.joinsAt(at) {
		most = driftSamples // audio of the parts can overlap by less than a frame
	}

	if off > most || off < -most {
		s.drift = 0
		return at, true
	}

	if (off > -driftSamples && off < driftSamples) || (s.drift > 0 && (off > 0) != (s.driftLeast > 0)) {
		s.drift = 0
		return 0, false
	}

	if s.drift == 0 || abs(off) < abs(s.driftLeast) {
		s.driftLeast = off
	}
	s.drift += int64(samples) * media.SampleRate / int64(rate)
	if s.drift < driftPatience {
		return 0, false
	}
	s.drift = 0
	return s.expected() + s.driftLeast, true
}

// joinsAt reports whether parts of the recording join near a position.
func (s *AudioTimeline) joinsAt(at int64) bool {
	return slices.ContainsFunc(s.joins, func(pts int64) bool {
		join := astiav.RescaleQ(pts-s.origin, s.base, astiav.NewRational(1, media.SampleRate))
		return abs(at-join) < media.SampleRate/2
	})
}

// move ends the current run and starts another at a position. It inserts silence between them, or
// drops what overlaps.
func (s *AudioTimeline) move(at int64) error {
	if err := s.drain(); err != nil {
		return err
	}
	s.runStart, s.fed, s.skip = at, 0, 0
	switch gap := at - s.end(); {
	case gap > 0:
		s.fadeOut()
		s.writeGap()
		s.gap, s.fadeNext = gap, true
	case gap < 0:
		s.skip = -gap
	}

	return nil
}

// writeGap writes out a pending gap. The gap is short, because samples are read before more are
// pushed.
func (s *AudioTimeline) writeGap() {
	if s.gap > 0 {
		s.head = s.head.Add(make([]float32, s.gap), make([]float32, s.gap)).Add(s.tail.Left, s.tail.Right)
		s.gap, s.tail = 0, s.tail.Cut(0, 0)
	}
}

// Finish says that the audio has ended.
func (s *AudioTimeline) Finish() error {
	if s.ended {
		return nil
	}
	if err := s.drain(); err != nil {
		return err
	}
	s.fadeOut()
	s.ended = true
	return nil
}

// drain reads the samples of the current run that the resampler still holds.
func (s *AudioTimeline) drain() error { return s.resampler.finish(s.append) }

// append appends samples, replacing invalid ones.
func (s *AudioTimeline) append(left, right []float32) {
	if s.skip > 0 {
		n := min(s.skip, int64(len(left)))
		left, right, s.skip = left[n:], right[n:], s.skip-n
	}

	if len(left) == 0 {
		return
	}
	to := &s.head
	if s.gap > 0 {
		to = &s.tail
	}
	from := to.Len()
	*to = to.Add(left, right)
	if s.fadeNext {
		to.Cut(from, to.Len()).fade(true)
		s.fadeNext = false
	}
}

func (s *AudioTimeline) fadeOut() {
	last := s.head
	if s.gap > 0 {
		last = s.tail
	}
	last.Cut(max(0, last.Len()-FadeSamples), last.Len()).fade(false)
}

// Read copies the samples from a position on into out, with silence outside the track.
func (s *AudioTimeline) Read(from int64, out Stereo) {
	clear(out.Left)
	clear(out.Right)
	out.overlay(s.head, s.start-from)
	out.overlay(s.tail, s.start+s.head.Len()+s.gap-from)
}

// Discard drops the samples before a position.
func (s *AudioTimeline) Discard(before int64) {
	n := min(max(0, before-s.start), s.head.Len())
	s.head, s.start = s.head.drop(n), s.start+n
	if s.head.Len() > 0 || s.gap == 0 {
		return
	}
	n = min(max(0, before-s.start), s.gap)
	s.gap, s.start = s.gap-n, s.start+n
	if s.gap == 0 {
		s.head, s.tail = s.tail, s.head
		s.Discard(before)
	}
}

// Close frees the timeline.
func (s *AudioTimeline) Close() { s.resampler.close() }

func abs(n int64) int64 { return max(n, -n) }

// resampler converts frames of one format to stereo float at media.SampleRate. The zero value fits
// no frame. close frees it.
type resampler struct {
	context  *astiav.SoftwareResampleContext
	out      *astiav.Frame
	rate     int
	format   astiav.SampleFormat
	channels int
	layout   uint64

	kept, pair int // of KeepPair; kept is 0 for stereo

	plain  bool // frames are stereo float at media.SampleRate already
	panLaw bool // of ApplyPanLaw

	equal  bool      // of MixEqually
	mixes  bool      // the channels are microphones
	mixing []float32 // all channels, mixed

	left    []int         // microphones that the mix leaves out
	listens bool          // of Listen
	steady  []*Steadiness // of the microphones, if it listens
	held    [][]float32   // output of all microphones that is not mixed yet, if it listens
	at      int64         // position of the next mix on the timeline, if it listens
	gains   []float32     // of the microphones at the end of the last mix
}

// fits reports whether the resampler was opened for frames like f.
func (r *resampler) fits(f *astiav.Frame) bool {
	return r.context != nil && r.rate == f.SampleRate() && r.format == f.SampleFormat() &&
		r.channels == frameChannels(f) &&
		r.layout == layoutMask(f)
}

func (r *resampler) open(f *astiav.Frame) error {
	r.close()
	r.rate = f.SampleRate()
	r.format = f.SampleFormat()
	r.channels = frameChannels(f)
	r.layout = layoutMask(f)
	r.plain = r.kept == 0 && r.rate == media.SampleRate && r.format == astiav.SampleFormatFltp &&
		r.layout == stereoMask
	r.context, r.out = astiav.AllocSoftwareResampleContext(), astiav.AllocFrame()
	if r.context == nil || r.out == nil {
		return errors.New("cannot allocate a resampler")
	}
	return nil
}

// convert converts a frame and passes the output to emit, which must not keep it.
func (r *resampler) convert(f *astiav.Frame, emit func(left, right []float32)) error {
	r.out.Unref()
	if r.plain {
		if f != nil {
			emit(PlaneFloats(f, 0), PlaneFloats(f, 1))
		}
		return nil
	}

	r.out.SetSampleFormat(astiav.SampleFormatFltp)
	r.out.SetSampleRate(media.SampleRate)
	left, right := 0, 1
	switch {
	case r.channels == r.kept:
		setLayout(r.out, r.layout)
		left = 2 * r.pair
		right = min(left+1, r.kept-1)
	case r.mixes:
		setLayout(r.out, r.layout)
	case r.channels == 1: // both sides get the full level; the resampler would reduce it by 3 dB
		r.out.SetChannelLayout(astiav.ChannelLayoutMono)
		right = 0
	default:
		r.out.SetChannelLayout(astiav.ChannelLayoutStereo)
	}

	if err := r.context.ConvertFrame(f, r.out); err != nil {
		return fmt.Errorf("resampling: %w", err)
	}
	if r.out.NbSamples() == 0 {
		return nil
	}
	if r.mixes && r.channels != r.kept {
		if !r.listens || r.listen() {
			r.mix(emit)
		}
		return nil
	}

	if r.panLaw && r.channels == 1 && r.kept != 1 {
		for i, samples := 0, PlaneFloats(r.out, 0); i < len(samples); i++ {
			samples[i] *= media.MonoGain
		}
	}

	if r.channels != r.kept && r.pair > 0 { // audio that changes its channels is stereo there
		clear(PlaneFloats(r.out, left))
		clear(PlaneFloats(r.out, right))
	}

	emit(PlaneFloats(r.out, left), PlaneFloats(r.out, right))
	return nil
}

// mix mixes the channels that are not left out at equal levels: those of the output, or the held
// ones.
func (r *resampler) mix(emit func(left, right []float32)) {
	channels := r.held
	if !r.listens {
		channels = planes(r.out)
	}
	r.mixing = append(r.mixing[:0], make([]float32, len(channels[0]))...)
	gains := r.mixGains()
	if len(r.gains) != len(gains) {
		r.gains = gains
	}
	fade := min(FadeSamples, int64(len(r.mixing)))
	for channel, gain := range gains {
		samples, from := channels[channel], int64(0)
		if last := r.gains[channel]; last != gain {
			from = fade
			for i := range samples[:fade] {
				r.mixing[i] += (last + Rise(int64(i), fade)*(gain-last)) * samples[i]
			}
		}

		if gain == 0 {
			continue
		}
		mixing := r.mixing[from:]
		for i, v := range samples[from:] {
			mixing[i] += gain * v
		}
	}

	r.gains, r.held = gains, nil
	emit(r.mixing, r.mixing)
}

// planes returns the samples of all channels of a frame.
func planes(f *astiav.Frame) [][]float32 {
	channels := make([][]float32, frameChannels(f))
	for i := range channels {
		channels[i] = PlaneFloats(f, i)
	}
	return channels
}

// mixGains returns the gain of each microphone. Each has its own loudness on both sides together,
// however many others there are.
func (r *resampler) mixGains() []float32 {
	gains := make([]float32, r.channels)
	for channel := range gains {
		left := slices.Contains(r.left, channel) || (r.listens && r.steady[channel].Out)
		if !left {
			gains[channel] = media.MonoGain
		}
	}

	return gains
}

// listen holds the output until a second has shown which microphones are left out of it. It reports
// whether that second has ended.
func (r *resampler) listen() (second bool) {
	for len(r.steady) < r.channels {
		r.steady = append(r.steady, &Steadiness{})
	}
	if r.held == nil {
		r.held = make([][]float32, r.channels)
	}
	at := r.at + int64(len(r.held[0]))
	for channel, samples := range planes(r.out) {
		second = r.steady[channel].Add(at, samples)
		r.held[channel] = append(r.held[channel], samples...)
	}

	if second {
		LeaveOut(r.steady[:r.channels])
	}
	return second
}

// finish converts the remaining samples and closes the resampler. The next frame needs a new one.
func (r *resampler) finish(emit func(left, right []float32)) error {
	if r.context == nil {
		return nil
	}
	defer r.close()
	for {
		if err := r.convert(nil, emit); err != nil {
			return err
		}
		if r.out.NbSamples() > 0 {
			continue
		}
		if r.held != nil {
			r.mix(emit)
		}
		return nil
	}
}

func (r *resampler) close() {
	if r.context != nil {
		r.context.Free()
		r.out.Free()
	}

	*r = resampler{
		kept: r.kept, pair: r.pair, equal: r.equal, mixes: r.mixes, panLaw: r.panLaw,
		left: r.left, listens: r.listens, steady: r.steady, at: r.at, gains: r.gains,
	}
}
