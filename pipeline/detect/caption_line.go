package detect

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"roughcut/media"
	"roughcut/pipeline/language"
)

// Range of the maximum number of words in a caption line.
const (
	MinCaptionWords = 2
	MaxCaptionWords = 20

	captionChars   = 84 // two rows of 42
	maxCaptionMS   = 7_000
	minCaptionMS   = 830
	captionGapMS   = 67  // between two lines: two frames at 30 fps
	captionPauseMS = 500 // a pause of at least this length ends a line
)

// CaptionLines breaks words into caption lines. A line has at most maxWords words, clamped to the
// range MinCaptionWords to MaxCaptionWords, two rows of 42 characters, and 7 s.
//
// Lines preferably end at pauses, else after punctuation, else before conjunctions and
// prepositions. A line never spans the bounds of a cut: words inside a cut form separate lines.
// Lines last at least 0.83 s if there is room, and keep a gap of two frames. The words must be in
// order and not overlap.
func CaptionLines(words []media.Word, maxWords int, cuts ...media.Span) []media.TimedText {
	maxWords = min(max(maxWords, MinCaptionWords), MaxCaptionWords)
	b := breaker{words: words, most: maxWords, cuts: media.MergeSpans(cuts)}
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
		for start := end - 1; start >= 0 && end-start <= b.most; start-- {
			if start < end-1 && !b.fits(from+start, from+end) {
				break
			}
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
	return b.words[j-1].EndMS-b.words[i].StartMS <= maxCaptionMS &&
		utf8.RuneCountInString(b.text(i, j)) <= captionChars
}

// cost returns the cost of a line of words [i, j) in a passage that ends at to. Full lines and
// natural line ends cost less.
func (b breaker) cost(i, j, to int) float64 {
	short := 1 - float64(j-i)/float64(b.most)
	cost := 1 + 2*short*short
	if j-i == 1 && b.most > 2 {
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
	case language.OpensPhrase(normalize(next.Text)):
		cost -= 0.4
	}

	if language.IsOpenEnded(normalize(last.Text)) {
		cost += 0.4
	}
	return cost
}

// text joins words [i, j), with spaces where the script uses them.
func (b breaker) text(i, j int) string {
	var out strings.Builder
	for k := i; k < j; k++ {
		if k > i && !(isSpaceless(b.words[k-1].Text) && isSpaceless(b.words[k].Text)) {
			out.WriteByte(' ')
		}
		out.WriteString(strings.TrimSpace(b.words[k].Text))
	}

	return out.String()
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
