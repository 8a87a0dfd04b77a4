package repeat

import (
	"math"
	"slices"
)

const (
	looseStart = 8  // vectors by which the start of the later speech may be wrong
	looseEnd   = 10 // most vectors at the end of the earlier speech that need no match
)

// warper compares whole phrases. It reuses its memory.
type warper struct {
	v                   []vector
	tiles               []tile    // of v
	unit, usual         float32   // 1 / mean distance of random pairs; 0.5
	best, moved         []float32 // cost by column, of the previous row; moved advanced in the later speech
	nextBest, nextMoved []float32
	distances           []float32 // of a row, from a whole tile on
}

var inf = float32(math.Inf(1))

// compare aligns all of the speech [from, to) with the beginning of the speech at start, which
// ends at end at the latest, under the slopes of paths. It returns the mean distance as a share of
// that of random pairs, and the end of the match. The distance is infinite without an alignment.
func (w *warper) compare(from, to, start, end int) (mean float32, matched int) {
	n := to - from
	first := max(start-looseStart, 0)
	if start >= to {
		first = max(first, to)
	}
	columns := min(end, start+2*n+looseStart) - first
	if n <= 0 || columns <= n/2 {
		return inf, start
	}
	w.reset(columns)
	mean, matched = inf, start
	skip := min(looseEnd, n/8)
	for i := range n {
		low, high := i/2, min(2*i+start-first+looseStart+1, columns)
		w.row(i, from+i, first, low, high)
		if i < n-1-skip {
			continue
		}
		for j := low; j < high; j++ {
			if m := w.best[j] / float32(i+1); m < mean {
				mean, matched = m, first+j+1
			}
		}
	}
	return mean, matched
}

func (w *warper) reset(columns int) {
	for _, row := range []*[]float32{&w.best, &w.moved, &w.nextBest, &w.nextMoved} {
		if cap(*row) < columns {
			*row = make([]float32, columns)
		}
		*row = (*row)[:columns]
		for j := range *row {
			(*row)[j] = inf
		}
	}
	w.distances = slices.Grow(w.distances[:0], columns+2*block)[:columns+2*block]
}

// row adds row i of the earlier speech, for the columns from low to high.
func (w *warper) row(i, at, first, low, high int) {
	tile := (first + low) / block
	distances(&w.v[at], w.tiles[tile:(first+max(high, low)+block-1)/block], w.unit, w.distances)
	row := w.distances[first+low-tile*block:][:max(high-low, 0)]
	for j := max(low-2, 0); j < low; j++ {
		w.nextBest[j], w.nextMoved[j] = inf, inf
	}
	for k, d := range row {
		j, move := low+k, inf
		if i == 0 {
			move = 0
		} else if j > 0 {
			move = w.best[j-1]
			if j > 1 && w.best[j-2] < move {
				move = w.best[j-2]
			}
		}
		w.nextMoved[j] = move + d
		if w.moved[j] < move {
			move = w.moved[j]
		}
		w.nextBest[j] = move + d
	}
	for j := high; j < min(high+2, len(w.best)); j++ {
		w.nextBest[j], w.nextMoved[j] = inf, inf
	}
	w.best, w.nextBest = w.nextBest, w.best
	w.moved, w.nextMoved = w.nextMoved, w.moved
}
