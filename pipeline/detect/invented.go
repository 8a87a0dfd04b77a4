package detect

import (
	"slices"

	"roughcut/media"
	"roughcut/media/audio"
)

const (
	leastHeardMS = 2 * audio.VoiceFrameMS // of voice in a word: the ends of voice are exact to two frames
	loopWords    = 12                     // most words of a phrase that a speech model repeats
	loopCopies   = 2                      // least copies of it
)

// inventions marks the words that a speech model made up. A model that hears nothing writes words
// all the same, and often repeats them in a loop. Such words have no voice. The alignment moves
// some words of a loop into the speech next to it, so a loop is invented if one of its words is.
type inventions struct {
	before []int // how many invented words there are before each index
}

// invented finds the words without voice.
func (t *talk) invented() inventions {
	voice := slices.Concat(t.Voice.Spans, t.Voice.Hidden)
	for _, s := range t.Voice.Sounds {
		if s.Kind == audio.SoundFaint {
			voice = append(voice, s.Span)
		}
	}

	voice = media.MergeSpans(voice)
	silent, next := make([]bool, len(t.Words)), 0
	for i, w := range t.Words {
		for next < len(voice) && voice[next].EndMS <= w.StartMS {
			next++
		}
		span, heard := media.Span{StartMS: w.StartMS, EndMS: w.EndMS}, int64(0)
		for _, s := range voice[next:] {
			if s.StartMS >= w.EndMS {
				break
			}
			heard += s.Intersect(span).Duration()
		}

		silent[i] = heard < min(leastHeardMS, max(span.Duration(), 1))
	}

	t.markLoops(silent)
	v := inventions{before: make([]int, len(silent)+1)}
	for i, is := range silent {
		v.before[i+1] = v.before[i]
		if is {
			v.before[i+1]++
		}
	}

	return v
}

// markLoops marks all words of the loops with silent words.
func (t *talk) markLoops(silent []bool) {
	if !slices.Contains(silent, true) {
		return
	}
	norms := make([]string, len(t.Words))
	for i, w := range t.Words {
		norms[i] = normalize(w.Text)
	}
	found := slices.Clone(silent)
	for period := 1; period <= loopWords; period++ {
		for from := 0; from+period < len(norms); {
			to := from + period
			for to < len(norms) && norms[to] == norms[to-period] {
				to++
			}
			if to-from < loopCopies*period {
				from = max(from+1, to-period+1)
				continue
			}

			if slices.Contains(found[from:to], true) {
				for i := from; i < to; i++ {
					silent[i] = true
				}
			}

			from = to - period + 1
		}
	}
}

// any reports whether one of the words [i, j) is invented.
func (v inventions) any(i, j int) bool { return v.before[j] > v.before[i] }
