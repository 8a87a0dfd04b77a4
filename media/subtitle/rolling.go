package subtitle

import (
	"cmp"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"roughcut/media"
)

const (
	rollGapMS = 2_000 // most time between two cues that show the same words
	flashMS   = 50    // most time of a cue between two steps of rolling captions
	leastRoll = 2     // steps that make a pattern
	rowShare  = 0.2   // of the cues of rolling captions, which repeat a row of the cue before
	wordShare = 0.5   // of the cues of captions that repeat words within a row
	oneShare  = 0.8   // of the cues of captions that repeat one word
	leastOnes = 8     // steps of such captions
	mostFixed = 3     // words at the end of a cue that the next cue corrects

	maxShown    = 4 * maxWords // words of all cues that are compared
	maxRowBytes = 1 << 16      // of a row that is compared; longer ones are refused later
)

// unrolled returns the cues of a file without the words that the cue before shows already.
//
// Captions of video sites roll: a cue repeats the rows before it and adds one, so every row is in
// two cues or three. Others grow by words, or show the last words alone. Programs that convert them
// put the rows of a cue into one. Only a file with a pattern counts: people do say a sentence
// twice, and its second cue then stays.
func unrolled(cues []cue) []cue {
	cues = slices.DeleteFunc(slices.Clone(cues), func(c cue) bool { return rowText(strings.Join(c.rows, "\n")) == "" })
	slices.SortStableFunc(cues, func(a, b cue) int { return cmp.Compare(a.StartMS, b.StartMS) })
	r := roll{cues: cues, words: make([][]shownWord, len(cues)), old: make([]int, len(cues))}
	total := 0
	for i, c := range cues {
		if total < maxShown {
			r.words[i], r.old[i] = c.shownWords()
		}
		total += len(r.words[i])
	}

	if !r.find() {
		return cues
	}
	return r.without()
}

// roll finds the repeated words of cues, which are sorted.
type roll struct {
	cues  []cue
	words [][]shownWord // of each cue
	old   []int         // how many words of each cue the cue before may show
	fixes bool          // a cue may correct the last words of the cue before
}

// shownWord is a word in the markup of a cue.
type shownWord struct {
	folded     string
	row        int32
	start, end int32 // bytes of its row
}

var (
	// Markup, or the time of a word.
	tag = regexp.MustCompile(markup.String() + `|` + inlineTime.String())
	// A tag or an entity.
	tagOrEntity = regexp.MustCompile(tag.String() + `|&#?[0-9A-Za-z]+;`)
)

// shownWords returns the words of a cue, and how many of them the cue before may show. Words with a
// time after the start of the cue are new, and so is the word before the first such time.
func (c cue) shownWords() (words []shownWord, old int) {
	old = -1
	for i, row := range c.rows {
		if len(row) > maxRowBytes {
			return nil, 0
		}
		timed := len(row)
		for _, m := range inlineTime.FindAllStringSubmatchIndex(row, -1) {
			if inlineMS(row, m) > c.StartMS {
				timed = m[0]
				break
			}
		}

		for _, w := range rowWords(row) {
			if w.row = int32(i); int(w.start) >= timed && old < 0 {
				old = max(len(words)-1, 0)
			}
			words = append(words, w)
		}
	}

	if old < 0 {
		old = len(words)
	}
	return words, old
}

// rowWords returns the words of a row of markup that people say.
func rowWords(row string) (words []shownWord) {
	var text strings.Builder
	var starts, ends []int32 // in the row, of each byte of the text
	add := func(plain string, from, to int) {
		text.WriteString(plain)
		for i := range len(plain) {
			start, end := from, to
			if len(plain) == to-from { // no entity
				start, end = from+i, from+i+1
			}
			starts, ends = append(starts, int32(start)), append(ends, int32(end))
		}
	}

	from := 0
	for _, m := range tagOrEntity.FindAllStringIndex(row, -1) {
		add(row[from:m[0]], from, m[0])
		if row[m[0]] == '&' {
			add(html.UnescapeString(row[m[0]:m[1]]), m[0], m[1])
		}
		from = m[1]
	}

	add(row[from:], from, len(row))
	plain, at := text.String(), 0
	isBlank := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	for _, field := range strings.FieldsFunc(plain, isBlank) {
		for _, word := range media.SplitWords(field) {
			at += strings.Index(plain[at:], word)
			if folded := media.FoldWord(word); media.IsSpoken(word) {
				words = append(words, shownWord{folded: folded, start: starts[at], end: ends[at+len(word)-1]})
			}
			at += len(word)
		}
	}

	return words
}

// find reports whether the cues repeat words so often that this is how the file was made.
func (r *roll) find() bool {
	var pairs, repeats, steps, rowSteps, longSteps, grown, fixed int
	for i := 1; i < len(r.cues); i++ {
		before, after := r.words[i-1], r.words[i]
		if r.isApart(i-1, i) || len(before) == 0 || len(after) == 0 {
			continue
		}
		n := r.overlap(i-1, i)
		isFlash := r.cues[i-1].isFlash || r.cues[i].isFlash
		switch isSame := n == len(after) && n == len(before); {
		case n < r.kept(i-1, i):
			fixed++
			continue
		case isSame && !isFlash:
			continue
		case n > 0 && (n < len(after) || isSame):
			steps++
			if r.isWhole(before, after, n) {
				rowSteps++
			}
			if n > 1 {
				longSteps++
			}
			if n == len(before) && !isSame {
				grown++
			}
		case n > 0:
			repeats++
		}

		pairs++
	}

	r.fixes = grown >= max(leastRoll, fixed)
	share := float64(steps+repeats) / float64(max(pairs, 1))
	return (rowSteps >= leastRoll && share >= rowShare) || (longSteps >= leastRoll && share >= wordShare) ||
		(steps >= leastOnes && share >= oneShare)
}

// isApart reports whether too much time is between two cues to show the same words.
func (r *roll) isApart(i, j int) bool { return r.cues[j].StartMS-r.cues[i].EndMS > rollGapMS }

// isWhole reports whether the n words that two cues share are whole rows of both.
func (r *roll) isWhole(before, after []shownWord, n int) bool {
	at := len(before) - n
	startsRow := at == 0 || before[at-1].row != before[at].row
	return startsRow && (n == len(after) || after[n-1].row != after[n].row)
}

// overlap returns how many words at the start of cue j are at the end of cue i. A single word
// counts if it is a row or much of a cue: a sentence may start with the last word of another.
func (r *roll) overlap(i, j int) int {
	if r.isApart(i, j) {
		return 0
	}
	before, after := r.words[i], r.words[j]
	n := longestOverlap(before, after[:r.old[j]])
	if n == 1 && 4*n < min(len(before), len(after)) && !r.isWhole(before, after, n) {
		return 0
	}
	return n
}

// longestOverlap returns the most words that one text ends with and another one starts with. It
// takes linear time (Knuth, Morris and Pratt).
func longestOverlap(before, after []shownWord) int {
	before = before[max(len(before)-len(after), 0):]
	shorter := make([]int, len(after)+1) // the next shorter overlap of each start of after with itself
	next := func(n int, word string) int {
		for n > 0 && after[n].folded != word {
			n = shorter[n]
		}
		if after[n].folded == word {
			n++
		}
		return n
	}

	for i := 1; i < len(after); i++ {
		shorter[i+1] = next(shorter[i], after[i].folded)
	}
	n := 0
	for _, w := range before {
		n = next(n, w.folded)
	}
	return n
}

// kept returns how many words cue j keeps of cue i if it corrects its last words, or 0. Captions
// that grow while a person speaks correct what they heard.
func (r *roll) kept(i, j int) int {
	before, after := r.words[i], r.words[j][:r.old[j]]
	if r.isApart(i, j) {
		return 0
	}
	n := 0
	for n < min(len(before), len(after)) && before[n].folded == after[n].folded {
		n++
	}
	if dropped := len(before) - n; dropped == 0 || dropped > mostFixed || dropped > n {
		return 0
	}
	return n
}

// part is the words of a cue that are new.
type part struct {
	cue      int
	from, to int // words of the cue
	startMS  int64
}

// without returns the cues without what the cue before shows. A cue that adds nothing vanishes, and
// so does a short one whose words the next cue shows with their time.
func (r *roll) without() []cue {
	var parts []part
	shown := -1 // the cue before
	for i, c := range r.cues {
		words := r.words[i]
		p := part{cue: i, to: len(words), startMS: c.StartMS}
		if len(words) == 0 {
			parts = append(parts, p)
			continue
		}

		if shown >= 0 {
			p.from = r.overlap(shown, i)
		}
		isTold := i+1 < len(r.cues) && startsWith(r.words[i+1], words)
		if c.isFlash && isTold && p.from < p.to {
			continue
		}
		if shown >= 0 && r.fixes {
			if kept := r.kept(shown, i); kept > p.from {
				p.from = kept
				parts, p.startMS = withoutLast(parts, len(r.words[shown])-kept, c.StartMS)
			}
		}

		if shown = i; p.from < p.to {
			parts = append(parts, p)
		}
	}

	cues := make([]cue, len(parts))
	for i, p := range parts {
		cues[i] = r.cues[p.cue].slice(r.words[p.cue], p.from, p.to)
		cues[i].StartMS = p.startMS
	}

	return cues
}

// withoutLast returns parts without their last n words, and when the words that correct them start:
// at startMS, or with the first part that vanishes.
func withoutLast(parts []part, n int, startMS int64) ([]part, int64) {
	for n > 0 && len(parts) > 0 {
		last := &parts[len(parts)-1]
		gone := min(n, last.to-last.from)
		if last.to, n = last.to-gone, n-gone; last.to > last.from {
			break
		}
		startMS, parts = last.startMS, parts[:len(parts)-1]
	}

	return parts, startMS
}

// startsWith reports whether a text starts with the words of another one.
func startsWith(words, start []shownWord) bool {
	isSame := func(a, b shownWord) bool { return a.folded == b.folded }
	return len(words) >= len(start) && slices.EqualFunc(words[:len(start)], start, isSame)
}

// slice returns a cue with some of its words. The words before them are shown.
func (c cue) slice(words []shownWord, from, to int) cue {
	if from == 0 && to == len(words) {
		return c
	}
	rows := slices.Clone(c.rows)
	if to < len(words) {
		last := words[to-1]
		rows = rows[:last.row+1]
		rows[last.row] = rows[last.row][:last.end]
	}

	first := words[from]
	c.shown = slices.Clone(rows[:first.row])
	if from > 0 && words[from-1].row == first.row {
		row, end := rows[first.row], words[from-1].end
		c.shown = append(c.shown, row[:end])
		rows[first.row] = strings.Join(tag.FindAllString(row[end:first.start], -1), "") + row[first.start:]
	}

	c.rows = rows[first.row:]
	return c
}
