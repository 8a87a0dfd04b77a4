package align

import (
	"slices"
	"unicode/utf8"

	"roughcut/media"
	"roughcut/media/audio"
)

// guideReachMS is how far outside of its line a recognized word may be.
const guideReachMS = 700

// Guided returns an imported transcript like Transcript. Words without a time of their own get the
// time of the same word among those that a speech model recognized in the recording. Those that the
// model misheard or omitted are placed in the sound between their neighbors.
func Guided(in media.ImportedTranscript, heard []media.Word, v audio.VoiceActivity) media.Transcript {
	out := Transcript(in, v)
	in.Words = wordsWithin(in.Words, v.DurationMS)
	words := make([]guidedWord, 0, len(in.Words))
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
		for i, w := range in.Words[from:to] {
			g := guidedWord{Word: Word{w.Word, w.Line}, line: lineSpan(in.Words[from:to]), heard: -1, exact: !w.Rough}
			if w.Rough && pairs[i] >= 0 {
				g.heard = next + pairs[i]
				g.exact = media.FoldWord(w.Text) == media.FoldWord(heard[g.heard].Text)
				g.StartMS, g.EndMS = heard[g.heard].StartMS, heard[g.heard].EndMS
			}

			words = append(words, g)
		}

		from, next = to, next+slices.Max(pairs)+1
	}

	out.Words = nil
	for _, w := range ordered(clampTimes(placeGaps(words, v))) {
		if w.EndMS = min(w.EndMS, v.DurationMS); w.EndMS > w.StartMS {
			out.Words = append(out.Words, w.Word)
		}
	}

	return out
}

// guidedWord is a word with the times of the recognized word of its pair, if it has one.
type guidedWord struct {
	Word
	line  media.Span
	heard int  // index of its pair among the recognized words, or -1
	exact bool // the pair is the same word, or the word has its own time
}

// lineSpan returns the span of the words of a line.
func lineSpan(line []media.ImportedWord) media.Span {
	return media.Span{StartMS: line[0].StartMS, EndMS: line[len(line)-1].EndMS}
}

// placeGaps places the words without an exact pair, each run of them between its neighbors.
//
// Between the pairs of its neighbors, the model heard other words or none. A single other word is
// what the model heard instead, and has its time. Where the model heard fewer words and left no
// sound for them, it stretched the neighbors over that sound. Then the neighbors are placed too,
// from the start of the word before to the end of the word after.
func placeGaps(words []guidedWord, v audio.VoiceActivity) []Word {
	out := make([]Word, len(words))
	for i, w := range words {
		out[i] = w.Word
	}
	for from := 0; from < len(words); from++ {
		if words[from].exact {
			continue
		}
		to := from + 1
		for to < len(words) && !words[to].exact {
			to++
		}
		if to == from+1 && words[from].heard >= 0 {
			continue
		}
		low, high := from, to // the words to place
		span := media.Span{StartMS: words[from].line.StartMS, EndMS: words[to-1].line.EndMS}
		if from > 0 {
			span.StartMS = words[from-1].EndMS
		}
		if to < len(words) {
			span.EndMS = words[to].StartMS
		}
		if heardFewer(words, from, to) && soundIn(span, v) < roomShare*typicalOf(words[from:to]) {
			if from > 0 && words[from-1].heard >= 0 {
				low, span.StartMS = from-1, words[from-1].StartMS
			}
			if to < len(words) && words[to].heard >= 0 {
				high, span.EndMS = to+1, words[to].EndMS
			}
		}

		copy(out[low:high], placeWithin(words[low:high], span, v))
		from = to - 1
	}

	return out
}

// heardFewer reports whether the model heard fewer words than words[from:to] between their
// neighbors.
func heardFewer(words []guidedWord, from, to int) bool {
	if from == 0 || to == len(words) || words[from-1].heard < 0 || words[to].heard < 0 {
		return true
	}
	return words[to].heard-words[from-1].heard-1 < to-from
}

// roomShare is the sound that words need at least, as a share of their typical length.
const roomShare = 0.6

// soundIn returns the milliseconds of sound in a span.
func soundIn(span media.Span, v audio.VoiceActivity) (ms float64) {
	for _, s := range v.Spans {
		ms += float64(max(s.Intersect(span).Duration(), 0))
	}
	return ms
}

// typicalOf returns the typical length of words in milliseconds.
func typicalOf(words []guidedWord) (ms float64) {
	for _, w := range words {
		ms += TypicalMS(w.Text)
	}
	return ms
}

// placeWithin places words within the sound of a span.
func placeWithin(words []guidedWord, span media.Span, v audio.VoiceActivity) []Word {
	list, rough := make([]Word, len(words)), make([]bool, len(words))
	for from := 0; from < len(words); {
		to := from + 1
		for to < len(words) && words[to].Segment == words[from].Segment {
			to++
		}
		part := words[from].line.Intersect(span)
		if from == 0 {
			part.StartMS = span.StartMS
		}
		if to == len(words) {
			part.EndMS = span.EndMS
		}
		part.EndMS = max(part.EndMS, part.StartMS+int64(to-from))
		for i := from; i < to; i++ {
			list[i], rough[i] = words[i].Word, true
		}
		shareTime(list[from:to], part)
		from = to
	}

	inside := v
	inside.Spans = nil
	for _, s := range v.Spans {
		if part := s.Intersect(span); part.Duration() > 0 {
			inside.Spans = append(inside.Spans, part)
		}
	}

	placeRough(list, rough, inside)
	return restoreDropped(list, Snap(list, inside))
}

// endOfLine returns the index after the last word of the line that contains word from.
func endOfLine(words []media.ImportedWord, from int) int {
	to := from
	for to < len(words) && words[to].Line == words[from].Line {
		to++
	}
	return to
}

// Costs of pairWords. A word and what the model heard in its place cost less than two words
// without a pair.
const (
	unpairedCost  = 1.0
	letterCost    = 0.01 // of a letter of a word without a pair: long words are rarely alike by chance
	mostLetters   = 20   // that cost more
	differentCost = 1.9
)

// pairWords returns, for each imported word, the index of the recognized word that is the same or
// stands in its place, or -1 if no recognized word does. It finds the ordered pairs with the least
// total cost. If two pairings have the same number of pairs, longer words cost less. A recognized
// word outside the line of an imported word costs more with distance, and pairs only with the same
// word.
func pairWords(words []media.ImportedWord, heard []media.Word) []int {
	said, texts, lines := make([]string, len(words)), make([]string, len(heard)), make([]media.Span, len(words))
	for from := 0; from < len(words); {
		to := endOfLine(words, from)
		for i := from; i < to; i++ {
			said[i] = media.FoldWord(words[i].Text)
			lines[i] = media.Span{StartMS: words[from].StartMS, EndMS: words[to-1].EndMS}
		}

		from = to
	}

	for j, w := range heard {
		texts[j] = media.FoldWord(w.Text)
	}
	alone := func(text string) float64 {
		return unpairedCost + letterCost*float64(min(utf8.RuneCountInString(text), mostLetters))
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
	least := leastCosts(said, texts, alone, pair)
	pairs := make([]int, len(words))
	for i, j := 0, 0; i < len(words); {
		switch {
		case j < len(heard) && least[i][j] == least[i+1][j+1]+pair(i, j):
			pairs[i] = j
			i, j = i+1, j+1
		case j < len(heard) && least[i][j] == least[i][j+1]+alone(texts[j]):
			j++
		default:
			pairs[i] = -1
			i++
		}
	}

	return pairs
}

// leastCosts returns the least cost of the words from i and from j on, for all i and j. alone and
// pair are the costs of an unpaired word and of a pair.
func leastCosts(said, heard []string, alone func(string) float64, pair func(i, j int) float64) [][]float64 {
	least := make([][]float64, len(said)+1)
	for i := range least {
		least[i] = make([]float64, len(heard)+1)
	}
	for i := len(said); i >= 0; i-- {
		for j := len(heard); j >= 0; j-- {
			switch {
			case i == len(said):
				if j < len(heard) {
					least[i][j] = least[i][j+1] + alone(heard[j])
				}
			case j == len(heard):
				least[i][j] = least[i+1][j] + alone(said[i])
			default:
				least[i][j] = min(
					least[i+1][j]+alone(said[i]), least[i][j+1]+alone(heard[j]), least[i+1][j+1]+pair(i, j),
				)
			}
		}
	}

	return least
}
