package detect

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"roughcut/media"
)

// The words that are profane, one file a language, one word a line in lower case; a star at its end
// stands for any ending.
//
//go:embed profanity/*.txt
var profanityFiles embed.FS

// profanityOf returns the profane words of a language; where there is no list of it, those of
// English.
var profanityOf = func() func(language string) []string {
	var mu sync.Mutex
	lists := map[string][]string{}
	return func(language string) []string {
		code := media.BaseLanguage(language)
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

// ProfaneWords returns the words that are profane in a language, as the lists have them; none where
// there is no list of it.
func ProfaneWords(language string) []string {
	if text, err := profanityFiles.ReadFile("profanity/" + language + ".txt"); err == nil {
		return strings.Fields(string(text))
	}
	return nil
}

// ProfanityLanguages returns the languages that there are lists of, sorted.
func ProfanityLanguages() []string {
	files, _ := profanityFiles.ReadDir("profanity") // it is embedded
	var list []string
	for _, f := range files {
		list = append(list, strings.TrimSuffix(f.Name(), ".txt"))
	}
	return list
}

// Choice is how somebody's words differ from those of a list. A star at the end of a word stands
// for any ending; what is removed is not added.
type Choice struct {
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// Profanity returns when profane words are said, in words of a language (ISO 639-1, with or without
// region).
func Profanity(words []media.Word, language string, choice Choice) []media.Span {
	list := slices.Concat(profanityOf(language), choice.Added)
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
