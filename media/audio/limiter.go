package audio

import (
	"math"
	"slices"

	"roughcut/media"
)

// Limiter keeps the true peak of stereo audio at SampleRate below a ceiling. It attenuates both
// channels together, starts smoothly before a peak, and releases slowly after it. It is not safe
// for concurrent use.
type Limiter struct {
	ceiling float64 // linear
	guards  bool    // of NewGuard
	loudest float64 // the largest sample so far, with the gain applied

	// recent holds the newest samples of each channel, with the gain applied: peakTaps-1 samples of
	// earlier blocks, then the current block.
	recent [2][peakTaps - 1 + limiterBlock]float64
	// allowed holds the highest gain that each sample of a block may have, because of the peaks
	// halfPeak samples before it.
	allowed [limiterBlock]float64
	delayed [2][LimiterDelay]float32
	delayAt int // index of the oldest sample in delayed

	window      [limiterWindow + 1]timedGain // ring of gains, ascending; each is lower than all later ones
	windowFirst int
	windowCount int
	clock       int64   // number of input samples
	envelope    float64 // the lowest gain in window, with a slow release
	box         [limiterBox]float64
	boxAt       int
	sum         float64 // of box; its mean is the applied gain
	idle        int     // samples since the envelope returned to 1, at most limiterBox
}

// timedGain is a gain and the clock at its arrival.
type timedGain struct {
	gain float64
	at   int64
}

// LimiterDelay is the delay of a Limiter in samples.
const LimiterDelay = 256

// The delay is long enough for a smooth gain: when a sample leaves the limiter, every envelope
// value in the box was computed with the peaks around that sample in the window.
const (
	limiterBox    = LimiterDelay - 40
	limiterWindow = LimiterDelay + 8

	limiterBlock = 1024 // samples processed at a time
	limiterGroup = 32   // samples that are skipped together if all of them are low

	peakTaps       = 24
	halfPeak       = peakTaps / 2
	oversample     = 4
	releaseSeconds = 0.12
	releasedFrom   = 1 - 1e-7 // the release ends at this envelope
	headroomDB     = 0.5      // error of the peak interpolation
)

// peakPhases holds the windowed-sinc filters that interpolate at quarters between two samples.
var peakPhases = func() (phases [oversample][peakTaps]float64) {
	for p := range phases {
		sum := 0.0
		for k := range phases[p] {
			x := float64(k) - (peakTaps/2 - 1) - float64(p)/oversample
			phases[p][k] = 0.5 + 0.5*math.Cos(math.Pi*x/(peakTaps/2+0.5))
			if x != 0 {
				phases[p][k] *= math.Sin(math.Pi*x) / (math.Pi * x)
			}
			sum += phases[p][k]
		}

		for k := range phases[p] {
			phases[p][k] /= sum
		}
	}

	return phases
}()

// NewLimiter returns a limiter with a ceiling in dBFS.
func NewLimiter(ceilingDB float64) *Limiter {
	l := &Limiter{ceiling: math.Pow(10, (ceilingDB-headroomDB)/20), envelope: 1, sum: limiterBox, idle: limiterBox}
	for i := range l.box {
		l.box[i] = 1
	}
	return l
}

// NewGuard returns a limiter that leaves audio within full scale as it is. It lowers samples
// beyond full scale to a ceiling in dBFS.
func NewGuard(ceilingDB float64) *Limiter {
	l := NewLimiter(ceilingDB + headroomDB)
	l.guards = true
	return l
}

// Loudest returns the largest absolute sample so far, with the gain applied.
func (l *Limiter) Loudest() float64 { return l.loudest }

// Limit replaces samples by those LimiterDelay earlier, multiplied by gain and limited. Both
// channels must have the same length.
func (l *Limiter) Limit(left, right []float32, gain float64) {
	for len(left) > 0 {
		n := min(len(left), limiterBlock)
		l.limitBlock(left[:n], right[:n], gain)
		left, right = left[n:], right[n:]
	}
}

func (l *Limiter) limitBlock(left, right []float32, gain float64) {
	for c, channel := range [2][]float32{left, right} {
		for i, v := range channel {
			l.recent[c][peakTaps-1+i] = float64(v) * gain
		}
	}

	allowed := l.allowed[:len(left)]
	for i := range allowed {
		allowed[i] = 1
	}
	low := l.lowerGains(&l.recent[0], allowed)
	if end := peakTaps - 1 + len(left); !slices.Equal(l.recent[0][:end], l.recent[1][:end]) {
		low = l.lowerGains(&l.recent[1], allowed) && low
	}
	if low && l.windowCount == 0 && l.idle == limiterBox {
		l.delayBlock(left, right)
	} else {
		l.applyGains(left, right, allowed)
	}

	for c := range l.recent {
		copy(l.recent[c][:peakTaps-1], l.recent[c][len(left):])
	}
}

// lowerGains lowers the allowed gains for the peaks of a channel. It reports whether all peaks were
// below the ceiling.
func (l *Limiter) lowerGains(recent *[peakTaps - 1 + limiterBlock]float64, allowed []float64) (low bool) {
	low = true
	for from := 0; from < len(allowed); from += limiterGroup {
		to := min(from+limiterGroup, len(allowed))
		largest := 0.0
		for _, v := range recent[from : to+peakTaps-1] {
			if v > largest {
				largest = v
			} else if -v > largest {
				largest = -v
			}
		}

		l.loudest = max(l.loudest, largest)
		least := l.ceiling / 2 // peaks between samples are at most twice as high
		if l.guards {
			least = math.Nextafter(1, 2)
		}
		if largest < least {
			continue
		}
		for i := from; i < to; i++ {
			over := l.peak((*[peakTaps]float64)(recent[i:])) / l.ceiling
			if over > 1 {
				allowed[i] = min(allowed[i], 1/over)
				low = false
			}
		}
	}

	return low
}

// peak returns the peak that counts at the middle of samples. It is 0 for a guard within full
// scale.
func (l *Limiter) peak(x *[peakTaps]float64) float64 {
	if !l.guards {
		return truePeak(x)
	}
	if p := math.Abs(x[halfPeak]); p > 1 {
		return p
	}
	return 0
}

// truePeak returns the largest absolute value at and between the two middle samples.
func truePeak(x *[peakTaps]float64) float64 {
	largest := max(math.Abs(x[halfPeak-1]), math.Abs(x[halfPeak]))
	for p := 1; p < oversample; p++ {
		phase := &peakPhases[p]
		var a, b, c, d float64
		for k := 0; k < peakTaps; k += 4 {
			a += phase[k] * x[k]
			b += phase[k+1] * x[k+1]
			c += phase[k+2] * x[k+2]
			d += phase[k+3] * x[k+3]
		}

		largest = max(largest, math.Abs(a+b+c+d))
	}

	return largest
}

// delayBlock delays a block that needs no attenuation.
func (l *Limiter) delayBlock(left, right []float32) {
	for i := range left {
		left[i], right[i] = l.delay(l.recent[0][peakTaps-1+i], l.recent[1][peakTaps-1+i])
	}
	l.clock += int64(len(left))
}

// applyGains delays a block and attenuates it.
func (l *Limiter) applyGains(left, right []float32, allowed []float64) {
	for i, highest := range allowed {
		gain := l.smoothGain(highest)
		x, y := l.delay(l.recent[0][peakTaps-1+i], l.recent[1][peakTaps-1+i])
		left[i], right[i] = float32(float64(x)*gain), float32(float64(y)*gain)
	}
}

// delay stores the newest samples and returns those LimiterDelay earlier.
func (l *Limiter) delay(x, y float64) (left, right float32) {
	left, right = l.delayed[0][l.delayAt], l.delayed[1][l.delayAt]
	l.delayed[0][l.delayAt], l.delayed[1][l.delayAt] = float32(x), float32(y)
	if l.delayAt++; l.delayAt == LimiterDelay {
		l.delayAt = 0
	}
	return left, right
}

// smoothGain stores the allowed gain of the newest sample and returns the gain of the sample that
// leaves now.
func (l *Limiter) smoothGain(gain float64) float64 {
	least := l.windowMin(gain)
	l.envelope = min(least, l.envelope+(least-l.envelope)/(releaseSeconds*media.SampleRate))
	if l.envelope >= releasedFrom {
		l.envelope = 1
	}
	l.sum += l.envelope - l.box[l.boxAt]
	l.box[l.boxAt] = l.envelope
	if l.boxAt++; l.boxAt == limiterBox {
		l.boxAt = 0
	}
	if l.envelope < 1 {
		l.idle = 0
	} else if l.idle++; l.idle >= limiterBox {
		l.idle, l.sum = limiterBox, limiterBox
	}

	return l.sum / limiterBox
}

// windowMin stores an allowed gain and returns the lowest one in the window. It does not store 1,
// which allows everything.
func (l *Limiter) windowMin(gain float64) float64 {
	at := func(n int) *timedGain { return &l.window[(l.windowFirst+n)%len(l.window)] }
	l.clock++
	if l.windowCount > 0 && at(0).at <= l.clock-limiterWindow {
		l.windowFirst = (l.windowFirst + 1) % len(l.window)
		l.windowCount--
	}

	if gain < 1 {
		for l.windowCount > 0 && at(l.windowCount-1).gain >= gain {
			l.windowCount--
		}
		*at(l.windowCount) = timedGain{gain, l.clock}
		l.windowCount++
	}

	if l.windowCount == 0 {
		return 1
	}
	return at(0).gain
}
