package language

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each file parses, names its language and holds clean lists.
func TestLanguageFilesAreWellFormed(t *testing.T) {
	parsed, err := parseTable()
	if err != nil {
		t.Fatal(err)
	}
	if len(parsed.languages) == 0 {
		t.Fatal("no language is known")
	}
	names := map[string]bool{}
	for _, l := range parsed.languages {
		if !regexp.MustCompile(`^[a-z]{2,3}$`).MatchString(l.Code) {
			t.Errorf("%s.toml is not named after an ISO 639 code", l.Code)
		}
		if l.Name == "" || l.Endonym == "" || names[l.Name] {
			t.Errorf("%s: name %q, endonym %q: want both, and a name of its own", l.Code, l.Name, l.Endonym)
		}
		names[l.Name] = true
		if len(l.Fillers)+len(l.Profanity) == 0 {
			t.Errorf("%s has neither fillers nor profanity", l.Code)
		}
		for key, list := range map[string][]string{
			"fillers":        l.Fillers,
			"profanity":      l.Profanity,
			"phrase_openers": l.PhraseOpeners,
			"open_ended":     l.OpenEnded,
			"asides":         l.Asides,
			"stop_words":     l.StopWords,
		} {
			seen := map[string]bool{}
			for _, word := range list {
				stem := strings.TrimSuffix(word, "*")
				if stem == "" || stem != strings.ToLower(stem) || strings.ContainsAny(stem, " \t*") || seen[word] {
					t.Errorf("%s: %s has %q; want single words in lower case, each once", l.Code, key, word)
				}
				if stem != word && key != "profanity" {
					t.Errorf("%s: %s has %q; only profanity may end in a star", l.Code, key, word)
				}
				seen[word] = true
			}
		}
	}
}

func TestFindKnowsEachLanguageByItsCode(t *testing.T) {
	all := All()
	if !slices.IsSortedFunc(all, func(a, b Language) int { return strings.Compare(a.Code, b.Code) }) {
		t.Error("the languages are not sorted by code")
	}
	for _, want := range all {
		if got, ok := Find(want.Code); !ok || got.Name != want.Name {
			t.Errorf("Find(%q) returns %q, %t", want.Code, got.Name, ok)
		}
	}
	for _, code := range []string{"", "tlh", "EN", "en-US"} {
		if got, ok := Find(code); ok {
			t.Errorf("Find(%q) returns %q, want nothing", code, got.Name)
		}
	}
	if !slices.Contains(English().Fillers, "um") || !slices.Contains(English().Profanity, "shit") {
		t.Errorf("English is %+v", English())
	}
}

func TestWordTestsCoverEveryLanguage(t *testing.T) {
	for _, word := range []string{"and", "und", "perché"} {
		if !OpensPhrase(word) {
			t.Errorf("%q does not open a phrase", word)
		}
	}
	if !IsOpenEnded("the") || IsOpenEnded("house") || OpensPhrase("house") {
		t.Error("a word is in the wrong list")
	}
	if !IsAside("sorry") || !IsAside("nochmal") || IsAside("house") {
		t.Error("an aside is in the wrong list")
	}
	if !IsStopWord("pictur") || IsStopWord("espresso") {
		t.Error("a stop word is in the wrong list")
	}
}
