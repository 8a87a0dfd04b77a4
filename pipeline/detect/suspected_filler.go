package detect

import (
	"fmt"
	"slices"

	"roughcut/media"
)

const (
	suspectMS      = 150 // shortest voice without a word that may be a filler
	longestSuspect = 1500
	wordTailMS     = 40  // what may follow the recognized end of a word
	wordHeadMS     = 20  // what may precede its recognized start
	flatSteps      = 3   // most that a flat pitch changes in 20 ms: half a semitone
	flatRange      = 9   // and over its whole duration: one and a half semitones
	flatShare      = 0.7 // least part of the sound that is flat
	evenSoundDB    = 14  // most that the level of a held sound varies
	heldBelowDB    = 15  // most that a filler is quieter than loud speech
	heldEdgeMS     = 30  // at each end of a held sound, where it fades
	sureVoice      = 128 // mean probability of voice, 0-255

	shortSuspect  = 0.42 // confidence in a sound of suspectMS
	longSuspect   = 0.62 // and of sureSuspectMS or more
	sureSuspectMS = 400
)

// suspectedFillers proposes to cut voice without words that is flat in pitch, as "um" and "uh" are
// where the speech model leaves them out. It needs a transcript and the pitch. Sounds in the taken
// spans have another edit.
func (t *talk) suspectedFillers(k Settings, taken []media.Span) []Edit {
	if len(t.Words) == 0 || len(t.Pitch) == 0 {
		return nil
	}
	var out []Edit
	for _, s := range t.wordless() {
		held := t.held(s)
		if held.Duration() < suspectMS || float64(held.Duration()) < flatShare*float64(s.Duration()) ||
			mostlyIn(taken, held) || !t.isVoice(held) || !t.isEven(held) {
			continue
		}
		cut := t.cutSuspect(s)
		for _, x := range append(taken, spansOf(out)...) {
			cut = without(cut, x)
		}
		if cut.Duration() < shortestCut {
			continue
		}
		share := float64(min(held.Duration(), sureSuspectMS)-suspectMS) / (sureSuspectMS - suspectMS)
		reason := fmt.Sprintf("Sound of %s without a word, flat in pitch", seconds(held.Duration()))
		out = append(out, k.filler(Filler, cut, shortSuspect+(longSuspect-shortSuspect)*share, reason))
	}
	return out
}

// without returns the longer part of s outside another span.
func without(s, other media.Span) media.Span {
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

// held returns the longest part of a span that is flat in pitch.
func (t *talk) held(s media.Span) (best media.Span) {
	const frame = media.PitchFrameMS
	end := min(int(s.EndMS/frame), len(t.Pitch))
	for from := int(s.StartMS / frame); from < end; from++ {
		low, high, to := t.Pitch[from], t.Pitch[from], from
		for to < end && t.Pitch[to] > 0 && (to == from || nearPitch(t.Pitch[to], t.Pitch[to-1])) {
			low, high = min(low, t.Pitch[to]), max(high, t.Pitch[to])
			if high-low > flatRange {
				break
			}
			to++
		}
		found := media.Span{StartMS: int64(from) * frame, EndMS: int64(to) * frame}.Intersect(s)
		if found.Duration() > best.Duration() {
			best = found
		}
	}
	return best
}

func nearPitch(a, b byte) bool { return max(a, b)-min(a, b) <= flatSteps }

// isVoice reports whether the voice network hears voice in a span. Evidence of earlier versions
// has no pitch, so that it always has the probabilities if there is a network.
func (t *talk) isVoice(s media.Span) bool {
	from := int(s.StartMS / media.VoiceWindowMS)
	to := min(int(s.EndMS/media.VoiceWindowMS)+1, len(t.Voice.Probability))
	if from >= to {
		return len(t.Voice.Probability) == 0
	}
	sum := 0
	for _, p := range t.Voice.Probability[from:to] {
		sum += int(p)
	}
	return sum >= sureVoice*(to-from)
}

// isEven reports whether the level hardly changes in a span, apart from its ends.
func (t *talk) isEven(s media.Span) bool {
	low, high := t.Voice.Level(s.StartMS+heldEdgeMS), t.Voice.Level(s.StartMS+heldEdgeMS)
	for ms := s.StartMS + heldEdgeMS; ms < s.EndMS-heldEdgeMS; ms += media.VoiceFrameMS {
		low, high = min(low, t.Voice.Level(ms)), max(high, t.Voice.Level(ms))
	}
	return high-low <= evenSoundDB && high >= t.Voice.SpeechDB-heldBelowDB
}

// cutSuspect returns the cut that removes a sound and the pause after it, without touching a word.
func (t *talk) cutSuspect(s media.Span) media.Span {
	cut := t.cutSpeech(s)
	for _, w := range t.Words {
		cut = without(cut, media.Span{StartMS: w.StartMS, EndMS: w.EndMS})
	}
	return cut
}
