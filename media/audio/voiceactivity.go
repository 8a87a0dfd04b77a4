package audio

import (
	"math"
	"slices"

	"roughcut/media"
)

// VoiceFrameMS is the length of one frame of a VoiceActivity, in milliseconds.
const VoiceFrameMS = 10

// VoiceWindowMS is the length of one window of a VoiceActivity's probabilities, in milliseconds.
const VoiceWindowMS = 32

// frameSamples is the number of samples in one frame at SpeechSampleRate.
const frameSamples = media.SpeechSampleRate * VoiceFrameMS / 1000

// VoiceActivity says where a recording contains speech, judging by audio alone. Speech is sound
// above the noise floor of the recording that the voice network hears as voice. Without a network,
// or if the network hears no voice at all, every sound above the floor counts. The store keeps a
// VoiceActivity with its analysis. It takes about 500 KB for an hour.
type VoiceActivity struct {
	DurationMS int64        `json:"duration_ms"` // of the analyzed audio
	Levels     []byte       `json:"levels"`      // level of each frame above 80 Hz, in half decibels above -100 dBFS
	FloorDB    float64      `json:"floor_db"`    // noise floor in dBFS, median over the recording
	SpeechDB   float64      `json:"speech_db"`   // level of loud speech in dBFS; FloorDB without speech
	Spans      []media.Span `json:"spans"`       // sorted, disjoint; their ends are exact to a frame or two
	// Probability is what the voice network hears in each VoiceWindowMS, 0-255 for 0-1. Evidence of
	// earlier versions has none.
	Probability []byte `json:"probability,omitempty"`
	// Sounds are audible, but not voice. Evidence of earlier versions has none.
	Sounds []Sound `json:"sounds,omitempty"`
	// Refined is set if the edges of Spans were found in narrow bands. Noise hides little of them.
	Refined bool `json:"refined,omitempty"`
	// Hidden is what noise and music probably hide of speech after the ends of Spans, sorted. Only
	// refined evidence has it.
	Hidden []media.Span `json:"hidden,omitempty"`
}

// Level returns the level in dBFS at a clip time. Beyond the ends it returns the level of the
// nearest frame, and without frames it returns -100.
func (v VoiceActivity) Level(ms int64) float64 {
	if len(v.Levels) == 0 {
		return minLevelDB
	}
	return decibels(v.Levels[min(max(int(ms/VoiceFrameMS), 0), len(v.Levels)-1)])
}

// Quietest returns the middle of the quietest frame inside s, which must not be empty. Among
// equally quiet frames it returns the one nearest to preferMS. If no whole frame is inside s, it
// returns preferMS clamped to s.
func (v VoiceActivity) Quietest(s media.Span, preferMS int64) int64 {
	best, bestLevel, bestDistance := min(max(preferMS, s.StartMS), s.EndMS), 256, int64(math.MaxInt64)
	first, last := (s.StartMS+VoiceFrameMS-1)/VoiceFrameMS, s.EndMS/VoiceFrameMS
	for i := max(first, 0); i < last && i < int64(len(v.Levels)); i++ {
		middle := i*VoiceFrameMS + VoiceFrameMS/2
		level, distance := int(v.Levels[i]), max(middle-preferMS, preferMS-middle)
		if level < bestLevel || (level == bestLevel && distance < bestDistance) {
			best, bestLevel, bestDistance = middle, level, distance
		}
	}

	return best
}

// minLevelDB is the lowest level in dBFS that a VoiceActivity can hold.
const minLevelDB = -100

func decibels(b byte) float64 { return float64(b)/2 + minLevelDB }

// powerOf returns the mean square of a quantized level.
func powerOf(b byte) float64 { return math.Pow(10, decibels(b)/10) }

// quantize turns a mean square (full scale is 1) into half decibels above minLevelDB.
func quantize(power float64) byte {
	if power <= 1e-10 {
		return 0
	}
	return byte(min(max(math.Round(2*(10*math.Log10(power)-minLevelDB)), 0), 255))
}

// Frequency bands of the speech detection. One band reveals a fricative over street rumble, and
// another one a vowel over hiss.
const (
	lowBand  = iota // 80-1000 Hz
	midBand         // 1000-2500 Hz
	highBand        // above 2500 Hz
	bands
)

// VoiceDetector turns a stream of audio at SpeechSampleRate into a VoiceActivity. Create one with
// NewVoiceDetector. It keeps four bytes for each 10 ms. It is not safe for concurrent use.
type VoiceDetector struct {
	rumble, low, high biquad
	levels            []byte
	band              [bands][]byte
	total             float64
	sum               [bands]float64
	pending           int
	samples           int64
}

// NewVoiceDetector returns a detector without samples.
func NewVoiceDetector() *VoiceDetector {
	return &VoiceDetector{rumble: highPass(80), low: lowPass(1000), high: highPass(2500)}
}

// Add processes more samples.
func (m *VoiceDetector) Add(samples []int16) {
	m.samples += int64(len(samples))
	for len(samples) > 0 {
		n := min(len(samples), frameSamples-m.pending)
		m.addFrame(samples[:n])
		if m.pending += n; m.pending == frameSamples {
			m.finishFrame()
		}
		samples = samples[n:]
	}
}

// addFrame processes samples of one frame. Local copies keep the state of the filters in registers.
func (m *VoiceDetector) addFrame(samples []int16) {
	rumble, lowPass, highPass := m.rumble, m.low, m.high
	total, lows, mids, highs := m.total, m.sum[lowBand], m.sum[midBand], m.sum[highBand]
	r1, r2, l1, l2, h1, h2 := rumble.z1, rumble.z2, lowPass.z1, lowPass.z2, highPass.z1, highPass.z2
	for _, s := range samples {
		in := float64(s) / 32768
		x := rumble.b0*in + r1
		r1 = rumble.b1*in - rumble.a1*x + r2
		r2 = rumble.b2*in - rumble.a2*x
		low := lowPass.b0*x + l1
		l1 = lowPass.b1*x - lowPass.a1*low + l2
		l2 = lowPass.b2*x - lowPass.a2*low
		high := highPass.b0*x + h1
		h1 = highPass.b1*x - highPass.a1*high + h2
		h2 = highPass.b2*x - highPass.a2*high
		mid := x - low - high
		total += x * x
		lows += low * low
		mids += mid * mid
		highs += high * high
	}

	m.rumble.z1, m.rumble.z2, m.low.z1, m.low.z2, m.high.z1, m.high.z2 = r1, r2, l1, l2, h1, h2
	m.total, m.sum = total, [bands]float64{lowBand: lows, midBand: mids, highBand: highs}
}

func (m *VoiceDetector) finishFrame() {
	n := float64(m.pending)
	m.levels = append(m.levels, quantize(m.total/n))
	for b := range m.band {
		m.band[b] = append(m.band[b], quantize(m.sum[b]/n))
	}
	m.total, m.sum, m.pending = 0, [bands]float64{}, 0
}

// Activity ends the measurement and returns the result. probability is what the voice network hears
// in each VoiceWindowMS; without any, every sound above the noise floor counts as voice. Do not use
// the detector afterwards.
func (m *VoiceDetector) Activity(probability []byte) VoiceActivity {
	if m.pending > 0 {
		m.finishFrame()
	}
	v := VoiceActivity{
		DurationMS:  m.samples * 1000 / media.SpeechSampleRate,
		Levels:      m.levels,
		Probability: probability,
	}
	v.FloorDB = median(noiseFloors(m.levels))
	var smoothed [bands][]byte
	for b := range smoothed {
		smoothed[b] = smooth(m.band[b])
	}
	active := m.activeFrames(smoothed)
	audible := slices.Clone(active)
	hearing := newHearing(m.levels, smoothed, active, probability)
	loud := hearing.clearSounds()
	v.SpeechDB = loudSpeechDB(m.levels, active, v.FloorDB)
	v.Spans = spansOfFrames(active, v)
	if len(hearing.voiced) > 0 {
		for i, voice := range active {
			audible[i] = audible[i] && !voice
		}
		v.Sounds = hearing.sounds(audible, v.Spans, loud)
	}

	return v
}

// activeFrames marks the frames that have at least one band above its noise floor.
func (m *VoiceDetector) activeFrames(smoothed [bands][]byte) []bool {
	// In a loud recording, ignore what listeners cannot hear next to the speech.
	audible := max(percentileDB(m.levels, 0.95)-audibleRangeDB, quietestSpeechDB)
	n := len(m.levels)
	strong, weak, unsmoothed := make([]bool, n), make([]bool, n), make([]bool, n)
	for b, levels := range m.band {
		floor := noiseFloors(smoothed[b])
		for i, s := range smoothed[b] {
			level, over := decibels(s), floor[i/floorBlockFrames]+bandMargin(b)
			strong[i] = strong[i] || level > max(over, audible)
			weak[i] = weak[i] || level > max(over-hysteresisDB, audible)
			unsmoothed[i] = unsmoothed[i] || decibels(levels[i]) > max(over-hysteresisDB, audible)
		}
	}

	growRuns(strong, weak)
	trimSmoothed(strong, unsmoothed)
	return strong
}

const (
	audibleRangeDB   = 48.0 // below the loudest speech, sound is inaudible
	quietestSpeechDB = -78.0
	hysteresisDB     = 2.0 // how much lower the threshold is once speech has started
	minLoneSpanMS    = 60  // shorter isolated sounds are clicks
	loneGapMS        = 150
	maxJoinGapMS     = 40 // longest gap that is closed
)

// bandMargin returns how many decibels above the noise floor of a band a sound must be. Levels of
// narrow bands scatter more.
func bandMargin(band int) float64 {
	switch band {
	case lowBand:
		return 7.5
	case midBand:
		return 6
	}

	return 5
}

// growRuns extends the runs of strong over adjacent frames that are set in weak.
func growRuns(strong, weak []bool) {
	for i := 1; i < len(strong); i++ {
		strong[i] = strong[i] || (strong[i-1] && weak[i])
	}
	for i := len(strong) - 2; i >= 0; i-- {
		strong[i] = strong[i] || (strong[i+1] && weak[i])
	}
}

// trimSmoothed clears the frame at each end of a run if only smoothing has set it.
func trimSmoothed(active, unsmoothed []bool) {
	before := false
	for i := range active {
		after := i+1 < len(active) && active[i+1]
		now := active[i]
		if now && !unsmoothed[i] && before != after {
			active[i] = false
		}
		before = now
	}
}

// spansOfFrames turns active frames into spans. It closes tiny gaps and drops isolated clicks.
func spansOfFrames(active []bool, v VoiceActivity) []media.Span {
	var spans []media.Span
	for i := 0; i < len(active); {
		if !active[i] {
			i++
			continue
		}

		j := i
		for j < len(active) && active[j] {
			j++
		}
		s := media.Span{StartMS: int64(i) * VoiceFrameMS, EndMS: min(int64(j)*VoiceFrameMS, v.DurationMS)}
		if n := len(spans); n > 0 && s.StartMS-spans[n-1].EndMS <= maxJoinGapMS {
			spans[n-1].EndMS = s.EndMS
		} else {
			spans = append(spans, s)
		}

		i = j
	}

	out := []media.Span{}
	for i, s := range spans {
		alone := (i == 0 || s.StartMS-spans[i-1].EndMS >= loneGapMS) &&
			(i == len(spans)-1 || spans[i+1].StartMS-s.EndMS >= loneGapMS)
		if s.Duration() >= minLoneSpanMS || !alone {
			out = append(out, s)
		}
	}

	return out
}

// loudSpeechDB returns the 90th percentile of the level of active frames, or fallback without any.
func loudSpeechDB(levels []byte, active []bool, fallback float64) float64 {
	var on []byte
	for i, a := range active {
		if a {
			on = append(on, levels[i])
		}
	}

	if len(on) == 0 {
		return fallback
	}
	return percentileDB(on, 0.9)
}

// smooth averages the power of each frame with the power of its neighbors.
func smooth(levels []byte) []byte {
	var power [256]float64
	for b := range power {
		power[b] = powerOf(byte(b))
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
	floorBlockFrames = 100  // frames that share one floor
	floorReachBlocks = 8    // blocks before and after that contribute to a floor
	floorPercentile  = 0.05 // even dense speech has this share of quiet frames between words
	maxFloorRiseDB   = 20   // a floor this far above the floor of the whole recording is sound instead
)

// noiseFloors returns the noise floor in dBFS of each block of frames. It takes the floor from the
// quietest frames around the block.
func noiseFloors(levels []byte) []float64 {
	blocks := (len(levels) + floorBlockFrames - 1) / floorBlockFrames
	counts := make([][256]int, blocks)
	for i, l := range levels {
		counts[i/floorBlockFrames][l]++
	}
	limit := percentileDB(levels, floorPercentile) + maxFloorRiseDB
	var window [256]int // of the blocks around the current one
	slide := func(block, sign int) {
		if block >= 0 && block < blocks {
			for l, c := range counts[block] {
				window[l] += sign * c
			}
		}
	}
	for b := range floorReachBlocks {
		slide(b, 1)
	}
	out := make([]float64, blocks)
	for b := range out {
		slide(b+floorReachBlocks, 1)
		slide(b-floorReachBlocks-1, -1)
		out[b] = min(percentileOfCounts(window, floorPercentile), limit)
	}

	return out
}

// percentileDB returns the level in dBFS that the given share of frames does not exceed.
func percentileDB(levels []byte, share float64) float64 {
	var counts [256]int
	for _, l := range levels {
		counts[l]++
	}
	return percentileOfCounts(counts, share)
}

func percentileOfCounts(counts [256]int, share float64) float64 {
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

	return minLevelDB
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return minLevelDB
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}

// biquad is a second-order filter in transposed direct form.
type biquad struct{ b0, b1, b2, a1, a2, z1, z2 float64 }

// settle ends what sounds on below restLevel, which would never end and which processors compute a
// hundred times slower.
func (f *biquad) settle() {
	if math.Abs(f.z1) < restLevel && math.Abs(f.z2) < restLevel {
		f.z1, f.z2 = 0, 0
	}
}

// atRest reports whether silence in gives silence out.
func (f *biquad) atRest() bool { return f.z1 == 0 && f.z2 == 0 }

// restLevel is far below what a float32 sample or a stored level can tell from silence.
const restLevel = 1e-20

// lowPass returns a Butterworth low-pass at hz for audio at SpeechSampleRate.
func lowPass(hz float64) biquad {
	w := 2 * math.Pi * hz / media.SpeechSampleRate
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

// highPass returns a Butterworth high-pass at hz for audio at SpeechSampleRate.
func highPass(hz float64) biquad {
	w := 2 * math.Pi * hz / media.SpeechSampleRate
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
