package align

import (
	"cmp"
	"math"
	"slices"
	"unicode"

	"roughcut/media"
	"roughcut/media/audio"
)

// Snap aligns words with the voiced parts of a recording. It assigns runs of words to sound runs in
// order, so that speech after a pause starts with the sound, however late the model placed it.
// Boundaries within a sound run stay near the times of the model, as long as each word keeps a
// plausible length. Words without sound nearby are dropped. The result is sorted, without overlaps,
// and within the recording.
func Snap(words []Word, v audio.VoiceActivity) []Word {
	words = clampTimes(words)
	runs := soundRunsOf(v.Spans)
	out := make([]Word, 0, len(words))
	for k, group := range assign(words, runs) {
		out = append(out, placeWords(group, runs[k], v)...)
	}
	return out
}

// clampTimes returns the words with non-decreasing start times, each ending before the next one
// starts.
func clampTimes(words []Word) []Word {
	out := slices.Clone(words)
	for i := range out {
		if i > 0 {
			out[i].StartMS = max(out[i].StartMS, out[i-1].StartMS)
			out[i-1].EndMS = min(out[i-1].EndMS, out[i].StartMS)
		}

		out[i].EndMS = max(out[i].EndMS, out[i].StartMS)
	}

	return out
}

// soundRun is a run of voiced spans without a pause between words: its gaps are too short for one.
type soundRun struct {
	media.Span
	gaps []media.Span // short silences within the run
}

// Limits of the gaps within a sound run.
const (
	maxClosureMS  = 120 // a silence up to this length is the closure of a consonant
	minSoundMS    = 120 // a shorter sound is not a word …
	maxCrumbGapMS = 200 // … if it is this close to another sound: a final t, a click of the tongue
)

// soundRunsOf joins spans across short silences.
func soundRunsOf(spans []media.Span) []soundRun {
	var out []soundRun
	for _, s := range spans {
		if n := len(out); n > 0 {
			last := &out[n-1]
			gap := s.StartMS - last.EndMS
			isCrumb := gap <= maxCrumbGapMS && min(s.Duration(), last.Duration()) < minSoundMS
			if gap <= maxClosureMS || isCrumb {
				last.gaps = append(last.gaps, media.Span{StartMS: last.EndMS, EndMS: s.StartMS})
				last.EndMS = s.EndMS
				continue
			}
		}

		out = append(out, soundRun{Span: s})
	}

	return out
}

// Costs and limits of assign.
const (
	maxShiftMS  = 2000 // approximate maximum shift of a word
	dropCost    = 5.0  // of dropping a word
	segmentGain = 0.8  // if a segment starts with a sound run
	segmentLoss = 0.5  // if a segment starts within a sound run
)

// assign distributes the words over the sound runs, in order, at minimum cost. It may drop words
// and leave sound runs empty. It returns the words of each sound run.
func assign(words []Word, runs []soundRun) [][]Word {
	a := newAssignment(words, runs)
	for k := range runs {
		a.addRow(k)
	}
	return a.backtrack()
}

// assignment is the dynamic program of assign. Row k holds the minimum cost of the first k sound
// runs and the first j words, for each j within the band of the row.
type assignment struct {
	words     []Word
	runs      []soundRun
	typicalMS []float64 // prefix sums of the typical word lengths in milliseconds
	rows      []row
}

type row struct {
	low  int // word count of the first entry
	cost []float64
	from []int  // word count before this sound run took words; -1 if the last word was dropped
	took []bool // whether the sound run took words
}

func newAssignment(words []Word, runs []soundRun) *assignment {
	a := &assignment{
		words:     words,
		runs:      runs,
		typicalMS: make([]float64, len(words)+1),
		rows:      make([]row, 0, len(runs)+1),
	}
	for i, w := range words {
		a.typicalMS[i+1] = a.typicalMS[i] + TypicalMS(w.Text)
	}
	first := a.newRow(0, a.high(0))
	first.cost[0] = 0
	a.drop(&first)
	a.rows = append(a.rows, first)
	return a
}

// newRow returns a row for the word counts low to high, all unreachable.
func (a *assignment) newRow(low, high int) row {
	r := row{low: low, cost: make([]float64, high-low+1), from: make([]int, high-low+1), took: make([]bool, high-low+1)}
	for i := range r.cost {
		r.cost[i] = math.Inf(1)
	}
	return r
}

// low returns the number of words that must be before sound run k.
func (a *assignment) low(k int) int {
	n, _ := slices.BinarySearchFunc(
		a.words,
		a.runs[k].StartMS-maxShiftMS,
		func(w Word, t int64) int { return int(w.StartMS - t) },
	)
	return n
}

// high returns the number of words that may be before sound run k.
func (a *assignment) high(k int) int {
	if k >= len(a.runs) {
		return len(a.words)
	}
	n, _ := slices.BinarySearchFunc(
		a.words,
		a.runs[k].EndMS+maxShiftMS,
		func(w Word, t int64) int { return int(w.StartMS - t) },
	)
	return n
}

// addRow computes the row after sound run k from the row before it.
func (a *assignment) addRow(k int) {
	before := a.rows[k]
	low := max(a.low(k), before.low)
	r := a.newRow(low, max(a.high(k+1), before.low+len(before.cost)-1, low))
	run := a.runs[k]
	empty := float64(min(run.Duration(), 1500)) / 200
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
		total := 0.0
		if start < len(a.words) && (start == 0 || a.words[start].Segment != a.words[start-1].Segment) {
			total = -segmentGain
		}
		for j := start + 1; j <= low+len(r.cost)-1; j++ {
			cost := a.wordCost(j-1, run.Span)
			if j-1 > start && a.words[j-1].Segment != a.words[j-2].Segment {
				cost += segmentLoss
			}
			if total += cost; cost > 2*dropCost || total > 60 {
				break
			}
			if j >= low {
				r.set(j, before.cost[i]+total+paceCost(run.Span, a.typicalMS[j]-a.typicalMS[start]), start, true)
			}
		}
	}

	a.drop(&r)
	a.rows = append(a.rows, r)
}

// set records a way to word count j if it is cheaper.
func (r *row) set(j int, cost float64, from int, took bool) {
	if i := j - r.low; cost < r.cost[i] {
		r.cost[i], r.from[i], r.took[i] = cost, from, took
	}
}

// drop adds the option to drop words.
func (a *assignment) drop(r *row) {
	for i := 1; i < len(r.cost); i++ {
		r.set(r.low+i, r.cost[i-1]+dropCost, -1, false)
	}
}

// wordCost returns how badly word i fits a span: 0 if it is inside. A word that is much too long
// may have its sound at either end.
func (a *assignment) wordCost(i int, s media.Span) float64 {
	w, length := a.words[i], int64(a.typicalMS[i+1]-a.typicalMS[i])
	end := w.EndMS
	if i+1 < len(a.words) && a.words[i+1].Segment == w.Segment {
		end = a.words[i+1].StartMS
	}
	took := min(max(end-w.StartMS, 40), length)
	cost := missCost(media.Span{StartMS: w.StartMS, EndMS: w.StartMS + took}, s)
	if end-w.StartMS > 2*length {
		cost = min(cost, missCost(media.Span{StartMS: end - took, EndMS: end}, s)+0.2)
	}
	return cost
}

// missCost returns a cost for the part of span outside of s, and for the distance to s.
func missCost(span, s media.Span) float64 {
	missing := 1 - float64(max(span.Intersect(s).Duration(), 0))/float64(span.Duration())
	middle := (span.StartMS + span.EndMS) / 2
	return 1.5*missing + float64(max(s.StartMS-middle, middle-s.EndMS, 0))/200
}

// paceCost returns a cost if words of a typical total length are too dense or too sparse for a
// span.
func paceCost(s media.Span, length float64) float64 {
	ratio := float64(s.Duration()) / length
	switch {
	case ratio < 0.6:
		return 4 * math.Log(0.6/ratio)
	case ratio > 2.5:
		return math.Log(ratio / 2.5)
	}

	return 0
}

// backtrack returns the words of each sound run on the cheapest path.
func (a *assignment) backtrack() [][]Word {
	out := make([][]Word, len(a.runs))
	j := len(a.words)
	for k := len(a.runs); k > 0; k-- {
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

// TypicalMS estimates the length of a word at a medium pace, in milliseconds.
func TypicalMS(text string) float64 {
	total := 60.0
	for _, r := range text {
		switch {
		case media.Spaceless(r), unicode.IsDigit(r):
			total += 180
		case unicode.IsLetter(r):
			total += 52
		}
	}

	return total
}

// Costs and limits of placeWords.
const (
	minWordMS        = 30
	minPaceMS        = 70  // minimum average time for each word
	boundarySearchMS = 400 // search range for a boundary, around the time of the model
	maxTimeErrorMS   = 250 // larger errors of the model's times cost the same
	minOmittedMS     = 300 // sound of this length at an end may be words that the model omitted
	omittedCost      = 2.0
	impossibleCost   = 1e6
	maxStretch       = 1.6 // maximum average ratio of a word length to the typical one
)

// placeWords sets the times of the words of one sound run. The first word starts, and the last word
// ends, with the sound.
func placeWords(words []Word, run soundRun, v audio.VoiceActivity) []Word {
	if len(words) == 0 {
		return nil
	}
	words = mostProbable(words, max(int(run.Duration()/minPaceMS), 1))
	boundaries := boundariesOf(words, run, v)
	out := slices.Clone(words)
	for i := range out {
		out[i].StartMS, out[i].EndMS = boundaries[i], boundaries[i+1]
	}
	for i := range out[1:] {
		for _, gap := range run.gaps {
			if b := out[i+1].StartMS; gap.Duration() > 60 && b >= gap.StartMS-20 && b <= gap.EndMS+20 &&
				gap.StartMS > out[i].StartMS &&
				gap.EndMS < out[i+1].EndMS {
				out[i].EndMS, out[i+1].StartMS = gap.StartMS, gap.EndMS
			}
		}
	}

	return slices.DeleteFunc(out, func(w Word) bool {
		return slices.ContainsFunc(
			run.gaps,
			func(gap media.Span) bool { return w.StartMS >= gap.StartMS && w.EndMS <= gap.EndMS },
		)
	})
}

// mostProbable returns the n words with the highest probability, in their order. A model that
// repeats itself returns more words than the sound can contain.
func mostProbable(words []Word, n int) []Word {
	if len(words) <= n {
		return words
	}
	order := make([]int, len(words))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(words[b].Probability, words[a].Probability) })
	order = order[:n]
	slices.Sort(order)
	out := make([]Word, n)
	for i, w := range order {
		out[i] = words[w]
	}
	return out
}

// boundary is a candidate for the time between two words.
type boundary struct {
	ms   int64
	cost float64
	from int
}

// boundariesOf returns the start of each word of a sound run, and the end of the last one.
func boundariesOf(words []Word, run soundRun, v audio.VoiceActivity) []int64 {
	n := len(words)
	lengths, total := make([]float64, n), 0.0
	for i, w := range words {
		lengths[i] = TypicalMS(w.Text)
		total += lengths[i]
	}

	scale := min(float64(run.Duration())/total, maxStretch)
	steps, hints := make([][]boundary, n+1), hintsOf(words, run.Span)
	steps[0] = candidates(0, words, hints, run, v)
	for i := 1; i <= n; i++ {
		steps[i] = candidates(i, words, hints, run, v)
		for c := range steps[i] {
			chooseBefore(&steps[i][c], steps[i-1], lengths[i-1]*scale)
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

// hintsOf returns the start of each word according to the model, shifted so that each word has at
// least minWordMS.
func hintsOf(words []Word, s media.Span) []int64 {
	hints := make([]int64, len(words))
	at := s.StartMS
	for i, w := range words {
		hints[i] = max(w.StartMS, at)
		at = hints[i] + minWordMS
	}

	at = s.EndMS
	for i := len(words) - 1; i >= 0; i-- {
		at -= minWordMS
		hints[i] = min(hints[i], at)
		at = hints[i]
	}

	return hints
}

// candidates returns the possible starts of word i with their own costs; for i == len(words), the
// possible ends of the last word. The first word starts and the last one ends with the sound,
// unless the model omitted words there.
func candidates(i int, words []Word, hints []int64, run soundRun, v audio.VoiceActivity) []boundary {
	n := int64(len(words))
	switch {
	case i == 0:
		out := []boundary{{ms: run.StartMS}}
		if at := words[0].StartMS; at-run.StartMS > minOmittedMS && at < run.EndMS-n*minWordMS {
			out = append(out, boundary{ms: at, cost: omittedCost})
		}
		return out
	case int64(i) == n:
		out := []boundary{{ms: run.EndMS}}
		if at := words[n-1].EndMS; run.EndMS-at > minOmittedMS && at > run.StartMS+n*minWordMS {
			out = append(out, boundary{ms: at, cost: omittedCost})
		}
		return out
	}

	lowest, highest := run.StartMS+int64(i)*minWordMS, run.EndMS-(n-int64(i))*minWordMS
	back := min(hints[i]-lowest, boundarySearchMS) / audio.VoiceFrameMS * audio.VoiceFrameMS
	var out []boundary
	for t := hints[i] - back; t <= min(highest, hints[i]+boundarySearchMS); t += audio.VoiceFrameMS {
		distance := min(max(t-words[i].StartMS, words[i].StartMS-t), maxTimeErrorMS)
		loudness := min(max((v.Level(t)-v.SpeechDB)/40, -1), 0)
		out = append(out, boundary{ms: t, cost: float64(distance)/60 + loudness})
	}

	return out
}

// chooseBefore links b to the best boundary before it, for a word of a typical length.
func chooseBefore(b *boundary, before []boundary, length float64) {
	best := math.Inf(1)
	for c, p := range before {
		took := float64(b.ms - p.ms)
		misfit := math.Log(max(took, 5) / length)
		cost := p.cost + 1.2*misfit*misfit
		if took < minWordMS {
			cost += impossibleCost
		}
		if cost < best {
			best, b.from = cost, c
		}
	}

	b.cost += best
}
