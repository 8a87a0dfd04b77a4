package store

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"roughcut/media"
)

// contextBytes is the minimum length of the text on each side of a replaced place.
const contextBytes = 24

// textMatcher finds a text and knows its replacement.
type textMatcher struct {
	pattern    *regexp.Regexp
	wholeWords bool
	replace    string
}

// newTextMatcher compiles a replacement. White space in the text matches any white space, and a
// straight apostrophe a typographic one. Errors: Unprocessable for a text without characters.
func newTextMatcher(r TextReplacement) (textMatcher, error) {
	find, replace := strings.Fields(r.Find), strings.Fields(r.Replace)
	for field, words := range map[string][]string{"find": find, "replace": replace} {
		if len(words) == 0 {
			return textMatcher{}, failField(field, "The text is empty. Enter a word.")
		}
	}

	for i, word := range find {
		find[i] = strings.ReplaceAll(regexp.QuoteMeta(strings.ReplaceAll(word, "’", "'")), "'", "['’]")
	}
	expression := strings.Join(find, `\s+`)
	if !r.MatchCase {
		expression = "(?i)" + expression
	}
	pattern, err := regexp.Compile(expression)
	if err != nil {
		return textMatcher{}, failField("find", "The text contains invalid characters. Enter it again.")
	}
	return textMatcher{pattern, r.WholeWords, strings.Join(replace, " ")}, nil
}

// textRange is a range of bytes in a text.
type textRange struct{ from, to int }

// find returns the matches in a text, in order and without overlaps.
func (m textMatcher) find(text string) []textRange {
	var list []textRange
	for at := 0; at < len(text); {
		found := m.pattern.FindStringIndex(text[at:])
		if found == nil {
			break
		}
		hit := textRange{at + found[0], at + found[1]}
		if m.wholeWords && !(wordBorder(text, hit.from) && wordBorder(text, hit.to)) {
			_, size := utf8.DecodeRuneInString(text[hit.from:])
			at = hit.from + size
			continue
		}

		list = append(list, hit)
		at = hit.to
	}

	return list
}

// wordBorder reports whether no word extends across an offset of a text. In scripts without spaces,
// every offset is a border.
func wordBorder(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return at == 0 || at == len(text) || !media.InWord(before) || !media.InWord(after) ||
		media.WrittenTogether(text[:at], text[at:])
}

// place describes a match in a text. ok is false when the replacement equals the text.
func (m textMatcher) place(text string, hit textRange) (p ReplacedPlace, ok bool) {
	from, to := wordStart(text, hit.from), wordEnd(text, hit.to)
	p = ReplacedPlace{
		Before: text[from:to],
		After:  text[from:hit.from] + m.replace + text[hit.to:to],
	}
	start, end := max(from-contextBytes, 0), min(to+contextBytes, len(text))
	if start > 0 {
		start = wordStart(text, start)
	}
	if end < len(text) {
		end = wordEnd(text, end)
	}
	p.ContextBefore, p.ContextAfter = strings.TrimSpace(text[start:from]), strings.TrimSpace(text[to:end])
	return p, p.Before != p.After
}

// maxWordBytes limits the search for the border of a word: scripts without spaces have none.
const maxWordBytes = 96

// wordStart returns the offset of the first byte after the white space before an offset.
func wordStart(text string, at int) int {
	low := max(at-maxWordBytes, 0)
	if i := strings.LastIndexFunc(text[low:at], unicode.IsSpace); i >= 0 {
		_, size := utf8.DecodeRuneInString(text[low+i:])
		return low + i + size
	}

	return runeStart(text, low)
}

// wordEnd returns the offset of the first white space from an offset on.
func wordEnd(text string, at int) int {
	high := min(at+maxWordBytes, len(text))
	if i := strings.IndexFunc(text[runeStart(text, at):high], unicode.IsSpace); i >= 0 {
		return runeStart(text, at) + i
	}
	return runeStart(text, high)
}

// runeStart returns the offset of the character that contains a byte.
func runeStart(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// splice is a change to a list: Removed items at an index gave way to Inserted ones.
type splice[T any] struct {
	At       int
	Removed  []T
	Inserted int
}

// undoSplices returns the list before splices, which are in the order of their indices in list, and
// the splices that undo this. It returns false when they do not fit the list.
func undoSplices[T any](list []T, made []splice[T]) (out []T, again []splice[T], fits bool) {
	out = make([]T, 0, len(list))
	done := 0
	for _, s := range made {
		if s.At < done || s.Inserted < 0 || s.At+s.Inserted > len(list) {
			return nil, nil, false
		}
		out = append(out, list[done:s.At]...)
		removed := slices.Clone(list[s.At : s.At+s.Inserted])
		again = append(again, splice[T]{At: len(out), Removed: removed, Inserted: len(s.Removed)})
		out = append(out, s.Removed...)
		done = s.At + s.Inserted
	}

	return append(out, list[done:]...), again, true
}

// wordRange is the words from first to last, both included, that contain matches.
type wordRange struct {
	first, last int
	hits        []textRange
}

// groupByWords groups matches in the text of windowText that share words.
func groupByWords(starts []int, hits []textRange) []wordRange {
	var list []wordRange
	for _, hit := range hits {
		first, last := wordAt(starts, hit.from), wordAt(starts, hit.to-1)
		if n := len(list); n > 0 && first <= list[n-1].last {
			list[n-1].last = max(last, list[n-1].last)
			list[n-1].hits = append(list[n-1].hits, hit)
			continue
		}

		list = append(list, wordRange{first, last, []textRange{hit}})
	}

	return list
}

// replaceWords replaces matches in the text of words, as windowText returns it. It returns the new
// words and how they differ.
func (m textMatcher) replaceWords(
	words []media.Word,
	text string,
	starts []int,
	hits []textRange,
) (out []media.Word, made []splice[media.Word]) {
	done := 0
	for _, group := range groupByWords(starts, hits) {
		end := len(text)
		if group.last+1 < len(words) {
			end = starts[group.last+1]
		}
		var edited strings.Builder
		at := starts[group.first]
		for _, hit := range group.hits {
			edited.WriteString(text[at:hit.from] + m.replace)
			at = hit.to
		}

		edited.WriteString(text[at:end])
		out = append(out, words[done:group.first]...)
		replaced := words[group.first : group.last+1]
		inserted := retimed(replaced, strings.Fields(edited.String()))
		made = append(made, splice[media.Word]{At: len(out), Removed: replaced, Inserted: len(inserted)})
		out = append(out, inserted...)
		done = group.last + 1
	}

	return append(out, words[done:]...), made
}

// retimed gives new texts the times of words. The same number of texts keeps every time. Other
// numbers share the span of the words in proportion to their letters. A person has confirmed the
// texts, so their probability is 1.
func retimed(words []media.Word, texts []string) []media.Word {
	out := make([]media.Word, len(texts))
	start, end := words[0].StartMS, words[len(words)-1].EndMS
	letters, total := int64(0), int64(0)
	for _, text := range texts {
		total += int64(utf8.RuneCountInString(text))
	}
	for i, text := range texts {
		w := media.Word{Text: text, Probability: 1}
		if len(texts) == len(words) {
			w.StartMS, w.EndMS = words[i].StartMS, words[i].EndMS
		} else {
			w.StartMS = start + (end-start)*letters/total
			letters += int64(utf8.RuneCountInString(text))
			w.EndMS = start + (end-start)*letters/total
		}

		out[i] = w
	}

	return out
}

// replaceSegments writes the text of segments again that overlap replaced words. A segment without
// words goes.
func replaceSegments(
	segments []media.TimedText,
	words []media.Word,
	made []splice[media.Word],
) (out []media.TimedText, changed []splice[media.TimedText]) {
	out = make([]media.TimedText, 0, len(segments))
	next, from := 0, 0
	for _, seg := range segments {
		for next < len(made) && lastEnd(words, made[next]) <= seg.StartMS {
			next++
		}
		if next == len(made) || words[made[next].At].StartMS >= seg.EndMS {
			out = append(out, seg)
			continue
		}

		for from < len(words) && words[from].StartMS < seg.StartMS {
			from++
		}
		to := from
		for to < len(words) && words[to].StartMS < seg.EndMS {
			to++
		}
		s := splice[media.TimedText]{At: len(out), Removed: []media.TimedText{seg}}
		if to > from {
			seg.Text, _ = windowText(words[from:to])
			out, s.Inserted = append(out, seg), 1
		}

		changed = append(changed, s)
	}

	return out, changed
}

// lastEnd returns the end of the last word that a splice inserted.
func lastEnd(words []media.Word, s splice[media.Word]) int64 {
	return words[s.At+s.Inserted-1].EndMS
}

// captionText is the text of consecutive caption lines, joined like words.
type captionText struct {
	text   string
	starts []int // offset of each line
}

// joinLines joins the texts of caption lines.
func joinLines(rows []*captionRow) captionText {
	var text strings.Builder
	c := captionText{starts: make([]int, len(rows))}
	for i, row := range rows {
		if i > 0 && !media.WrittenTogether(rows[i-1].Text, row.Text) {
			text.WriteByte(' ')
		}
		c.starts[i] = text.Len()
		text.WriteString(row.Text)
	}

	c.text = text.String()
	return c
}

// replaceLines replaces matches in caption lines of one clip, by time, and returns those that
// changed. The replacement of a match across lines goes to the first of these lines. A line that
// loses all its text stays empty, and the line before it lasts until its end.
func (m textMatcher) replaceLines(rows []*captionRow, c captionText, hits []textRange) (changed []*captionRow) {
	texts := make([]string, len(rows))
	ends := make([]int64, len(rows))
	for i, row := range rows {
		texts[i], ends[i] = row.Text, row.Span.EndMS
	}
	for i := len(hits) - 1; i >= 0; i-- {
		from, to := wordAt(c.starts, hits[i].from), wordAt(c.starts, hits[i].to-1)
		head, tail := hits[i].from-c.starts[from], hits[i].to-c.starts[to]
		rest := texts[to][tail:]
		if from == to {
			texts[from] = texts[from][:head] + m.replace + rest
			continue
		}

		glued := wordEnd(rest, 0) // punctuation after the match
		texts[from] = texts[from][:head] + m.replace + rest[:glued]
		for line := from + 1; line <= to; line++ {
			texts[line] = ""
		}
		if texts[to] = strings.TrimSpace(rest[glued:]); texts[to] == "" {
			ends[from] = ends[to]
		} else {
			ends[from] = max(ends[from], ends[to-1])
		}
	}

	for i, row := range rows {
		if row.Text != texts[i] || row.Span.EndMS != ends[i] {
			row.Text, row.Span.EndMS = texts[i], ends[i]
			changed = append(changed, row)
		}
	}

	return changed
}

// byTime compares caption lines of one clip.
func byTime(a, b *captionRow) int { return cmp.Compare(a.Span.StartMS, b.Span.StartMS) }
