package search

import (
	"context"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/searcher"
	indexapi "github.com/blevesearch/bleve_index_api"
)

// closeness says how the words of a match relate to the words of the query. It is the score of the
// match.
type closeness float64

// The kinds of closeness, from the best to the worst.
const (
	inARow  closeness = 1    // the words as typed, in a row
	exact   closeness = 0.9  // the words as typed
	related closeness = 0.7  // other forms of the words, and completions of the last word
	similar closeness = 0.35 // similarly spelled words
)

const (
	maxFound       = 300 // documents of one kind
	minBeforeGuess = 10  // documents below which similarly spelled words are looked up
	maxCompletions = 400 // words that begin with the last word of a query
	maxSimilar     = 64  // words spelled like one word of a query
	maxLanguages   = 100 // of one user's transcripts
)

// term is a term of the index.
type term struct{ field, text string }

// finder finds documents of one kind and remembers what to mark in them.
type finder struct {
	lexicon          *lexicon
	user             string // see userKey
	word, stem, pair string // fields; stem is empty for documents without stems

	ctx       context.Context
	reader    indexapi.IndexReader
	languages []string
	found     []found
	seen      map[string]bool // keys in found
	marks     map[closeness]marks
}

// found is a document that a finder found.
type found struct {
	key       string
	closeness closeness
}

// marks are the words to mark in a document.
type marks struct {
	words, stems map[string]bool
	rows         [][]string // words that follow one another
}

func newAssetFinder(l *lexicon, userUUID string) *finder {
	return newFinder(l, userUUID, fieldAsset, "", fieldBeside)
}

func newTranscriptFinder(l *lexicon, userUUID string) *finder {
	return newFinder(l, userUUID, fieldWord, fieldStem, fieldPair)
}

func newFinder(l *lexicon, userUUID, word, stem, pair string) *finder {
	return &finder{
		lexicon: l,
		user:    userKey(userUUID),
		word:    word,
		stem:    stem,
		pair:    pair,
		seen:    map[string]bool{},
		marks:   map[closeness]marks{},
	}
}

// find looks up a query, the closest documents first, until there are enough. Documents with the
// same closeness are sorted by key.
func (f *finder) find(q parsed) error {
	if f.stem != "" {
		var err error
		if f.languages, err = f.dictionary(fieldLanguage, "", maxLanguages); err != nil {
			return err
		}
	}

	if row := q.row(); row != nil {
		if err := f.add(inARow, q, [][]string{row}); err != nil {
			return err
		}
	}

	if err := f.add(exact, q, q.phrases); err != nil {
		return err
	}
	if err := f.add(related, q, q.phrases); err != nil || len(f.found) >= minBeforeGuess {
		return err
	}
	return f.add(similar, q, q.phrases)
}

// add looks up documents of one closeness, and keeps those that are new.
func (f *finder) add(close closeness, q parsed, rows [][]string) error {
	if len(f.found) >= maxFound {
		return nil
	}
	var all [][]term
	m := marks{words: map[string]bool{}, stems: map[string]bool{}, rows: rows}
	for _, w := range q.words {
		alternatives, err := f.alternatives(w, close, q.spelling)
		if err != nil {
			return err
		}
		all = append(all, alternatives)
		f.mark(m, alternatives)
	}

	f.marks[close] = m
	for _, row := range rows {
		for i := range len(row) - 1 {
			all = append(all, []term{{f.pair, f.user + pairKey(row[i], row[i+1])}})
		}
	}

	first := len(f.found)
	if err := f.lookUp(all, close); err != nil {
		return err
	}
	slices.SortFunc(f.found[first:], func(a, b found) int { return strings.Compare(a.key, b.key) })
	return nil
}

// mark adds terms to marks.
func (f *finder) mark(m marks, list []term) {
	for _, t := range list {
		if t.field == f.stem {
			m.stems[t.text[len(f.user):]] = true
		} else {
			m.words[t.text[len(f.user):]] = true
		}
	}
}

// alternatives returns the terms that match a word of a query.
func (f *finder) alternatives(w queryWord, close closeness, spelling spellings) ([]term, error) {
	words := []string{w.text}
	var list []term
	if !w.quoted && close <= related {
		for _, stem := range f.lexicon.stemsIn(f.languages, w.text) {
			words = append(words, stem)
			if f.stem != "" {
				list = append(list, term{f.stem, f.user + stem})
			}
		}

		if w.typing {
			longer, err := f.dictionary(f.word, w.text, maxCompletions)
			if err != nil {
				return nil, err
			}
			words = append(words, longer...)
		}
	}

	if !w.quoted && close == similar {
		alike, err := f.similar(w.text, spelling)
		if err != nil {
			return nil, err
		}
		words = append(words, alike...)
	}

	slices.Sort(words)
	for _, word := range slices.Compact(words) {
		list = append(list, term{f.word, f.user + word})
	}
	return list, nil
}

// dictionary returns the first terms of a field that begin with a prefix, without the user's key.
func (f *finder) dictionary(field, prefix string, limit int) (list []string, err error) {
	dict, err := f.reader.FieldDictPrefix(field, []byte(f.user+prefix))
	if err != nil {
		return nil, err
	}
	defer func() { _ = dict.Close() }() // it only read
	for len(list) < limit {
		entry, err := dict.Next()
		if err != nil || entry == nil {
			return list, err
		}
		list = append(list, entry.Term[len(f.user):])
	}

	return list, nil
}

// lookUp finds documents that hold at least one term of each list.
func (f *finder) lookUp(all [][]term, close closeness) error {
	options := search.SearcherOptions{Score: "none"} // so that Bleve joins the lists as sets
	var every []search.Searcher
	for _, alternatives := range all {
		var some []search.Searcher
		for _, t := range alternatives {
			one, err := searcher.NewTermSearcherBytes(f.ctx, f.reader, []byte(t.text), t.field, 1, options)
			if err != nil {
				return err
			}
			some = append(some, one)
		}

		if len(some) == 1 {
			every = append(every, some[0])
			continue
		}

		either, err := searcher.NewDisjunctionSearcher(f.ctx, f.reader, some, 1, options)
		if err != nil {
			return err
		}
		every = append(every, either)
	}

	whole := every[0]
	if len(every) > 1 {
		var err error
		if whole, err = searcher.NewConjunctionSearcher(f.ctx, f.reader, every, options); err != nil {
			return err
		}
	}

	defer func() { _ = whole.Close() }() // it only read
	return f.collect(whole, close)
}

// collect keeps the documents of a searcher that are new, up to maxFound.
func (f *finder) collect(from search.Searcher, close closeness) error {
	pool := &search.SearchContext{DocumentMatchPool: search.NewDocumentMatchPool(from.DocumentMatchPoolSize()+1, 0)}
	for len(f.found) < maxFound {
		doc, err := from.Next(pool)
		if err != nil || doc == nil {
			return err
		}
		key, err := f.reader.ExternalID(doc.IndexInternalID)
		if err != nil {
			return err
		}
		pool.DocumentMatchPool.Put(doc)
		if !f.seen[key] {
			f.seen[key] = true
			f.found = append(f.found, found{key, close})
		}
	}

	return f.ctx.Err()
}
