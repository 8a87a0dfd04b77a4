package detect

import (
	"slices"

	"roughcut/media"
	"roughcut/pipeline/language"
)

const fillerConfidence = 0.85

// fillers proposes to cut runs of fillers, together with the pause after them.
func (t *talk) fillers(tag string, choice WordChoice, active bool) []Edit {
	known := slices.Concat(fillersOf(tag), choice.Added)
	isFiller := func(w media.Word) bool {
		norm := normal(w.Text)
		return matchesEntry(norm, known) && !matchesEntry(norm, choice.Removed)
	}
	var out []Edit
	for i := 0; i < len(t.Words); {
		n := 0
		for i+n < len(t.Words) && isFiller(t.Words[i+n]) {
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
			out = append(out, Edit{
				Type:       Filler,
				Span:       cut,
				Active:     active,
				Reason:     "Filler " + quoted(t.quote(i, i+n)),
				Confidence: round2(fillerConfidence * (0.6 + 0.4*sure)),
			})
		}
		i += n
	}
	return out
}

// fillersOf returns the fillers of the language of a tag, nil for an unknown language.
func fillersOf(tag string) []string {
	known, _ := language.Find(media.BaseLanguage(tag))
	return known.Fillers
}

// fillersOrEnglish returns the fillers of the language of a tag, or those of English if the
// language has none.
func fillersOrEnglish(tag string) []string {
	if known := fillersOf(tag); known != nil {
		return known
	}
	return language.English().Fillers
}
