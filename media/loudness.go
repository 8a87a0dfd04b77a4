package media

import (
	"math"
	"slices"
)

// Loudness measures stereo sound at SampleRate as ITU-R BS.1770-4 and EBU R 128 have it. The zero
// Loudness is not ready; see NewLoudness. It keeps sixteen bytes for each 100 ms. Not safe for
// concurrent use.
type LoudnessMeter struct {
	shelf, high [2]biquad
	differ      bool // the channels, which until then are one
	sum         float64
	pending     int
	peak        float64
	steps       []Energy
}

const (
	loudnessStep   = SampleRate / 10
	loudnessBlock  = 4 // steps of a block: 400 ms, of which three quarters overlap
	absoluteGateLU = -70.0
	relativeGateLU = -10.0
	loudnessOffset = -0.691
)

// NewLoudness returns a meter that has heard nothing.
func NewLoudnessMeter() *LoudnessMeter {
	shelf := biquad{
		b0: 1.53512485958697,
		b1: -2.69169618940638,
		b2: 1.19839281085285,
		a1: -1.69065929318241,
		a2: 0.73248077421585,
	}
	high := biquad{b0: 1, b1: -2, b2: 1, a1: -1.99004745483398, a2: 0.99007225036621}
	return &LoudnessMeter{shelf: [2]biquad{shelf, shelf}, high: [2]biquad{high, high}}
}

// Add hears more samples; both channels are of one length, full scale is 1.
func (l *LoudnessMeter) Add(left, right []float32) {
	if !l.differ && !slices.Equal(left, right) {
		l.differ = true
		l.shelf[1], l.high[1] = l.shelf[0], l.high[0]
	}
	for len(left) > 0 {
		n := min(len(left), loudnessStep-l.pending)
		l.hear(0, left[:n])
		if l.differ {
			l.hear(1, right[:n])
		}
		if l.pending += n; l.pending == loudnessStep {
			l.steps = append(l.steps, l.energy())
			l.sum, l.peak, l.pending = 0, 0, 0
		}
		left, right = left[n:], right[n:]
	}
}

// hear adds samples of one channel.
func (l *LoudnessMeter) hear(channel int, samples []float32) {
	shelf := l.shelf[channel]
	high := l.high[channel]
	sum := 0.0
	peak := float32(0)
	for _, x := range samples {
		y := high.next(shelf.next(float64(x)))
		sum += y * y
		if x > peak {
			peak = x
		} else if -x > peak {
			peak = -x
		}
	}
	l.shelf[channel], l.high[channel] = shelf, high
	if !l.differ {
		sum *= 2
	}
	l.sum += sum
	l.peak = max(l.peak, float64(peak))
}

// energy returns that of the step that is heard.
func (l *LoudnessMeter) energy() Energy { return Energy{l.sum / loudnessStep, l.peak} }

// LUFS returns the integrated loudness of what was heard; false where all of it is too quiet or too
// short to have one.
func (l *LoudnessMeter) LUFS() (lufs float64, ok bool) { return integrated(l.steps) }

// Energies returns what was heard, step by step.
func (l *LoudnessMeter) Energies() []Energy {
	if l.pending == 0 {
		return l.steps
	}
	return append(l.steps[:len(l.steps):len(l.steps)], l.energy())
}

// integrated returns the loudness of steps of 100 ms.
func integrated(steps []Energy) (lufs float64, ok bool) {
	blocks := make([]float64, 0, len(steps))
	for i := loudnessBlock; i <= len(steps); i++ {
		sum := 0.0
		for _, s := range steps[i-loudnessBlock : i] {
			sum += s.Power
		}
		blocks = append(blocks, sum/loudnessBlock)
	}
	gated := func(gate float64) (mean float64, ok bool) {
		n := 0
		for _, b := range blocks {
			if loudnessOf(b) > gate {
				mean, n = mean+b, n+1
			}
		}
		return mean / max(1, float64(n)), n > 0
	}
	mean, ok := gated(absoluteGateLU)
	if ok {
		mean, ok = gated(max(absoluteGateLU, loudnessOf(mean)+relativeGateLU))
	}
	return loudnessOf(mean), ok
}

func loudnessOf(meanSquare float64) float64 {
	if meanSquare <= 0 {
		return math.Inf(-1)
	}
	return loudnessOffset + 10*math.Log10(meanSquare)
}
