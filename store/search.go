package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	indexapi "github.com/blevesearch/bleve_index_api"
)

// searchLimit is how many windows a search looks at, the closest first, and searchPatience how long it may take.
const (
	searchLimit    = 300
	searchPatience = 10 * time.Second
)

// Hit is a place in a transcript that matches a search; times are on the project.
type Hit struct {
	Kind                               string  // transcript
	Score                              float64 // 1 for the words as typed and in a row, less for other forms and other spellings of them
	Fragment                           string  // HTML: escaped text with <mark> around what matched
	ProjectUUID, ProjectName, ClipUUID string
	StartMS, EndMS                     int64
}

// Search returns one page of the places in a user's transcripts where all words of q are said close together, and how many there
// are in all, at most searchLimit. First come those where they follow one another, then the words as they were typed, then other
// forms of them and words that begin with the last one; only where there is little of all that, words that are spelt alike. Words
// within double quotes must be said as they are, one after the other. Errors: Unprocessable for a q without words; Unavailable
// while the index is being built.
func (s *Store) Search(userUUID, q string, p Page) ([]Hit, int, error) {
	asked := s.lexicon.parseQuestion(q)
	if len(asked.words) == 0 {
		return nil, 0, failField("q", "Say what to search for.")
	}
	f := &finding{lexicon: s.lexicon, user: userKey(userUUID), limit: searchLimit, seen: map[string]bool{}, marks: map[closeness]markers{}}
	if err := s.searchIndex(f, asked); err != nil {
		return nil, 0, err
	}
	places, err := apart(f.found)
	if err != nil {
		return nil, 0, err
	}
	var hits []Hit
	err = s.view(func(t *txn) error {
		r := &hitReader{t: t, f: f, userUUID: userUUID, shown: map[string]shownProject{}}
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

// searchIndex looks a question up in the index.
func (s *Store) searchIndex(f *finding, q question) error {
	s.index.mu.RLock()
	defer s.index.mu.RUnlock()
	if s.index.ready == nil {
		return &Error{Kind: Unavailable, Code: "unavailable", Message: "The search index is being built; try again in a moment.", RetryAfter: 5 * time.Second}
	}
	ctx, cancel := context.WithTimeout(context.Background(), searchPatience)
	defer cancel()
	f.ctx = ctx
	err := s.withReader(s.index.ready, func(r indexapi.IndexReader) error {
		f.reader = r
		return f.find(q)
	})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		wake(s.index.broken)
	}
	if err != nil {
		return fmt.Errorf("searching the index: %w", err)
	}
	return nil
}

// windowMatch is a window that was found.
type windowMatch struct {
	id    windowID
	score closeness
}

// apart leaves out windows that share words with one that comes before.
func apart(found []match) ([]windowMatch, error) {
	list := make([]windowMatch, 0, len(found))
	kept := map[windowID]bool{}
	for _, m := range found {
		id, err := parseWindowID(m.id)
		if err != nil {
			return nil, err
		}
		before, after := id, id
		before.From -= chunkWords
		after.From += chunkWords
		if !kept[before] && !kept[after] {
			kept[id] = true
			list = append(list, windowMatch{id, m.score})
		}
	}
	return list, nil
}
