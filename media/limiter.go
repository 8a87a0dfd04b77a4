package media

import (
	"math"
	"slices"
)

// Limiter keeps the true peak of stereo sound at SampleRate under a ceiling. It turns both channels
// down together before a peak comes, without corners that could be heard, and lets go slowly after
// it. Not safe for concurrent use.
type Limiter struct {
	ceiling float64 // linear
	// the newest samples of each channel, with the gain; those of a block come after those before
	// it
	recent [2][peakTaps - 1 + limiterBlock]float64
	// what each sample of a block may be multiplied by, for the peaks halfPeak samples before it
	needed  [limiterBlock]float64
	delayed [2][LimiterDelay]float32
	at      int // of the oldest in delayed

	low      [limiterWindow + 1]lowest // ring of the needs that are lower than all after them in the window, rising
	lowFirst int
	lowCount int
	clock    int64   // samples that came in
	envelope float64 // the lowest need of the window, coming back slowly
	box      [limiterBox]float64
	boxAt    int
	sum      float64 // of box, whose mean is the gain
	resting  int     // samples for which the envelope has been 1, up to limiterBox
}

// lowest is a need and when it came.
type lowest struct {
	need float64
	at   int64
}

// LimiterDelay is, in samples, by how much what a Limiter gives is late.
const LimiterDelay = 256

// A sample leaves the limiter when every envelope of the box was measured with the peaks around it
// in the window.
const (
	limiterBox    = LimiterDelay - 40
	limiterWindow = LimiterDelay + 8

	limiterBlock = 1024 // samples that are worked on at a time
	limiterGroup = 32   // samples of which none is looked at closely where all of them are low

	peakTaps       = 24
	halfPeak       = peakTaps / 2
	oversample     = 4
	releaseSeconds = 0.12
	releasedAt     = 1 - 1e-7 // an envelope from here on has come back
	headroomDB     = 0.5      // that the interpolation of peaks may miss
)

// peakPhases interpolates at the quarters between two samples: a windowed sinc.
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

// NewLimiter returns a limiter with a ceiling in dB of full scale.
func NewLimiter(ceilingDB float64) *Limiter {
	l := &Limiter{ceiling: math.Pow(10, (ceilingDB-headroomDB)/20), envelope: 1, sum: limiterBox, resting: limiterBox}
	for i := range l.box {
		l.box[i] = 1
	}
	return l
}

// Limit replaces samples by those of LimiterDelay before them, multiplied by gain and limited. Both
// channels are of one length.
func (l *Limiter) Limit(left, right []float32, gain float64) {
	for len(left) > 0 {
		n := min(len(left), limiterBlock)
		l.block(left[:n], right[:n], gain)
		left, right = left[n:], right[n:]
	}
}

func (l *Limiter) block(left, right []float32, gain float64) {
	for c, channel := range [2][]float32{left, right} {
		for i, v := range channel {
			l.recent[c][peakTaps-1+i] = float64(v) * gain
		}
	}
	needed := l.needed[:len(left)]
	for i := range needed {
		needed[i] = 1
	}
	low := l.weigh(&l.recent[0], needed)
	if end := peakTaps - 1 + len(left); !slices.Equal(l.recent[0][:end], l.recent[1][:end]) {
		low = l.weigh(&l.recent[1], needed) && low
	}
	if low && l.lowCount == 0 && l.resting == limiterBox {
		l.pass(left, right)
	} else {
		l.turnDown(left, right, needed)
	}
	for c := range l.recent {
		copy(l.recent[c][:peakTaps-1], l.recent[c][len(left):])
	}
}

// weigh lowers needs by the peaks of a channel, and reports whether there was nothing to lower.
func (l *Limiter) weigh(recent *[peakTaps - 1 + limiterBlock]float64, needed []float64) (low bool) {
	low = true
	for from := 0; from < len(needed); from += limiterGroup {
		to := min(from+limiterGroup, len(needed))
		largest := 0.0
		for _, v := range recent[from : to+peakTaps-1] {
			if v > largest {
				largest = v
			} else if -v > largest {
				largest = -v
			}
		}
		if largest < l.ceiling/2 { // between samples it is not twice as much
			continue
		}
		for i := from; i < to; i++ {
			if p := peak((*[peakTaps]float64)(recent[i:])); p > l.ceiling {
				needed[i] = min(needed[i], l.ceiling/p)
				low = false
			}
		}
	}
	return low
}

// peak returns the largest value at the two samples in the middle and between them.
func peak(x *[peakTaps]float64) float64 {
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

// pass delays a block that needs nothing.
func (l *Limiter) pass(left, right []float32) {
	for i := range left {
		left[i], right[i] = l.exchange(l.recent[0][peakTaps-1+i], l.recent[1][peakTaps-1+i])
	}
	l.clock += int64(len(left))
}

// turnDown delays a block and multiplies it by the gain that its needs ask for.
func (l *Limiter) turnDown(left, right []float32, needed []float64) {
	for i, need := range needed {
		gain := l.turn(need)
		x, y := l.exchange(l.recent[0][peakTaps-1+i], l.recent[1][peakTaps-1+i])
		left[i], right[i] = float32(float64(x)*gain), float32(float64(y)*gain)
	}
}

// exchange takes the newest samples in and gives those of LimiterDelay before.
func (l *Limiter) exchange(x, y float64) (left, right float32) {
	left, right = l.delayed[0][l.at], l.delayed[1][l.at]
	l.delayed[0][l.at], l.delayed[1][l.at] = float32(x), float32(y)
	if l.at++; l.at == LimiterDelay {
		l.at = 0
	}
	return left, right
}

// turn returns the gain of the sample that leaves now, when a need comes in.
func (l *Limiter) turn(need float64) float64 {
	least := l.least(need)
	if l.envelope = min(least, l.envelope+(least-l.envelope)/(releaseSeconds*SampleRate)); l.envelope >= releasedAt {
		l.envelope = 1
	}
	l.sum += l.envelope - l.box[l.boxAt]
	l.box[l.boxAt] = l.envelope
	if l.boxAt++; l.boxAt == limiterBox {
		l.boxAt = 0
	}
	if l.envelope < 1 {
		l.resting = 0
	} else if l.resting++; l.resting >= limiterBox {
		l.resting, l.sum = limiterBox, limiterBox
	}
	return l.sum / limiterBox
}

// least takes a need in and returns the lowest of the window; 1 asks for nothing and is not kept.
func (l *Limiter) least(need float64) float64 {
	at := func(n int) *lowest { return &l.low[(l.lowFirst+n)%len(l.low)] }
	l.clock++
	if l.lowCount > 0 && at(0).at <= l.clock-limiterWindow {
		l.lowFirst = (l.lowFirst + 1) % len(l.low)
		l.lowCount--
	}
	if need < 1 {
		for l.lowCount > 0 && at(l.lowCount-1).need >= need {
			l.lowCount--
		}
		*at(l.lowCount) = lowest{need, l.clock}
		l.lowCount++
	}
	if l.lowCount == 0 {
		return 1
	}
	return at(0).need
}
