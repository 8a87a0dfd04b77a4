package store

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

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

// languages are those whose inflected forms are known, by their code in transcripts.
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

// lexicon takes texts apart into words, and words back to their stems.
type lexicon struct {
	// every language: words in lower case, pairs of characters where a script has no spaces
	plain   analysis.Analyzer
	stems   map[string]analysis.Analyzer // by the code of the language
	folding *asciifolding.AsciiFoldingFilter

	seed maphash.Seed
	// the stems that were asked for last: few words make up most of what is said
	stemmed [stemsKept]atomic.Pointer[keptStem]
}

// stemsKept is how many stems are kept.
const stemsKept = 16384

type keptStem struct{ language, word, stem string }

// spokenWord is a word of a text, and the bytes that it takes there.
type spokenWord struct {
	word       string
	start, end int
}

func newLexicon() (*lexicon, error) {
	cache := registry.NewCache()
	l := &lexicon{stems: map[string]analysis.Analyzer{}, folding: asciifolding.New(), seed: maphash.MakeSeed()}
	var err error
	if l.plain, err = cache.AnalyzerNamed(cjk.AnalyzerName); err != nil {
		return nil, fmt.Errorf("reading words: %w", err)
	}
	for code, name := range languages {
		if l.stems[code], err = cache.AnalyzerNamed(name); err != nil {
			return nil, fmt.Errorf("reading words of language %q: %w", code, err)
		}
	}
	return l, nil
}

// words takes a text apart, in its order. A word that has only letters without accents, between
// blanks, is what it is; the analyzer, which takes a microsecond for each, is asked about all else.
func (l *lexicon) words(text string) []spokenWord {
	list := make([]spokenWord, 0, len(text)/5)
	asked := 0 // from where on the analyzer is to be asked
	for start := 0; start < len(text); {
		end := start
		for end < len(text) && isPlain(text[end]) {
			end++
		}
		if end > start && (end == len(text) || text[end] == ' ') {
			list = l.analyzed(list, text, asked, start)
			list = append(list, spokenWord{strings.ToLower(text[start:end]), start, end})
			start, asked = end+1, end
			continue
		}
		if next := strings.IndexByte(text[end:], ' '); next >= 0 {
			start = end + next + 1
		} else {
			start = len(text)
		}
	}
	return l.analyzed(list, text, asked, len(text))
}

// isPlain tells the letters of English.
func isPlain(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// analyzed adds the words of a part of a text, as the analyzer has them.
func (l *lexicon) analyzed(list []spokenWord, text string, from, to int) []spokenWord {
	if strings.Trim(text[from:to], " ") == "" {
		return list
	}
	for _, t := range l.plain.Analyze([]byte(text[from:to])) {
		list = append(list, spokenWord{string(t.Term), from + t.Start, from + t.End})
	}
	return list
}

// stemOf returns the stem of a word of a text, without accents; empty for one that carries no
// meaning of its own.
func (l *lexicon) stemOf(language, word string) string {
	slot := &l.stemmed[(maphash.String(l.seed, word)^maphash.String(l.seed, language))%stemsKept]
	if kept := slot.Load(); kept != nil && kept.language == language && kept.word == word {
		return kept.stem
	}
	analyzer := l.stems[language]
	if analyzer == nil {
		analyzer = l.plain
	}
	stem := ""
	for _, t := range analyzer.Analyze([]byte(word)) {
		if t.Start == 0 {
			stem = l.fold(string(t.Term))
		}
	}
	slot.Store(&keptStem{strings.Clone(language), strings.Clone(word), stem})
	return stem
}

// fold takes the accents off a word.
func (l *lexicon) fold(word string) string { return string(l.folding.Filter([]byte(word))) }

// spaceless are the scripts that put no space between words.
var spaceless = []*unicode.RangeTable{
	unicode.Han,
	unicode.Hiragana,
	unicode.Katakana,
	unicode.Thai,
	unicode.Lao,
	unicode.Khmer,
	unicode.Myanmar,
}

// joined says whether two words that follow one another are written without a space.
func joined(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return unicode.In(last, spaceless...) && unicode.In(first, spaceless...)
}

// stemsIn returns what a word comes to in some languages.
func (l *lexicon) stemsIn(languages []string, word string) []string {
	stems := []string{l.fold(word)}
	for _, language := range languages {
		if stem := l.stemOf(language, word); stem != "" && !slices.Contains(stems, stem) {
			stems = append(stems, stem)
		}
	}
	return stems
}
