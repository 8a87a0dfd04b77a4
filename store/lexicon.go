package store

import (
	"fmt"
	"slices"
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

// stemmed are the languages whose inflected forms are known, by their code in transcripts.
var stemmed = map[string]string{
	"ar": ar.AnalyzerName, "ckb": ckb.AnalyzerName, "da": da.AnalyzerName, "de": de.AnalyzerName, "en": en.AnalyzerName, "es": es.AnalyzerName,
	"fa": fa.AnalyzerName, "fi": fi.AnalyzerName, "fr": fr.AnalyzerName, "hi": hi.AnalyzerName, "hr": hr.AnalyzerName, "hu": hu.AnalyzerName,
	"it": it.AnalyzerName, "nl": nl.AnalyzerName, "nn": no.AnalyzerName, "no": no.AnalyzerName, "pt": pt.AnalyzerName,
	"ro": ro.AnalyzerName, "ru": ru.AnalyzerName, "sv": sv.AnalyzerName, "tr": tr.AnalyzerName,
}

// lexicon takes texts apart into words, and words back to their stems.
type lexicon struct {
	plain   analysis.Analyzer            // every language: words in lower case, pairs of characters where a script has no spaces
	stems   map[string]analysis.Analyzer // by the code of the language
	folding *asciifolding.AsciiFoldingFilter
}

// spokenWord is a word of a text, and the bytes that it takes there.
type spokenWord struct {
	word       string
	start, end int
}

func newLexicon() (*lexicon, error) {
	cache := registry.NewCache()
	l := &lexicon{stems: map[string]analysis.Analyzer{}, folding: asciifolding.New()}
	var err error
	if l.plain, err = cache.AnalyzerNamed(cjk.AnalyzerName); err != nil {
		return nil, fmt.Errorf("reading words: %w", err)
	}
	for code, name := range stemmed {
		if l.stems[code], err = cache.AnalyzerNamed(name); err != nil {
			return nil, fmt.Errorf("reading words of language %q: %w", code, err)
		}
	}
	return l, nil
}

// words takes a text apart, in its order.
func (l *lexicon) words(text string) []spokenWord {
	tokens := l.plain.Analyze([]byte(text))
	list := make([]spokenWord, 0, len(tokens))
	for _, t := range tokens {
		list = append(list, spokenWord{string(t.Term), t.Start, t.End})
	}
	return list
}

// stemsOf returns, by where a word begins in a text, its stem without accents. Words that carry no meaning of their own have none.
func (l *lexicon) stemsOf(language, text string) map[int]string {
	analyzer := l.stems[language]
	if analyzer == nil {
		analyzer = l.plain
	}
	stems := map[int]string{}
	for _, t := range analyzer.Analyze([]byte(text)) {
		stems[t.Start] = l.fold(string(t.Term))
	}
	return stems
}

// fold takes the accents off a word.
func (l *lexicon) fold(word string) string { return string(l.folding.Filter([]byte(word))) }

// spaceless are the scripts that put no space between words.
var spaceless = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

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
		if stem := l.stemsOf(language, word)[0]; stem != "" && !slices.Contains(stems, stem) {
			stems = append(stems, stem)
		}
	}
	return stems
}
