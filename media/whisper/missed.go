package whisper

import (
	"cmp"
	"slices"

	"roughcut/media"
	"roughcut/media/align"
	"roughcut/media/audio"
)

const (
	minMissedMS              = 450  // voiced spans of this length without words are transcribed again
	maxMissedFraction        = 0.4  // unless they exceed this fraction of all voiced time: that is music, not speech
	minSecondPassProbability = 0.35 // of a word of the second pass
)

// A word that lasts this much longer than usual words of its text may hide words after it that the
// model omitted. It is transcribed again.
const (
	longRatio       = 2.0
	longMoreMS      = 300
	sureProbability = 0.6 // mean of words of the second pass that replace a word of the first one
)

// missedSpeech returns the voiced spans without words. Models skip repeated sentences.
func missedSpeech(words []rawWord, v audio.VoiceActivity) []media.Span {
	cover := make([]media.Span, len(words))
	for i, w := range words {
		cover[i] = media.Span{StartMS: w.startMS, EndMS: w.endMS}
	}
	var out []media.Span
	next := 0
	for _, gap := range media.KeptSpans(v.DurationMS, cover) {
		for next < len(v.Spans) && v.Spans[next].EndMS <= gap.StartMS {
			next++
		}
		for _, s := range v.Spans[next:] {
			if s.StartMS >= gap.EndMS {
				break
			}
			if on := s.Intersect(gap); on.Duration() >= minMissedMS {
				out = append(out, on)
			}
		}
	}

	return out
}

// longWords returns the words that last as long as several words, at the usual pace of the
// recording.
func longWords(words []rawWord) []rawWord {
	ratios := make([]float64, len(words))
	for i, w := range words {
		ratios[i] = float64(w.endMS-w.startMS) / align.TypicalMS(w.text)
	}
	sorted := slices.Sorted(slices.Values(ratios))
	var out []rawWord
	for i, w := range words {
		usual := align.TypicalMS(w.text) * sorted[len(sorted)/2]
		if length := float64(w.endMS - w.startMS); length > longRatio*usual && length > usual+longMoreMS {
			out = append(out, words[i])
		}
	}

	return out
}

// spansOf returns the missed spans and the spans of long words, in order and without overlaps.
func spansOf(missed []media.Span, long []rawWord) []media.Span {
	all := slices.Clone(missed)
	for _, w := range long {
		all = append(all, media.Span{StartMS: w.startMS, EndMS: w.endMS})
	}
	return media.MergeSpans(all)
}

// isSpeech reports whether the spans to transcribe again are likely speech. It returns false
// without spans. It also returns false if they take more than maxMissedFraction of the voiced time,
// because they must then contain something other than speech.
func isSpeech(spans []media.Span, v audio.VoiceActivity) bool {
	again, all := int64(0), int64(0)
	for _, s := range spans {
		again += s.Duration()
	}
	for _, s := range v.Spans {
		all += s.Duration()
	}
	return again > 0 && float64(again) <= maxMissedFraction*float64(all)
}

// inPlaceOf returns the words of the first pass. The words that the second pass heard in the time
// of a long word replace it. A long word stays if the second pass heard fewer than two words there,
// or was unsure of words that all differ from it.
func inPlaceOf(first, long, second []rawWord) []rawWord {
	var out []rawWord
	for _, w := range first {
		if len(long) == 0 || !isSame(w, long[0]) {
			out = append(out, w)
			continue
		}

		heard := heardIn(media.Span{StartMS: long[0].startMS, EndMS: long[0].endMS}, second)
		long = long[1:]
		same := func(o rawWord) bool { return media.FoldWord(o.text) == media.FoldWord(w.text) }
		isUnsure := !slices.ContainsFunc(heard, same) && meanProbability(heard) < sureProbability
		if len(heard) < 2 || isUnsure {
			heard = []rawWord{w}
		}
		out = append(out, heard...)
	}

	return out
}

// meanProbability returns the mean probability of words.
func meanProbability(words []rawWord) float64 {
	total := 0.0
	for _, w := range words {
		total += w.probability
	}
	return total / float64(len(words))
}

// isSame reports whether b is a, snapped. Snapping changes only the times.
func isSame(a, b rawWord) bool {
	return a.segment == b.segment && a.text == b.text && a.probability == b.probability
}

// heardIn returns the words of the second pass whose middle is in a span, apart from doubtful ones.
func heardIn(s media.Span, second []rawWord) (out []rawWord) {
	for _, w := range second {
		middle := (w.startMS + w.endMS) / 2
		if middle >= s.StartMS && middle <= s.EndMS && w.probability >= minSecondPassProbability {
			out = append(out, w)
		}
	}

	return out
}

// mergeWords adds the words of the second pass that are in a missed span to the words of the first
// pass.
func mergeWords(first, second []rawWord, missed []media.Span) []rawWord {
	out := slices.Clone(first)
	for _, s := range missed {
		out = append(out, heardIn(s, second)...)
	}
	slices.SortStableFunc(out, func(a, b rawWord) int { return cmp.Compare(a.startMS, b.startMS) })
	return out
}
