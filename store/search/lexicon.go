package search

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/char/asciifolding"
	"github.com/blevesearch/bleve/v2/analysis/lang/ar"
	"github.com/blevesearch/bleve/v2/analysis/lang/cjk"
	"github.com/blevesearch/bleve/v2/analysis/lang/ckb"
	"github.com/blevesearch/bleve/v2/analysis/lang/da"
	"github.com/blevesearch/bleve/v2/analysis/lang/de"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/lang/es"
	"github.com/blevesearch/bleve/v2/analysis/lang/fa"
	"github.com/blevesearch/bleve/v2/analysis/lang/fi"
	"github.com/blevesearch/bleve/v2/analysis/lang/fr"
	"github.com/blevesearch/bleve/v2/analysis/lang/hi"
	"github.com/blevesearch/bleve/v2/analysis/lang/hr"
	"github.com/blevesearch/bleve/v2/analysis/lang/hu"
	"github.com/blevesearch/bleve/v2/analysis/lang/it"
	"github.com/blevesearch/bleve/v2/analysis/lang/nl"
	"github.com/blevesearch/bleve/v2/analysis/lang/no"
	"github.com/blevesearch/bleve/v2/analysis/lang/pt"
	"github.com/blevesearch/bleve/v2/analysis/lang/ro"
	"github.com/blevesearch/bleve/v2/analysis/lang/ru"
	"github.com/blevesearch/bleve/v2/analysis/lang/sv"
	"github.com/blevesearch/bleve/v2/analysis/lang/tr"
	"github.com/blevesearch/bleve/v2/registry"
)

// languages maps the code of a language, ISO 639-1, to the Bleve analyzer that knows its stems.
var languages = map[string]string{
	"ar":  ar.AnalyzerName,
	"ckb": ckb.AnalyzerName,
	"da":  da.AnalyzerName,
	"de":  de.AnalyzerName,
	"en":  en.AnalyzerName,
	"es":  es.AnalyzerName,
	"fa":  fa.AnalyzerName,
	"fi":  fi.AnalyzerName,
	"fr":  fr.AnalyzerName,
	"hi":  hi.AnalyzerName,
	"hr":  hr.AnalyzerName,
	"hu":  hu.AnalyzerName,
	"it":  it.AnalyzerName,
	"nl":  nl.AnalyzerName,
	"nn":  no.AnalyzerName,
	"no":  no.AnalyzerName,
	"pt":  pt.AnalyzerName,
	"ro":  ro.AnalyzerName,
	"ru":  ru.AnalyzerName,
	"sv":  sv.AnalyzerName,
	"tr":  tr.AnalyzerName,
}

// lexicon splits texts into words and reduces words to stems. Several goroutines may use it at
// once.
type lexicon struct {
	// plain serves every language: it splits into lower-case words, and into pairs of characters
	// where a script has no spaces.
	plain   analysis.Analyzer
	stems   map[string]analysis.Analyzer // by language
	folding *asciifolding.AsciiFoldingFilter

	seed maphash.Seed
	// stemmed caches the stems that were looked up last: most speech uses few different words.
	stemmed [cachedStems]atomic.Pointer[cachedStem]
}

const cachedStems = 16384

type cachedStem struct{ language, word, stem string }

// word is a word of a text and its range of bytes there.
type word struct {
	text       string // in lower case
	start, end int
}

func newLexicon() (*lexicon, error) {
	cache := registry.NewCache()
	l := &lexicon{stems: map[string]analysis.Analyzer{}, folding: asciifolding.New(), seed: maphash.MakeSeed()}
	var err error
	if l.plain, err = cache.AnalyzerNamed(cjk.AnalyzerName); err != nil {
		return nil, fmt.Errorf("loading the word analyzer: %w", err)
	}
	for code, name := range languages {
		if l.stems[code], err = cache.AnalyzerNamed(name); err != nil {
			return nil, fmt.Errorf("loading the word analyzer for language %q: %w", code, err)
		}
	}

	return l, nil
}

// split returns the words of a text in order. A word of unaccented letters between spaces needs no
// analyzer, which takes a microsecond a word. The analyzer splits everything else.
func (l *lexicon) split(text string) []word {
	list := make([]word, 0, len(text)/5)
	rest := 0 // start of the text that is left to the analyzer
	for start := 0; start < len(text); {
		end := start
		for end < len(text) && isPlain(text[end]) {
			end++
		}
		endsWord := end == len(text) || text[end] == ' '
		if end > start && endsWord {
			list = l.analyze(list, text, rest, start)
			list = append(list, word{strings.ToLower(text[start:end]), start, end})
			start, rest = end+1, end
			continue
		}

		if next := strings.IndexByte(text[end:], ' '); next >= 0 {
			start = end + next + 1
		} else {
			start = len(text)
		}
	}

	return l.analyze(list, text, rest, len(text))
}

// isPlain reports whether a byte is an English letter.
func isPlain(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// analyze adds the words that the analyzer finds in a range of a text.
func (l *lexicon) analyze(list []word, text string, from, to int) []word {
	if strings.Trim(text[from:to], " ") == "" {
		return list
	}
	for _, t := range l.plain.Analyze([]byte(text[from:to])) {
		list = append(list, word{string(t.Term), from + t.Start, from + t.End})
	}
	return list
}

// stemOf returns the stem of a word without accents, empty for a stop word.
func (l *lexicon) stemOf(language, text string) string {
	slot := &l.stemmed[(maphash.String(l.seed, text)^maphash.String(l.seed, language))%cachedStems]
	if kept := slot.Load(); kept != nil && kept.language == language && kept.word == text {
		return kept.stem
	}
	analyzer := l.stems[language]
	if analyzer == nil {
		analyzer = l.plain
	}
	stem := ""
	for _, t := range analyzer.Analyze([]byte(text)) {
		if t.Start == 0 {
			stem = l.fold(string(t.Term))
		}
	}

	slot.Store(&cachedStem{strings.Clone(language), strings.Clone(text), stem})
	return stem
}

// stemsIn returns a word without accents and its stems in some languages.
func (l *lexicon) stemsIn(languages []string, text string) []string {
	stems := []string{l.fold(text)}
	for _, language := range languages {
		if stem := l.stemOf(language, text); stem != "" && !slices.Contains(stems, stem) {
			stems = append(stems, stem)
		}
	}

	return stems
}

// fold removes the accents from a word.
func (l *lexicon) fold(text string) string { return string(l.folding.Filter([]byte(text))) }
