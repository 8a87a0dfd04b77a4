package detect

import (
	"slices"

	"roughcut/media"
)

// FillerLanguages are those that FillerWords knows, sorted.
func FillerLanguages() []string {
	return []string{"da", "de", "en", "es", "fr", "it", "ja", "ko", "nb", "nl", "no", "pl", "pt", "ru", "sv", "zh"}
}

// FillerWords returns the sounds without meaning of a language. Words that also mean something
// ("like", German "um") are no fillers.
func FillerWords(language string) []string {
	switch media.BaseLanguage(language) {
	case "en":
		return []string{"um", "umm", "ummm", "uh", "uhh", "uhm", "er", "err", "erm", "hm", "hmm", "mm", "mmm"}
	case "de":
		return []string{"äh", "ähm", "ähh", "öh", "öhm", "hm", "hmm", "mm", "mmm"}
	case "fr":
		return []string{"euh", "heu", "euhm", "hm", "hmm"}
	case "es":
		return []string{"eh", "em", "ehm", "hm", "mm", "mmm"}
	case "pt":
		return []string{"ahn", "hã", "hm", "hmm", "mm"}
	case "it":
		return []string{"ehm", "uhm", "mh", "hm", "mm"}
	case "nl":
		return []string{"eh", "ehm", "uh", "uhm", "hm", "hmm"}
	case "sv", "no", "nb", "da":
		return []string{"öh", "öhm", "øh", "øhm", "eh", "ehm", "hm", "hmm"}
	case "pl":
		return []string{"yyy", "eee", "yhm", "hmm"}
	case "ru":
		return []string{"эм", "ээ", "эээ", "хм", "ммм"}
	case "ja":
		return []string{"えーと", "えっと", "えー", "うーん"}
	case "ko":
		return []string{"음", "어어"}
	case "zh":
		return []string{"呃", "嗯"}
	}
	return nil
}

const fillerConfidence = 0.85

// fillers proposes to cut sounds without meaning, together with the pause after them.
func (t *talk) fillers(language string, choice Choice, active bool) []Edit {
	known := slices.Concat(FillerWords(language), choice.Added)
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
