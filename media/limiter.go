package media

import "math"

// Limiter keeps the true peak of stereo sound at SampleRate under a ceiling. It turns both channels down together before a peak comes, without
// corners that could be heard, and lets go slowly after it. Not safe for concurrent use.
type Limiter struct {
	ceiling float64 // linear
	recent  [2][peakTaps]float64
	delayed [2][LimiterDelay]float32
	at      int

	needed   [limiterWindow]float64 // what each of the newest samples may be multiplied by
	neededAt int
	least    float64 // of needed
	envelope float64 // least, coming back slowly
	box      [limiterBox]float64
	boxAt    int
	sum      float64 // of box, whose mean is the gain
}

// LimiterDelay is, in samples, by how much what a Limiter gives is late.
const LimiterDelay = 256

// A sample leaves the limiter when every envelope of the box was measured with the peaks around it in the window.
const (
	limiterBox    = LimiterDelay - 40
	limiterWindow = LimiterDelay + 8

	peakTaps       = 24
	oversample     = 4
	releaseSeconds = 0.12
	headroomDB     = 0.5 // that the interpolation of peaks may miss
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
	l := &Limiter{ceiling: math.Pow(10, (ceilingDB-headroomDB)/20), least: 1, envelope: 1, sum: limiterBox}
	for i := range l.needed {
		l.needed[i] = 1
	}
	for i := range l.box {
		l.box[i] = 1
	}
	return l
}

// Limit replaces samples by those of LimiterDelay before them, multiplied by gain and limited. Both channels are of one length.
func (l *Limiter) Limit(left, right []float32, gain float64) {
	for i := range left {
		x, y := float64(left[i])*gain, float64(right[i])*gain
		turned := l.turn(max(l.peak(&l.recent[0], x), l.peak(&l.recent[1], y)))
		left[i] = float32(float64(l.delayed[0][l.at]) * turned)
		right[i] = float32(float64(l.delayed[1][l.at]) * turned)
		l.delayed[0][l.at], l.delayed[1][l.at] = float32(x), float32(y)
		l.at = (l.at + 1) % LimiterDelay
	}
}

// peak returns the largest value at and between the newest samples.
func (l *Limiter) peak(recent *[peakTaps]float64, x float64) float64 {
	copy(recent[:], recent[1:])
	recent[peakTaps-1] = x
	largest := 0.0
	for _, v := range recent {
		largest = max(largest, math.Abs(v))
	}
	if largest < l.ceiling/2 { // between samples it is not twice as much
		return largest
	}
	for p := 1; p < oversample; p++ {
		sum := 0.0
		for k, c := range peakPhases[p] {
			sum += c * recent[k]
		}
		largest = max(largest, math.Abs(sum))
	}
	return largest
}

// turn returns the gain of the sample that leaves now, when a peak comes in.
func (l *Limiter) turn(peak float64) float64 {
	gone, come := l.needed[l.neededAt], min(1, l.ceiling/max(peak, 1e-9))
	l.needed[l.neededAt] = come
	l.neededAt = (l.neededAt + 1) % limiterWindow
	if come <= l.least {
		l.least = come
	} else if gone == l.least && gone < 1 {
		l.least = 1
		for _, n := range l.needed {
			l.least = min(l.least, n)
		}
	}
	l.envelope = min(l.least, l.envelope+(l.least-l.envelope)/(releaseSeconds*SampleRate))
	l.sum += l.envelope - l.box[l.boxAt]
	l.box[l.boxAt] = l.envelope
	l.boxAt = (l.boxAt + 1) % limiterBox
	return l.sum / limiterBox
}
