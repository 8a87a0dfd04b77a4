package detect

import (
	"slices"
	"strings"

	"roughcut/pipeline/language"
)

const fillerConfidence = 0.85

// fillers proposes to cut sounds without meaning, together with the pause after them.
func (t *talk) fillers(tag string, choice WordChoice, active bool) []Edit {
	known := slices.Concat(fillersOf(tag), choice.Added)
	var out []Edit
	for i := 0; i < len(t.Words); {
		n := 0
		for i+n < len(t.Words) && listed(normal(t.Words[i+n].Text), known) && !listed(normal(t.Words[i+n].Text), choice.Removed) {
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
			out = append(
				out,
				Edit{
					Type:       Filler,
					Span:       cut,
					Active:     active,
					Reason:     "Filler " + quoted(t.quote(i, i+n)),
					Confidence: round2(fillerConfidence * (0.6 + 0.4*sure)),
				},
			)
		}
		i += n
	}
	return out
}

// fillersOf returns the fillers of the language of a tag, nil for an unknown language.
func fillersOf(tag string) []string {
	known, _ := language.Find(baseLanguage(tag))
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

// baseLanguage returns a language tag without its region, in lower case.
func baseLanguage(tag string) string {
	code, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
	return code
}
