package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"roughcut/store/search"
	"roughcut/store/table"
)

// Kinds of search hits.
const (
	HitTranscript = "transcript"
	HitAsset      = "asset"
)

// SearchHit is a place in a transcript, or an asset, that matches a search. Times are project time.
// Fields that belong to the other kind are empty.
type SearchHit struct {
	Kind string
	// Score is 1 for the words as typed and in a row, and less for other forms and spellings.
	Score                              float64
	Fragment                           string // HTML: escaped text, matches enclosed in <mark>
	ProjectUUID, ProjectName, ClipUUID string
	StartMS, EndMS                     int64
	Speaker                            string // of the first word that matches; empty if unknown
	AssetUUID, DisplayName             string
}

// Search returns one page of a user's search hits, the closest first, and how many there are in
// all. A place in a transcript matches when it has all words of q close together. An asset matches
// when its name, tags and groups have all words. Kind selects HitTranscript or HitAsset, empty for
// both. See [search.Index.Find] for what counts as a match and for the limits.
//
// Errors: Unprocessable for a q without words; Unavailable while the index is being built.
func (s *Store) Search(userUUID, q, kind string, p Page) ([]SearchHit, int, error) {
	matches, err := s.index.Find(context.Background(), search.Query{
		UserUUID:    userUUID,
		Text:        q,
		Assets:      kind != HitTranscript,
		Transcripts: kind != HitAsset,
	})
	if err != nil {
		return nil, 0, searchError(err)
	}
	var hits []SearchHit
	err = s.view(func(t *txn) error {
		r := &hitReader{t: t, userUUID: userUUID, projects: map[string]hitProject{}}
		for _, m := range table.Cut(matches, p) {
			if err := r.read(m); err != nil {
				return err
			}
		}

		hits = r.hits
		return nil
	})
	return hits, len(matches), err
}

// searchError turns an error of the index that a user can cause into an *Error.
func searchError(err error) error {
	switch {
	case errors.Is(err, search.ErrNoWords):
		return failField("q", "The search text has no words. Enter at least one word.")
	case errors.Is(err, search.ErrBuilding):
		return &Error{
			Kind:       Unavailable,
			Code:       "unavailable",
			Message:    "The search index is being built. Try again in a moment.",
			RetryAfter: 5 * time.Second,
		}
	}

	return err
}

// hitReader turns matches into hits.
type hitReader struct {
	t        *txn
	userUUID string
	hits     []SearchHit
	projects map[string]hitProject // read for earlier hits, by uuid
}

// hitProject is what a hit needs of its project. The row is nil when the user has no such project.
type hitProject struct {
	row  *projectRow
	line *timeline
}

// read adds the hit of a match, unless the database has changed since the index was written.
func (r *hitReader) read(m search.Match) error {
	if m.ID.Asset != "" {
		return r.readAsset(m)
	}
	return r.readWindow(m)
}

func (r *hitReader) readWindow(m search.Match) error {
	id := m.ID.Window
	project, err := r.project(id.Project)
	if err != nil || project.row == nil || project.row.ActiveRunUUID != id.Run {
		return err
	}
	words, err := r.t.wordWindow(id.Run, id.Clip, id.From)
	if err != nil {
		return err
	}
	text, starts := searchedWords(words)
	spans := m.Spans(text)
	where, ok := project.line.find(id.Clip)
	if !ok || len(spans) == 0 {
		return nil
	}
	first, last := wordAt(starts, spans[0].Start), wordAt(starts, spans[len(spans)-1].End-1)
	r.hits = append(r.hits, SearchHit{
		Kind:        HitTranscript,
		Score:       m.Score,
		Fragment:    search.Highlight(text, spans),
		ProjectUUID: id.Project,
		ProjectName: project.row.Name,
		ClipUUID:    id.Clip,
		StartMS:     where.start + words[first].StartMS,
		EndMS:       where.start + words[last].EndMS,
		Speaker:     words[first].Speaker,
	})
	return nil
}

// readAsset adds the hit of an asset. Its fragment holds the texts about the asset that have a
// match.
func (r *hitReader) readAsset(m search.Match) error {
	row, err := assets.Find(r.t, m.ID.Asset)
	if err != nil || row == nil || row.UserUUID != r.userUUID {
		return err
	}
	texts, err := r.t.assetTexts(row)
	if err != nil {
		return err
	}
	found := searchedTexts(texts)
	spans := m.Spans(strings.Join(found, textSeparator))
	if len(spans) == 0 {
		return nil
	}
	var shown []string
	at := 0
	for _, text := range found {
		var inside []search.Span
		for _, s := range spans {
			if s.Start < at+len(text) && s.End > at {
				inside = append(inside, search.Span{Start: max(s.Start-at, 0), End: min(s.End-at, len(text))})
			}
		}

		if len(inside) > 0 {
			shown = append(shown, search.Highlight(text, inside))
		}
		at += len(text) + len(textSeparator)
	}

	r.hits = append(r.hits, SearchHit{
		Kind:        HitAsset,
		Score:       m.Score,
		Fragment:    strings.Join(shown, textSeparator),
		AssetUUID:   row.UUID,
		DisplayName: row.DisplayName,
	})
	return nil
}

func (r *hitReader) project(uuid string) (hitProject, error) {
	if p, ok := r.projects[uuid]; ok {
		return p, nil
	}
	row, err := projects.Find(r.t, uuid)
	if err != nil {
		return hitProject{}, err
	}
	var p hitProject
	if row != nil && row.UserUUID == r.userUUID && row.TrashedAt == nil {
		p.row = row
		if p.line, err = r.t.timeline(uuid); err != nil {
			return hitProject{}, err
		}
	}

	r.projects[uuid] = p
	return p, nil
}
