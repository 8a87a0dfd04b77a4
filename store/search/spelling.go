package search

import (
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/index/scorch"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/vellum/levenshtein"
)

// spellings caches the automata for the words of one query: building them takes most of the time of
// a lookup, and several lookups share them.
type spellings map[string]*levenshtein.DFA

// automata builds automata for words that are one edit apart, and two. An edit adds, removes or
// replaces a letter, or swaps two neighbors.
var automata = [...]func() (*levenshtein.LevenshteinAutomatonBuilder, error){
	sync.OnceValues(func() (*levenshtein.LevenshteinAutomatonBuilder, error) {
		return levenshtein.NewLevenshteinAutomatonBuilder(1, true)
	}),
	sync.OnceValues(func() (*levenshtein.LevenshteinAutomatonBuilder, error) {
		return levenshtein.NewLevenshteinAutomatonBuilder(2, true)
	}),
}

// of returns the automaton for the words that are one edit away from a word of four to seven
// letters, or up to two edits from a longer one. It returns nil for a shorter word.
func (s spellings) of(word string) (*levenshtein.DFA, error) {
	letters := utf8.RuneCountInString(word)
	if letters < 4 {
		return nil, nil
	}
	if dfa, ok := s[word]; ok {
		return dfa, nil
	}
	edits := 1
	if letters >= 8 {
		edits = 2
	}
	builder, err := automata[edits-1]()
	if err != nil {
		return nil, fmt.Errorf("comparing spellings: %w", err)
	}
	dfa, err := builder.BuildDfa(word, uint8(edits))
	if err != nil {
		return nil, fmt.Errorf("comparing spellings of %q: %w", word, err)
	}
	s[word] = dfa
	return dfa, nil
}

// prefixed is an automaton for terms that consist of a fixed prefix and a rest that another
// automaton matches. States below the length of the prefix count the bytes of the prefix that were
// read. Higher states belong to the other automaton.
type prefixed struct {
	prefix string
	rest   *levenshtein.DFA
}

const noMatch = -1 // the state after which no term can match

func (p prefixed) Start() int {
	if p.prefix == "" {
		return p.rest.Start()
	}
	return 0
}

func (p prefixed) IsMatch(state int) bool {
	return state >= len(p.prefix) && p.rest.IsMatch(state-len(p.prefix))
}

func (p prefixed) CanMatch(state int) bool {
	if state < 0 {
		return false
	}
	return state < len(p.prefix) || p.rest.CanMatch(state-len(p.prefix))
}

func (p prefixed) WillAlwaysMatch(state int) bool {
	return state >= len(p.prefix) && p.rest.WillAlwaysMatch(state-len(p.prefix))
}

func (p prefixed) Accept(state int, next byte) int {
	switch {
	case state == noMatch:
		return noMatch
	case state >= len(p.prefix):
		return len(p.prefix) + p.rest.Accept(state-len(p.prefix), next)
	case p.prefix[state] != next:
		return noMatch
	case state+1 == len(p.prefix):
		return len(p.prefix) + p.rest.Start()
	}

	return state + 1
}

// similar returns words of the index that begin with the same letter as a word and are spelled
// similarly, at most maxSimilar.
func (f *finder) similar(word string, spelling spellings) ([]string, error) {
	dfa, err := spelling.of(word)
	snapshot, ok := f.reader.(*scorch.IndexSnapshot)
	if err != nil || dfa == nil || !ok {
		return nil, err
	}
	_, first := utf8.DecodeRuneInString(word)
	from := []byte(f.user + word[:first])
	to := slices.Clone(from)
	to[len(to)-1]++ // UTF-8 has no byte 255
	var list []string
	for _, s := range snapshot.Segments() {
		dict, err := s.Segment().Dictionary(f.word)
		if err != nil {
			return nil, err
		}
		words, err := f.drain(dict.AutomatonIterator(prefixed{f.user, dfa}, from, to))
		if err != nil {
			return nil, err
		}
		list = append(list, words...)
	}

	slices.Sort(list)
	list = slices.Compact(list)
	return list[:min(len(list), maxSimilar)], nil
}

// drain returns the next words of an iterator, at most maxSimilar.
func (f *finder) drain(dict segment.DictionaryIterator) (list []string, err error) {
	for len(list) < maxSimilar {
		entry, err := dict.Next()
		if err != nil || entry == nil {
			return list, err
		}
		list = append(list, entry.Term[len(f.user):])
	}

	return list, nil
}
