package media

import (
	"math"
	"slices"
)

// FrameMS is the length in milliseconds of one frame of a Voice.
const VoiceFrameMS = 10

// frameSamples is the number of samples of one frame at SpeechRate.
const frameSamples = SpeechSampleRate * VoiceFrameMS / 1000

// Voice says where in a recording somebody speaks, as far as the sound alone can tell: everything
// that stands out of the recording's own noise floor. It is evidence, kept with an analysis: an
// hour takes about 350 KB.
type VoiceActivity struct {
	DurationMS int64   `json:"duration_ms"` // of the sound that was heard
	Levels     []byte  `json:"levels"`      // loudness of each frame above 80 Hz, in half decibels above -100 dBFS
	FloorDB    float64 `json:"floor_db"`    // noise floor in dBFS, median over the recording
	// loudness of loud speech in dBFS; equal to FloorDB where nothing was heard
	SpeechDB float64 `json:"speech_db"`
	Spans    []Span  `json:"spans"` // sorted, disjoint stretches of sound, tight to within a frame or two
}

// Level returns the loudness in dBFS at a moment of clip time; beyond the ends that of the nearest
// frame, -100 without frames.
func (v VoiceActivity) Level(ms int64) float64 {
	if len(v.Levels) == 0 {
		return minLevel
	}
	return decibels(v.Levels[min(max(int(ms/VoiceFrameMS), 0), len(v.Levels)-1)])
}

// Quietest returns the middle of the quietest frame that lies wholly in s, which is not empty; of
// equal ones that whose middle is nearest to preferMS. Where no frame fits it returns preferMS,
// moved into s.
func (v VoiceActivity) Quietest(s Span, preferMS int64) int64 {
	best, bestLevel, bestAway := min(max(preferMS, s.StartMS), s.EndMS), 256, int64(math.MaxInt64)
	first, last := (s.StartMS+VoiceFrameMS-1)/VoiceFrameMS, s.EndMS/VoiceFrameMS
	for i := max(first, 0); i < last && i < int64(len(v.Levels)); i++ {
		middle := i*VoiceFrameMS + VoiceFrameMS/2
		level, away := int(v.Levels[i]), max(middle-preferMS, preferMS-middle)
		if level < bestLevel || level == bestLevel && away < bestAway {
			best, bestLevel, bestAway = middle, level, away
		}
	}
	return best
}

// minLevel is the quietest level in dBFS that a Voice can hold.
const minLevel = -100

func decibels(b byte) float64 { return float64(b)/2 + minLevel }

// quantize turns a mean square (full scale is 1) into half decibels above minLevel.
func quantize(power float64) byte {
	if power <= 1e-10 {
		return 0
	}
	return byte(min(max(math.Round(2*(10*math.Log10(power)-minLevel)), 0), 255))
}

// The bands in which voice is looked for: a fricative over a rumbling street and a vowel over hiss
// both stand out in one of them.
const (
	lowBand  = iota // 80-1000 Hz
	midBand         // 1000-2500 Hz
	highBand        // above 2500 Hz
	bands
)

// VoiceMeter turns sound at SpeechRate, given piece by piece, into a Voice. The zero VoiceMeter is
// not ready; see NewVoiceMeter. It keeps four bytes for each 10 ms. Not safe for concurrent use.
type VoiceDetector struct {
	rumble, low, high biquad
	levels            []byte
	band              [bands][]byte
	total             float64
	sum               [bands]float64
	pending           int
	samples           int64
}

// NewVoiceMeter returns a meter that has heard nothing.
func NewVoiceDetector() *VoiceDetector {
	return &VoiceDetector{rumble: highPass(80), low: lowPass(1000), high: highPass(2500)}
}

// Add hears more samples.
func (m *VoiceDetector) Add(samples []int16) {
	for _, s := range samples {
		x := m.rumble.next(float64(s) / 32768)
		low, high := m.low.next(x), m.high.next(x)
		mid := x - low - high
		m.total += x * x
		m.sum[lowBand] += low * low
		m.sum[midBand] += mid * mid
		m.sum[highBand] += high * high
		if m.pending++; m.pending == frameSamples {
			m.closeFrame()
		}
	}
	m.samples += int64(len(samples))
}

func (m *VoiceDetector) closeFrame() {
	n := float64(m.pending)
	m.levels = append(m.levels, quantize(m.total/n))
	for b := range m.band {
		m.band[b] = append(m.band[b], quantize(m.sum[b]/n))
	}
	m.total, m.sum, m.pending = 0, [bands]float64{}, 0
}

// Voice ends the measurement and returns what was heard. The meter must not be used afterwards.
func (m *VoiceDetector) Activity() VoiceActivity {
	if m.pending > 0 {
		m.closeFrame()
	}
	v := VoiceActivity{DurationMS: m.samples * 1000 / SpeechSampleRate, Levels: m.levels}
	v.FloorDB = median(floors(m.levels))
	active := m.active()
	v.SpeechDB = loud(m.levels, active, v.FloorDB)
	v.Spans = spansOf(active, v)
	return v
}

// active marks the frames in which one of the bands stands out of its noise floor.
func (m *VoiceDetector) active() []bool {
	// A loud recording is not listened to below what its listeners could hear beside its speech.
	audible := max(percentileLevel(m.levels, 0.95)-audibleRangeDB, quietestSpeechDB)
	n := len(m.levels)
	strong, weak, itself := make([]bool, n), make([]bool, n), make([]bool, n)
	for b, levels := range m.band {
		smoothed := smooth(levels)
		floor := floors(smoothed)
		for i, s := range smoothed {
			level, over := decibels(s), floor[i/floorBlock]+bandMargin(b)
			strong[i] = strong[i] || level > max(over, audible)
			weak[i] = weak[i] || level > max(over-weakerDB, audible)
			itself[i] = itself[i] || decibels(levels[i]) > max(over-weakerDB, audible)
		}
	}
	grow(strong, weak)
	trim(strong, itself)
	return strong
}

const (
	audibleRangeDB   = 52.0 // sound this much below the loudest speech is not heard beside it
	quietestSpeechDB = -78.0
	weakerDB         = 2.0 // once voice is heard it is followed down to this much less over the floor
	shortSpanMS      = 60  // shorter sounds standing alone are clicks
	aloneMS          = 150
	joinMS           = 40 // gaps below this inside sound are not worth a border
)

// bandMargin is how far, in decibels, sound must stand over the floor of a band: narrow bands
// scatter more.
func bandMargin(band int) float64 {
	switch band {
	case lowBand:
		return 7.5
	case midBand:
		return 6
	}
	return 5
}

// grow extends the runs of strong over the neighbouring frames that are set in weak.
func grow(strong, weak []bool) {
	for i := 1; i < len(strong); i++ {
		strong[i] = strong[i] || strong[i-1] && weak[i]
	}
	for i := len(strong) - 2; i >= 0; i-- {
		strong[i] = strong[i] || strong[i+1] && weak[i]
	}
}

// trim takes back the frame at each end of a run that smoothing alone has set.
func trim(active, itself []bool) {
	before := false
	for i := range active {
		after := i+1 < len(active) && active[i+1]
		now := active[i]
		if now && !itself[i] && before != after {
			active[i] = false
		}
		before = now
	}
}

// spansOf turns active frames into spans without tiny gaps and lone clicks.
func spansOf(active []bool, v VoiceActivity) []Span {
	var spans []Span
	for i := 0; i < len(active); {
		if !active[i] {
			i++
			continue
		}
		j := i
		for j < len(active) && active[j] {
			j++
		}
		s := Span{int64(i) * VoiceFrameMS, min(int64(j)*VoiceFrameMS, v.DurationMS)}
		if n := len(spans); n > 0 && s.StartMS-spans[n-1].EndMS <= joinMS {
			spans[n-1].EndMS = s.EndMS
		} else {
			spans = append(spans, s)
		}
		i = j
	}
	out := []Span{}
	for i, s := range spans {
		alone := (i == 0 || s.StartMS-spans[i-1].EndMS >= aloneMS) &&
			(i == len(spans)-1 || spans[i+1].StartMS-s.EndMS >= aloneMS)
		if s.Duration() >= shortSpanMS || !alone {
			out = append(out, s)
		}
	}
	return out
}

// loud returns the 90th percentile of the level of active frames.
func loud(levels []byte, active []bool, otherwise float64) float64 {
	var on []byte
	for i, a := range active {
		if a {
			on = append(on, levels[i])
		}
	}
	if len(on) == 0 {
		return otherwise
	}
	return percentileLevel(on, 0.9)
}

// smooth averages the power of each frame with that of its neighbours.
func smooth(levels []byte) []byte {
	var power [256]float64
	for b := range power {
		power[b] = math.Pow(10, decibels(byte(b))/10)
	}
	out := make([]byte, len(levels))
	for i := range levels {
		sum, n := 0.0, 0.0
		for j := max(i-1, 0); j <= min(i+1, len(levels)-1); j++ {
			sum, n = sum+power[levels[j]], n+1
		}
		out[i] = quantize(sum / n)
	}
	return out
}

const (
	floorBlock  = 100  // frames for which one floor holds
	floorReach  = 8    // blocks on either side that a floor is taken from
	floorShare  = 0.05 // the quietest part of them, which dense speech has between its words too
	floorRiseDB = 10   // louder stretches than this over the recording's floor are sound, not floor
)

// floors returns the noise floor in dBFS of each block of frames, taken from the quietest frames
// around it.
func floors(levels []byte) []float64 {
	blocks := (len(levels) + floorBlock - 1) / floorBlock
	counts := make([][256]int, blocks)
	for i, l := range levels {
		counts[i/floorBlock][l]++
	}
	limit := percentileLevel(levels, floorShare) + floorRiseDB
	out := make([]float64, blocks)
	for b := range out {
		var window [256]int
		for n := max(b-floorReach, 0); n <= min(b+floorReach, blocks-1); n++ {
			for l, c := range counts[n] {
				window[l] += c
			}
		}
		out[b] = min(percentileOf(window, floorShare), limit)
	}
	return out
}

// percentileLevel returns the level in dBFS that a share of the frames do not exceed.
func percentileLevel(levels []byte, share float64) float64 {
	var counts [256]int
	for _, l := range levels {
		counts[l]++
	}
	return percentileOf(counts, share)
}

func percentileOf(counts [256]int, share float64) float64 {
	total := 0
	for _, c := range counts {
		total += c
	}
	seen := 0
	for l, c := range counts {
		if seen += c; total > 0 && float64(seen) >= share*float64(total) {
			return decibels(byte(l))
		}
	}
	return minLevel
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return minLevel
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}

// biquad is a second-order filter in transposed direct form.
type biquad struct{ b0, b1, b2, a1, a2, z1, z2 float64 }

func (f *biquad) next(x float64) float64 {
	y := f.b0*x + f.z1
	f.z1 = f.b1*x - f.a1*y + f.z2
	f.z2 = f.b2*x - f.a2*y
	return y
}

// lowPass returns a Butterworth low-pass at hz for sound at SpeechRate.
func lowPass(hz float64) biquad {
	w := 2 * math.Pi * hz / SpeechSampleRate
	alpha, cos := math.Sin(w)/math.Sqrt2, math.Cos(w)
	a0 := 1 + alpha
	return biquad{
		b0: (1 - cos) / 2 / a0,
		b1: (1 - cos) / a0,
		b2: (1 - cos) / 2 / a0,
		a1: -2 * cos / a0,
		a2: (1 - alpha) / a0,
	}
}

// highPass returns a Butterworth high-pass at hz for sound at SpeechRate.
func highPass(hz float64) biquad {
	w := 2 * math.Pi * hz / SpeechSampleRate
	alpha, cos := math.Sin(w)/math.Sqrt2, math.Cos(w)
	a0 := 1 + alpha
	return biquad{
		b0: (1 + cos) / 2 / a0,
		b1: -(1 + cos) / a0,
		b2: (1 + cos) / 2 / a0,
		a1: -2 * cos / a0,
		a2: (1 - alpha) / a0,
	}
}
