package whisper

import (
	"cmp"
	"math"
	"slices"
	"unicode"

	"roughcut/media"
)

// snap moves words onto the sound of a recording. Runs of words are laid on its stretches of sound
// one after the other, so that speech after a pause begins where the sound begins, however late the
// model placed it; borders inside a stretch keep near the model's times where these leave each word
// a likely length. Words without sound nearby are dropped. The result is in order, without
// overlaps, and within the recording.
func snap(words []rawWord, v media.VoiceActivity) []rawWord {
	words = inOrder(words)
	islands := islandsOf(v.Spans)
	out := make([]rawWord, 0, len(words))
	for k, group := range assign(words, islands) {
		out = append(out, place(group, islands[k], v)...)
	}
	return out
}

// inOrder returns the words with rising start times, each ending no later than the next begins.
func inOrder(words []rawWord) []rawWord {
	out := slices.Clone(words)
	for i := range out {
		if i > 0 {
			out[i].startMS = max(out[i].startMS, out[i-1].startMS)
			out[i-1].endMS = min(out[i-1].endMS, out[i].startMS)
		}
		out[i].endMS = max(out[i].endMS, out[i].startMS)
	}
	return out
}

// island is a stretch of sound that words can lie on: spans whose gaps are too short to lie between
// words of different breaths.
type island struct {
	media.Span
	gaps []media.Span // the short silences in it
}

const (
	closureMS  = 120 // a silence up to this is the closure of a consonant
	crumbMS    = 120 // a sound shorter than this is hardly a word …
	crumbGapMS = 200 // … when it is so near to other sound: a final t, a click of the tongue
)

// islandsOf joins spans across short silences.
func islandsOf(spans []media.Span) []island {
	var out []island
	for _, s := range spans {
		if n := len(out); n > 0 {
			last := &out[n-1]
			gap := s.StartMS - last.EndMS
			if gap <= closureMS || gap <= crumbGapMS && min(s.Duration(), last.Duration()) < crumbMS {
				last.gaps = append(last.gaps, media.Span{StartMS: last.EndMS, EndMS: s.StartMS})
				last.EndMS = s.EndMS
				continue
			}
		}
		out = append(out, island{Span: s})
	}
	return out
}

const (
	reachMS     = 2000 // a word is moved at most about this far
	dropCost    = 5.0  // of leaving a word out
	segmentGain = 0.8  // of beginning a segment together with a stretch of sound
	segmentLoss = 0.5  // of beginning one within
)

// assign divides the words among the islands, in order, at the least cost; some words and some
// islands may go without. It returns the words of each island.
func assign(words []rawWord, islands []island) [][]rawWord {
	a := newAssignment(words, islands)
	for k := range islands {
		a.advance(k)
	}
	return a.trace()
}

// assignment is the dynamic program of assign. Row k holds, for each count j of words within its
// band, the least cost of having dealt with the first k islands and the first j words.
type assignment struct {
	words   []rawWord
	islands []island
	lengths []float64 // running sum of the words' likely lengths in milliseconds
	rows    []row
}

type row struct {
	low  int // count of words of the first entry
	cost []float64
	from []int  // count of words before this island took its own; -1: a word was dropped to get here
	took []bool // whether the step into this row gave words to the island
}

func newAssignment(words []rawWord, islands []island) *assignment {
	a := &assignment{
		words:   words,
		islands: islands,
		lengths: make([]float64, len(words)+1),
		rows:    make([]row, 0, len(islands)+1),
	}
	for i, w := range words {
		a.lengths[i+1] = a.lengths[i] + likelyLength(w.text)
	}
	first := a.newRow(0, a.high(0))
	first.cost[0] = 0
	a.drop(&first)
	a.rows = append(a.rows, first)
	return a
}

// newRow returns a row for counts low to high without any way to reach them.
func (a *assignment) newRow(low, high int) row {
	r := row{low: low, cost: make([]float64, high-low+1), from: make([]int, high-low+1), took: make([]bool, high-low+1)}
	for i := range r.cost {
		r.cost[i] = math.Inf(1)
	}
	return r
}

// low returns the number of words that must lie before island k.
func (a *assignment) low(k int) int {
	n, _ := slices.BinarySearchFunc(
		a.words,
		a.islands[k].StartMS-reachMS,
		func(w rawWord, t int64) int { return int(w.startMS - t) },
	)
	return n
}

// high returns the number of words that may be dealt with before island k.
func (a *assignment) high(k int) int {
	if k >= len(a.islands) {
		return len(a.words)
	}
	n, _ := slices.BinarySearchFunc(
		a.words,
		a.islands[k].EndMS+reachMS,
		func(w rawWord, t int64) int { return int(w.startMS - t) },
	)
	return n
}

// advance computes the row after island k from the row before it.
func (a *assignment) advance(k int) {
	before := a.rows[k]
	low := max(a.low(k), before.low)
	r := a.newRow(low, max(a.high(k+1), before.low+len(before.cost)-1, low))
	isl := a.islands[k]
	empty := float64(min(isl.Duration(), 1500)) / 200
	for i := range before.cost {
		if j := before.low + i; j >= low {
			r.set(j, before.cost[i]+empty, j, false)
		}
	}
	for i := range before.cost {
		start := before.low + i
		if math.IsInf(before.cost[i], 1) || start < a.low(k) {
			continue
		}
		away := 0.0
		if start < len(a.words) && (start == 0 || a.words[start].segment != a.words[start-1].segment) {
			away = -segmentGain
		}
		for j := start + 1; j <= low+len(r.cost)-1; j++ {
			cost := a.distance(j-1, isl.Span)
			if j-1 > start && a.words[j-1].segment != a.words[j-2].segment {
				cost += segmentLoss
			}
			if away += cost; cost > 2*dropCost || away > 60 {
				break
			}
			if j >= low {
				r.set(j, before.cost[i]+away+crowding(isl.Span, a.lengths[j]-a.lengths[start]), start, true)
			}
		}
	}
	a.drop(&r)
	a.rows = append(a.rows, r)
}

// set offers a way to reach count j.
func (r *row) set(j int, cost float64, from int, took bool) {
	if i := j - r.low; cost < r.cost[i] {
		r.cost[i], r.from[i], r.took[i] = cost, from, took
	}
}

// drop lets words be left out.
func (a *assignment) drop(r *row) {
	for i := 1; i < len(r.cost); i++ {
		r.set(r.low+i, r.cost[i-1]+dropCost, -1, false)
	}
}

// distance tells how badly word i lies on a span: 0 where it lies on it wholly. A word that is far
// too long may have its sound at either end.
func (a *assignment) distance(i int, s media.Span) float64 {
	w, length := a.words[i], int64(a.lengths[i+1]-a.lengths[i])
	end := w.endMS
	if i+1 < len(a.words) && a.words[i+1].segment == w.segment {
		end = a.words[i+1].startMS
	}
	took := min(max(end-w.startMS, 40), length)
	cost := off(media.Span{StartMS: w.startMS, EndMS: w.startMS + took}, s)
	if end-w.startMS > 2*length {
		cost = min(cost, off(media.Span{StartMS: end - took, EndMS: end}, s)+0.2)
	}
	return cost
}

// off tells how much of a stretch lies outside of s, and how far from it.
func off(stretch, s media.Span) float64 {
	missing := 1 - float64(max(stretch.Intersect(s).Duration(), 0))/float64(stretch.Duration())
	middle := (stretch.StartMS + stretch.EndMS) / 2
	return 1.5*missing + float64(max(s.StartMS-middle, middle-s.EndMS, 0))/200
}

// crowding tells how badly words of a likely length in all fill a span.
func crowding(s media.Span, length float64) float64 {
	ratio := float64(s.Duration()) / length
	switch {
	case ratio < 0.6:
		return 4 * math.Log(0.6/ratio)
	case ratio > 2.5:
		return math.Log(ratio / 2.5)
	}
	return 0
}

// trace walks the cheapest way back.
func (a *assignment) trace() [][]rawWord {
	out := make([][]rawWord, len(a.islands))
	j := len(a.words)
	for k := len(a.islands); k > 0; k-- {
		r := a.rows[k]
		j = min(j, r.low+len(r.cost)-1)
		for r.from[j-r.low] < 0 {
			j--
		}
		if r.took[j-r.low] {
			out[k-1] = a.words[r.from[j-r.low]:j]
		}
		j = r.from[j-r.low]
	}
	return out
}

// likelyLength estimates how long a word takes to say at a middling pace, in milliseconds.
func likelyLength(text string) float64 {
	total := 60.0
	for _, r := range text {
		switch {
		case spaceless(r), unicode.IsDigit(r):
			total += 180
		case unicode.IsLetter(r):
			total += 52
		}
	}
	return total
}

const (
	shortestWordMS = 30
	crampedMS      = 70  // no speech holds more than a word in this time on average
	searchMS       = 400 // how far from the model's time a border inside sound is looked for
	trustMS        = 250 // errors of the model's times beyond this cost no more
	leftOutMS      = 300 // sound of this length at an end may be words that the model left out
	leftOutCost    = 2.0
	impossible     = 1e6
	slowest        = 1.6 // no speech is so slow that its words last longer than this many likely lengths on average
)

// place sets the times of the words of one island: the first begins and the last ends with the
// sound.
func place(words []rawWord, isl island, v media.VoiceActivity) []rawWord {
	if len(words) == 0 {
		return nil
	}
	words = likeliest(words, max(int(isl.Duration()/crampedMS), 1))
	borders := bordersOf(words, isl, v)
	out := slices.Clone(words)
	for i := range out {
		out[i].startMS, out[i].endMS = borders[i], borders[i+1]
	}
	for i := range out[1:] {
		for _, gap := range isl.gaps {
			if b := out[i+1].startMS; gap.Duration() > 60 && b >= gap.StartMS-20 && b <= gap.EndMS+20 &&
				gap.StartMS > out[i].startMS &&
				gap.EndMS < out[i+1].endMS {
				out[i].endMS, out[i+1].startMS = gap.StartMS, gap.EndMS
			}
		}
	}
	return slices.DeleteFunc(out, func(w rawWord) bool {
		return slices.ContainsFunc(
			isl.gaps,
			func(gap media.Span) bool { return w.startMS >= gap.StartMS && w.endMS <= gap.EndMS },
		)
	})
}

// likeliest returns the n words that the model was surest of, in their order: one that repeats
// itself leaves more words than the sound can hold.
func likeliest(words []rawWord, n int) []rawWord {
	if len(words) <= n {
		return words
	}
	order := make([]int, len(words))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(words[b].probability, words[a].probability) })
	order = order[:n]
	slices.Sort(order)
	out := make([]rawWord, n)
	for i, w := range order {
		out[i] = words[w]
	}
	return out
}

// border is a candidate for where a word ends and the next one begins.
type border struct {
	ms   int64
	cost float64
	from int
}

// bordersOf returns the start of each word of an island and the end of the last one.
func bordersOf(words []rawWord, isl island, v media.VoiceActivity) []int64 {
	n := len(words)
	lengths, total := make([]float64, n), 0.0
	for i, w := range words {
		lengths[i] = likelyLength(w.text)
		total += lengths[i]
	}
	scale := min(float64(isl.Duration())/total, slowest)
	steps, hints := make([][]border, n+1), hintsOf(words, isl.Span)
	steps[0] = candidates(0, words, hints, isl, v)
	for i := 1; i <= n; i++ {
		steps[i] = candidates(i, words, hints, isl, v)
		for c := range steps[i] {
			link(&steps[i][c], steps[i-1], lengths[i-1]*scale)
		}
	}
	out := make([]int64, n+1)
	at := 0
	for i := n; i >= 0; i-- {
		out[i] = steps[i][at].ms
		at = steps[i][at].from
	}
	return out
}

// hintsOf returns about where each word begins by the model's times, moved so that each word has
// the shortest length at least.
func hintsOf(words []rawWord, s media.Span) []int64 {
	hints := make([]int64, len(words))
	at := s.StartMS
	for i, w := range words {
		hints[i] = max(w.startMS, at)
		at = hints[i] + shortestWordMS
	}
	at = s.EndMS
	for i := len(words) - 1; i >= 0; i-- {
		at -= shortestWordMS
		hints[i] = min(hints[i], at)
		at = hints[i]
	}
	return hints
}

// candidates returns where word i may begin (for i == len(words): where the last one ends), with
// what each place costs by itself. The first word begins and the last one ends with the sound,
// except where the model left out words there.
func candidates(i int, words []rawWord, hints []int64, isl island, v media.VoiceActivity) []border {
	n := int64(len(words))
	switch {
	case i == 0:
		out := []border{{ms: isl.StartMS}}
		if at := words[0].startMS; at-isl.StartMS > leftOutMS && at < isl.EndMS-n*shortestWordMS {
			out = append(out, border{ms: at, cost: leftOutCost})
		}
		return out
	case int64(i) == n:
		out := []border{{ms: isl.EndMS}}
		if at := words[n-1].endMS; isl.EndMS-at > leftOutMS && at > isl.StartMS+n*shortestWordMS {
			out = append(out, border{ms: at, cost: leftOutCost})
		}
		return out
	}
	lowest, highest := isl.StartMS+int64(i)*shortestWordMS, isl.EndMS-(n-int64(i))*shortestWordMS
	back := min(hints[i]-lowest, searchMS) / media.VoiceFrameMS * media.VoiceFrameMS
	var out []border
	for t := hints[i] - back; t <= min(highest, hints[i]+searchMS); t += media.VoiceFrameMS {
		away := min(max(t-words[i].startMS, words[i].startMS-t), trustMS)
		loudness := min(max((v.Level(t)-v.SpeechDB)/40, -1), 0)
		out = append(out, border{ms: t, cost: float64(away)/60 + loudness})
	}
	return out
}

// link chooses the best border before b for a word of a likely length.
func link(b *border, before []border, length float64) {
	best := math.Inf(1)
	for c, p := range before {
		took := float64(b.ms - p.ms)
		misfit := math.Log(max(took, 5) / length)
		cost := p.cost + 1.2*misfit*misfit
		if took < shortestWordMS {
			cost += impossible
		}
		if cost < best {
			best, b.from = cost, c
		}
	}
	b.cost += best
}
