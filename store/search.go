package store

import (
	"context"
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"roughcut/media"
)

// searchLimit is how many windows a search looks at, the best first, and searchPatience how long it may take.
const (
	searchLimit    = 300
	searchPatience = 10 * time.Second
)

// Hit is a place in a transcript that matches a search; times are on the project.
type Hit struct {
	Kind                               string // transcript
	Score                              float64
	Fragment                           string // HTML: escaped text with <mark> around what matched
	ProjectUUID, ProjectName, ClipUUID string
	StartMS, EndMS                     int64
}

// Search returns one page of the places in a user's transcripts where all words of q are said close together, the best first, and
// how many there are in all, at most searchLimit. Words within double quotes must follow one another. Errors: Unprocessable for an empty q;
// Unavailable while the index is being built.
func (s *Store) Search(userUUID, q string, p Page) ([]Hit, int, error) {
	wanted := parseQuery(q)
	if len(wanted) == 0 {
		return nil, 0, failField("q", "Say what to search for.")
	}
	user := bleve.NewTermQuery(userUUID)
	user.SetField("user")
	request := bleve.NewSearchRequestOptions(bleve.NewConjunctionQuery(append(wanted, user)...), searchLimit, 0, false)
	request.IncludeLocations = true
	request.SortBy([]string{"-_score", "_id"})
	result, err := s.searchIndex(request)
	if err != nil {
		return nil, 0, err
	}
	var hits []Hit
	err = s.view(func(t *txn) error {
		r := &hitReader{t: t, userUUID: userUUID, seen: map[wordID]bool{}, shown: map[string]shownProject{}}
		for _, match := range result.Hits {
			if err := r.read(match); err != nil {
				return err
			}
		}
		hits = r.hits
		return nil
	})
	return slices.Clone(cut(hits, p)), len(hits), err
}

// parseQuery turns what a person typed into queries that all must match.
func parseQuery(q string) []query.Query {
	var wanted []query.Query
	for i, part := range strings.Split(q, `"`) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if i%2 == 1 {
			phrase := bleve.NewMatchPhraseQuery(part)
			phrase.SetField("text")
			wanted = append(wanted, phrase)
			continue
		}
		words := bleve.NewMatchQuery(part)
		words.SetField("text")
		words.SetOperator(query.MatchQueryOperatorAnd)
		wanted = append(wanted, words)
	}
	return wanted
}

func (s *Store) searchIndex(request *bleve.SearchRequest) (*bleve.SearchResult, error) {
	s.index.mu.RLock()
	defer s.index.mu.RUnlock()
	if s.index.ready == nil {
		return nil, &Error{Kind: Unavailable, Code: "unavailable", Message: "The search index is being built; try again in a moment.", RetryAfter: 5 * time.Second}
	}
	ctx, cancel := context.WithTimeout(context.Background(), searchPatience)
	defer cancel()
	var result *bleve.SearchResult
	err := s.guard(func() (err error) { result, err = s.index.ready.SearchInContext(ctx, request); return err })
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		wake(s.index.broken)
	}
	if err != nil {
		return nil, fmt.Errorf("searching the index: %w", err)
	}
	return result, nil
}

// wordID names a spoken word: the first one of a hit. Two windows that overlap find the same.
type wordID struct {
	run, clip string
	word      int
}

// shownProject is what a hit needs of its project; row is nil where the user has none of that id.
type shownProject struct {
	row  *projectRow
	line *timeline
}

// hitReader turns matching windows into hits.
type hitReader struct {
	t        *txn
	userUUID string
	hits     []Hit
	seen     map[wordID]bool
	shown    map[string]shownProject // those read for earlier hits
}

// read adds the hit of a window, unless the database has moved on or an earlier window showed the same place.
func (r *hitReader) read(match *search.DocumentMatch) error {
	id, err := parseWindowID(match.ID)
	if err != nil {
		return err
	}
	project, err := r.project(id.Project)
	if err != nil || project.row == nil || project.row.ActiveRunUUID != id.Run {
		return err
	}
	words, err := r.t.window(id.Run, id.Clip, id.From)
	if err != nil {
		return err
	}
	text, starts := windowText(words)
	marks := matchedSpans(match, len(text))
	place, ok := project.line.find(id.Clip)
	if !ok || len(marks) == 0 {
		return nil
	}
	first, last := wordAt(starts, marks[0][0]), wordAt(starts, marks[len(marks)-1][1]-1)
	where := wordID{id.Run, id.Clip, id.From + first}
	if r.seen[where] {
		return nil
	}
	r.seen[where] = true
	r.hits = append(r.hits, Hit{Kind: "transcript", Score: match.Score, Fragment: highlight(text, marks), ProjectUUID: id.Project,
		ProjectName: project.row.Name, ClipUUID: id.Clip, StartMS: place.start + words[first].StartMS, EndMS: place.start + words[last].EndMS})
	return nil
}

func (r *hitReader) project(uuid string) (shownProject, error) {
	if p, ok := r.shown[uuid]; ok {
		return p, nil
	}
	row, err := projects.find(r.t, uuid)
	if err != nil {
		return shownProject{}, err
	}
	var p shownProject
	if row != nil && row.UserUUID == r.userUUID {
		p.row = row
		if p.line, err = r.t.timeline(uuid); err != nil {
			return shownProject{}, err
		}
	}
	r.shown[uuid] = p
	return p, nil
}

// windowText returns the text of a window's words and where each of them starts in it.
func windowText(words []media.Word) (string, []int) {
	var text strings.Builder
	var starts []int
	for _, w := range words {
		if text.Len() > 0 {
			text.WriteByte(' ')
		}
		starts = append(starts, text.Len())
		text.WriteString(strings.TrimSpace(w.Text))
	}
	return text.String(), starts
}

// wordAt returns which word holds a byte of a window's text.
func wordAt(starts []int, at int) int {
	i, exact := slices.BinarySearch(starts, at)
	if exact {
		return i
	}
	return max(i-1, 0)
}

// matchedSpans returns where in a window's text the search matched, in order, as pairs of byte offsets.
func matchedSpans(match *search.DocumentMatch, size int) [][2]int {
	var spans [][2]int
	for _, locations := range match.Locations["text"] {
		for _, l := range locations {
			if l.Start < l.End && l.End <= uint64(size) {
				spans = append(spans, [2]int{int(l.Start), int(l.End)})
			}
		}
	}
	slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
	return slices.CompactFunc(spans, func(a, b [2]int) bool { return a[0] < b[1] && b[0] < a[1] })
}

// highlight escapes a text for HTML and marks spans of it.
func highlight(text string, spans [][2]int) string {
	var out strings.Builder
	at := 0
	for _, span := range spans {
		out.WriteString(html.EscapeString(text[at:span[0]]) + "<mark>" + html.EscapeString(text[span[0]:span[1]]) + "</mark>")
		at = span[1]
	}
	out.WriteString(html.EscapeString(text[at:]))
	return out.String()
}
