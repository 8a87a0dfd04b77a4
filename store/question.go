package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/searcher"
	indexapi "github.com/blevesearch/bleve_index_api"
)

// closeness says how what was found relates to what was asked for. It is the score of a hit.
type closeness float64

// From one word apart to the other end of what is still shown.
const (
	inARow  closeness = 1    // the words as typed, one after the other
	exactly closeness = 0.9  // the words as typed
	related closeness = 0.7  // other forms of the words, and words that begin with the one being typed
	guessed closeness = 0.35 // words that are spelt alike
)

// Bounds on what a search takes into account.
const (
	guessBelow    = 10  // hits; with fewer of them, spelling is forgiven
	wordsAtMost   = 12  // of a query
	expandAtMost  = 400 // words that begin with the one being typed
	guessesAtMost = 64  // words that are spelt alike

	languagesAtMost = 100 // of a user's transcripts
)

// asked is a word that somebody searches for.
type asked struct {
	word   string
	quoted bool // exactly this word
	typing bool // the last one, which may go on
}

// question is what somebody searches for, taken apart.
type question struct {
	words   []asked
	phrases [][]string // words that must follow one another
	spelt   spellings
}

// parseQuestion takes apart what a person typed. Within double quotes words are meant as they are,
// one after the other.
func (l *lexicon) parseQuestion(q string) question {
	out := question{spelt: spellings{}}
	for i, part := range strings.Split(q, `"`) {
		quoted := i%2 == 1
		var row []string
		for _, w := range l.words(part) {
			if len(out.words) == wordsAtMost {
				break
			}
			out.words = append(out.words, asked{word: w.word, quoted: quoted})
			row = append(row, w.word)
		}
		if quoted && len(row) > 1 {
			out.phrases = append(out.phrases, row)
		}
	}
	last, _ := utf8.DecodeLastRuneInString(q)
	if n := len(out.words); n > 0 && !out.words[n-1].quoted &&
		(unicode.IsLetter(last) || unicode.IsNumber(last) || unicode.IsMark(last)) {
		out.words[n-1].typing = len(out.words[n-1].word) > 1
	}
	return out
}

// row returns the words of a question that has no phrases, in order.
func (q question) row() []string {
	if len(q.words) < 2 || len(q.phrases) > 0 {
		return nil
	}
	row := make([]string, 0, len(q.words))
	for _, w := range q.words {
		row = append(row, w.word)
	}
	return row
}

// term is a term of the index.
type term struct{ field, text string }

// finding is what a search looks up, in the fields of one kind of document, and what it has found
// so far.
type finding struct {
	lexicon          *lexicon
	user             string // its key
	word, stem, pair string // fields; stem is empty where documents have none
	limit            int    // documents

	ctx       context.Context
	reader    indexapi.IndexReader
	languages []string
	found     []match
	seen      map[string]bool
	marks     map[closeness]markers
}

func (l *lexicon) newFinding(userUUID, word, stem, pair string) *finding {
	return &finding{
		lexicon: l,
		user:    userKey(userUUID),
		word:    word,
		stem:    stem,
		pair:    pair,
		limit:   searchLimit,
		seen:    map[string]bool{},
		marks:   map[closeness]markers{},
	}
}

// markers are what is marked in a hit.
type markers struct {
	words, stems map[string]bool
	rows         [][]string // words that follow one another
}

// match is a document that was found.
type match struct {
	id    string
	score closeness
}

// find looks up a question, the closest first, until there are enough. Those equally close are in
// the order of their ids.
func (f *finding) find(q question) error {
	if f.stem != "" {
		var err error
		if f.languages, err = f.dictionary(fieldLanguage, "", languagesAtMost); err != nil {
			return err
		}
	}
	if row := q.row(); row != nil {
		if err := f.add(inARow, q, [][]string{row}); err != nil {
			return err
		}
	}
	if err := f.add(exactly, q, q.phrases); err != nil {
		return err
	}
	if err := f.add(related, q, q.phrases); err != nil || len(f.found) >= guessBelow {
		return err
	}
	return f.add(guessed, q, q.phrases)
}

// add looks up what is so close, and keeps what was not found before.
func (f *finding) add(close closeness, q question, rows [][]string) error {
	if len(f.found) >= f.limit {
		return nil
	}
	var all [][]term
	m := markers{words: map[string]bool{}, stems: map[string]bool{}, rows: rows}
	for _, w := range q.words {
		alternatives, err := f.alternatives(w, close, q.spelt)
		if err != nil {
			return err
		}
		all = append(all, alternatives)
		f.note(m, alternatives)
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
	slices.SortFunc(f.found[first:], func(a, b match) int { return strings.Compare(a.id, b.id) })
	return nil
}

// note remembers which terms are marked in a hit.
func (f *finding) note(m markers, list []term) {
	for _, t := range list {
		if t.field == f.stem {
			m.stems[t.text[len(f.user):]] = true
		} else {
			m.words[t.text[len(f.user):]] = true
		}
	}
}

// alternatives returns the terms that stand for a word.
func (f *finding) alternatives(w asked, close closeness, spelt spellings) ([]term, error) {
	words := []string{w.word}
	var list []term
	if !w.quoted && close <= related {
		for _, stem := range f.lexicon.stemsIn(f.languages, w.word) {
			words = append(words, stem)
			if f.stem != "" {
				list = append(list, term{f.stem, f.user + stem})
			}
		}
		if w.typing {
			longer, err := f.dictionary(f.word, w.word, expandAtMost)
			if err != nil {
				return nil, err
			}
			words = append(words, longer...)
		}
	}
	if !w.quoted && close == guessed {
		alike, err := f.alike(w.word, spelt)
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

// dictionary returns the first terms of a field that begin with a prefix, without the key of the
// user.
func (f *finding) dictionary(field, prefix string, atMost int) ([]string, error) {
	dict, err := f.reader.FieldDictPrefix(field, []byte(f.user+prefix))
	if err != nil {
		return nil, err
	}
	return f.read(dict, atMost)
}

func (f *finding) read(dict indexapi.FieldDict, atMost int) (list []string, err error) {
	for len(list) < atMost {
		entry, err := dict.Next()
		if err != nil || entry == nil {
			return list, errors.Join(err, dict.Close())
		}
		list = append(list, entry.Term[len(f.user):])
	}
	return list, dict.Close()
}

// lookUp finds documents that hold, of each list, one of the terms.
func (f *finding) lookUp(all [][]term, close closeness) error {
	options := search.SearcherOptions{Score: "none"} // so that lists are joined as sets
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
	return errors.Join(f.collect(whole, close), whole.Close())
}

func (f *finding) collect(from search.Searcher, close closeness) error {
	pool := &search.SearchContext{DocumentMatchPool: search.NewDocumentMatchPool(from.DocumentMatchPoolSize()+1, 0)}
	for len(f.found) < f.limit {
		doc, err := from.Next(pool)
		if err != nil || doc == nil {
			return err
		}
		id, err := f.reader.ExternalID(doc.IndexInternalID)
		if err != nil {
			return err
		}
		pool.DocumentMatchPool.Put(doc)
		if !f.seen[id] {
			f.seen[id] = true
			f.found = append(f.found, match{id, close})
		}
	}
	return f.ctx.Err()
}
