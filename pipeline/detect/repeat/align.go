package repeat

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// path is a stretch of speech that sounds like a later one. Indices count vectors; ends are
// exclusive.
type path struct {
	from, to           int // of the earlier speech
	laterFrom, laterTo int
	score              float32 // sum of how much less than the limit the distances are
	distance           float32 // mean along the path, as a share of that of random pairs
}

func (p path) rows() int { return p.to - p.from }

// cell is the state of the best path that ends at a pair of vectors.
type cell struct {
	score   float32 // 0 without a path
	peak    float32 // highest score along the path
	from    int32
	fromLag int32
}

const (
	leastLag   = 10      // vectors
	mostLag    = 45 * 50 // vectors
	limit      = 0.72    // share of the mean distance of random pairs
	drop       = 6.0     // how far the score of a path may fall below its peak
	leastScore = 3.0     // of a reported path
)

// paths returns the local alignments of the vectors with later ones (T. Smith, M. Waterman, 1981).
// One vector of the earlier speech matches one of the later, which advances by 0 to 2, at most
// once by 0 (F. Itakura, 1975).
func paths(ctx context.Context, v []vector) ([]path, error) {
	mean := meanDistance(v)
	a := aligner{v: v, unit: 1 / mean, found: map[[2]int32]path{}}
	width := min(mostLag, len(v)-1)
	if width <= leastLag {
		return nil, nil
	}
	a.best, a.moved = make([]cell, width+2), make([]cell, width+2)
	a.nextBest, a.nextMoved = make([]cell, width+2), make([]cell, width+2)
	for i := range v {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a.row(i, min(width, len(v)-1-i))
	}
	return a.distinct(), nil
}

type aligner struct {
	v                   []vector
	unit                float32
	best, moved         []cell // by lag, of the previous row; moved advanced in the later speech
	nextBest, nextMoved []cell
	found               map[[2]int32]path
}

// row extends the paths by vector i of the earlier speech, for lags up to last.
func (a *aligner) row(i, last int) {
	x := &a.v[i]
	for lag := leastLag; lag <= last; lag++ {
		gain := limit - distance(x, &a.v[i+lag])*a.unit
		move := a.best[lag]
		if a.best[lag-1].score > move.score {
			move = a.best[lag-1]
		}
		if move.score <= 0 {
			move = cell{from: int32(i), fromLag: int32(lag)}
		}
		move.extend(gain)
		best := move
		if stay := a.moved[lag+1]; stay.score > 0 {
			if stay.extend(gain); stay.score > best.score {
				best = stay
			}
		}
		a.nextMoved[lag], a.nextBest[lag] = move, best
		if best.score >= leastScore && best.score == best.peak {
			a.keep(i, lag, best)
		}
	}
	for lag := last + 1; lag < len(a.nextBest); lag++ {
		a.nextMoved[lag], a.nextBest[lag] = cell{}, cell{}
	}
	a.best, a.nextBest = a.nextBest, a.best
	a.moved, a.nextMoved = a.nextMoved, a.moved
}

func (c *cell) extend(gain float32) {
	c.score += gain
	c.peak = max(c.peak, c.score)
	if c.score <= 0 || c.score < c.peak-drop {
		c.score = 0
	}
}

// keep remembers the best end of each path.
func (a *aligner) keep(i, lag int, c cell) {
	key := [2]int32{c.from, c.fromLag}
	if known, ok := a.found[key]; ok && known.score >= c.score {
		return
	}
	rows := float32(i + 1 - int(c.from))
	a.found[key] = path{
		from: int(c.from), to: i + 1, laterFrom: int(c.from + c.fromLag), laterTo: i + lag + 1,
		score: c.score, distance: limit - c.score/rows,
	}
}

// distinct returns the found paths without those that overlap a better one in both stretches.
func (a *aligner) distinct() (out []path) {
	var all []path
	for _, p := range a.found {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b path) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.from, b.from), cmp.Compare(a.laterFrom, b.laterFrom))
	})
	for _, p := range all {
		if !slices.ContainsFunc(out, p.overlaps) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b path) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.laterFrom, b.laterFrom))
	})
	return out
}

// overlaps reports whether two paths share a third of the shorter one in both stretches.
func (p path) overlaps(o path) bool {
	share := func(a, b, c, d int) bool { return 3*(min(b, d)-max(a, c)) > min(b-a, d-c) }
	return share(p.from, p.to, o.from, o.to) && share(p.laterFrom, p.laterTo, o.laterFrom, o.laterTo)
}

// distance returns the Euclidean distance of two vectors.
func distance(a, b *vector) float32 {
	var s0, s1, s2, s3 float32
	for i := 0; i < features; i += 4 {
		d0, d1, d2, d3 := a[i]-b[i], a[i+1]-b[i+1], a[i+2]-b[i+2], a[i+3]-b[i+3]
		s0 += d0 * d0
		s1 += d1 * d1
		s2 += d2 * d2
		s3 += d3 * d3
	}
	return float32(math.Sqrt(float64(s0 + s1 + s2 + s3)))
}

// meanDistance returns the mean distance of pairs of vectors across the recording.
func meanDistance(v []vector) float32 {
	const pairs = 4096
	sum, n := float32(0), 0
	for k := range min(pairs, len(v)*4) {
		i, j := k*7919%len(v), k*104729%len(v)
		if i != j {
			sum, n = sum+distance(&v[i], &v[j]), n+1
		}
	}
	return max(sum/float32(max(n, 1)), 1e-3)
}
