package store

import (
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/index/scorch"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/vellum/levenshtein"
)

// spellings keeps the automata for the words of one question: to make them is most of what looking
// for words that are spelt alike takes, and each is used for every kind of document.
type spellings map[string]*levenshtein.DFA

// spellingOf makes automata for words that are one change apart, and two: a letter added, left out,
// replaced, or changed places with the next one.
var spellingOf = [...]func() (*levenshtein.LevenshteinAutomatonBuilder, error){
	sync.OnceValues(func() (*levenshtein.LevenshteinAutomatonBuilder, error) {
		return levenshtein.NewLevenshteinAutomatonBuilder(1, true)
	}),
	sync.OnceValues(func() (*levenshtein.LevenshteinAutomatonBuilder, error) {
		return levenshtein.NewLevenshteinAutomatonBuilder(2, true)
	}),
}

// of returns what matches the words that are one change from a word of four letters, two from one
// of eight; nil for a shorter word.
func (s spellings) of(word string) (*levenshtein.DFA, error) {
	letters := utf8.RuneCountInString(word)
	if letters < 4 {
		return nil, nil
	}
	if dfa, ok := s[word]; ok {
		return dfa, nil
	}
	changes := 1
	if letters >= 8 {
		changes = 2
	}
	builder, err := spellingOf[changes-1]()
	if err != nil {
		return nil, fmt.Errorf("comparing spellings: %w", err)
	}
	dfa, err := builder.BuildDfa(word, uint8(changes))
	if err != nil {
		return nil, fmt.Errorf("comparing spellings of %q: %w", word, err)
	}
	s[word] = dfa
	return dfa, nil
}

// behind is an automaton for terms that begin with a key, to the letter, and go on with what
// another one matches. Its states are how much of the key was read, and from its length on the
// other's.
type behind struct {
	key  string
	rest *levenshtein.DFA
}

const astray = -1 // the state that no term leads out of

func (b behind) Start() int {
	if b.key == "" {
		return b.rest.Start()
	}
	return 0
}

func (b behind) IsMatch(state int) bool {
	return state >= len(b.key) && b.rest.IsMatch(state-len(b.key))
}

func (b behind) CanMatch(state int) bool {
	return state >= 0 && (state < len(b.key) || b.rest.CanMatch(state-len(b.key)))
}

func (b behind) WillAlwaysMatch(state int) bool {
	return state >= len(b.key) && b.rest.WillAlwaysMatch(state-len(b.key))
}

func (b behind) Accept(state int, next byte) int {
	switch {
	case state == astray:
		return astray
	case state >= len(b.key):
		return len(b.key) + b.rest.Accept(state-len(b.key), next)
	case b.key[state] != next:
		return astray
	case state+1 == len(b.key):
		return len(b.key) + b.rest.Start()
	}
	return state + 1
}

// alike returns the first words that begin with the same letter as a word and are spelt like it.
func (f *finding) alike(word string, spelt spellings) ([]string, error) {
	dfa, err := spelt.of(word)
	snapshot, ok := f.reader.(*scorch.IndexSnapshot)
	if err != nil || dfa == nil || !ok {
		return nil, err
	}
	_, first := utf8.DecodeRuneInString(word)
	from := []byte(f.user + word[:first])
	to := slices.Clone(from)
	to[len(to)-1]++ // no byte of UTF-8 is 255
	var list []string
	for _, s := range snapshot.Segments() {
		dict, err := s.Segment().Dictionary(f.word)
		if err != nil {
			return nil, err
		}
		words, err := f.matching(dict.AutomatonIterator(behind{f.user, dfa}, from, to))
		if err != nil {
			return nil, err
		}
		list = append(list, words...)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return list[:min(len(list), guessesAtMost)], nil
}

// matching returns the first words that a dictionary has left.
func (f *finding) matching(dict segment.DictionaryIterator) (list []string, err error) {
	for len(list) < guessesAtMost {
		entry, err := dict.Next()
		if err != nil || entry == nil {
			return list, err
		}
		list = append(list, entry.Term[len(f.user):])
	}
	return list, nil
}
