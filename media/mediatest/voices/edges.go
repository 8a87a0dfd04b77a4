package voices

import (
	"math"
	"slices"
)

// The edges of speech. Debian's prompts were recorded in a booth: loud speech has -12 dBFS and the
// background -80 dBFS, so a threshold far below speech still has 25 dB above the background.
const (
	edgeFrame      = rate / 200 // 5 ms
	edgeBelowDB    = 42         // speech ends this far below loud speech
	edgeOverDB     = 10         // the least distance of the threshold from the background
	tailBelowDB    = 36         // sound that stays between this level and the threshold
	tailFrames     = 10         // for more than 50 ms at an edge is the noise of the room
	phraseGap      = 36         // frames without speech, 180 ms, that separate two phrases
	leastPhrase    = 100        // frames, 500 ms
	longestPhrase  = 1600       // frames, 8 s
	phraseBelowDB  = 10         // phrases this far below the rest of the prompt are breaths
	clickFrames    = 8          // a sound of 40 ms at an edge
	clickGap       = 6          // that is 30 ms away from the speech
	clickBelowDB   = 30         // and this far below loud speech is a click of the mouth
	silentDB       = -100.0
	loudShare      = 0.9
	backgroundRank = 0.02
)

// samples is a range of samples.
type samples struct{ from, to int }

// phrases returns the phrases of a prompt: sound without a gap of 180 ms, cut to 5 ms.
func phrases(pcm []int16) (out []samples) {
	levels := frameLevels(pcm)
	loud := percentile(voiced(levels), loudShare)
	threshold := max(loud-edgeBelowDB, percentile(levels, backgroundRank)+edgeOverDB)
	for _, run := range runsAbove(levels, threshold, phraseGap) {
		run = withoutTails(levels, withoutClicks(levels, run, threshold, loud-clickBelowDB), loud-tailBelowDB)
		n := run.to - run.from
		if n < leastPhrase || n > longestPhrase || percentile(levels[run.from:run.to], loudShare) < loud-phraseBelowDB {
			continue
		}
		out = append(out, samples{run.from * edgeFrame, run.to * edgeFrame})
	}

	return out
}

// frameLevels returns the level of each frame of 5 ms in dBFS, without the constant part.
func frameLevels(pcm []int16) []float64 {
	filter := highPass(60)
	levels := make([]float64, len(pcm)/edgeFrame)
	for i := range levels {
		sum := 0.0
		for _, s := range pcm[i*edgeFrame : (i+1)*edgeFrame] {
			x := filter.next(float64(s) / 32768)
			sum += x * x
		}

		levels[i] = max(10*math.Log10(sum/edgeFrame+1e-12), silentDB)
	}

	return levels
}

// voiced returns the levels within 30 dB of the loudest frame.
func voiced(levels []float64) (out []float64) {
	if len(levels) == 0 {
		return nil
	}
	top := slices.Max(levels)
	for _, l := range levels {
		if l > top-30 {
			out = append(out, l)
		}
	}

	return out
}

// percentile returns the value that a share of the values does not exceed, or silentDB without any.
func percentile(values []float64, share float64) float64 {
	if len(values) == 0 {
		return silentDB
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

// runsAbove returns the runs of frames above a threshold. It joins runs with a gap below longest.
func runsAbove(levels []float64, threshold float64, longest int) (runs []samples) {
	for i, l := range levels {
		if l <= threshold {
			continue
		}
		if n := len(runs); n > 0 && i-runs[n-1].to < longest {
			runs[n-1].to = i + 1
			continue
		}

		runs = append(runs, samples{i, i + 1})
	}

	return runs
}

// withoutClicks removes clicks from both ends of a run.
func withoutClicks(levels []float64, run samples, threshold, quiet float64) samples {
	islands := runsAbove(levels[run.from:run.to], threshold, clickGap)
	isClick := func(s samples) bool {
		return s.to-s.from <= clickFrames && slices.Max(levels[run.from+s.from:run.from+s.to]) < quiet
	}
	for len(islands) > 1 && isClick(islands[0]) {
		islands = islands[1:]
	}
	for n := len(islands); n > 1 && isClick(islands[n-1]); n-- {
		islands = islands[:n-1]
	}
	if len(islands) == 0 {
		return samples{run.from, run.from}
	}
	return samples{run.from + islands[0].from, run.from + islands[len(islands)-1].to}
}

// withoutTails shortens quiet sound at both ends of a run to tailFrames.
func withoutTails(levels []float64, run samples, quiet float64) samples {
	from, to := run.from, run.to
	for from < run.to && levels[from] < quiet {
		from++
	}
	for to > from && levels[to-1] < quiet {
		to--
	}
	return samples{max(run.from, from-tailFrames), min(run.to, to+tailFrames)}
}
