package detect

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"roughcut/media"
	"roughcut/pipeline/language"
)

// Range of the maximum number of words in a caption line.
const (
	MinCaptionWords = 2
	MaxCaptionWords = 20

	captionChars   = 84 // two rows of 42
	wideChars      = 16 // of a line with Chinese, Japanese or Korean
	maxCaptionMS   = 7_000
	minCaptionMS   = 830
	captionGapMS   = 67  // between two lines: two frames at 30 fps
	captionPauseMS = 500 // a pause of at least this length ends a line
)

// CaptionLines breaks words into caption lines. A line has at most maxWords words, clamped to the
// range MinCaptionWords to MaxCaptionWords, two rows of 42 characters, and 7 s. A line with
// Chinese, Japanese or Korean has 16 characters of full width.
//
// Lines preferably end at pauses, else after punctuation, else before conjunctions and
// prepositions. A line never spans the bounds of a cut: words inside a cut form separate lines.
// A line does not end inside a word, such as a run of katakana that consists of several words.
//
// Lines last at least 0.83 s if there is room, and keep a gap of two frames. The words must be in
// order and not overlap.
func CaptionLines(words []media.Word, maxWords int, cuts ...media.Span) []media.TimedText {
	maxWords = min(max(maxWords, MinCaptionWords), MaxCaptionWords)
	b := breaker{words: words, most: maxWords, cuts: media.MergeSpans(cuts), joins: wordsInside(words)}
	lines := []media.TimedText{}
	for from := 0; from < len(words); {
		to := from + 1
		for to < len(words) && !b.mustBreak(to) {
			to++
		}
		lines = append(lines, b.lines(from, to)...)
		from = to
	}

	return extendShortLines(lines, b.cuts)
}

// breaker finds the ends of lines.
type breaker struct {
	words []media.Word
	most  int
	cuts  []media.Span
	joins []bool // whether no line may end before a word
}

// wordsInside returns whether no line may end before a word. A run of such words that is longer
// than any line is an exception.
func wordsInside(words []media.Word) []bool {
	joins := make([]bool, len(words))
	for from := 0; from < len(words); {
		to := from + 1
		for to < len(words) && !media.MayBreak(words[to-1].Text, strings.TrimSpace(words[to].Text)) {
			to++
		}
		if (breaker{words: words}).columns(from, to) <= captionChars {
			for i := from + 1; i < to; i++ {
				joins[i] = true
			}
		}

		from = to
	}

	return joins
}

// mustBreak reports whether a line must end before word i, because of a long pause or a cut.
func (b breaker) mustBreak(i int) bool {
	before, after := b.words[i-1], b.words[i]
	return after.StartMS-before.EndMS >= captionPauseMS || before.Speaker != after.Speaker ||
		b.section(midpoint(before)) != b.section(midpoint(after))
}

// midpoint returns the time in the middle of a word.
func midpoint(w media.Word) int64 { return (w.StartMS + w.EndMS) / 2 }

// section returns the number of the section of the clip that contains ms. The bounds of the cuts
// separate the sections.
func (b breaker) section(ms int64) int {
	n, inside := slices.BinarySearchFunc(b.cuts, ms, func(c media.Span, at int64) int {
		switch {
		case c.EndMS <= at:
			return -1
		case c.StartMS > at:
			return 1
		}

		return 0
	})
	if inside {
		return 2*n + 1
	}
	return 2 * n
}

// lines divides words [from, to) into lines with the lowest total cost.
func (b breaker) lines(from, to int) []media.TimedText {
	n := to - from
	best, prev := make([]float64, n+1), make([]int, n+1)
	for end := 1; end <= n; end++ {
		best[end] = math.Inf(1)
		if end < n && b.joins[from+end] {
			continue
		}
		isFirst := true
		for start := end - 1; start >= 0; start-- {
			if start > 0 && b.joins[from+start] {
				continue
			}
			if !isFirst && (end-start > b.most || !b.fits(from+start, from+end)) {
				break
			}
			isFirst = false
			if cost := best[start] + b.cost(from+start, from+end, to); cost < best[end] {
				best[end], prev[end] = cost, start
			}
		}
	}

	var out []media.TimedText
	for end := n; end > 0; end = prev[end] {
		first, last := b.words[from+prev[end]], b.words[from+end-1]
		out = append(
			out,
			media.TimedText{Text: b.text(from+prev[end], from+end), StartMS: first.StartMS, EndMS: last.EndMS},
		)
	}

	slices.Reverse(out)
	return out
}

// fits reports whether words [i, j) fit into one line.
func (b breaker) fits(i, j int) bool {
	return b.words[j-1].EndMS-b.words[i].StartMS <= maxCaptionMS && b.columns(i, j) <= captionChars
}

// columns returns the length of words [i, j) of captionChars. A character of full width takes the
// room of two others, and shortens the line to wideChars.
func (b breaker) columns(i, j int) int {
	text, wide := b.text(i, j), 0
	for _, r := range text {
		if media.IsWide(r) {
			wide++
		}
	}

	all := utf8.RuneCountInString(text)
	if wide == 0 {
		return all
	}
	return int(math.Ceil(float64(all+wide) * captionChars / (2 * wideChars)))
}

// cost returns the cost of a line of words [i, j) in a passage that ends at to. Full lines and
// natural line ends cost less.
func (b breaker) cost(i, j, to int) float64 {
	short := 1 - min(max(float64(j-i)/float64(b.most), b.wideShare(i, j)), 1)
	cost := 1 + 2*short*short
	if j-i == 1 && b.most > 2 && b.wideShare(i, j) < 0.5 {
		cost += 1.5
	}
	if j == to {
		return cost
	}
	last, next := b.words[j-1], b.words[j]
	gap := next.StartMS - last.EndMS
	switch {
	case gap >= 250:
		cost -= 1.2
	case endsSentence(last.Text):
		cost -= 1
	case endsClause(last.Text):
		cost -= 0.7
	case gap >= 120:
		cost -= 0.5
	case language.OpensPhrase(normalize(next.Text)), media.EndsPhrase(last.Text, next.Text):
		cost -= 0.4
	}

	if language.IsOpenEnded(normalize(last.Text)) {
		cost += 0.4
	}
	return cost + ideographCost(last.Text, next.Text)
}

// particles of Chinese belong to the word before them. Few words start with them.
const particles = "的了们吗呢吧"

// ideographCost returns the cost of a line end between two ideographs. It may be inside a word,
// because transcripts have each of them as a word.
func ideographCost(before, after string) float64 {
	last, size := utf8.DecodeLastRuneInString(strings.TrimSpace(before))
	first, _ := utf8.DecodeRuneInString(after)
	switch {
	case !unicode.Is(unicode.Han, last) || !unicode.Is(unicode.Han, first):
		return 0
	case strings.ContainsRune(particles, first):
		return 0.8
	case strings.ContainsRune(particles, last):
		return -0.4
	case size < len(strings.TrimSpace(before)):
		return 0
	}

	return 0.4
}

// wideShare returns how full a line of words [i, j) is, 0 for a line without characters of full
// width. Transcripts have such characters as words, or several of them as one.
func (b breaker) wideShare(i, j int) float64 {
	if !strings.ContainsFunc(b.words[i].Text+b.words[j-1].Text, media.IsWide) {
		return 0
	}
	return float64(b.columns(i, j)) / captionChars
}

// text joins words [i, j).
func (b breaker) text(i, j int) string {
	texts := make([]string, 0, j-i)
	for _, w := range b.words[i:j] {
		texts = append(texts, w.Text)
	}
	return media.JoinWords(texts)
}

// extendShortLines extends lines shorter than minCaptionMS into the silence after them, but not
// across a cut, and keeps a gap between lines.
func extendShortLines(lines []media.TimedText, cuts []media.Span) []media.TimedText {
	b := breaker{cuts: cuts}
	for i := range lines {
		l := &lines[i]
		l.EndMS = max(l.EndMS, l.StartMS+1)
		if l.EndMS-l.StartMS < minCaptionMS {
			want := l.StartMS + minCaptionMS
			for _, c := range cuts {
				if c.StartMS >= l.EndMS && c.StartMS < want {
					want = c.StartMS
				}
				if l.EndMS > c.StartMS && l.EndMS <= c.EndMS {
					want = min(want, c.EndMS)
				}
			}

			l.EndMS = max(l.EndMS, want)
		}

		if i+1 < len(lines) && lines[i+1].StartMS-l.EndMS < captionGapMS {
			together := b.section(l.StartMS) == b.section(lines[i+1].StartMS)
			limit := lines[i+1].StartMS
			if together {
				limit -= captionGapMS
			}
			l.EndMS = max(min(l.EndMS, limit), l.StartMS+1)
		}
	}

	return lines
}
