package detect

import (
	"fmt"
	"slices"

	"roughcut/media"
	"roughcut/media/audio"
)

const (
	leastHeardMS = 2 * audio.VoiceFrameMS // of voice in a word: the ends of voice are exact to two frames
	loopWords    = 12                     // most words of a phrase that a speech model repeats
	loopCopies   = 2                      // least copies of it
	stuckCopies  = 3                      // least copies of a loop over speech,
	stuckMS      = 1_000                  // and the least duration of a copy
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
	found := slices.Clone(silent)
	t.loops(func(from, to, _ int) {
		if slices.Contains(found[from:to], true) {
			for i := from; i < to; i++ {
				silent[i] = true
			}
		}
	})
}

// loops passes the words [from, to) of each loop, and the number of words that it repeats.
func (t *talk) loops(visit func(from, to, period int)) {
	norms := make([]string, len(t.Words))
	for i, w := range t.Words {
		norms[i] = normalize(w.Text)
	}
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

			visit(from, to, period)
			from = to - period + 1
		}
	}
}

// doubtLoops makes the attempts of loops inactive whose copies do not sound alike: a speech model
// that is stuck writes one phrase over several sentences.
func (f *finder) doubtLoops(attempts []attempt) {
	if len(f.Change) == 0 { // old evidence may have no repeats by sound
		return
	}
	f.loops(func(from, to, period int) {
		loop := media.Span{StartMS: f.Words[from].StartMS, EndMS: f.Words[to-1].EndMS}
		copies, spoken := int64((to-from)/period), int64(0)
		for _, w := range f.Words[from:to] {
			spoken += w.EndMS - w.StartMS
		}

		isWithin := func(s media.Span) bool { return 2*s.Intersect(loop).Duration() > s.Duration() }
		isHeard := func(r Repeat) bool { return isWithin(r.Earlier) && isWithin(r.Later) }
		if copies < stuckCopies || spoken < copies*stuckMS || slices.ContainsFunc(f.Repeats, isHeard) {
			return
		}
		for i := range attempts {
			if a := &attempts[i]; isWithin(a.Span) && isWithin(a.next) {
				a.confidence, a.isTake = min(a.confidence, doubtful), false
				const reason = "Written %d times, but not heard again: perhaps a fault of the transcript"
				a.reason = fmt.Sprintf(reason, copies)
			}
		}
	})
}

// any reports whether one of the words [i, j) is invented.
func (v inventions) any(i, j int) bool { return v.before[j] > v.before[i] }
