package detect

import (
	"slices"
	"strings"

	"roughcut/media"
	"roughcut/pipeline/language"
)

// profanityOf returns the profane words of the language of a tag, or those of English if the
// language has none.
func profanityOf(tag string) []string {
	if known, _ := language.Find(baseLanguage(tag)); known.Profanity != nil {
		return known.Profanity
	}
	return language.English().Profanity
}

// WordChoice is how somebody's words differ from those of a list. A star at the end of a word stands
// for any ending; what is removed is not added.
type WordChoice struct {
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// ProfaneSpans returns when profane words are said, in words of a language (ISO 639-1, with or without
// region).
func ProfaneSpans(words []media.Word, tag string, choice WordChoice) []media.Span {
	list := slices.Concat(profanityOf(tag), choice.Added)
	var spans []media.Span
	for _, w := range words {
		if isProfane(w.Text, list) && !saysListed(w.Text, choice.Removed) {
			spans = append(spans, media.Span{StartMS: w.StartMS, EndMS: w.EndMS})
		}
	}
	return spans
}

// isProfane reports that a word is on a list, that one of those that a hyphen joins in it is, or
// that a model has masked it with stars.
func isProfane(text string, list []string) bool {
	if strings.Contains(strings.TrimRight(text, ".,!?* "), "**") {
		return true
	}
	return saysListed(text, list)
}

// saysListed reports that a word is on a list, or that one of those that a hyphen joins in it is.
func saysListed(text string, list []string) bool {
	return slices.ContainsFunc(append(strings.Split(normal(text), "-"), normal(text)), func(part string) bool {
		part, _ = strings.CutSuffix(part, "'s")
		return listed(part, list)
	})
}

// listed reports that a word, as it is compared, is on a list; a star at the end of an entry stands
// for any ending.
func listed(word string, list []string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		stem, open := strings.CutSuffix(entry, "*")
		return word == stem || open && strings.HasPrefix(word, stem)
	})
}
