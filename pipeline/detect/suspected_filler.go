package detect

import (
	"fmt"
	"slices"

	"roughcut/media"
	"roughcut/media/audio"
)

const (
	suspectMS      = 150 // shortest voice without a word that may be a filler
	longestSuspect = 1500
	wordTailMS     = 40  // what may follow the recognized end of a word
	wordHeadMS     = 20  // what may precede its recognized start
	flatSteps      = 3   // most that a flat pitch changes in 20 ms: half a semitone
	flatRange      = 9   // and over its whole duration: one and a half semitones
	fallSteps      = 5   // most that the pitch of an even spectrum changes in 20 ms
	fallRange      = 42  // and over its whole duration: seven semitones
	evenChange     = 16  // most that an even spectrum changes in 40 ms: 2 dB
	closingFrames  = 4   // of 20 ms: the mouth may close, as in "um", or the pitch get lost
	heldShare      = 0.7 // least part of the sound that is held
	heldMS         = 250 // unless this much is held
	evenSoundDB    = 18  // most that the level of a held sound varies
	heldBelowDB    = 15  // most that a filler is quieter than loud speech
	heldEdgeMS     = 30  // fade at each end of a held sound
	sureVoice      = 150 // highest probability of voice, 0-255

	shortSuspect  = 0.42 // confidence in a sound of suspectMS
	longSuspect   = 0.62 // and of sureSuspectMS or more
	sureSuspectMS = 400
)

// suspect is a sound that is held like a filler.
type suspect struct {
	media.Span
	held int64 // milliseconds
}

// suspects returns the voice without words that is held, as "um" and "uh" are where the speech
// model leaves them out. It needs a transcript and the pitch.
func (t *talk) suspects() (out []suspect) {
	if len(t.Words) == 0 || len(t.Pitch) == 0 {
		return nil
	}
	for _, s := range t.wordless() {
		held := t.held(s)
		if held.Duration() < suspectMS || !t.isVoice(held) || !t.isEven(held) {
			continue
		}
		if float64(held.Duration()) < heldShare*float64(s.Duration()) {
			if held.Duration() < heldMS {
				continue
			}
			s = held
		}

		out = append(out, suspect{s, held.Duration()})
	}

	return out
}

// suspectedFillers proposes to cut the suspects. Sounds in the taken spans have another edit.
func (t *talk) suspectedFillers(k Settings, taken []media.Span) (out []Edit) {
	for _, s := range t.suspects() {
		if mostlyIn(taken, s.Span) {
			continue
		}
		cut := t.cutSuspect(s.Span)
		for _, x := range append(taken, spansOf(out)...) {
			cut = longestOutside(cut, x)
		}
		if cut.Duration() < shortestCut {
			continue
		}
		share := float64(min(s.held, sureSuspectMS)-suspectMS) / (sureSuspectMS - suspectMS)
		reason := fmt.Sprintf("Sound of %s without a word, held like a filler", seconds(s.held))
		out = append(out, k.filler(media.EditFiller, cut, shortSuspect+(longSuspect-shortSuspect)*share, reason))
	}

	return out
}

// onlySuspects reports whether a span has voice that is held like a filler, and hardly other voice.
func (t *talk) onlySuspects(s media.Span, suspects []suspect) bool {
	spoken, held := int64(0), int64(0)
	for _, v := range t.Voice.Spans {
		spoken += max(v.Intersect(s).Duration(), 0)
	}
	for _, x := range suspects {
		held += max(x.Intersect(s).Duration(), 0)
	}
	return held > 0 && float64(held) >= heldShare*float64(spoken)
}

// longestOutside returns the longer part of s outside another span.
func longestOutside(s, other media.Span) media.Span {
	if s.Intersect(other).Duration() <= 0 {
		return s
	}
	before := media.Span{StartMS: s.StartMS, EndMS: other.StartMS}
	after := media.Span{StartMS: other.EndMS, EndMS: s.EndMS}
	if before.Duration() >= after.Duration() {
		return before
	}
	return after
}

// wordless returns the voice that no word covers and that is as long as a filler. Speech models are
// not exact about where words start and end.
func (t *talk) wordless() (out []media.Span) {
	var words []media.Span
	for _, w := range t.Words {
		words = append(words, media.Span{StartMS: max(w.StartMS-wordHeadMS, 0), EndMS: w.EndMS + wordTailMS})
	}
	for _, l := range t.loud {
		words = append(words, l.Span)
	}
	gaps := media.KeptSpans(t.DurationMS, media.MergeSpans(words))
	for _, v := range t.Voice.Spans {
		n, _ := slices.BinarySearchFunc(gaps, v.StartMS, func(g media.Span, ms int64) int { return int(g.EndMS - ms) })
		for ; n < len(gaps) && gaps[n].StartMS < v.EndMS; n++ {
			if s := gaps[n].Intersect(v); s.Duration() >= suspectMS && s.Duration() <= longestSuspect {
				out = append(out, s)
			}
		}
	}

	return out
}

// held returns the longest part of a span that the voice holds: flat in pitch, or even in spectrum
// while the pitch falls.
func (t *talk) held(s media.Span) (best media.Span) {
	const frame = audio.PitchFrameMS
	end := min(int(s.EndMS/frame), len(t.Pitch))
	for from := int(s.StartMS / frame); from < end; from++ {
		if t.Pitch[from] == 0 {
			continue
		}
		to := max(t.flatUntil(from, end), t.evenUntil(from, end))
		found := media.Span{StartMS: int64(from) * frame, EndMS: int64(to) * frame}.Intersect(s)
		if found.Duration() > best.Duration() {
			best = found
		}
	}

	return best
}

// flatUntil returns the end of the flat pitch that starts at a frame.
func (t *talk) flatUntil(from, end int) int {
	to := from + 1
	for low, high := t.Pitch[from], t.Pitch[from]; to < end && t.steps(to, flatSteps); to++ {
		low, high = min(low, t.Pitch[to]), max(high, t.Pitch[to])
		if high-low > flatRange {
			break
		}
	}

	return to
}

// evenUntil returns the end of the even spectrum that starts at a frame. The spectrum may change
// while the mouth closes.
func (t *talk) evenUntil(from, end int) int {
	even, closing, last := from, 0, t.Pitch[from]
	end = min(end, len(t.Change))
	for to := from; to < end && closing <= closingFrames; to++ {
		closing++
		if p := t.Pitch[to]; p == 0 {
			continue
		} else if absDiff(p, last) > fallSteps*byte(closing) || absDiff(p, t.Pitch[from]) > fallRange {
			break
		}

		last = t.Pitch[to]
		if t.Change[to] <= evenChange {
			even, closing = to+1, 0
		}
	}

	return even
}

// steps reports whether a frame and the frame before it have nearly the same pitch.
func (t *talk) steps(frame int, most byte) bool {
	return t.Pitch[frame] > 0 && absDiff(t.Pitch[frame], t.Pitch[frame-1]) <= most
}

func absDiff(a, b byte) byte { return max(a, b) - min(a, b) }

// isVoice reports whether the voice network hears voice in a span. It stops hearing a sound that is
// held for long. Evidence of earlier versions has no pitch, so that it always has the probabilities
// if there is a network.
func (t *talk) isVoice(s media.Span) bool {
	from := int(s.StartMS / audio.VoiceWindowMS)
	to := min(int(s.EndMS/audio.VoiceWindowMS)+1, len(t.Voice.Probability))
	if from >= to {
		return len(t.Voice.Probability) == 0
	}
	return slices.Max(t.Voice.Probability[from:to]) >= sureVoice
}

// isEven reports whether the level hardly changes in a span, apart from its ends.
func (t *talk) isEven(s media.Span) bool {
	low, high := t.Voice.Level(s.StartMS+heldEdgeMS), t.Voice.Level(s.StartMS+heldEdgeMS)
	for ms := s.StartMS + heldEdgeMS; ms < s.EndMS-heldEdgeMS; ms += audio.VoiceFrameMS {
		low, high = min(low, t.Voice.Level(ms)), max(high, t.Voice.Level(ms))
	}
	return high-low <= evenSoundDB && high >= t.Voice.SpeechDB-heldBelowDB
}

// cutSuspect returns the cut that removes a sound and the pause after it, without touching a word.
func (t *talk) cutSuspect(s media.Span) media.Span {
	cut := t.cutSpeech(s)
	for _, w := range t.Words {
		cut = longestOutside(cut, media.Span{StartMS: w.StartMS, EndMS: w.EndMS})
	}
	return cut
}
