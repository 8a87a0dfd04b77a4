package search

import (
	"html"
	"slices"
	"strings"
)

// Match is a document that a query found.
type Match struct {
	ID ID
	// Score is 1 for the words as typed and in a row, and less for other forms and spellings.
	Score  float64
	finder *finder
}

// Span is a range of bytes of a text.
type Span struct{ Start, End int }

// Spans returns the spans of the document's text that match the query, sorted and without overlap.
// It returns none when the text lacks a phrase of the query: the index knows pairs of words only.
func (m Match) Spans(text string) []Span {
	f := m.finder
	words, marks := f.lexicon.split(text), f.marks[closeness(m.Score)]
	if len(marks.rows) == 0 {
		return mergeSpans(f.wordSpans(text, words, marks))
	}
	spans, all := rowSpans(words, marks.rows)
	switch inRow := closeness(m.Score) == inARow; {
	case inRow && all:
		return mergeSpans(spans)
	case !inRow && !all:
		return nil
	}

	return mergeSpans(append(spans, f.wordSpans(text, words, marks)...))
}

// rowSpans returns the spans of rows of words, and whether the text has all rows.
func rowSpans(words []word, rows [][]string) (list []Span, all bool) {
	all = true
	for _, row := range rows {
		found := false
		for i := range len(words) - len(row) + 1 {
			part := words[i : i+len(row)]
			if slices.EqualFunc(part, row, func(w word, text string) bool { return w.text == text }) {
				list = append(list, Span{words[i].start, words[i+len(row)-1].end})
				found = true
			}
		}

		all = all && found
	}

	return list, all
}

// wordSpans returns the spans of the words to mark.
func (f *finder) wordSpans(text string, words []word, m marks) (list []Span) {
	for _, w := range words {
		if f.isMarked(w, text[w.start:w.end], m) {
			list = append(list, Span{w.start, w.end})
		}
	}

	return list
}

// isMarked reports whether a word, with its original text, is to be marked.
func (f *finder) isMarked(w word, original string, m marks) bool {
	if m.words[w.text] {
		return true
	}
	if f.stem == "" && m.words[f.lexicon.fold(w.text)] {
		return true
	}
	return len(m.stems) > 0 && f.isForm(original, m)
}

// isForm reports whether a word has a stem to mark.
func (f *finder) isForm(word string, m marks) bool {
	return slices.ContainsFunc(
		f.languages,
		func(language string) bool { return m.stems[f.lexicon.stemOf(language, word)] },
	)
}

// mergeSpans sorts spans and joins those that overlap.
func mergeSpans(list []Span) []Span {
	slices.SortFunc(list, func(a, b Span) int { return a.Start - b.Start })
	out := list[:0]
	for _, s := range list {
		if n := len(out); n > 0 && s.Start < out[n-1].End {
			out[n-1].End = max(out[n-1].End, s.End)
			continue
		}

		out = append(out, s)
	}

	return out
}

// Highlight escapes a text for HTML and encloses spans of it in <mark>.
func Highlight(text string, spans []Span) string {
	var out strings.Builder
	at := 0
	for _, s := range spans {
		out.WriteString(html.EscapeString(text[at:s.Start]))
		out.WriteString("<mark>" + html.EscapeString(text[s.Start:s.End]) + "</mark>")
		at = s.End
	}

	out.WriteString(html.EscapeString(text[at:]))
	return out.String()
}
