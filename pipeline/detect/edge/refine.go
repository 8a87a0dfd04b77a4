package edge

import (
	"slices"

	"roughcut/media"
	"roughcut/pipeline/detect/spectrum"
)

const (
	clearLogit      = 6    // one frame counts no more than this
	caution         = 0.15 // added to each logit: air costs less than speech
	deepestMS       = 150  // that an end moves into what energy took for speech
	outwardMS       = 20   // that an edge moves into what energy took for a pause
	spareMS         = 5    // of air after speech, half a frame
	shortestSoundMS = 60   // of what speech leaves of a sound
)

// Refine moves the edges of the spans of a recording to where speech starts and ends in m, the
// spectrum of the same audio. It needs the probabilities of the voice network and does nothing
// without.
func Refine(v *media.VoiceActivity, m *spectrum.Meter) {
	if len(v.Probability) == 0 {
		return
	}
	starts, ends := networks()
	before, spans := v.Spans, slices.Clone(v.Spans)
	for _, e := range newRecording(*v, m).edges() {
		s := spans[e.span]
		if e.start {
			s.StartMS = max(e.time(starts, s.StartMS), s.StartMS-outwardMS, 0)
		} else {
			s.EndMS = min(max(e.time(ends, s.EndMS)+spareMS, s.EndMS-deepestMS), s.EndMS+outwardMS, v.DurationMS)
		}
		if s.StartMS < s.EndMS {
			spans[e.span] = s
		}
	}
	v.Spans, v.Refined = media.MergeSpans(spans), true
	v.Sounds = without(v.Sounds, before, v.Spans)
}

// time returns the time of the edge: the sum of the logits of all frames on the side of the speech
// is largest there. It returns before if no frame seems to be speech.
func (e edge) time(n *network, before int64) int64 {
	count, best, sum := 0, float32(0), float32(0)
	for i, x := range e.features {
		if sum += within(n.logit(x)+caution, clearLogit); sum > best {
			count, best = i+1, sum
		}
	}
	switch {
	case count == 0:
		return before
	case e.start:
		return timeOf(e.anchor - (e.first + count - 1))
	}
	return timeOf(e.anchor + e.first + count)
}

// without returns the sounds without the speech that moved edges give. Sounds that were part of the
// speech before stay: they are as loud.
func without(sounds []media.Sound, before, after []media.Span) (out []media.Sound) {
	for _, s := range sounds {
		if i := firstAfter(before, s.StartMS); i < len(before) && before[i].StartMS < s.EndMS {
			out = append(out, s)
			continue
		}
		for i := firstAfter(after, s.StartMS); i < len(after) && after[i].StartMS < s.EndMS; i++ {
			if speech := after[i]; speech.StartMS <= s.StartMS {
				s.StartMS = speech.EndMS
			} else {
				s.EndMS = speech.StartMS
			}
		}
		if s.Duration() >= shortestSoundMS {
			out = append(out, s)
		}
	}
	return out
}

// firstAfter returns the index of the first span that ends after a time.
func firstAfter(spans []media.Span, ms int64) int {
	i, _ := slices.BinarySearchFunc(spans, ms, func(s media.Span, at int64) int { return int(s.EndMS - at - 1) })
	return i
}
