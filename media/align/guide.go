package align

import (
	"slices"
	"strings"
	"unicode"

	"roughcut/media"
)

// guideReachMS is how far outside of its line a recognized word may be.
const guideReachMS = 700

// Guided returns an imported transcript like Transcript. Words without a time of their own get the
// time of the same word among those that a speech model recognized in the recording, and otherwise
// share the time between their neighbors.
func Guided(in media.ImportedTranscript, heard []media.Word, v media.VoiceActivity) media.Transcript {
	out := Transcript(in, v)
	in.Words = within(in.Words, v.DurationMS)
	words := make([]Word, 0, len(in.Words))
	rough := make([]bool, 0, len(in.Words))
	next := 0
	for from := 0; from < len(in.Words); {
		to := endOfLine(in.Words, from)
		after := endOfLine(in.Words, to) // the next line keeps its words too
		for next < len(heard) && heard[next].EndMS < in.Words[from].StartMS-guideReachMS {
			next++
		}
		last := next
		for last < len(heard) && heard[last].StartMS < in.Words[after-1].EndMS+guideReachMS {
			last++
		}
		pairs := pairWords(in.Words[from:after], heard[next:last])[:to-from]
		timed, open := guideLine(in.Words[from:to], heard[next:last], pairs)
		words, rough = append(words, timed...), append(rough, open...)
		from, next = to, next+slices.Max(pairs)+1
	}
	spread(words, rough, v)
	out.Words = nil
	for _, w := range ordered(clampTimes(words)) {
		if w.EndMS = min(w.EndMS, v.DurationMS); w.EndMS > w.StartMS {
			out.Words = append(out.Words, w.Word)
		}
	}
	return out
}

// endOfLine returns the index after the last word of the line that contains word from.
func endOfLine(words []media.ImportedWord, from int) int {
	to := from
	for to < len(words) && words[to].Line == words[from].Line {
		to++
	}
	return to
}

// guideLine gives the words of a line the times of their pairs among the recognized words. open
// reports the words without a time of their own and without a pair; a run of them spans the time
// between its neighbors.
func guideLine(line []media.ImportedWord, heard []media.Word, pairs []int) (words []Word, open []bool) {
	words, open = make([]Word, len(line)), make([]bool, len(line))
	for i, w := range line {
		words[i], open[i] = Word{w.Word, w.Line}, w.Rough && pairs[i] < 0
		if w.Rough && pairs[i] >= 0 {
			words[i].StartMS, words[i].EndMS = heard[pairs[i]].StartMS, heard[pairs[i]].EndMS
		}
	}
	start, end := line[0].StartMS, line[len(line)-1].EndMS
	for from := 0; from < len(words); from++ {
		if !open[from] {
			continue
		}
		to := from
		for to+1 < len(words) && open[to+1] {
			to++
		}
		low, high := start, end
		if from > 0 {
			low = words[from-1].EndMS
		}
		if to+1 < len(words) {
			high = words[to+1].StartMS
		}
		high = max(high, low+int64(to-from+1))
		n := int64(to - from + 1)
		for i := from; i <= to; i++ {
			words[i].StartMS, words[i].EndMS = low+(high-low)*int64(i-from)/n, low+(high-low)*int64(i-from+1)/n
		}
		from = to
	}
	return words, open
}

// Costs of pairWords. A word and what the model heard in its place cost less than two words
// without a pair.
const (
	unpairedCost  = 1.0
	differentCost = 1.9
)

// pairWords returns for each imported word the index of the recognized word that is the same or
// that the model heard in its place, -1 without one. It finds the pairs of least total cost in
// order. A recognized word outside the line of a word costs by its distance, and pairs with the
// same word only.
func pairWords(words []media.ImportedWord, heard []media.Word) []int {
	said, texts, lines := make([]string, len(words)), make([]string, len(heard)), make([]media.Span, len(words))
	for from := 0; from < len(words); {
		to := endOfLine(words, from)
		for i := from; i < to; i++ {
			said[i] = bare(words[i].Text)
			lines[i] = media.Span{StartMS: words[from].StartMS, EndMS: words[to-1].EndMS}
		}
		from = to
	}
	for j, w := range heard {
		texts[j] = bare(w.Text)
	}
	pair := func(i, j int) float64 {
		middle := (heard[j].StartMS + heard[j].EndMS) / 2
		outside := float64(max(lines[i].StartMS-middle, middle-lines[i].EndMS, 0)) / guideReachMS
		switch {
		case said[i] != "" && said[i] == texts[j]:
			return outside * unpairedCost
		case outside == 0:
			return differentCost
		}
		return 3 * unpairedCost
	}
	least := make([][]float64, len(words)+1) // cost of the words from i and from j on
	for i := range least {
		least[i] = make([]float64, len(heard)+1)
	}
	for i := len(words); i >= 0; i-- {
		for j := len(heard); j >= 0; j-- {
			switch {
			case i == len(words):
				least[i][j] = float64(len(heard)-j) * unpairedCost
			case j == len(heard):
				least[i][j] = float64(len(words)-i) * unpairedCost
			default:
				least[i][j] = min(
					least[i+1][j]+unpairedCost, least[i][j+1]+unpairedCost, least[i+1][j+1]+pair(i, j),
				)
			}
		}
	}
	pairs := make([]int, len(words))
	for i, j := 0, 0; i < len(words); {
		switch {
		case j < len(heard) && least[i][j] == least[i+1][j+1]+pair(i, j):
			pairs[i] = j
			i, j = i+1, j+1
		case j < len(heard) && least[i][j] == least[i][j+1]+unpairedCost:
			j++
		default:
			pairs[i] = -1
			i++
		}
	}
	return pairs
}

// bare returns a word without case and punctuation.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
