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
	restartGapMS = 600    // a restart follows within this
	breathMS     = 200    // a gap between words from here on is a break, and what follows it a new take
	retakeGapMS  = 8_000  // a retake of a whole sentence may be thought over this long
	evenMS       = 150    // repeats with smaller gaps than this are evenly spaced
	lookBack     = 16     // words that a restart may go back without a break
	takesBack    = 4      // takes that a retake may go back
	takeWords    = 60     // words that a retake may go back
	takeMS       = 45_000 // time that a retake may go back
	unsure       = 0.6    // probability of a word below which the model may have misheard it
	shortTake    = 3      // a take of so many words is a fragment
)

// said is a word as false starts are looked for: fillers are left out of the sequence.
type said struct {
	index   int    // in talk.Words
	norm    string // as compared
	id      int    // the same for equal norm
	letters uint64 // a bit for each letter of norm; some share one
	length  int    // of norm, in letters
	broken  bool   // written as unfinished
	filler  bool   // a filler stood before it
	gapMS   int64  // silence before it, fillers counted as silence
	opens   bool   // begins a take
	closing bool   // ends a take
}

// sequence returns the words without fillers.
func (t *talk) sequence(tag string) []said {
	known := fillersOrEnglish(tag)
	var out []said
	ids := map[string]int{}
	filler := false
	for i, w := range t.Words {
		norm := normal(w.Text)
		if norm == "" || slices.Contains(known, norm) {
			filler = filler || norm != ""
			continue
		}
		if _, ok := ids[norm]; !ok {
			ids[norm] = len(ids)
		}
		s := said{index: i, norm: norm, id: ids[norm], broken: brokenOff(w.Text), filler: filler}
		for _, r := range norm {
			s.letters |= 1 << (r % 64)
			s.length++
		}
		if n := len(out); n > 0 {
			s.gapMS = w.StartMS - t.Words[out[n-1].index].EndMS
		}
		s.opens = len(out) == 0 || s.gapMS >= breathMS || endsSentence(t.Words[out[len(out)-1].index].Text)
		if n := len(out); n > 0 {
			out[n-1].closing = s.opens
		}
		out, filler = append(out, s), false
	}
	if n := len(out); n > 0 {
		out[n-1].closing = true
	}
	return out
}

// match is an abandoned attempt: the words from to to-1 of the sequence, said again from word to
// on.
type match struct {
	from, to   int
	words      int     // how many words were said again
	alike      float64 // 0-1: how alike the two attempts are
	confidence float64
	kind       matchKind
}

type matchKind int

const (
	restart  matchKind = iota // the same words again at once
	retake                    // a whole sentence again
	fragment                  // broken off, and not said again
)

// falseStarts proposes to cut attempts that were said again.
func (t *talk) falseStarts(sensitivity int) []Edit {
	f := finder{talk: t, words: t.sequence(t.language), sensitivity: sensitivity, alike: map[[2]int]float64{}}
	for _, w := range t.Words {
		f.usual.add(w)
	}
	var out []Edit
	kept := 0 // the first word of the take that the last false start made way for
	for _, m := range f.find() {
		i, j := f.words[m.from].index, f.words[m.to].index
		if f.words[m.from].filler && i > 0 {
			i = max(kept, f.fillersBefore(i))
		}
		kept = j
		cut := t.cutWords(i, j)
		if n := len(out); n > 0 { // each border is laid for its own cut; two that meet may cross by a moment
			cut.StartMS = max(cut.StartMS, out[n-1].EndMS)
		}
		if cut.Duration() < shortestCut {
			continue
		}
		c := round2(m.confidence)
		out = append(
			out,
			Edit{Type: FalseStart, Span: cut, Active: c >= activeFrom, Reason: f.reason(m), Confidence: c},
		)
	}
	return out
}

// finder looks for false starts in a sequence of words.
type finder struct {
	*talk
	words       []said
	sensitivity int
	alike       map[[2]int]float64 // similarity of words by id, as far as it was asked for
	usual       pace               // of all words
}

// similarity returns how alike words i and j are.
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

// mostAlike returns what the similarity of words i and j cannot exceed, without comparing them:
// each letter that only one of them has is a difference. Nearly all words that are compared are
// told apart by it.
func (f *finder) mostAlike(i, j int) float64 {
	a, b := f.words[i], f.words[j]
	differences := max(bits.OnesCount64(a.letters&^b.letters), bits.OnesCount64(b.letters&^a.letters))
	return 1 - float64(differences)/float64(max(a.length, b.length))
}

// fillersBefore returns the index of the first of the fillers that stand right before word i: they
// belong to the attempt when they follow a break.
func (f *finder) fillersBefore(i int) int {
	first := i
	for first > 0 && slices.Contains(fillersOrEnglish(f.language), normal(f.Words[first-1].Text)) {
		first--
	}
	return first
}

// find returns the matches in order, without overlaps.
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

// best returns the most certain attempt that word j begins again.
func (f *finder) best(j int) (match, bool) {
	var best match
	takes := 0
	for i := j - 1; i >= 0 && j-i <= takeWords; i-- {
		if f.startMS(j)-f.startMS(i) > takeMS || takes >= takesBack {
			break
		}
		if j-i <= lookBack {
			if m := f.restart(i, j); m.confidence > best.confidence {
				best = m
			}
		}
		if f.words[j].opens && f.words[i].opens {
			takes++
			if m := f.retake(i, j); m.confidence > best.confidence {
				best = m
			}
		}
	}
	if m := f.fragment(j); m.confidence > best.confidence {
		best = m
	}
	return best, best.confidence >= lowest
}

// How alike two words must be to count as the same word misheard, and how alike half a word is to
// the whole one.
const (
	leastWordAlike = 0.6
	halfAlike      = 0.95
)

// lowest is the confidence below which a match is not even proposed.
const lowest = 0.3

func (f *finder) startMS(i int) int64 { return f.Words[f.words[i].index].StartMS }
func (f *finder) endMS(i int) int64   { return f.Words[f.words[i].index].EndMS }

// leastWords is how many words must be said again.
func (f *finder) leastWords() int {
	switch {
	case f.sensitivity < 25:
		return 4
	case f.sensitivity < 50:
		return 3
	}
	return 2
}

// leastAlike is how alike the words must be on average: 1 at sensitivity 0, 0.6 at 100.
func (f *finder) leastAlike() float64 { return 1 - 0.4*float64(f.sensitivity)/100 }

// run compares the words from i with those from j, one by one, and returns how many are alike
// before j is reached, with their mean likeness. The last word before j may be half of its
// counterpart.
func (f *finder) run(i, j int) (n int, alike float64) {
	sum := 0.0
	for i+n < j && j+n < len(f.words) {
		s := halfAlike
		if i+n < j-1 || !halfOf(f.words[i+n].norm, f.words[j+n].norm) {
			if f.mostAlike(i+n, j+n) < leastWordAlike {
				break
			}
			s = f.similarity(i+n, j+n)
		}
		if s < leastWordAlike && (f.sensitivity > 0 || s < 1) {
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

// restart judges whether the words from i are an attempt that word j begins again.
func (f *finder) restart(i, j int) match {
	n, alike := f.run(i, j)
	rest := j - i - n
	m := match{from: i, to: j, words: n, alike: alike, kind: restart}
	half := n > 0 && rest == 0 && f.words[j-1].broken && halfOf(f.words[j-1].norm, f.words[j+n-1].norm)
	if n < f.leastWords() && !(half && f.sensitivity >= 50) || alike < f.leastAlike() {
		return match{}
	}
	if f.sensitivity == 0 && (rest > 0 || alike < 1) || n == 2 && alike < halfAlike && f.sensitivity < 75 {
		return match{}
	}
	if rest > 0 && !f.abandoned(j, n, rest) || f.emphasis(i, j, n, rest) || f.shifted(i, j, n) {
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

// shifted reports whether the n words from i and from j are alike only because both lie as far
// into, or before, two takes that are: those are the attempt and its repeat. Between them is a
// break, so cutting there joins two takes; anywhere else it would join the middle of one with that
// of another.
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
	for k := -1; i+k >= 0 && f.similarity(i+k, j+k) >= leastWordAlike; k-- {
		if bothOpen(k) {
			return true
		}
	}
	return false
}

// abandoned reports whether an attempt that went on for rest words beyond what was said again shows
// that it was given up before word j: otherwise the two may simply begin alike.
func (f *finder) abandoned(j, n, rest int) bool {
	last, next := f.words[j-1], f.words[j]
	if rest > 3 || n < 2 {
		return false
	}
	if last.broken {
		return true
	}
	return n >= 3 && (next.filler || next.gapMS >= breathMS && language.IsOpenEnded(last.norm))
}

// emphasis reports whether a repeat is meant: the same word again and again, "more and more and
// more", "thank you thank you".
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
	if n == 2 && even &&
		(after < len(f.words) && f.words[after].norm == f.words[j].norm || i > 0 && f.words[i-1].norm == f.words[i+1].norm) {
		return true
	}
	return n <= 3 && even && (after >= len(f.words) || f.words[after-1].closing)
}

// confidence rates a match: many words, exactly alike, at once, heard clearly.
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
	if after := m.to + m.words; f.hurried(m.to, after+hurriedMore) || f.hurried(after, after+hurriedMore) {
		c /= 2
	}
	return max(c*(0.75+0.25*heard), 0)
}

// Of a repeat that the model made up: how many words after it are squeezed with it, and by how much
// their pace differs from that of the talk.
const (
	hurriedMore  = 4
	hurriedPace  = 0.55
	fewestLetter = 8 // by which a pace can be told
)

// hurried reports whether words [i, j), as far as they are of one take, are faster than anybody
// speaks: models write words twice that were said once, and what follows has to share the time that
// is left.
func (f *finder) hurried(i, j int) bool {
	var pace pace
	for k := i; k < min(j, len(f.words)) && (k == i || !f.words[k].opens); k++ {
		pace.add(f.Words[f.words[k].index])
	}
	return pace.letters >= fewestLetter && pace.perLetter() < hurriedPace*f.usual.perLetter()
}

// pace is how long words take for their length.
type pace struct{ ms, letters int64 }

func (p *pace) add(w media.Word) {
	p.ms += w.EndMS - w.StartMS
	p.letters += int64(utf8.RuneCountInString(normal(w.Text)))
}

// perLetter returns milliseconds.
func (p pace) perLetter() float64 { return float64(p.ms) / float64(max(p.letters, 1)) }

// retake judges whether the takes from i up to j are a sentence that was said again from word j on.
func (f *finder) retake(i, j int) match {
	length := j - i
	gap := f.words[j].gapMS
	if length < f.leastWords() || gap > retakeGapMS || !f.words[j-1].closing {
		return match{}
	}
	if f.sensitivity == 0 && length < 4 {
		return match{}
	}
	if f.shared(i, j)*5 < 2*length {
		return match{}
	}
	n, alike := f.likeness(i, j)
	if f.sensitivity == 0 && (alike < 1 || n < length) || alike < max(f.leastAlike(), 0.7) {
		return match{}
	}
	if n < length && length < 4 || length <= shortTake && gap > 6*restartGapMS {
		return match{}
	}
	if f.emphasis(i, j, length, 0) && n == length {
		return match{}
	}
	m := match{from: i, to: j, words: n, alike: alike, kind: retake}
	m.confidence = f.confidence(m, 0, gap)
	return m
}

// shared returns how many of the words from i up to j are said again soon after j.
func (f *finder) shared(i, j int) int {
	n := 0
	again := f.words[j:min(2*j-i+3, len(f.words))]
	for _, w := range f.words[i:j] {
		if slices.ContainsFunc(again, func(o said) bool { return o.id == w.id }) {
			n++
		}
	}
	return n
}

// likeness aligns the words from i up to j with those that begin at j, and returns how many are the
// same and how alike the first attempt is to the beginning of the second. A word changed for
// another one counts double: two sentences of one pattern are not a retake. Where an attempt goes
// on, what goes on does not count against it.
func (f *finder) likeness(i, j int) (same int, alike float64) {
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
				swap := 2 * (1 - f.similarity(i+x-1, j+y-1)) * f.trust(i+x-1, j+y-1)
				if x == len(a) {
					swap = min(swap, f.cutOff(j-1, b[y-1].norm))
				}
				cost[x][y] = min(cost[x-1][y]+f.extra(i, x-1), cost[x][y-1]+f.extra(j, y-1), cost[x-1][y-1]+swap)
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

// trust weighs the difference of two words: half where the model may have misheard one of them.
func (f *finder) trust(i, j int) float64 {
	if min(f.Words[f.words[i].index].Probability, f.Words[f.words[j].index].Probability) < unsure {
		return 0.5
	}
	return 1
}

// cutOff is what it costs when the last word before a break stands where the second attempt has
// another word: little where it is the beginning of that word, and not much where the model was not
// sure of it, as it is with half a word.
func (f *finder) cutOff(last int, other string) float64 {
	switch {
	case halfOf(f.words[last].norm, other):
		return 0.1
	case f.Words[f.words[last].index].Probability < unsure:
		return 0.7
	}
	return 2
}

// extra is what a word costs that only one of two attempts has: little where it only repeats the
// word before it.
func (f *finder) extra(start, n int) float64 {
	if n > 0 && f.words[start+n].norm == f.words[start+n-1].norm {
		return 0.2
	}
	return 1
}

// oneOff reports whether b begins with a, but for one word that only one of them has.
func oneOff(a, b []said) bool {
	k := 0
	for k < len(a) && k < len(b) && a[k].norm == b[k].norm {
		k++
	}
	return k < len(a) && (beginsWith(b[k:], a[k+1:]) || k < len(b) && beginsWith(b[k+1:], a[k:]))
}

// beginsWith reports whether words begin with others.
func beginsWith(words, others []said) bool {
	return len(words) >= len(others) &&
		slices.EqualFunc(words[:len(others)], others, func(a, b said) bool { return a.id == b.id })
}

// fragment judges whether the take before word j was broken off and left, as the way it is written
// says.
func (f *finder) fragment(j int) match {
	if f.sensitivity < 50 || !f.words[j-1].broken || !f.words[j].opens {
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

// reason says what was said again and how soon.
func (f *finder) reason(m match) string {
	first, last := f.words[m.from].index, f.words[m.to-1].index
	text := quoted(f.quote(first, last+1))
	later := seconds(max(f.startMS(m.to)-f.endMS(m.to-1), 0))
	switch {
	case m.kind == fragment:
		return "Broken off: " + text
	case m.kind == retake && m.alike < 1:
		return fmt.Sprintf("Said again in other words %s later: %s", later, text)
	case f.startMS(m.to)-f.endMS(m.to-1) < 100:
		return "Said again at once: " + text
	}
	return fmt.Sprintf("Said again %s later: %s", later, text)
}
