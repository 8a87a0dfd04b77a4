package detect

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"roughcut/media"
)

// The words that are profane, one file a language, one word a line in lower case; a star at its end stands for any ending.
//
//go:embed profanity/*.txt
var profanityFiles embed.FS

// profanityOf returns the profane words of a language; where there is no list of it, those of English.
var profanityOf = func() func(language string) []string {
	var mu sync.Mutex
	lists := map[string][]string{}
	return func(language string) []string {
		code, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(language), "_", "-"), "-")
		mu.Lock()
		defer mu.Unlock()
		if list, ok := lists[code]; ok {
			return list
		}
		text, err := profanityFiles.ReadFile("profanity/" + code + ".txt")
		if err != nil {
			code = "en"
			text, _ = profanityFiles.ReadFile("profanity/en.txt") // it is embedded
		}
		lists[code] = strings.Fields(string(text))
		return lists[code]
	}
}()

// Profanity returns when profane words are said, in words of a language (ISO 639-1, with or without region).
func Profanity(words []media.Word, language string) []media.Span {
	list := profanityOf(language)
	var spans []media.Span
	for _, w := range words {
		if isProfane(w.Text, list) {
			spans = append(spans, media.Span{StartMS: w.StartMS, EndMS: w.EndMS})
		}
	}
	return spans
}

// isProfane reports that a word is on a list, that one of those that a hyphen joins in it is, or that a model has masked it with stars.
func isProfane(text string, list []string) bool {
	if strings.Contains(strings.TrimRight(text, ".,!?* "), "**") {
		return true
	}
	for _, part := range append(strings.Split(normal(text), "-"), normal(text)) {
		part, _ = strings.CutSuffix(part, "'s")
		if slices.ContainsFunc(list, func(entry string) bool {
			stem, open := strings.CutSuffix(entry, "*")
			return part == stem || open && strings.HasPrefix(part, stem)
		}) {
			return true
		}
	}
	return false
}
