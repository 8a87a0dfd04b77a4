package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	indexapi "github.com/blevesearch/bleve_index_api"
)

// searchLimit is how many documents of each kind a search looks at, the closest first, and
// searchPatience how long it may take.
const (
	searchLimit    = 300
	searchPatience = 10 * time.Second
)

// Kinds of what is found.
const (
	HitTranscript = "transcript"
	HitAsset      = "asset"
)

// Hit is a place in a transcript, or an asset, that matches a search. Times are on the project.
// Fields of the other kind are empty.
type SearchHit struct {
	Kind string
	// 1 for the words as typed and in a row, less for other forms and other spellings of them
	Score                              float64
	Fragment                           string // HTML: escaped text with <mark> around what matched
	ProjectUUID, ProjectName, ClipUUID string
	StartMS, EndMS                     int64
	AssetUUID, DisplayName             string
}

// Search returns one page of the places in a user's transcripts where all words of q are said close
// together, and of the assets whose name, tags and groups hold them, and how many there are in all,
// at most searchLimit of each kind; kind asks for one of them, empty for both. First come those
// where they follow one another, then the words as they were typed, then other forms of them and
// words that begin with the last one; only where there is little of all that, words that are spelt
// alike. Words within double quotes must be there as they are, one after the other. Errors:
// Unprocessable for a q without words; Unavailable while the index is being built.
func (s *Store) Search(userUUID, q, kind string, p Page) ([]SearchHit, int, error) {
	asked := s.lexicon.parseQuestion(q)
	if len(asked.words) == 0 {
		return nil, 0, failField("q", "Say what to search for.")
	}
	var found []*finding
	if kind != HitTranscript {
		found = append(found, s.lexicon.newFinding(userUUID, fieldAsset, "", fieldBeside))
	}
	if kind != HitAsset {
		found = append(found, s.lexicon.newFinding(userUUID, fieldWord, fieldStem, fieldPair))
	}
	if err := s.searchIndex(found, asked); err != nil {
		return nil, 0, err
	}
	places, err := apart(found)
	if err != nil {
		return nil, 0, err
	}
	var hits []SearchHit
	err = s.view(func(t *txn) error {
		r := &hitReader{t: t, userUUID: userUUID, shown: map[string]shownProject{}}
		for _, place := range cut(places, p) {
			if err := r.read(place); err != nil {
				return err
			}
		}
		hits = r.hits
		return nil
	})
	return hits, len(places), err
}

// searchIndex looks a question up in one state of the index.
func (s *Store) searchIndex(all []*finding, q question) error {
	return s.readIndex(context.Background(), func(ctx context.Context, r indexapi.IndexReader) error {
		for _, f := range all {
			f.ctx, f.reader = ctx, r
			if err := f.find(q); err != nil {
				return err
			}
		}
		return nil
	})
}

func indexUnavailable() *Error {
	return &Error{
		Kind:       Unavailable,
		Code:       "unavailable",
		Message:    "The search index is being built; try again in a moment.",
		RetryAfter: 5 * time.Second,
	}
}

// readIndex calls fn with one state of the index, for as long as a search may take. Errors:
// Unavailable while it is being built.
func (s *Store) readIndex(ctx context.Context, fn func(context.Context, indexapi.IndexReader) error) error {
	s.index.mu.RLock()
	defer s.index.mu.RUnlock()
	if s.index.ready == nil {
		return indexUnavailable()
	}
	ctx, cancel := context.WithTimeout(ctx, searchPatience)
	defer cancel()
	err := s.withReader(s.index.ready, func(r indexapi.IndexReader) error { return fn(ctx, r) })
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		wake(s.index.broken)
	}
	if err != nil {
		return fmt.Errorf("searching the index: %w", err)
	}
	return nil
}

// sighting is a document that was found: a window of a transcript, or an asset.
type sighting struct {
	asset  string // uuid; empty for a window
	window windowID
	score  closeness
	by     *finding
}

// apart lists what was found, the closest first, and leaves out windows that share words with one
// that comes before.
func apart(all []*finding) ([]sighting, error) {
	var list []sighting
	kept := map[windowID]bool{}
	for _, f := range all {
		for _, m := range f.found {
			p, err := parseDocID(m.id)
			if err != nil {
				return nil, err
			}
			p.score, p.by = m.score, f
			before, after := p.window, p.window
			before.From -= chunkWords
			after.From += chunkWords
			if p.asset != "" || !kept[before] && !kept[after] {
				kept[p.window] = true
				list = append(list, p)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b sighting) int { return cmp.Compare(b.score, a.score) })
	return list, nil
}
