package detect

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"roughcut/media"
	"roughcut/pipeline/language"
)

// Limits of a caption line.
const (
	MinCaptionWords = 2
	MaxCaptionWords = 20

	captionChars   = 84    // two rows of 42
	captionLongest = 7_000 // milliseconds
	captionLeast   = 830
	captionGapMS   = 67  // between two lines: two frames at 30 a second
	captionPauseMS = 500 // a pause from here on ends a line
)

// CaptionLines breaks words into caption lines of at most maxWords words (taken into
// MinCaptionWords to MaxCaptionWords), of at most two rows of 42 characters and 7 s. A line ends at
// pauses, after punctuation, before conjunctions and prepositions, in this order, and never spans a
// border of a cut; words inside a cut make lines of their own. Lines last at least 0.83 s where
// there is room and keep two frames apart. Words are in order and do not overlap.
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
	return spread(lines, b.cuts)
}

// breaker finds where lines end.
type breaker struct {
	words []media.Word
	most  int
	cuts  []media.Span
}

// mustBreak reports whether a line ends before word i: a long pause, or the border of a cut.
func (b breaker) mustBreak(i int) bool {
	before, after := b.words[i-1], b.words[i]
	return after.StartMS-before.EndMS >= captionPauseMS || b.cutAt(middle(before)) != b.cutAt(middle(after))
}

func middle(w media.Word) int64 { return (w.StartMS + w.EndMS) / 2 }

// cutAt numbers the stretches between the borders of the cuts.
func (b breaker) cutAt(ms int64) int {
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

// lines divides words [from, to) into lines at the least cost.
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
		out = append(out, media.TimedText{Text: b.text(from+prev[end], from+end), StartMS: first.StartMS, EndMS: last.EndMS})
	}
	slices.Reverse(out)
	return out
}

// fits reports whether words [i, j) fit into one line.
func (b breaker) fits(i, j int) bool {
	return b.words[j-1].EndMS-b.words[i].StartMS <= captionLongest &&
		utf8.RuneCountInString(b.text(i, j)) <= captionChars
}

// cost rates a line of words [i, j) of a passage that ends at to: full lines are good, and so are
// ends where speech has a border.
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
	case language.OpensPhrase(normal(next.Text)):
		cost -= 0.4
	}
	if language.IsOpenEnded(normal(last.Text)) {
		cost += 0.4
	}
	return cost
}

// text joins words [i, j) as they are written.
func (b breaker) text(i, j int) string {
	var out strings.Builder
	for k := i; k < j; k++ {
		if k > i && !(spaceless(b.words[k-1].Text) && spaceless(b.words[k].Text)) {
			out.WriteByte(' ')
		}
		out.WriteString(strings.TrimSpace(b.words[k].Text))
	}
	return out.String()
}

// spread lengthens lines that are too short to read into the silence after them, not into a cut,
// and keeps neighbours apart.
func spread(lines []media.TimedText, cuts []media.Span) []media.TimedText {
	b := breaker{cuts: cuts}
	for i := range lines {
		l := &lines[i]
		l.EndMS = max(l.EndMS, l.StartMS+1)
		if l.EndMS-l.StartMS < captionLeast {
			want := l.StartMS + captionLeast
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
			together := b.cutAt(l.StartMS) == b.cutAt(lines[i+1].StartMS)
			limit := lines[i+1].StartMS
			if together {
				limit -= captionGapMS
			}
			l.EndMS = max(min(l.EndMS, limit), l.StartMS+1)
		}
	}
	return lines
}
