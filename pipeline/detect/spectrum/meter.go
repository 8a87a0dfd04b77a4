package spectrum

import (
	"math"
	"slices"
	"sync"

	"roughcut/media"
	"roughcut/media/fourier"
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
	spectrometer *spectrometer
	filters      [Bands]filter
	table        *levelTable
	taper        [window]float32
	power        fourier.Signals // of a few frames
	pending      []float32       // samples that still belong to a later frame
	levels       []byte          // of Levels
}

// filter is one triangle of the mel scale.
type filter struct {
	first   int
	weights []float32
}

// NewMeter returns a meter without samples.
func NewMeter() *Meter {
	m := &Meter{spectrometer: newSpectrometer(), filters: melFilters(), table: levels()}
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
	from := len(m.pending)
	m.pending = slices.Grow(m.pending, len(samples))[:from+len(samples)]
	for i, s := range samples {
		m.pending[from+i] = float32(s) / 32768
	}
	used := 0
	for len(m.pending)-used >= fftSize {
		n := min((len(m.pending)-used-fftSize)/hop+1, fourier.Lanes)
		m.frames(m.pending[used:], n)
		used += n * hop
	}

	m.pending = append(m.pending[:0], m.pending[used:]...)
}

// Levels returns the levels of the bands of each frame, one frame after the other, in half decibels
// above -100 dBFS. The window of frame i starts at i times FrameMS. Callers must not change them.
func (m *Meter) Levels() []byte { return m.levels }

// frames measures a number of frames. The window of the first one starts with samples.
func (m *Meter) frames(samples []float32, n int) {
	for i := range n {
		m.spectrometer.loadLane(i, (*[fftSize]float32)(samples[i*hop:]), &m.taper)
	}
	last := m.filters[Bands-1]
	m.spectrometer.power(&m.power, m.filters[0].first, last.first+len(last.weights))
	from := len(m.levels)
	m.levels = append(m.levels, make([]byte, n*Bands)...)
	for b, f := range m.filters {
		var sums [fourier.Lanes]float32
		weightedSums(f.weights, m.power[f.first:], &sums)
		for i, sum := range sums[:n] {
			m.levels[from+i*Bands+b] = m.table.of(sum)
		}
	}
}

// fullScaleDB is the power of a sine of full scale in one band, in decibels.
const fullScaleDB = 40

// halfDecibels returns a power in half decibels above -100 dBFS.
func halfDecibels(power float64) byte {
	if power < leastPower {
		return 0
	}
	return byte(min(max(math.Round(2*(10*math.Log10(power)-fullScaleDB+100)), 0), 255))
}

// leastPower is the power below which a level is 0.
const leastPower = 1e-9

// levelTable gives the halfDecibels of float32 numbers without a logarithm. The upper bits of a
// positive number name its cell. The level rises at most once within a cell.
type levelTable struct {
	level [1 << (31 - cellBits)]uint8  // of the first number of each cell
	rise  [1 << (31 - cellBits)]uint32 // the first bits with a level higher by one
}

// cellBits are the lower bits of a number, which do not name its cell. A cell is a sixteenth of an
// octave or less: 0.4 half decibels.
const cellBits = 19

// levels returns the table.
var levels = sync.OnceValue(func() *levelTable {
	t := &levelTable{}
	infinity := math.Float32bits(float32(math.Inf(1)))
	level := 0 // of the first number of the current cell
	next := firstBits(1)
	for cell := range t.level {
		first := uint32(cell) << cellBits
		if first >= infinity {
			t.level[cell], t.rise[cell] = 255, math.MaxUint32
			continue
		}

		for next <= first && level < 255 {
			level++
			next = firstBits(level + 1)
		}

		t.level[cell], t.rise[cell] = byte(level), min(next, first+1<<cellBits)
	}

	return t
})

// firstBits returns the bits of the smallest number whose halfDecibels are at least level, or the
// bits of infinity if no number reaches level.
func firstBits(level int) uint32 {
	reaches := func(bits uint32) bool {
		return int(halfDecibels(float64(math.Float32frombits(bits)))) >= level
	}
	infinity := math.Float32bits(float32(math.Inf(1)))
	if level > 255 {
		return infinity
	}
	// halfDecibels rounds, so its inverse is off by a few numbers at most.
	bits := math.Float32bits(float32(math.Pow(10, ((float64(level)-0.5)/2+fullScaleDB-100)/10)))
	for bits > 0 && reaches(bits-1) {
		bits--
	}
	for bits < infinity && !reaches(bits) {
		bits++
	}
	return bits
}

// of returns the halfDecibels of a power.
func (t *levelTable) of(power float32) byte {
	bits := math.Float32bits(power)
	cell := bits >> cellBits & (1<<(31-cellBits) - 1)
	if bits >= t.rise[cell] {
		return t.level[cell] + 1
	}
	return t.level[cell]
}

// weightedSums writes the sums of weighted powers, one for each signal.
func weightedSums(weights []float32, power [][fourier.Lanes]float32, sums *[fourier.Lanes]float32) {
	clear(sums[:])
	for i, w := range weights {
		for l, p := range power[i] {
			sums[l] += float32(w * p)
		}
	}
}
