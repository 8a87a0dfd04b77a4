package edge

import (
	"slices"

	"roughcut/pipeline/detect/spectrum"
)

// contextRanges are the ranges of frames around a frame, first and last, whose mean levels are
// features.
func contextRanges() [][2]int {
	return [][2]int{
		{-16, -11}, {-10, -7}, {-6, -4}, {-3, -2}, {-1, -1}, {0, 0}, {1, 1}, {2, 3}, {4, 6}, {7, 10}, {11, 16},
	}
}

const (
	groups        = 11 // of contextRanges
	windows       = 6  // of the voice network on each side of a frame
	spreads       = spectrum.Bands / 4
	commons       = bands + spreads + 4
	inputs        = groups*bands + 2*windows + 1 + 2 + commons
	lowestExcess  = -2 // deviations from the background that count, at least
	fullExcess    = 4  // from here on, they count a quarter
	highestExcess = 14 // deviations that count, at most
	loudShare     = 0.8
)

// features returns the features of positions. heard is the last position where the voice network
// hears voice.
func (w way) features(first, end, heard int, b background) [][]float32 {
	low := first - speechFrames
	excess := w.excess(low, end+contextFrames+1, b)
	common := w.common(excess[:speechFrames+(end-first)/2], b)
	ranges := contextRanges()
	out := make([][]float32, 0, end-first)
	for p := first; p < end; p++ {
		x := make([]float32, 0, inputs)
		for _, r := range ranges {
			var sum [bands]float32
			for _, levels := range excess[p+r[0]-low : p+r[1]+1-low] {
				for k, l := range levels {
					sum[k] += l
				}
			}

			for _, s := range sum {
				x = append(x, s/float32(r[1]-r[0]+1))
			}
		}

		for n := -windows; n <= windows; n++ {
			x = append(x, float32(w.voiceAt(p, n))/255)
		}
		x = append(x, clamp(float32(p)/10, 3), clamp(float32(p-heard)/10, 4))
		out = append(out, append(x, common...))
	}

	return out
}

func clamp(x, limit float32) float32 { return min(max(x, -limit), limit) }

// excess returns by how many deviations pairs of bands exceed the background, a third of it, at
// positions.
func (w way) excess(from, to int, b background) [][bands]float32 {
	out := make([][bands]float32, to-from)
	for i := range out {
		frame := min(max(w.frame(from+i), 0), w.frames-1)
		for k, l := range w.levels[frame*spectrum.Bands:][:spectrum.Bands] {
			x := (float32(l) - b.level[k]) / b.spread[k]
			x = min(x, fullExcess+(x-fullExcess)/4)
			out[i][k/2] += min(max(x, lowestExcess), highestExcess) / 6
		}
	}

	return out
}

// common returns the features that all positions of an edge share: how loud the speech is, how even
// the background is, and how quickly sound decays in the recording.
func (w way) common(speech [][bands]float32, b background) []float32 {
	var out []float32
	values := make([]float32, len(speech))
	for k := range bands {
		for i := range speech {
			values[i] = speech[i][k]
		}
		slices.Sort(values)
		out = append(out, values[int(loudShare*float64(len(values)))])
	}

	for k := range spreads {
		sum := float32(0)
		for _, s := range b.spread[4*k : 4*k+4] {
			sum += s
		}
		out = append(out, sum/32-1)
	}

	out = append(out, w.decays[:]...)
	return append(out, float32(w.SpeechDB-w.FloorDB)/20-1.5)
}

const (
	decayFrames = 6 // length of a measured decay: 60 ms
	decayFirst  = 3 // bands of the spectrum that measure it
	decayLast   = 14
	decayReach  = 40 // frames before the end of speech
	leastDecays = 4
)

// measureDecays returns the quartile, the median and the ninth decile of the steepest decays at the
// ends of speech, in decibels per 10 ms divided by two. Rooms that echo have low ones.
func (r *recording) measureDecays() [3]float32 {
	level := make([]float32, r.frames)
	for i := range level {
		for _, l := range r.levels[i*spectrum.Bands+decayFirst : i*spectrum.Bands+decayLast] {
			level[i] += float32(l) / 2 / (decayLast - decayFirst)
		}
	}

	var all []float32
	for i, s := range r.Spans {
		if i+1 < len(r.Spans) && r.Spans[i+1].StartMS-s.EndMS < shortestGap*frameMS {
			continue
		}
		steepest, end := float32(0), frameOf(s.EndMS)
		for f := max(frameOf(s.StartMS), end-decayReach, 0); f+decayFrames < min(end+decayReach/4, r.frames); f++ {
			steepest = max(steepest, (level[f]-level[f+decayFrames])/decayFrames/2)
		}
		all = append(all, steepest)
	}

	if len(all) < leastDecays {
		return [3]float32{1, 1, 1}
	}
	slices.Sort(all)
	n := len(all)
	return [3]float32{all[n/4], all[n/2], all[n*9/10]}
}
