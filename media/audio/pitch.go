package audio

import (
	"math"
	"slices"

	"roughcut/media"
)

// PitchFrameMS is the distance of two values of a PitchMeter in milliseconds.
const PitchFrameMS = 20

const (
	pitchRate   = media.SpeechSampleRate / pitchEvery
	pitchEvery  = 4 // samples of audio for each sample that is compared
	pitchHop    = pitchRate * PitchFrameMS / 1000
	pitchWindow = pitchRate * 32 / 1000 // samples that are compared with later ones
	shortestLag = pitchRate / 450       // of the highest voice
	longestLag  = pitchRate / 60        // of the lowest voice
	lowestPitch = 60.0                  // hertz
	pitchSteps  = 72                    // in an octave
	pitchTaps   = 16                    // of the filter before decimation

	leastPeriodicity = 0.7  // correlation of a voiced frame with itself one period later
	firstPeriod      = 0.9  // of the best correlation: a multiple of the period fits equally well
	leastPitchPower  = 1e-7 // mean square of a frame with pitch: -70 dBFS
)

// PitchMeter measures the pitch of a stream of audio at SpeechSampleRate by normalized
// autocorrelation (D. Talkin, 1995). Create one with NewPitchMeter. It keeps one byte for each
// PitchFrameMS. It is not safe for concurrent use.
type PitchMeter struct {
	taps    [pitchTaps]float32
	raw     []float32 // samples that still belong to a later decimated sample
	pending []float32 // decimated samples that still belong to a later frame
	pitch   []byte
}

// NewPitchMeter returns a meter without samples.
func NewPitchMeter() *PitchMeter {
	m := &PitchMeter{}
	sum := float32(0)
	for i := range m.taps {
		m.taps[i] = float32(1 - math.Cos(2*math.Pi*(float64(i)+0.5)/pitchTaps))
		sum += m.taps[i]
	}

	for i := range m.taps {
		m.taps[i] /= sum
	}
	return m
}

// Add processes more samples.
func (m *PitchMeter) Add(samples []int16) {
	from := len(m.raw)
	m.raw = slices.Grow(m.raw, len(samples))[:from+len(samples)]
	for i, s := range samples {
		m.raw[from+i] = float32(s) / 32768
	}
	used := 0
	// Four sums at a time, because each of them waits for its last addition.
	for ; len(m.raw)-used >= pitchTaps+3*pitchEvery; used += 4 * pitchEvery {
		x := (*[pitchTaps + 3*pitchEvery]float32)(m.raw[used:])
		var s0, s1, s2, s3 float32
		for i, tap := range m.taps {
			s0 += x[i] * tap
			s1 += x[i+pitchEvery] * tap
			s2 += x[i+2*pitchEvery] * tap
			s3 += x[i+3*pitchEvery] * tap
		}

		m.pending = append(m.pending, s0, s1, s2, s3)
	}

	for ; len(m.raw)-used >= pitchTaps; used += pitchEvery {
		sum := float32(0)
		for i, x := range m.raw[used : used+pitchTaps] {
			sum += x * m.taps[i]
		}
		m.pending = append(m.pending, sum)
	}

	m.raw = append(m.raw[:0], m.raw[used:]...)
	for used = 0; len(m.pending)-used >= pitchWindow+longestLag+1; used += pitchHop {
		m.pitch = append(m.pitch, pitchOf(m.pending[used:used+pitchWindow+longestLag+1]))
	}
	m.pending = append(m.pending[:0], m.pending[used:]...)
}

// Pitch returns the pitch of each frame: 0 without voice, or 1 plus the distance from 60 Hz in
// steps of a sixth of a semitone.
func (m *PitchMeter) Pitch() []byte { return m.pitch }

// pitchOf returns the pitch of the start of x.
func pitchOf(x []float32) byte {
	power := dot(x[:pitchWindow], x[:pitchWindow])
	if power < leastPitchPower*pitchWindow {
		return 0
	}
	var fits [longestLag + 3]float32
	best := float32(0)
	other := dot(x[shortestLag-1:][:pitchWindow], x[shortestLag-1:][:pitchWindow])
	const lastLag = longestLag + 2 - lagsTogether // of the last lags together
	for lag := shortestLag - 1; lag < lastLag+lagsTogether; lag += lagsTogether {
		from := min(lag, lastLag)
		var sums [lagsTogether][4]float32
		lagSums(x[:pitchWindow], x[from:], &sums)
		for i, s := range sums {
			fits[from+i] = s[0] + s[1] + s[2] + s[3]
		}
	}

	for lag := shortestLag - 1; lag <= longestLag+1; lag++ {
		fits[lag] /= float32(math.Sqrt(float64(power * max(other, 1e-9))))
		best = max(best, fits[lag])
		if lag <= longestLag {
			other += x[lag+pitchWindow]*x[lag+pitchWindow] - x[lag]*x[lag]
		}
	}

	if best < leastPeriodicity {
		return 0
	}
	for lag := shortestLag; lag <= longestLag; lag++ {
		if fits[lag] >= firstPeriod*best && fits[lag] >= fits[lag-1] && fits[lag] >= fits[lag+1] {
			return pitchStep(pitchRate / (float64(lag) + peakOf(fits[lag-1], fits[lag], fits[lag+1])))
		}
	}

	return 0
}

// peakOf returns the position of the peak of the parabola through three values, relative to the
// middle one.
func peakOf(before, at, after float32) float64 {
	curve := before - 2*at + after
	if curve >= 0 {
		return 0
	}
	return float64((before - after) / (2 * curve))
}

// pitchStep quantizes a pitch in hertz.
func pitchStep(hz float64) byte {
	return byte(min(max(1+math.Round(pitchSteps*math.Log2(hz/lowestPitch)), 1), 255))
}

// lagsTogether is the number of lags that are compared at once.
const lagsTogether = 8

// dot returns the dot product of two slices of equal length. Four partial sums let the CPU work in
// parallel.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}

	return s0 + s1 + s2 + s3
}

// goLagSums is lagSums in Go.
func goLagSums(a, b []float32, out *[lagsTogether][4]float32) {
	clear(out[:])
	for i, x := range a {
		for lag := range out {
			out[lag][i%4] += float32(x * b[i+lag])
		}
	}
}
