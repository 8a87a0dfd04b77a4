package detect

import (
	"slices"
	"strings"

	"roughcut/media"
)

// normalize returns a word in the form used for comparison: trimmed, in lower case, with straight
// apostrophes.
func normalize(text string) string {
	return strings.ReplaceAll(strings.ToLower(media.TrimPunct(text)), "’", "'")
}

// quoted puts a text in quotation marks.
func quoted(text string) string { return "“" + text + "”" }

// isUnfinished reports whether the speech model wrote a word as unfinished: "vid-", "the…".
func isUnfinished(text string) bool {
	text = strings.TrimRight(text, " ,")
	return slices.ContainsFunc([]string{"-", "–", "—", "…", "..."}, func(mark string) bool {
		return strings.HasSuffix(text, mark)
	})
}

// endsSentence reports whether a word ends a sentence.
func endsSentence(text string) bool {
	return !isUnfinished(text) && strings.ContainsAny(endPunct(text), ".!?。！？")
}

// endsClause reports whether a word ends a clause.
func endsClause(text string) bool { return strings.ContainsAny(endPunct(text), ",;:、，；：") }

// endPunct returns the punctuation at the end of a text.
func endPunct(text string) string {
	trimmed := strings.TrimRightFunc(text, func(r rune) bool { return !media.InWord(r) })
	return text[len(trimmed):]
}

// longestCompared is the length in bytes of the longest words whose edit distance is computed.
// Lines of Thai in transcripts are one word.
const longestCompared = 600

// similarity returns the similarity of two normalized words, 0-1, by their edit distance. It
// returns 0 if one word is more than twice as long as the other, and for different words that are
// longer than longestCompared.
func similarity(a, b string) float64 {
	if a == b {
		return 1
	}
	longest, shortest := max(len(a), len(b)), min(len(a), len(b))
	if shortest*2 < longest || longest > longestCompared {
		return 0
	}
	x, y := []rune(a), []rune(b)
	row := make([]int, 0, 32) // on the stack, unless a word is longer
	for j := range len(y) + 1 {
		row = append(row, j)
	}
	for i, r := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j, q := range y {
			cost := diagonal
			if r != q {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}

	return 1 - float64(row[len(y)])/float64(max(len(x), len(y)))
}

// isPrefixOf reports whether a is the start of the longer word b.
func isPrefixOf(a, b string) bool { return a != "" && len(a) < len(b) && strings.HasPrefix(b, a) }
