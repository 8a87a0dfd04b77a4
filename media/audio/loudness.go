package audio

import (
	"math"
	"slices"

	"roughcut/media"
)

// LoudnessMeter measures the loudness of stereo audio at SampleRate according to ITU-R BS.1770-4
// and EBU R 128. Create one with NewLoudnessMeter. It keeps 16 bytes for each 100 ms. It is not
// safe for concurrent use.
type LoudnessMeter struct {
	shelf, high [2]biquad
	stereo      bool // the channels differ; until then only the left one is filtered
	sum         float64
	pending     int
	peak        float64
	steps       []media.Energy
}

const (
	stepSamples      = media.SampleRate / 10
	blockSteps       = 4 // steps in a block: 400 ms with an overlap of 75 %
	absoluteGateLUFS = -70.0
	relativeGateLU   = -10.0
	loudnessOffset   = -0.691
)

// NewLoudnessMeter returns a meter without samples.
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

// Add measures more samples. Both channels must have the same length. Full scale is 1.
func (l *LoudnessMeter) Add(left, right []float32) {
	if !l.stereo && !slices.Equal(left, right) {
		l.stereo = true
		l.shelf[1], l.high[1] = l.shelf[0], l.high[0]
	}

	for len(left) > 0 {
		n := min(len(left), stepSamples-l.pending)
		l.addChannel(0, left[:n])
		if l.stereo {
			l.addChannel(1, right[:n])
		}
		if l.pending += n; l.pending == stepSamples {
			l.steps = append(l.steps, l.currentStep())
			l.sum, l.peak, l.pending = 0, 0, 0
		}

		left, right = left[n:], right[n:]
	}
}

// addChannel adds samples of one channel.
func (l *LoudnessMeter) addChannel(channel int, samples []float32) {
	shelf := l.shelf[channel]
	high := l.high[channel]
	if shelf.atRest() && high.atRest() {
		n := 0
		for n < len(samples) && samples[n] == 0 {
			n++
		}
		samples = samples[n:]
	}

	sum, peak := 0.0, uint32(0)
	// The filters' state stays in registers: in memory, it would take twice the time.
	a, b, y1, y2 := shelf.z1, shelf.z2, high.z1, high.z2
	for _, x := range samples {
		shelved := shelf.b0*float64(x) + a
		a = shelf.b1*float64(x) - shelf.a1*shelved + b
		b = shelf.b2*float64(x) - shelf.a2*shelved
		y := high.b0*shelved + y1
		y1 = high.b1*shelved - high.a1*y + y2
		y2 = high.b2*shelved - high.a2*y
		sum += y * y
		peak = max(peak, math.Float32bits(x)&^(1<<31)) // bits of positive numbers are in their order
	}

	shelf.z1, shelf.z2, high.z1, high.z2 = a, b, y1, y2
	shelf.settle()
	high.settle()
	l.shelf[channel], l.high[channel] = shelf, high
	if !l.stereo {
		sum *= 2
	}
	l.sum += sum
	l.peak = max(l.peak, float64(math.Float32frombits(peak)))
}

// currentStep returns the energy of the incomplete step.
func (l *LoudnessMeter) currentStep() media.Energy {
	return media.Energy{Power: l.sum / stepSamples, Peak: l.peak}
}

// LUFS returns the integrated loudness so far. ok is false if the audio is too quiet or too short.
func (l *LoudnessMeter) LUFS() (lufs float64, ok bool) { return gatedLoudness(l.steps) }

// Energies returns the energy of each step so far. The last step may be incomplete.
func (l *LoudnessMeter) Energies() []media.Energy {
	if l.pending == 0 {
		return l.steps
	}
	return append(l.steps[:len(l.steps):len(l.steps)], l.currentStep())
}

// gatedLoudness returns the integrated loudness of steps of 100 ms, with the two gates of BS.1770.
func gatedLoudness(steps []media.Energy) (lufs float64, ok bool) {
	blocks := make([]float64, 0, len(steps))
	for i := blockSteps; i <= len(steps); i++ {
		sum := 0.0
		for _, s := range steps[i-blockSteps : i] {
			sum += s.Power
		}
		blocks = append(blocks, sum/blockSteps)
	}

	gated := func(gate float64) (mean float64, ok bool) {
		n := 0
		for _, b := range blocks {
			if lufsOf(b) > gate {
				mean, n = mean+b, n+1
			}
		}

		return mean / max(1, float64(n)), n > 0
	}
	mean, ok := gated(absoluteGateLUFS)
	if ok {
		mean, ok = gated(max(absoluteGateLUFS, lufsOf(mean)+relativeGateLU))
	}
	return lufsOf(mean), ok
}

func lufsOf(meanSquare float64) float64 {
	if meanSquare <= 0 {
		return math.Inf(-1)
	}
	return loudnessOffset + 10*math.Log10(meanSquare)
}
