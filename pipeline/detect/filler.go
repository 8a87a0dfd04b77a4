package detect

import (
	"slices"

	"roughcut/media"
	"roughcut/pipeline/language"
)

const (
	fillerConfidence = 0.85
	longestFillerMS  = 2000 // a longer word spans something else, such as music, that the speech model took for it
	spanningShare    = 0.5  // of the confidence in a filler that is longer
)

// fillers proposes to cut runs of fillers, together with the pause after them.
func (t *talk) fillers(k Settings) []Edit {
	choice := k.FillerWords
	known := slices.Concat(fillersOf(k.Language), choice.Added)
	isFiller := func(i int) bool {
		norm := normalize(t.Words[i].Text)
		return matchesEntry(norm, known) && !matchesEntry(norm, choice.Removed) && !t.inventions.any(i, i+1)
	}
	var out []Edit
	for i := 0; i < len(t.Words); {
		n := 0
		for i+n < len(t.Words) && isFiller(i+n) {
			n++
		}
		if n == 0 {
			i++
			continue
		}

		sure := 1.0
		for _, w := range t.Words[i : i+n] {
			sure = min(sure, w.Probability)
		}
		if cut := t.cutWords(i, i+n); cut.Duration() >= shortestCut {
			c := fillerConfidence * (0.6 + 0.4*sure)
			if slices.ContainsFunc(t.Words[i:i+n], isTooLong) {
				c *= spanningShare
			}
			out = append(out, k.filler(media.EditFiller, cut, c, "Filler "+quoted(t.quote(i, i+n))))
		}

		i += n
	}

	return out
}

// isTooLong reports whether a word is longer than any filler.
func isTooLong(w media.Word) bool { return w.EndMS-w.StartMS > longestFillerMS }

// filler returns the edit that cuts a filler or a stutter. It is active only on request.
func (k Settings) filler(kind string, cut media.Span, confidence float64, reason string) Edit {
	c := round2(confidence)
	return Edit{
		Type: kind, Span: cut, Active: k.CutFillers && c >= activeFrom, Reason: reason, Confidence: c,
	}
}

// fillersOf returns the fillers of the language of a tag, nil for an unknown language.
func fillersOf(tag string) []string {
	known, _ := language.Find(media.BaseLanguage(tag))
	return known.Fillers
}

// fillersOrEnglish returns the fillers of the language of a tag, or the English fillers if the
// language has none.
func fillersOrEnglish(tag string) []string {
	if known := fillersOf(tag); known != nil {
		return known
	}
	return language.English().Fillers
}
