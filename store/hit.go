package store

import (
	"html"
	"slices"
	"strings"
)

// hitReader turns what was found into hits.
type hitReader struct {
	t        *txn
	userUUID string
	hits     []SearchHit
	shown    map[string]shownProject // those read for earlier hits
}

// shownProject is what a hit needs of its project; row is nil where the user has none of that id.
type shownProject struct {
	row  *projectRow
	line *timeline
}

// read adds the hit of a document, unless the database has moved on.
func (r *hitReader) read(p sighting) error {
	if p.asset != "" {
		return r.readAsset(p)
	}
	id := p.window
	project, err := r.project(id.Project)
	if err != nil || project.row == nil || project.row.ActiveRunUUID != id.Run {
		return err
	}
	words, err := r.t.window(id.Run, id.Clip, id.From)
	if err != nil {
		return err
	}
	text, starts := windowText(words)
	marks := p.by.spans(text, p.score)
	where, ok := project.line.find(id.Clip)
	if !ok || len(marks) == 0 {
		return nil
	}
	first, last := wordAt(starts, marks[0].start), wordAt(starts, marks[len(marks)-1].end-1)
	r.hits = append(
		r.hits,
		SearchHit{
			Kind:        HitTranscript,
			Score:       float64(p.score),
			Fragment:    highlight(text, marks),
			ProjectUUID: id.Project,
			ProjectName: project.row.Name,
			ClipUUID:    id.Clip,
			StartMS:     where.start + words[first].StartMS,
			EndMS:       where.start + words[last].EndMS,
		},
	)
	return nil
}

// readAsset adds the hit of an asset. Its fragment is the parts of what is written about it in
// which something matched.
func (r *hitReader) readAsset(p sighting) error {
	row, err := assets.find(r.t, p.asset)
	if err != nil || row == nil || row.UserUUID != r.userUUID {
		return err
	}
	described, err := r.t.describe(row)
	if err != nil {
		return err
	}
	parts := foundBy(described)
	marks := p.by.spans(strings.Join(parts, writtenApart), p.score)
	if len(marks) == 0 {
		return nil
	}
	var shown []string
	at := 0
	for _, part := range parts {
		var inside []span
		for _, m := range marks {
			if m.start < at+len(part) && m.end > at {
				inside = append(inside, span{max(m.start-at, 0), min(m.end-at, len(part))})
			}
		}
		if len(inside) > 0 {
			shown = append(shown, highlight(part, inside))
		}
		at += len(part) + len(writtenApart)
	}
	r.hits = append(
		r.hits,
		SearchHit{
			Kind:        HitAsset,
			Score:       float64(p.score),
			Fragment:    strings.Join(shown, writtenApart),
			AssetUUID:   row.UUID,
			DisplayName: row.DisplayName,
		},
	)
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

// wordAt returns which word holds a byte of a window's text.
func wordAt(starts []int, at int) int {
	i, exact := slices.BinarySearch(starts, at)
	if exact {
		return i
	}
	return max(i-1, 0)
}

// span is a piece of a text, in bytes.
type span struct{ start, end int }

// spans returns which pieces of a text match, in order and apart; none where a row of words that
// must be there is not.
func (f *finding) spans(text string, close closeness) []span {
	said, m := f.lexicon.words(text), f.marks[close]
	if len(m.rows) > 0 {
		marked, whole := rowSpans(said, m.rows)
		if close != inARow && !whole {
			return nil
		}
		if whole && close == inARow {
			return merged(marked)
		}
		return merged(append(marked, f.wordSpans(text, said, m)...))
	}
	return merged(f.wordSpans(text, said, m))
}

// rowSpans finds rows of words, and says whether all of them are there.
func rowSpans(said []spokenWord, rows [][]string) (list []span, all bool) {
	all = true
	for _, row := range rows {
		found := false
		for i := range len(said) - len(row) + 1 {
			if slices.EqualFunc(
				said[i:i+len(row)],
				row,
				func(w spokenWord, word string) bool { return w.word == word },
			) {
				list = append(list, span{said[i].start, said[i+len(row)-1].end})
				found = true
			}
		}
		all = all && found
	}
	return list, all
}

func (f *finding) wordSpans(text string, said []spokenWord, m markers) (list []span) {
	for _, w := range said {
		if m.words[w.word] || f.stem == "" && m.words[f.lexicon.fold(w.word)] ||
			len(m.stems) > 0 && f.isForm(text[w.start:w.end], m) {
			list = append(list, span{w.start, w.end})
		}
	}
	return list
}

// isForm says whether a word is another form of one that is marked.
func (f *finding) isForm(word string, m markers) bool {
	return slices.ContainsFunc(
		f.languages,
		func(language string) bool { return m.stems[f.lexicon.stemOf(language, word)] },
	)
}

// merged sorts spans and joins those that overlap.
func merged(list []span) []span {
	slices.SortFunc(list, func(a, b span) int { return a.start - b.start })
	out := list[:0]
	for _, s := range list {
		if n := len(out); n > 0 && s.start < out[n-1].end {
			out[n-1].end = max(out[n-1].end, s.end)
			continue
		}
		out = append(out, s)
	}
	return out
}

// highlight escapes a text for HTML and marks spans of it.
func highlight(text string, spans []span) string {
	var out strings.Builder
	at := 0
	for _, s := range spans {
		out.WriteString(
			html.EscapeString(text[at:s.start]) + "<mark>" + html.EscapeString(text[s.start:s.end]) + "</mark>",
		)
		at = s.end
	}
	out.WriteString(html.EscapeString(text[at:]))
	return out.String()
}
