package voices

import (
	"math"

	"roughcut/media"
)

// AutoEditor cuts a recording by the rule of auto-editor with its default settings: a frame of 1/30
// s is loud if a sample reaches 4 % of the peak; loud runs under 3 frames are dropped; 0.2 s stay
// on each side of the rest; gaps under 6 frames stay.
func AutoEditor(r Recording) []media.Span {
	const frame, threshold, margin, leastLoud, leastCut = rate / 30.0, 0.04, 6, 3, 6
	loud := make([]bool, int(math.Ceil(float64(len(r.PCM))/frame)))
	limit := threshold * float64(peakOf(r.PCM))
	for i, x := range r.PCM {
		if math.Abs(float64(x)) >= limit {
			loud[int(float64(i)/frame)] = true
		}
	}

	flipShortRuns(loud, true, leastLoud)
	kept := make([]bool, len(loud))
	for i, on := range loud {
		for k := max(i-margin, 0); on && k <= min(i+margin, len(kept)-1); k++ {
			kept[k] = true
		}
	}

	flipShortRuns(kept, false, leastCut)
	var cuts []media.Span
	for i := 0; i < len(kept); {
		j := runEnd(kept, i)
		if !kept[i] {
			at := func(k int) int64 { return min(int64(float64(k)*1000/30), r.DurationMS) }
			cuts = append(cuts, media.Span{StartMS: at(i), EndMS: at(j)})
		}

		i = j
	}

	return cuts
}

// flipShortRuns changes runs of a value that are shorter than least.
func flipShortRuns(x []bool, value bool, least int) {
	for i := 0; i < len(x); {
		j := runEnd(x, i)
		if x[i] == value && j-i < least {
			for k := i; k < j; k++ {
				x[k] = !value
			}
		}

		i = j
	}
}

func runEnd(x []bool, i int) int {
	j := i
	for j < len(x) && x[j] == x[i] {
		j++
	}
	return j
}

func peakOf(pcm []int16) int {
	most := 1
	for _, x := range pcm {
		most = max(most, int(x), -int(x))
	}
	return most
}

// SilenceDetect cuts a recording by the rule of ffmpeg's filter silencedetect with noise=-30dB and
// d=0.5: all samples are below the level for half a second. The air of the pace stays.
func SilenceDetect(r Recording, pace Pace) []media.Span {
	limit := 32768 * gain(-30)
	var gaps []media.Span
	quiet := 0
	for i := 0; i <= len(r.PCM); i++ {
		if i < len(r.PCM) && math.Abs(float64(r.PCM[i])) < limit {
			quiet++
			continue
		}

		if quiet >= rate/2 {
			gaps = append(gaps, media.Span{StartMS: int64(i-quiet) * 1000 / rate, EndMS: int64(i) * 1000 / rate})
		}
		quiet = 0
	}

	return withAir(r, gaps, Pace{AirMS: pace.AirMS})
}

// NetworkAlone cuts a recording by the probabilities of a voice network, 0-255 for each window of
// windowMS. Speech starts at 0.5 and ends below 0.35, as the network's authors advise.
func NetworkAlone(r Recording, probability []byte, windowMS int64, pace Pace) []media.Span {
	var speech []media.Span
	on := false
	for i, p := range probability {
		share := float64(p) / 255
		window := media.Span{StartMS: int64(i) * windowMS, EndMS: int64(i+1) * windowMS}
		if on = share >= 0.5 || (on && share >= 0.35); on {
			speech = append(speech, window)
		}
	}

	return withAir(r, media.KeptSpans(r.DurationMS, media.MergeSpans(speech)), pace)
}

// withAir returns the cuts that gaps between speech give at a pace.
func withAir(r Recording, gaps []media.Span, pace Pace) (cuts []media.Span) {
	for _, g := range gaps {
		if g.Duration() <= pace.LongestMS {
			continue
		}
		if g.StartMS > 0 {
			g.StartMS += pace.AirMS
		}
		if g.EndMS < r.DurationMS {
			g.EndMS -= pace.AirMS
		}
		if g.Duration() > 0 {
			cuts = append(cuts, g)
		}
	}

	return cuts
}
