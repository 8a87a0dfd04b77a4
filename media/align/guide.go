package align

import (
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
		to := from + 1
		for to < len(in.Words) && in.Words[to].Line == in.Words[from].Line {
			to++
		}
		line := in.Words[from:to]
		for next < len(heard) && heard[next].EndMS < line[0].StartMS-guideReachMS {
			next++
		}
		last := next
		for last < len(heard) && heard[last].StartMS < line[len(line)-1].EndMS+guideReachMS {
			last++
		}
		timed, open := guideLine(line, heard[next:last])
		words, rough = append(words, timed...), append(rough, open...)
		from = to
	}
	spread(words, rough, v)
	out.Words = nil
	for _, w := range ordered(words) {
		if w.EndMS = min(w.EndMS, v.DurationMS); w.EndMS > w.StartMS {
			out.Words = append(out.Words, w.Word)
		}
	}
	return out
}

// guideLine gives the words of a line the times of recognized words. open reports the words that
// got none; a run of them spans the time between its neighbors.
func guideLine(line []media.ImportedWord, heard []media.Word) (words []Word, open []bool) {
	pairs := pairWords(line, heard)
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

// pairWords returns for each word of a line the index of the recognized word that is the same, -1
// without one. It pairs as many as possible in order.
func pairWords(line []media.ImportedWord, heard []media.Word) []int {
	said, texts := make([]string, len(line)), make([]string, len(heard))
	for i, w := range line {
		said[i] = bare(w.Text)
	}
	for i, w := range heard {
		texts[i] = bare(w.Text)
	}
	most := make([][]int, len(line)+1) // pairs of the words from i and from j on
	for i := range most {
		most[i] = make([]int, len(heard)+1)
	}
	for i := len(line) - 1; i >= 0; i-- {
		for j := len(heard) - 1; j >= 0; j-- {
			most[i][j] = max(most[i+1][j], most[i][j+1])
			if said[i] != "" && said[i] == texts[j] {
				most[i][j] = max(most[i][j], most[i+1][j+1]+1)
			}
		}
	}
	pairs := make([]int, len(line))
	j := 0
	for i := range line {
		pairs[i] = -1
		for j < len(heard) && most[i][j] > most[i+1][j] && most[i][j] == most[i][j+1] {
			j++
		}
		if j < len(heard) && most[i][j] > most[i+1][j] {
			pairs[i] = j
			j++
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
