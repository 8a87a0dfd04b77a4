package repeat

import (
	"math"
	"slices"

	"roughcut/media"
	"roughcut/pipeline/detect/spectrum"
)

const (
	cepstra  = 12
	features = 2 * cepstra // with slopes
	slope    = 2           // frames of a slope on each side
)

const (
	bands   = spectrum.Bands
	every   = 2 // one frame of the spectrum in this many is compared
	frameMS = every * spectrum.FrameMS
)

// sound is the spectrum of a recording.
type sound struct {
	levels []byte // bands for each frame, in half decibels above -100 dBFS
}

// soundOf returns every second frame of a spectrum.
func soundOf(m *spectrum.Meter) (s sound) {
	for frame := range slices.Chunk(m.Levels(), every*bands) {
		s.levels = append(s.levels, frame[:bands]...)
	}
	return s
}

// vector describes the sound of one frame: cepstra and their slopes, normalized over the
// recording.
type vector [features]float32

// speech is the voice of a recording without its pauses.
type speech struct {
	vectors []vector
	at      []int32 // frame of the recording of each vector
	phrases []int32 // number of the phrase of each vector
	starts  []int32 // first vector of each phrase, and the number of vectors at the end
}

// phraseGapMS is the shortest pause that separates phrases.
const phraseGapMS = 220

// frameAt returns the frame whose window is centered at a time.
func frameAt(ms int64) int {
	return int((ms - spectrum.WindowMS/2 + frameMS/2) / frameMS)
}

// speech computes the vectors of the frames in the spans, which are sorted and disjoint. Pauses of
// at least gapMS separate phrases.
func (m sound) speech(spans []media.Span, gapMS int64) speech {
	var s speech
	n := len(m.levels) / bands
	floor := m.floors()
	all, known := make([][cepstra]float32, n), 0
	last := int64(math.MinInt64 / 2)
	for _, span := range spans {
		first, end := max(frameAt(span.StartMS), 0), min(frameAt(span.EndMS)+1, n)
		if len(s.at) > 0 {
			first = max(first, int(s.at[len(s.at)-1])+1)
		}
		if first >= end {
			continue
		}
		if span.StartMS-last >= gapMS || len(s.starts) == 0 {
			s.starts = append(s.starts, int32(len(s.vectors)))
		}
		for known = max(known, first-slope); known < min(end+slope, n); known++ {
			all[known] = m.cepstrum(known, &floor[known/floorBlock])
		}
		for i := first; i < end; i++ {
			s.vectors = append(s.vectors, withSlopes(all, i))
			s.at = append(s.at, int32(i))
			s.phrases = append(s.phrases, int32(len(s.starts)-1))
		}

		last = span.EndMS
	}

	s.starts = append(s.starts, int32(len(s.vectors)))
	s.normalize()
	return s
}

// withSlopes returns the cepstrum of a frame and its slopes, from the cepstra of all frames nearby.
func withSlopes(all [][cepstra]float32, i int) (v vector) {
	for c := range cepstra {
		v[c] = all[i][c]
		sum := float32(0)
		for k := 1; k <= slope; k++ {
			sum += float32(k) * (all[min(i+k, len(all)-1)][c] - all[max(i-k, 0)][c])
		}
		v[cepstra+c] = sum
	}

	return v
}

// normalize gives each feature the mean 0 and the deviation 1 over the recording.
func (s *speech) normalize() {
	for f := range features {
		sum, squares := 0.0, 0.0
		for i := range s.vectors {
			x := float64(s.vectors[i][f])
			sum, squares = sum+x, squares+x*x
		}

		n := float64(max(len(s.vectors), 1))
		mean := sum / n
		scale := 1 / math.Sqrt(max(squares/n-mean*mean, 1e-6))
		for i := range s.vectors {
			s.vectors[i][f] = float32((float64(s.vectors[i][f]) - mean) * scale)
		}
	}
}

const (
	floorBlock = 50 // frames that share one floor
	floorReach = 8  // blocks on each side that contribute to a floor
	floorShare = 10 // percent of frames that are quieter than the floor
	maskDB     = 45 // below loud speech a band counts as empty
	overFloor  = 1.6
	floorKept  = 0.6
)

// floors returns the power of the noise in each band, for each block of frames.
func (m sound) floors() [][bands]float32 {
	n := len(m.levels) / bands
	blocks := (n + floorBlock - 1) / floorBlock
	out := make([][bands]float32, max(blocks, 1))
	counts := make([][256]int32, blocks)
	for b := range bands {
		clear(counts)
		for i := range n {
			counts[i/floorBlock][m.levels[i*bands+b]]++
		}
		least := powerOf(m.loud(b) - 2*maskDB)
		var sum [256]int32 // of the blocks around k
		for k := -floorReach; k < blocks; k++ {
			if next := k + floorReach; next < blocks {
				addCounts(&sum, &counts[next], 1)
			}
			if old := k - floorReach - 1; old >= 0 {
				addCounts(&sum, &counts[old], -1)
			}
			if k < 0 {
				continue
			}
			out[k][b] = max(powerOf(quantile(&sum, floorShare)), least)
		}
	}

	return out
}

func addCounts(sum, counts *[256]int32, sign int32) {
	for l, n := range counts {
		sum[l] += sign * n
	}
}

// loud returns the level that 5 % of the frames exceed in a band.
func (m sound) loud(band int) int {
	var counts [256]int32
	for i := band; i < len(m.levels); i += bands {
		counts[m.levels[i]]++
	}
	return quantile(&counts, 95)
}

// quantile returns the level that a share of the frames does not exceed.
func quantile(counts *[256]int32, percent int32) int {
	total := int32(0)
	for _, c := range counts {
		total += c
	}
	seen := int32(0)
	for l, c := range counts {
		if seen += c; total > 0 && seen*100 >= total*percent {
			return l
		}
	}

	return 0
}

// powerOf returns the power of a level in half decibels.
func powerOf(level int) float32 { return float32(math.Pow(10, float64(level)/20)) }

// cepstrum returns the cepstrum of a frame after subtraction of the noise.
func (m sound) cepstrum(frame int, floor *[bands]float32) (out [cepstra]float32) {
	var logs [bands]float32
	for b, l := range m.levels[frame*bands : (frame+1)*bands] {
		power := levelPower[l]
		logs[b] = float32(math.Log(float64(max(power-overFloor*floor[b], 0) + floorKept*floor[b])))
	}

	for c := range out {
		sum := float32(0)
		for b, x := range logs {
			sum += x * cosines[c][b]
		}
		out[c] = sum
	}

	return out
}

// levelPower holds the power of each level.
var levelPower = func() (p [256]float32) {
	for l := range p {
		p[l] = powerOf(l)
	}
	return p
}()

// cosines holds the discrete cosine transform of the bands.
var cosines = func() (t [cepstra][bands]float32) {
	for c := range t {
		for b := range t[c] {
			t[c][b] = float32(math.Cos(math.Pi * float64(c+1) * (float64(b) + 0.5) / bands))
		}
	}

	return t
}()
