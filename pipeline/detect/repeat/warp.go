package repeat

import "math"

const (
	looseStart = 8  // greatest error of the start of the later speech, in vectors
	looseEnd   = 10 // most vectors at the end of the earlier speech that need no match
)

// warper compares whole phrases. It reuses its memory.
type warper struct {
	v                   []vector
	tiles               []tile    // of v
	unit, usual         float32   // 1 / mean distance of random pairs; 0.5
	best, moved         []float32 // cost of each column from margin on; moved advanced in the later speech
	nextBest, nextMoved []float32
	distances           []float32 // of a row, from a whole tile on
}

var inf = float32(math.Inf(1))

// compare aligns all of the speech [from, to) with the beginning of the speech at start, which ends
// at end at the latest, under the slopes of paths. It returns the mean distance relative to random
// pairs, and the end of the match. The distance is infinite without an alignment.
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
			if m := w.best[margin+j] / float32(i+1); m < mean {
				mean, matched = m, first+j+1
			}
		}
	}

	return mean, matched
}

// margin is the number of infinite costs before the first column.
const margin = 2

func (w *warper) reset(columns int) {
	n := margin + columns + block
	for _, row := range []*[]float32{&w.best, &w.moved, &w.nextBest, &w.nextMoved, &w.distances} {
		if cap(*row) < n+block {
			*row = make([]float32, n+block)
		}
		*row = (*row)[:n+block]
		for j := range *row {
			(*row)[j] = inf
		}
	}
}

// row adds row i of the earlier speech, for the columns from low to high.
func (w *warper) row(i, at, first, low, high int) {
	high = max(low, high)
	tile := (first + low) / block
	distances(&w.v[at], w.tiles[tile:(first+high+block-1)/block], w.unit, w.distances)
	blocks := (high - low + block - 1) / block
	d := w.distances[first+low-tile*block:][:blocks*block]
	if i == 0 {
		copy(w.nextMoved[margin+low:], d)
		copy(w.nextBest[margin+low:], d)
	} else {
		warp(w.best[low:], w.moved[low:], w.nextBest[low:], w.nextMoved[low:], d)
	}

	for _, next := range [2][]float32{w.nextBest, w.nextMoved} {
		next[low], next[low+1] = inf, inf
		next[margin+high], next[margin+high+1] = inf, inf
	}

	w.best, w.nextBest = w.nextBest, w.best
	w.moved, w.nextMoved = w.nextMoved, w.moved
}

// goWarp is warp in Go.
func goWarp(best, moved, nextBest, nextMoved, distances []float32) {
	for k, d := range distances {
		move := best[k+1]
		if best[k] < move {
			move = best[k]
		}
		nextMoved[margin+k] = move + d
		if stay := moved[margin+k]; stay < move {
			move = stay
		}
		nextBest[margin+k] = move + d
	}
}
