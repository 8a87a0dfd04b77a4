package spectrum

import (
	"math"

	"roughcut/media"
)

const (
	// FrameMS is the distance of two frames in milliseconds.
	FrameMS = 10
	// WindowMS is the duration of a frame's window in milliseconds.
	WindowMS = 25
	// Bands is the number of bands of the mel scale.
	Bands = 24

	hop      = media.SpeechSampleRate * FrameMS / 1000
	window   = media.SpeechSampleRate * WindowMS / 1000
	lowestHz = 100
	topHz    = 7000
)

// Meter turns a stream of audio at media.SpeechSampleRate into a compact spectrum. Create one with
// NewMeter. It keeps 24 bytes for each 10 ms. It is not safe for concurrent use.
type Meter struct {
	fourier *fourier
	filters [Bands]filter
	taper   [window]float32
	pending []float32 // samples that still belong to a later frame
	levels  []byte    // of Levels
}

// filter is one triangle of the mel scale.
type filter struct {
	first   int
	weights []float32
}

// NewMeter returns a meter without samples.
func NewMeter() *Meter {
	m := &Meter{fourier: newFourier(), filters: melFilters()}
	for i := range m.taper {
		m.taper[i] = float32(0.5 - 0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/window))
	}
	return m
}

// melFilters returns triangles that are evenly spaced on the mel scale (S. Stevens, 1937, in the
// form of D. O'Shaughnessy, 1987).
func melFilters() (filters [Bands]filter) {
	mel := func(hz float64) float64 { return 2595 * math.Log10(1+hz/700) }
	edge := func(n int) float64 {
		m := mel(lowestHz) + (mel(topHz)-mel(lowestHz))*float64(n)/(Bands+1)
		return 700 * (math.Pow(10, m/2595) - 1) * fftSize / media.SpeechSampleRate
	}
	for b := range filters {
		low, mid, high := edge(b), edge(b+1), edge(b+2)
		f := filter{first: int(math.Ceil(low))}
		for k := f.first; float64(k) < high; k++ {
			weight := (float64(k) - low) / (mid - low)
			if float64(k) > mid {
				weight = (high - float64(k)) / (high - mid)
			}
			f.weights = append(f.weights, float32(weight))
		}
		filters[b] = f
	}
	return filters
}

// Add processes more samples.
func (m *Meter) Add(samples []int16) {
	for _, s := range samples {
		m.pending = append(m.pending, float32(s)/32768)
	}
	used := 0
	for ; len(m.pending)-used >= fftSize; used += hop {
		m.frame((*[fftSize]float32)(m.pending[used:]))
	}
	m.pending = append(m.pending[:0], m.pending[used:]...)
}

// Levels returns the levels of the bands of each frame, one frame after the other, in half decibels
// above -100 dBFS. The window of frame i starts at i times FrameMS. Callers must not change them.
func (m *Meter) Levels() []byte { return m.levels }

// frame measures one frame, whose window starts with samples.
func (m *Meter) frame(samples *[fftSize]float32) {
	var x [fftSize]float32
	for i, w := range m.taper {
		x[i] = samples[i] * w
	}
	var power [fftSize / 2]float32
	m.fourier.power(&x, &power)
	for _, f := range m.filters {
		sum := float32(0)
		for i, w := range f.weights {
			sum += w * power[f.first+i]
		}
		m.levels = append(m.levels, halfDecibels(float64(sum)))
	}
}

// fullScaleDB is the power of a sine of full scale in one band, in decibels.
const fullScaleDB = 40

// halfDecibels returns a power in half decibels above -100 dBFS.
func halfDecibels(power float64) byte {
	if power < 1e-9 {
		return 0
	}
	return byte(min(max(math.Round(2*(10*math.Log10(power)-fullScaleDB+100)), 0), 255))
}
