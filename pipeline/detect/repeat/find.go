package repeat

import (
	"cmp"
	"context"
	"math"
	"slices"

	"roughcut/media"
	"roughcut/pipeline/detect/spectrum"
)

// Repeat is speech that sounds like later speech.
type Repeat struct {
	Earlier  media.Span `json:"earlier"`
	Later    media.Span `json:"later"`    // the match; the sentence may continue after it
	Distance float64    `json:"distance"` // mean distance of the sounds; random sounds have 1
	Margin   float64    `json:"margin"`   // distance from other places, divided by Distance
	Worst    float64    `json:"worst"`    // largest distance over the duration of a word
	// Echo is set if the later speech ends before the sentence does: it matches the beginning of
	// the earlier speech.
	Echo bool `json:"echo,omitempty"`
}

const (
	phrasesBack   = 6      // phrases between two takes
	mostApartMS   = 45_000 // between the starts of two takes
	leastPhrase   = 15     // vectors of a phrase that is compared
	screened      = 250    // vectors at the start of a phrase that are compared first
	keptDistance  = 0.68   // of a reported repeat
	keptMargin    = 1.0
	mostUneven    = 1.4 // ratio of the distances of two phrases of one repeat
	elsewhere     = 16  // comparisons with other places of the recording
	elsewhereFrom = 400 // vectors between a phrase and these places
	usualApart    = 0.7 // distance from other places, in a recording that is too short to measure it
)

// finder finds repeats in the speech of a recording.
type finder struct {
	speech
	warper
	reach int // phrases between two takes
	found []candidate
}

// candidate is a repeat in vectors.
type candidate struct {
	from, to, laterFrom, laterTo int
	distance, margin             float32
	echo                         bool
}

// Find returns the speech within the spans that later speech repeats, sorted by the start of the
// earlier speech. The spans are sorted and disjoint. Errors: the error of ctx.
func Find(ctx context.Context, m *spectrum.Meter, spans []media.Span) ([]Repeat, error) {
	heard := soundOf(m)
	f := newFinder(heard.speech(spans, phraseGapMS), phrasesBack)
	if len(f.vectors) < 2*leastPhrase {
		return nil, nil
	}
	all, err := findPaths(ctx, f.vectors, f.tiles)
	if err == nil {
		err = f.comparePhrases(ctx)
	}
	if err != nil {
		return nil, err
	}
	f.withoutPauses(all)
	out := f.repeats()
	if phrases, rings := heard.roomPhrases(spans); rings {
		room := newFinder(heard.speech(phrases, tailMS), roomPhrasesBack)
		if err := room.comparePhrases(ctx); err != nil {
			return nil, err
		}
		out = withRoom(out, room.repeats())
	}

	slices.SortFunc(out, func(a, b Repeat) int {
		return cmp.Or(cmp.Compare(a.Earlier.StartMS, b.Earlier.StartMS), cmp.Compare(a.Later.StartMS, b.Later.StartMS))
	})
	return out, nil
}

// newFinder returns a finder that compares each phrase with the next ones, up to reach.
func newFinder(s speech, reach int) *finder {
	f := &finder{speech: s, reach: reach}
	f.warper = warper{v: f.vectors, tiles: tilesOf(f.vectors), unit: 1 / meanDistance(f.vectors), usual: 0.5}
	return f
}

// comparePhrases compares all phrases. Errors: the error of ctx.
func (f *finder) comparePhrases(ctx context.Context) error {
	for i := range f.count() {
		f.phrase(i)
		if err := ctx.Err(); err != nil {
			return err
		}
	}

	return nil
}

// repeats returns the found candidates.
func (f *finder) repeats() (out []Repeat) {
	for _, c := range f.found {
		out = append(out, f.repeat(c))
	}
	return out
}

// repeat converts a candidate to times.
func (f *finder) repeat(c candidate) Repeat {
	return Repeat{
		Earlier:  f.span(c.from, c.to),
		Later:    f.span(c.laterFrom, c.laterTo),
		Distance: round3(c.distance),
		Margin:   round3(min(c.margin, 10)),
		Worst:    round3(min(f.worstOf(c), 10)),
		Echo:     c.echo,
	}
}

// worstOf returns the largest distance over the duration of a word. The end of an attempt may be
// half a word, which counts less.
func (f *finder) worstOf(c candidate) float32 {
	if c.echo {
		return f.worst(c.laterFrom, max(c.laterTo-looseEnd, c.laterFrom), c.from, c.to)
	}
	return f.worst(c.from, max(c.to-looseEnd, c.from), c.laterFrom, c.laterTo)
}

func round3(x float32) float64 { return math.Round(1000*float64(x)) / 1000 }

// span returns the time of the vectors [from, to).
func (f *finder) span(from, to int) media.Span {
	return media.Span{StartMS: f.startMS(from), EndMS: f.startMS(to-1) + frameMS}
}

// startMS returns the time where the center of a frame begins.
func (f *finder) startMS(vector int) int64 {
	return int64(f.at[vector])*frameMS + (spectrum.WindowMS-frameMS)/2
}

// count returns the number of phrases.
func (f *finder) count() int { return len(f.starts) - 1 }

func (f *finder) start(phrase int) int { return int(f.starts[phrase]) }

// phrase compares a phrase with those after it.
func (f *finder) phrase(i int) {
	from, to := f.start(i), f.start(i+1)
	if to-from < leastPhrase {
		return
	}
	best := inf
	for j := i + 1; j < f.count() && j <= i+f.reach; j++ {
		if f.startMS(f.start(j))-f.startMS(from) > mostApartMS {
			break
		}
		if f.inside(from, to, f.start(j)) {
			continue
		}
		c, ok := f.match(i, j)
		if !ok {
			continue
		}
		if best == inf {
			best = f.apart(from, to)
		}
		if c.margin = best / c.distance; c.margin >= keptMargin {
			f.found = append(f.found, c)
		}
	}
}

// inside reports whether a longer repeat contains the speech [from, to) and its match at later.
func (f *finder) inside(from, to, later int) bool {
	return slices.ContainsFunc(f.found, func(c candidate) bool {
		return c.from < from && to <= c.to && c.laterFrom < later && later < c.laterTo
	})
}

// match compares phrase i with the speech that starts with phrase j. If it matches, match adds the
// phrases after i that also match.
func (f *finder) match(i, j int) (candidate, bool) {
	from, to, later := f.start(i), f.start(i+1), f.start(j)
	short := min(to, from+screened)
	mean, matched := f.compare(from, short, later, len(f.v))
	if mean <= keptDistance && short < to {
		mean, matched = f.compare(from, to, later, len(f.v))
	}
	if mean > keptDistance {
		return f.echo(i, j)
	}
	c := candidate{from: from, to: to, laterFrom: later, laterTo: matched, distance: mean}
	for k := i + 1; k < j; k++ {
		mean, matched := f.compare(from, f.start(k+1), later, len(f.v))
		alone, _ := f.compare(f.start(k), f.start(k+1), c.laterTo, len(f.v))
		if mean > keptDistance || alone > keptDistance || uneven(alone, c.distance) {
			break
		}
		c.to, c.laterTo, c.distance = f.start(k+1), matched, mean
	}

	return c, true
}

// uneven reports whether only one of two neighboring phrases is a repeat, by their distances.
func uneven(a, b float32) bool { return max(a, b) > mostUneven*min(a, b) }

// echo compares the next phrase j, if it is shorter, with the beginning of phrase i.
func (f *finder) echo(i, j int) (candidate, bool) {
	from, to, later, end := f.start(i), f.start(i+1), f.start(j), f.start(j+1)
	if j > i+1 || end-later < 2*leastPhrase || end-later > (to-from)*9/10 {
		return candidate{}, false
	}
	mean, matched := f.compare(later, end, from, to)
	c := candidate{from: from, to: matched, laterFrom: later, laterTo: end, distance: mean, echo: true}
	return c, mean <= keptDistance
}

// apart returns how far the speech [from, to) is from other places: a low quartile of its
// distances, since other takes may be among them.
func (f *finder) apart(from, to int) float32 {
	var distances []float32
	to = min(to, from+screened)
	n := len(f.v)
	for k := range elsewhere {
		at := (to + elsewhereFrom + k*max(n-2*elsewhereFrom, n/2)/elsewhere) % n
		end := n
		if at > from-elsewhereFrom/4 && at < to {
			continue
		}
		if at < from {
			end = from
		}
		if mean, _ := f.compare(from, to, at, end); mean < inf {
			distances = append(distances, mean)
		}
	}

	if len(distances) == 0 {
		return usualApart
	}
	slices.Sort(distances)
	return distances[len(distances)/5]
}

const (
	nearStart     = 15  // vectors between the start of a path and the start of its phrase
	nearNext      = 30  // vectors between the end of an attempt and the next one
	leastPath     = 30  // vectors of a repeat without a pause
	pathDistance  = 0.5 // of a repeat without a pause
	pathScore     = 8
	sentenceWorst = 0.74 // worst distance of a repeat without a pause from the start of a phrase
	innerWorst    = 0.63 // and inside one
	innerMargin   = 1.6  // and its least margin
	mostPeriods   = 4    // a path that is longer than this many lags is a rhythm, not speech
)

// withoutPauses finds attempts that the speaker repeats without a pause, and attempts that start
// inside a phrase, among all paths.
func (f *finder) withoutPauses(all []path) {
	all = slices.DeleteFunc(all, func(p path) bool {
		return p.distance > pathDistance || p.rows() > mostPeriods*(p.laterFrom-p.from)
	})
	for _, p := range all {
		for c, ok := f.restart(p); ok; c, ok = f.restart(p) {
			f.add(c)
			p = f.after(p, c.laterFrom)
		}
	}

	for _, p := range all {
		f.skip(p)
	}
}

// skip adds the attempt of a path that the speaker repeats after another attempt.
func (f *finder) skip(p path) {
	from, later := f.nearestStart(p.from), f.nearestStart(p.laterFrom)
	for _, o := range f.found {
		gap, shift := o.from-p.to, o.laterFrom-later
		if max(gap, -gap) <= nearNext && max(shift, -shift) <= nearStart && o.from > from+leastPath {
			f.add(candidate{from: from, to: o.from, laterFrom: o.laterFrom, laterTo: p.laterTo, distance: p.distance})
			return
		}
	}
}

// add keeps a repeat without a pause if no other place of the recording sounds like it. A repeat
// inside a sentence is mostly chance, so add requires more of it.
func (f *finder) add(c candidate) {
	if f.known(c) {
		return
	}
	leastMargin, mostWorst := float32(innerMargin), float32(innerWorst)
	if f.startsPhrase(c.from) {
		leastMargin, mostWorst = keptMargin, sentenceWorst
	}
	c.margin = f.apart(c.from, c.to) / c.distance
	if c.margin >= leastMargin && f.worstOf(c) <= mostWorst {
		f.found = append(f.found, c)
	}
}

// startsPhrase reports whether a phrase starts with a vector.
func (f *finder) startsPhrase(vector int) bool {
	_, ok := slices.BinarySearch(f.starts, int32(vector))
	return ok
}

// after returns the rest of a path from a vector of the earlier speech.
func (f *finder) after(p path, from int) path {
	from = min(from, p.to)
	if _, matched := f.compare(p.from, from, p.laterFrom, len(f.v)); matched > p.laterFrom {
		p.laterFrom = matched
	}
	p.from = from
	return p
}

// restart returns the first attempt that a path describes. ok is false if the speaker does not
// start again where the attempt ends.
func (f *finder) restart(p path) (c candidate, ok bool) {
	p = f.trimmed(p)
	from := f.nearestStart(p.from)
	later := f.nearestStart(p.laterFrom + from - p.from)
	if later-p.to > nearNext || later-from < leastPath || p.rows() < leastPath {
		return c, false
	}
	c = candidate{from: from, to: later, laterFrom: later, laterTo: p.laterTo, distance: p.distance}
	if p.to > later {
		c.laterTo = f.after(p, later).laterFrom
	}
	return c, c.laterTo-c.laterFrom >= leastPath/2
}

// trimmed returns a path without the end of the previous phrase, if only chance added it.
func (f *finder) trimmed(p path) path {
	next := int(f.starts[f.phrases[p.from]+1])
	if next >= p.from+p.rows()/2 {
		return p
	}
	rest := f.after(p, next)
	if mean, _ := f.compare(p.from, next, p.laterFrom, rest.laterFrom+looseStart); mean > pathDistance {
		return rest
	}
	return p
}

// nearestStart returns the start of a phrase near a vector, or the vector itself.
func (f *finder) nearestStart(vector int) int {
	phrase := int(f.phrases[min(max(vector, 0), len(f.phrases)-1)])
	best := vector
	for _, start := range f.starts[phrase : phrase+2] {
		distance := max(int(start)-vector, vector-int(start))
		isNearest := best == vector || distance < max(best-vector, vector-best)
		if isNearest && distance <= nearStart {
			best = int(start)
		}
	}

	return best
}

// known reports whether a repeat was found already.
func (f *finder) known(c candidate) bool {
	return slices.ContainsFunc(f.found, func(o candidate) bool {
		earlier := min(c.to, o.to) - max(c.from, o.from)
		later := min(c.laterTo, o.laterTo) - max(c.laterFrom, o.laterFrom)
		return 2*earlier > min(c.to-c.from, o.to-o.from) && 2*later > min(c.laterTo-c.laterFrom, o.laterTo-o.laterFrom)
	})
}
