package detect

import (
	"fmt"
	"math/bits"
	"slices"
	"unicode/utf8"

	"roughcut/media"
	"roughcut/pipeline/language"
)

const (
	restartGapMS = 600    // usual longest gap before a restart
	breathMS     = 200    // a gap of at least this length starts a new take
	retakeGapMS  = 8_000  // longest gap before the retake of a sentence
	evenMS       = 150    // repeats with smaller gaps are evenly spaced
	lookBack     = 16     // words that a restart can go back
	takesBack    = 4      // takes that a retake can go back
	takeWords    = 60     // words that a retake can go back
	takeMS       = 45_000 // time that a retake can go back
	unsure       = 0.6    // the speech model may have misheard words of lower probability
	guess        = 0.1    // and makes up words of lower probability
	shortTake    = 3      // most words of a fragment
)

// match is an abandoned attempt: tokens [from, to), which the tokens starting at to repeat.
type match struct {
	from, to   int
	words      int     // number of repeated words
	alike      float64 // 0-1: similarity of the two attempts
	confidence float64
	kind       matchKind
}

type matchKind int

const (
	restart  matchKind = iota // the speaker repeats the last words
	retake                    // the speaker repeats a whole sentence
	fragment                  // the speaker abandons a sentence without repeating it
)

// finder returns the finder of the words of the clip.
func (t *talk) finder(sensitivity int) *finder {
	f := &finder{talk: t, words: t.sequence(t.language), sensitivity: sensitivity, alike: map[[2]int]float64{}}
	for _, w := range t.Words {
		f.usual.add(w)
	}
	return f
}

// attempts returns the abandoned attempts that the words show, in order and without overlaps.
func (f *finder) attempts() (out []attempt) {
	kept := 0 // the first word after the last false start
	for _, m := range f.find() {
		i, j := f.words[m.from].index, f.words[m.to].index
		if f.words[m.from].filler && i > 0 {
			i = max(kept, f.fillersBefore(i))
		}
		kept = j
		again := m.to + max(m.words, 1)
		if m.kind == retake {
			again = 2*m.to - m.from
		}
		out = append(out, attempt{
			Span:       media.Span{StartMS: f.startMS(m.from), EndMS: f.endMS(m.to - 1)},
			next:       media.Span{StartMS: f.startMS(m.to), EndMS: f.endMS(min(again, len(f.words)) - 1)},
			cut:        f.cutWords(i, j),
			confidence: m.confidence,
			reason:     f.reason(m),
			isTake:     m.kind != fragment && f.words[m.from].opens,
		})
	}

	return out
}

// finder finds false starts in a sequence of tokens.
type finder struct {
	*talk
	words       []token
	sensitivity int
	alike       map[[2]int]float64 // cached similarity by id
	usual       pace               // of all words of the clip
}

// similarity returns the similarity of tokens i and j, 0-1.
func (f *finder) similarity(i, j int) float64 {
	a, b := f.words[i].id, f.words[j].id
	if a == b {
		return 1
	}
	key := [2]int{min(a, b), max(a, b)}
	s, known := f.alike[key]
	if !known {
		s = similarity(f.words[i].norm, f.words[j].norm)
		f.alike[key] = s
	}

	return s
}

// maxSimilarity returns an upper bound of the similarity of tokens i and j, from their sets of
// letters: each letter that only one of them has is a difference. The bound rules out almost all
// pairs without computing their edit distance.
func (f *finder) maxSimilarity(i, j int) float64 {
	a, b := f.words[i], f.words[j]
	differences := max(bits.OnesCount64(a.letters&^b.letters), bits.OnesCount64(b.letters&^a.letters))
	return 1 - float64(differences)/float64(max(a.length, b.length))
}

// fillersBefore returns the index of the first filler directly before word i, or i without fillers.
// The fillers belong to the attempt that starts at word i.
func (f *finder) fillersBefore(i int) int {
	first := i
	for first > 0 && slices.Contains(fillersOrEnglish(f.language), normalize(f.Words[first-1].Text)) {
		first--
	}
	return first
}

// find returns the best matches, in order and without overlaps.
func (f *finder) find() []match {
	var found []match
	for j := 1; j < len(f.words); j++ {
		if m, ok := f.best(j); ok {
			found = append(found, m)
		}
	}

	slices.SortStableFunc(found, func(a, b match) int {
		if a.confidence != b.confidence {
			if a.confidence > b.confidence {
				return -1
			}
			return 1
		}

		return a.from - b.from
	})
	var out []match
	for _, m := range found {
		if !slices.ContainsFunc(out, func(o match) bool { return m.from < o.to && o.from < m.to }) {
			out = append(out, m)
		}
	}

	slices.SortFunc(out, func(a, b match) int { return a.from - b.from })
	return out
}

// best returns the match with the highest confidence whose repetition starts at token j.
func (f *finder) best(j int) (match, bool) {
	var best match
	takes := 0
	for i := j - 1; i >= 0 && j-i <= takeWords; i-- {
		if f.startMS(j)-f.startMS(i) > takeMS || takes >= takesBack {
			break
		}
		if j-i <= lookBack {
			if m := f.restart(i, j); m.confidence > best.confidence && f.isSpoken(m) {
				best = m
			}
		}

		if f.words[j].opens && f.words[i].opens {
			takes++
			if m := f.retake(i, j); m.confidence > best.confidence && f.isSpoken(m) {
				best = m
			}
		}
	}

	if m := f.fragment(j); m.confidence > best.confidence && f.isSpoken(m) {
		best = m
	}
	return best, best.confidence >= minConfidence
}

// isSpoken reports whether voice says all words of a match and of its repetition.
func (f *finder) isSpoken(m match) bool {
	last := min(m.to+max(m.words, 1), len(f.words)) - 1
	return !f.inventions.any(f.words[m.from].index, f.words[last].index+1)
}

const (
	minWordSimilarity = 0.6  // of two transcriptions of the same word
	prefixSimilarity  = 0.95 // of an unfinished word and the whole word
	minConfidence     = 0.3  // of a proposed match
)

func (f *finder) startMS(i int) int64 { return f.Words[f.words[i].index].StartMS }
func (f *finder) endMS(i int) int64   { return f.Words[f.words[i].index].EndMS }

// minWords returns the least number of repeated words, by sensitivity.
func (f *finder) minWords() int {
	switch {
	case f.sensitivity < 25:
		return 4
	case f.sensitivity < 50:
		return 3
	}

	return 2
}

// minSimilarity returns the least mean similarity of the repeated words: from 1 at sensitivity 0 to
// 0.6 at 100.
func (f *finder) minSimilarity() float64 { return 1 - 0.4*float64(f.sensitivity)/100 }

// run compares the tokens starting at i with those starting at j, and returns the number of similar
// pairs before i reaches j and their mean similarity. The last token before j may be unfinished.
func (f *finder) run(i, j int) (n int, alike float64) {
	sum := 0.0
	for i+n < j && j+n < len(f.words) {
		s := prefixSimilarity
		if i+n < j-1 || !isPrefixOf(f.words[i+n].norm, f.words[j+n].norm) {
			if f.maxSimilarity(i+n, j+n) < minWordSimilarity {
				break
			}
			s = f.similarity(i+n, j+n)
		}

		if s < minWordSimilarity && (f.sensitivity > 0 || s < 1) {
			break
		}
		sum += s
		n++
	}

	if n == 0 {
		return 0, 0
	}
	return n, sum / float64(n)
}

// restart returns the match of an attempt at token i that restarts at token j. If they do not
// match, its confidence is 0.
func (f *finder) restart(i, j int) match {
	n, alike := f.run(i, j)
	rest := j - i - n
	m := match{from: i, to: j, words: n, alike: alike, kind: restart}
	half := n > 0 && rest == 0 && f.words[j-1].unfinished && isPrefixOf(f.words[j-1].norm, f.words[j+n-1].norm)
	if (n < f.minWords() && !(half && f.sensitivity >= 50)) || alike < f.minSimilarity() {
		return match{}
	}
	if (f.sensitivity == 0 && (rest > 0 || alike < 1)) || (n == 2 && alike < prefixSimilarity && f.sensitivity < 75) {
		return match{}
	}
	if rest > 0 && !f.abandoned(j, n, rest) {
		return match{}
	}
	if f.emphasis(i, j, n, rest) || f.shifted(i, j, n) {
		return match{}
	}
	gap := f.words[j].gapMS
	switch {
	case gap <= restartGapMS:
	case n >= 3 && gap <= 4*restartGapMS, f.words[i].opens && gap <= 4*restartGapMS:
	default:
		return match{}
	}

	m.confidence = f.confidence(m, rest, gap)
	return m
}

// shifted reports whether the n similar tokens at i and j belong to a longer match of two takes,
// whose starts are at other tokens. That match cuts between the takes, at a break. A cut at i and j
// would join the middle of one take with the middle of the other.
func (f *finder) shifted(i, j, n int) bool {
	bothOpen := func(k int) bool { return f.words[i+k].opens && f.words[j+k].opens }
	if bothOpen(0) {
		return false
	}
	for k := 1; k < n; k++ {
		if bothOpen(k) {
			return true
		}
	}

	for k := -1; i+k >= 0 && f.similarity(i+k, j+k) >= minWordSimilarity; k-- {
		if bothOpen(k) {
			return true
		}
	}

	return false
}

// abandoned reports whether an attempt whose last rest tokens are not repeated shows signs that the
// speaker gave it up before token j. Without signs, two sentences may just start with the same
// words.
func (f *finder) abandoned(j, n, rest int) bool {
	last, next := f.words[j-1], f.words[j]
	if rest > 3 || n < 2 {
		return false
	}
	if last.unfinished {
		return true
	}
	hesitates := next.gapMS >= breathMS && language.IsOpenEnded(last.norm)
	return n >= 3 && (next.filler || hesitates)
}

// emphasis reports whether a repetition is intended, as in "no no no", "more and more and more" or
// "thank you thank you".
func (f *finder) emphasis(i, j, n, rest int) bool {
	if rest > 0 {
		return false
	}
	same := true
	for k := i + 1; k < i+n; k++ {
		same = same && f.words[k].norm == f.words[i].norm
	}
	if same && n > 1 {
		return true
	}
	even := f.words[j].gapMS < evenMS
	after := j + n
	wordBefore := i > 0 && f.words[i-1].norm == f.words[i+1].norm
	wordAfter := after < len(f.words) && f.words[after].norm == f.words[j].norm
	if n == 2 && even && (wordBefore || wordAfter) {
		return true
	}
	isLast := after >= len(f.words) || f.words[after-1].closes
	return n <= 3 && even && isLast
}

// confidence returns the confidence of a match. It is higher for many, equal and clearly heard
// words and for a short gap.
func (f *finder) confidence(m match, rest int, gap int64) float64 {
	c := 0.9
	switch m.words {
	case 1:
		c = 0.6
	case 2:
		c = 0.68
	case 3:
		c = 0.8
	case 4:
		c = 0.87
	}

	c *= m.alike
	c -= 0.08 * float64(rest)
	if gap > restartGapMS {
		c -= 0.04
	}
	if gap > 4*restartGapMS {
		c -= 0.08
	}
	heard := 0.0
	for k := m.from; k < m.to; k++ {
		heard += f.Words[f.words[k].index].Probability / float64(m.to-m.from)
	}
	after := m.to + m.words
	if f.hurried(m.to, after) || f.hurried(m.to, after+hurriedMore) || f.hurried(after, after+hurriedMore) {
		c /= 2
	} else if gap < breathMS && f.guessed(m.from, after) {
		c /= 2
	}

	return max(c*(0.75+0.25*heard), 0)
}

// guessed reports whether one of the tokens [i, j) is a word that the speech model hardly heard. A
// model that has lost the thread repeats its last words.
func (f *finder) guessed(i, j int) bool {
	return slices.ContainsFunc(f.words[i:min(j, len(f.words))], func(s token) bool {
		p := f.Words[s.index].Probability
		return p > 0 && p < guess
	})
}

// Speech models sometimes transcribe words twice that were spoken once. The repetition, or the
// words after it, are then squeezed into too little time.
const (
	hurriedMore = 4    // words to check after the repetition
	hurriedPace = 0.55 // time per letter, relative to the clip
	minLetters  = 6    // needed to measure a pace
)

// hurried reports whether tokens [i, j), up to the end of their take, are faster than real speech.
func (f *finder) hurried(i, j int) bool {
	var pace pace
	for k := i; k < min(j, len(f.words)) && (k == i || !f.words[k].opens); k++ {
		pace.add(f.Words[f.words[k].index])
	}
	return pace.letters >= minLetters && pace.perLetter() < hurriedPace*f.usual.perLetter()
}

// pace measures the time that words take for their number of letters.
type pace struct{ ms, letters int64 }

func (p *pace) add(w media.Word) {
	p.ms += w.EndMS - w.StartMS
	p.letters += int64(utf8.RuneCountInString(normalize(w.Text)))
}

// perLetter returns the milliseconds per letter.
func (p pace) perLetter() float64 { return float64(p.ms) / float64(max(p.letters, 1)) }

// retake returns the match of a sentence, tokens [i, j), that the speaker repeats starting at token
// j. If the speaker does not repeat it, its confidence is 0.
func (f *finder) retake(i, j int) match {
	length := j - i
	gap := f.words[j].gapMS
	if length < f.minWords() || gap > retakeGapMS || !f.words[j-1].closes {
		return match{}
	}
	if f.sensitivity == 0 && length < 4 {
		return match{}
	}
	if f.shared(i, j)*5 < 2*length {
		return match{}
	}
	n, alike := f.align(i, j)
	if (f.sensitivity == 0 && (alike < 1 || n < length)) || alike < max(f.minSimilarity(), 0.7) {
		return match{}
	}
	if (n < length && length < 4) || (length <= shortTake && gap > 6*restartGapMS) {
		return match{}
	}
	if f.emphasis(i, j, length, 0) && n == length {
		return match{}
	}
	m := match{from: i, to: j, words: n, alike: alike, kind: retake}
	m.confidence = f.confidence(m, 0, gap)
	return m
}

// shared returns how many of the tokens [i, j) occur again soon after j.
func (f *finder) shared(i, j int) int {
	n := 0
	again := f.words[j:min(2*j-i+3, len(f.words))]
	for _, w := range f.words[i:j] {
		if slices.ContainsFunc(again, func(o token) bool { return o.id == w.id }) {
			n++
		}
	}

	return n
}

// align aligns tokens [i, j) with those starting at j, and returns the number of equal tokens and
// the similarity of the first attempt to the start of the second. A replaced word counts double,
// because two sentences of one pattern are not a retake. The rest of a longer second attempt does
// not count.
func (f *finder) align(i, j int) (same int, alike float64) {
	a := f.words[i:j]
	b := f.words[j:min(j+len(a)+3, len(f.words))]
	cost := make([][]float64, len(a)+1)
	cells := make([]float64, (len(a)+1)*(len(b)+1))
	for x := range cost {
		cost[x] = cells[x*(len(b)+1) : (x+1)*(len(b)+1)]
		for y := range cost[x] {
			switch {
			case x == 0:
				cost[x][y] = float64(y)
			case y == 0:
				cost[x][y] = float64(x)
			default:
				swap := 2 * (1 - f.similarity(i+x-1, j+y-1)) * f.differenceWeight(i+x-1, j+y-1)
				if x == len(a) {
					swap = min(swap, f.lastWordCost(j-1, b[y-1].norm))
				}
				cost[x][y] = min(
					cost[x-1][y]+f.extraCost(i, x-1),
					cost[x][y-1]+f.extraCost(j, y-1),
					cost[x-1][y-1]+swap,
				)
			}
		}
	}

	least := cost[len(a)][0]
	for _, c := range cost[len(a)] {
		least = min(least, c)
	}
	if len(a) >= 4 && oneOff(a, b) {
		least = min(least, 0.75)
	}
	for k := 0; k < len(a) && k < len(b) && a[k].id == b[k].id; k++ {
		same++
	}
	if least < 1 {
		same = len(a)
	}
	return same, 1 - least/float64(len(a))
}

// differenceWeight returns the weight of a difference between two tokens: half if the speech model
// may have misheard one of them.
func (f *finder) differenceWeight(i, j int) float64 {
	if min(f.Words[f.words[i].index].Probability, f.Words[f.words[j].index].Probability) < unsure {
		return 0.5
	}
	return 1
}

// lastWordCost returns the cost of a difference between the last token before a break and a word of
// the second attempt. The cost is low if the token is the start of that word, and medium if the
// speech model was unsure of it, as it is of unfinished words.
func (f *finder) lastWordCost(last int, other string) float64 {
	switch {
	case isPrefixOf(f.words[last].norm, other):
		return 0.1
	case f.Words[f.words[last].index].Probability < unsure:
		return 0.7
	}

	return 2
}

// extraCost returns the cost of a token that only one of the attempts has. The cost is low if the
// token repeats the previous one.
func (f *finder) extraCost(start, n int) float64 {
	if n > 0 && f.words[start+n].norm == f.words[start+n-1].norm {
		return 0.2
	}
	return 1
}

// oneOff reports whether b starts with a except for one extra token in a or b.
func oneOff(a, b []token) bool {
	k := 0
	for k < len(a) && k < len(b) && a[k].norm == b[k].norm {
		k++
	}
	if k == len(a) {
		return false
	}
	extraInB := k < len(b) && beginsWith(b[k+1:], a[k:])
	return extraInB || beginsWith(b[k:], a[k+1:])
}

// beginsWith reports whether the tokens start with others.
func beginsWith(words, others []token) bool {
	return len(words) >= len(others) &&
		slices.EqualFunc(words[:len(others)], others, func(a, b token) bool { return a.id == b.id })
}

// fragment returns the match of a short take before token j that the speaker abandoned, as the
// transcript shows. If no such take precedes token j, its confidence is 0.
func (f *finder) fragment(j int) match {
	if f.sensitivity < 50 || !f.words[j-1].unfinished || !f.words[j].opens {
		return match{}
	}
	i := j - 1
	for i > 0 && !f.words[i].opens {
		i--
	}
	if j-i > shortTake {
		return match{}
	}
	return match{
		from:       i,
		to:         j,
		words:      j - i,
		alike:      1,
		kind:       fragment,
		confidence: 0.45 + 0.15*float64(f.sensitivity)/100,
	}
}

// reason describes a match to the user.
func (f *finder) reason(m match) string {
	first, last := f.words[m.from].index, f.words[m.to-1].index
	text := quoted(f.quote(first, last+1))
	later := seconds(max(f.startMS(m.to)-f.endMS(m.to-1), 0))
	switch {
	case m.kind == fragment:
		return "Abandoned: " + text
	case m.kind == retake && m.alike < 1:
		return fmt.Sprintf("Rephrased %s later: %s", later, text)
	case f.startMS(m.to)-f.endMS(m.to-1) < 100:
		return "Said again at once: " + text
	}

	return fmt.Sprintf("Said again %s later: %s", later, text)
}
