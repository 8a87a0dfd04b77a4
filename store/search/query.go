package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	indexapi "github.com/blevesearch/bleve_index_api"
)

// ErrNoWords says that a query has no words.
var ErrNoWords = errors.New("the query has no words")

// maxQueryWords is how many words of a query count.
const maxQueryWords = 12

// Query asks for documents of one user.
type Query struct {
	UserUUID    string
	Text        string // as the user typed it
	Assets      bool   // find assets
	Transcripts bool   // find windows of transcripts
}

// Find returns the documents that hold all words of a query, the closest first. It finds at most
// 300 documents of each kind. Windows that share words with a better match are left out.
//
// Closest are the words in a row as typed, then the words as typed, then other forms of the words
// and words that begin with the last one. When these give fewer than ten matches, similarly
// spelled words follow. Words in double quotes must occur as typed and in a row.
//
// Errors: ErrNoWords, ErrBuilding.
func (x *Index) Find(ctx context.Context, query Query) ([]Match, error) {
	q := x.lexicon.parse(query.Text)
	if len(q.words) == 0 {
		return nil, ErrNoWords
	}
	var finders []*finder
	if query.Assets {
		finders = append(finders, newAssetFinder(x.lexicon, query.UserUUID))
	}
	if query.Transcripts {
		finders = append(finders, newTranscriptFinder(x.lexicon, query.UserUUID))
	}
	err := x.read(ctx, func(ctx context.Context, r indexapi.IndexReader) error {
		for _, f := range finders {
			f.ctx, f.reader = ctx, r
			if err := f.find(q); err != nil {
				return err
			}
		}

		return nil
	})
	if err != nil {
		return nil, err
	}
	return distinct(finders)
}

// distinct returns what finders found, the closest first, without windows that overlap a window
// before them.
func distinct(finders []*finder) ([]Match, error) {
	var list []Match
	kept := map[Window]bool{}
	for _, f := range finders {
		for _, found := range f.found {
			id, err := parseKey(found.key)
			if err != nil {
				return nil, err
			}
			before, after := id.Window, id.Window
			before.From -= WindowStep
			after.From += WindowStep
			if id.Asset != "" || (!kept[before] && !kept[after]) {
				kept[id.Window] = true
				list = append(list, Match{ID: id, Score: float64(found.closeness), finder: f})
			}
		}
	}

	slices.SortStableFunc(list, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
	return list, nil
}

// queryWord is one word of a query.
type queryWord struct {
	text   string
	quoted bool // only this word matches
	typing bool // the last word, which the user may not have finished
}

// parsed is a query after parsing.
type parsed struct {
	words    []queryWord
	phrases  [][]string // words that must follow one another
	spelling spellings
}

// parse splits the text of a query into words and phrases.
func (l *lexicon) parse(text string) parsed {
	q := parsed{spelling: spellings{}}
	for i, part := range strings.Split(text, `"`) {
		quoted := i%2 == 1
		var row []string
		for _, w := range l.split(part) {
			if len(q.words) == maxQueryWords {
				break
			}
			q.words = append(q.words, queryWord{text: w.text, quoted: quoted})
			row = append(row, w.text)
		}

		if quoted && len(row) > 1 {
			q.phrases = append(q.phrases, row)
		}
	}

	last, _ := utf8.DecodeLastRuneInString(text)
	if n := len(q.words); n > 0 && !q.words[n-1].quoted &&
		(unicode.IsLetter(last) || unicode.IsNumber(last) || unicode.IsMark(last)) {
		q.words[n-1].typing = len(q.words[n-1].text) > 1
	}

	return q
}

// row returns all words in order, or nil for a query with phrases or with fewer than two words.
func (q parsed) row() []string {
	if len(q.words) < 2 || len(q.phrases) > 0 {
		return nil
	}
	row := make([]string, 0, len(q.words))
	for _, w := range q.words {
		row = append(row, w.text)
	}
	return row
}
