package repeat

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
)

// path is a stretch of speech that sounds like a later one. Indices count vectors; ends are
// exclusive.
type path struct {
	from, to           int // of the earlier speech
	laterFrom, laterTo int
	score              float32 // sum of how much less than the limit the distances are
	distance           float32 // mean along the path, relative to random pairs
}

func (p path) rows() int { return p.to - p.from }

const (
	leastLag = 10      // vectors
	mostLag  = 45 * 50 // vectors
	limit    = 0.72    // share of the mean distance of random pairs
	drop     = 6.0     // how far the score of a path may fall below its peak
)

// row holds the best path that ends at each pair of one vector with a later one, by lag.
type row struct {
	score   [rowCells]float32 // 0 without a path
	peak    [rowCells]float32 // highest score along the path
	from    [rowCells]int32
	fromLag [rowCells]int32
}

// rowCells is mostLag and one more, up to the end of a block that starts at leastLag.
const rowCells = leastLag + (mostLag+2-leastLag+block-1)/block*block + 1

// findPaths returns the local alignments of the vectors with later ones (T. Smith, M. Waterman,
// 1981) whose score is at least pathScore. One vector of the earlier speech matches one of the
// later, which advances by 0 to 2, at most once by 0 (F. Itakura, 1975).
func findPaths(ctx context.Context, v []vector, tiles []tile) ([]path, error) {
	width := min(mostLag, len(v)-1)
	if width <= leastLag {
		return nil, nil
	}
	a := aligner{
		v: v, tiles: tiles, unit: 1 / meanDistance(v), found: map[[2]int32]path{},
		best: &row{}, moved: &row{}, nextBest: &row{}, nextMoved: &row{},
	}
	for i := range len(v) - leastLag {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a.row(i, min(width, len(v)-1-i))
	}

	return a.distinct(), nil
}

type aligner struct {
	v                   []vector
	tiles               []tile // of v
	unit                float32
	best, moved         *row // of the previous vector; moved advanced in the later speech
	nextBest, nextMoved *row
	distances           [mostLag + 3*block]float32 // of a vector from later ones
	ended               [rowCells/block + 8]uint8  // a bit for each lag: whether a path may end there
	found               map[[2]int32]path
}

// row extends the paths by vector i of the earlier speech, for lags up to last.
func (a *aligner) row(i, last int) {
	first, blocks := (i+leastLag)/block, (last-leastLag+block)/block
	distances(&a.v[i], a.tiles[first:(i+last)/block+1], a.unit, a.distances[:])
	e := a.extension(i)
	e.extend(a.distances[i+leastLag-first*block:][:blocks*block], a.ended[:blocks])
	clear(a.nextMoved.score[last+1:])
	clear(a.nextBest.score[last+1:])
	for k := 0; k < blocks; k += 8 {
		if binary.LittleEndian.Uint64(a.ended[k:]) == 0 {
			continue
		}
		for lag := leastLag + k*block; lag < min(leastLag+(k+8)*block, last+1); lag++ {
			if at := lag - leastLag; a.ended[at/block]>>(at%block)&1 != 0 {
				a.keep(i, lag)
			}
		}
	}

	a.best, a.nextBest = a.nextBest, a.best
	a.moved, a.nextMoved = a.nextMoved, a.moved
}

// keep remembers the best end of each path, from the next row.
func (a *aligner) keep(i, lag int) {
	score, from, fromLag := a.nextBest.score[lag], a.nextBest.from[lag], a.nextBest.fromLag[lag]
	key := [2]int32{from, fromLag}
	if known, ok := a.found[key]; ok && known.score >= score {
		return
	}
	rows := float32(i + 1 - int(from))
	a.found[key] = path{
		from: int(from), to: i + 1, laterFrom: int(from + fromLag), laterTo: i + lag + 1,
		score: score, distance: limit - score/rows,
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
