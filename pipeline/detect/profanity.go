package detect

import (
	"slices"
	"strings"

	"roughcut/media"
	"roughcut/pipeline/language"
)

// profanityOf returns the profane words of the language of a tag, or the English words if the
// language has none.
func profanityOf(tag string) []string {
	if known, _ := language.Find(media.BaseLanguage(tag)); known.Profanity != nil {
		return known.Profanity
	}
	return language.English().Profanity
}

// WordChoice holds the user's changes to a word list. A star at the end of a word stands for any
// ending. Removed takes precedence over Added.
type WordChoice struct {
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// ProfaneSpans returns the spans of the profane words among the words of a language (ISO 639-1,
// with or without region).
func ProfaneSpans(words []media.Word, tag string, choice WordChoice) []media.Span {
	list := slices.Concat(profanityOf(tag), choice.Added)
	var spans []media.Span
	for _, w := range words {
		if isProfane(w.Text, list) && !matchesWord(w.Text, choice.Removed) {
			spans = append(spans, media.Span{StartMS: w.StartMS, EndMS: w.EndMS})
		}
	}

	return spans
}

// isProfane reports whether a list contains a word or a part of a hyphenated word, or the speech
// model has masked the word with stars.
func isProfane(text string, list []string) bool {
	if strings.Contains(strings.TrimRight(text, ".,!?* "), "**") {
		return true
	}
	return matchesWord(text, list)
}

// matchesWord reports whether a list contains a word or a part of a hyphenated word.
func matchesWord(text string, list []string) bool {
	return slices.ContainsFunc(append(strings.Split(normalize(text), "-"), normalize(text)), func(part string) bool {
		part, _ = strings.CutSuffix(part, "'s")
		return matchesEntry(part, list)
	})
}

// matchesEntry reports whether a list contains a normalized word. A star at the end of an entry
// stands for any ending.
func matchesEntry(word string, list []string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		stem, open := strings.CutSuffix(entry, "*")
		if open {
			return strings.HasPrefix(word, stem)
		}
		return word == stem
	})
}
