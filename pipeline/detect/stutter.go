package detect

import (
	"slices"

	"roughcut/media"
	"roughcut/pipeline/language"
)

const (
	stutterGapMS       = 600 // longest gap between two copies of a word
	fragmentConfidence = 0.72
	functionConfidence = 0.68 // of a repeated word that cannot be stressed, such as "the"
	contentConfidence  = 0.45 // of any other word, which may be stressed: such edits start inactive
)

// stutters proposes to cut words that are repeated at once ("I I I think") and fragments of the
// next word ("th- the"). The last copy stays. Repetitions that a false start removes have no edit.
func (t *talk) stutters(k Settings, abandoned []Edit) []Edit {
	f := t.finder(clampPercent(k.FalseStartSensitivity))
	taken := spansOf(abandoned)
	var out []Edit
	for i := 0; i+1 < len(f.words); {
		end, sure := i, 1.0
		for end+1 < len(f.words) {
			c := f.stutter(end)
			if c == 0 {
				break
			}
			sure, end = min(sure, c), end+1
		}

		if end == i {
			i++
			continue
		}

		if !f.stressed(i, end) {
			out = append(out, f.cutStutter(k, i, end, sure, taken)...)
		}
		i = end
	}

	return out
}

// stutter returns the confidence that token i is a failed attempt at the next token, 0 if it is
// not.
func (f *finder) stutter(i int) float64 {
	word, next := f.words[i], f.words[i+1]
	text := f.Words[word.index].Text
	begins := word.norm == next.norm || isPrefixOf(word.norm, next.norm)
	switch {
	case f.inventions.any(word.index, next.index+1):
		return 0
	case next.index != word.index+1 || next.gapMS > stutterGapMS || endsSentence(text):
		return 0
	case word.unfinished && begins:
		return fragmentConfidence
	case word.norm != next.norm || f.hurried(i+1, i+2+hurriedMore):
		return 0
	case f.functionWord(word.norm) > 0:
		return f.functionWord(word.norm)
	case endsClause(text) || f.emphasis(i, i+1, 1, 0) || next.gapMS < evenMS:
		return 0
	}

	return contentConfidence
}

// stressed reports whether the copies of a word, tokens [i, end], are meant: more than two of a
// word that can be stressed, as in "no no no".
func (f *finder) stressed(i, end int) bool {
	return end-i > 1 && f.words[i].norm == f.words[end].norm && !f.words[i].unfinished &&
		f.functionWord(f.words[end].norm) == 0
}

// functionWord returns the confidence that a repeated word is a stutter because it is a function
// word: repeating it stresses nothing. The confidence is 0 for other words. In languages without a
// list, frequent words count.
func (f *finder) functionWord(norm string) float64 {
	known, _ := language.Find(media.BaseLanguage(f.language))
	switch {
	case norm == intensifier:
	case slices.Contains(known.OpenEnded, norm):
		return functionConfidence
	case known.OpenEnded == nil && f.isFrequent(norm):
		return contentConfidence
	}

	return 0
}

// intensifier cannot end a sentence, but is repeated for emphasis.
const intensifier = "very"

const (
	frequentTimes = 6   // least occurrences of a frequent word
	frequentWords = 100 // one of this many words, or more
)

func (f *finder) isFrequent(norm string) bool {
	n := 0
	for _, w := range f.words {
		if w.norm == norm {
			n++
		}
	}

	return n >= max(frequentTimes, len(f.words)/frequentWords)
}

// cutStutter returns the edit that removes tokens [i, end), or none if a false start removes most
// of them.
func (f *finder) cutStutter(k Settings, i, end int, confidence float64, taken []media.Span) []Edit {
	from, to := f.words[i].index, f.words[end].index
	spoken := media.Span{StartMS: f.startMS(i), EndMS: f.endMS(end - 1)}
	cut := f.cutWords(from, to)
	if mostlyIn(taken, spoken) || cut.Duration() < shortestCut {
		return nil
	}
	sure := 1.0
	for _, w := range f.Words[from:to] {
		sure = min(sure, w.Probability)
	}
	confidence *= 0.75 + 0.25*sure
	return []Edit{k.filler(
		media.EditStutter, cut, confidence, "Stutter "+quoted(f.quote(from, to))+" before "+quoted(f.quote(to, to+1)),
	)}
}

// mostlyIn reports whether one of the spans covers half of s.
func mostlyIn(spans []media.Span, s media.Span) bool {
	return slices.ContainsFunc(spans, func(x media.Span) bool {
		return 2*x.Intersect(s).Duration() >= s.Duration()
	})
}
