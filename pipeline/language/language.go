// Package language owns what Roughcut knows about spoken languages: their names, filler words,
// profanity, and the words that matter for line breaks and asset search.
//
// The folder data holds one TOML file for each language, named after its ISO 639-1 code. To add a
// language, add a file with these keys; lists that do not apply are left out:
//
//   - name, endonym: the name of the language in English and in the language itself
//   - fillers: sounds without meaning, such as "um"
//   - profanity: words that exports censor; a star at the end stands for any ending
//   - phrase_openers: conjunctions and prepositions. A caption line may end before them
//   - open_ended: words that cannot end a sentence, such as articles
//   - asides: words of remarks between two takes, such as "no, once more", but of few others
//   - stop_words: words, by their stems, that say nothing about what an asset shows
//
// Words are in lower case.
package language

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// Language is one language. Callers must not change its lists.
type Language struct {
	Code          string   `toml:"-"` // ISO 639-1
	Name          string   `toml:"name"`
	Endonym       string   `toml:"endonym"`
	Fillers       []string `toml:"fillers"`
	Profanity     []string `toml:"profanity"`
	PhraseOpeners []string `toml:"phrase_openers"`
	OpenEnded     []string `toml:"open_ended"`
	Asides        []string `toml:"asides"`
	StopWords     []string `toml:"stop_words"`
}

const folder = "data"

//go:embed data/*.toml
var files embed.FS

// table is the parsed data.
type table struct {
	languages     []Language // by code
	phraseOpeners map[string]bool
	openEnded     map[string]bool
	asides        map[string]bool
	stopWords     map[string]bool
}

// load parses the embedded files once.
var load = sync.OnceValue(func() *table {
	t, err := parseTable()
	if err != nil {
		panic(err) // the files are part of the program, and a test parses them
	}
	return t
})

func parseTable() (*table, error) {
	entries, err := files.ReadDir(folder) // sorted by name
	if err != nil {
		return nil, err
	}
	t := &table{
		phraseOpeners: map[string]bool{}, openEnded: map[string]bool{}, asides: map[string]bool{},
		stopWords: map[string]bool{},
	}
	for _, entry := range entries {
		text, err := files.ReadFile(folder + "/" + entry.Name())
		if err != nil {
			return nil, err
		}
		l := Language{Code: strings.TrimSuffix(entry.Name(), ".toml")}
		if err := toml.NewDecoder(strings.NewReader(string(text))).DisallowUnknownFields().Decode(&l); err != nil {
			return nil, fmt.Errorf("parsing language data %s: %w", entry.Name(), err)
		}
		t.languages = append(t.languages, l)
		for _, list := range []struct {
			words []string
			all   map[string]bool
		}{{l.PhraseOpeners, t.phraseOpeners}, {l.OpenEnded, t.openEnded}, {l.Asides, t.asides}, {l.StopWords,
			t.stopWords}} {
			for _, word := range list.words {
				list.all[word] = true
			}
		}
	}

	return t, nil
}

// All returns the known languages, sorted by code.
func All() []Language { return slices.Clone(load().languages) }

// Find returns the language with an ISO 639-1 code in lower case, without region.
func Find(code string) (Language, bool) {
	list := load().languages
	i, found := slices.BinarySearchFunc(list, code, func(l Language, code string) int {
		return strings.Compare(l.Code, code)
	})
	if !found {
		return Language{}, false
	}
	return list[i], true
}

// English returns the language whose lists stand in for missing ones.
func English() Language {
	l, _ := Find("en")
	return l
}

// OpensPhrase reports whether a word is a conjunction or preposition in any of the languages.
func OpensPhrase(word string) bool { return load().phraseOpeners[word] }

// IsOpenEnded reports whether a word cannot end a sentence in any of the languages.
func IsOpenEnded(word string) bool { return load().openEnded[word] }

// IsAside reports whether a word is typical of remarks between two takes, in any of the languages.
func IsAside(word string) bool { return load().asides[word] }

// IsStopWord reports whether the word with this stem says nothing about what an asset shows, in any
// of the languages.
func IsStopWord(stem string) bool { return load().stopWords[stem] }
