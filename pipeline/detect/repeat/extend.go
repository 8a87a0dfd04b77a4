package repeat

import "math"

// block is the number of vectors, or of lags, that one instruction computes with.
const block = 8

// tile holds a block of vectors, feature by feature.
type tile [features][block]float32

// tilesOf returns the vectors in tiles. Vectors of zeros fill the last one.
func tilesOf(v []vector) []tile {
	tiles := make([]tile, (len(v)+block-1)/block)
	for i := range v {
		for f, x := range v[i] {
			tiles[i/block][f][i%block] = x
		}
	}

	return tiles
}

// goDistances is distances in Go.
func goDistances(x *vector, tiles []tile, unit float32, out []float32) {
	for t := range tiles {
		for k := range block {
			var s [4]float32
			for i, a := range x {
				d := a - tiles[t][i][k]
				s[i%4] += d * d
			}

			out[t*block+k] = float32(math.Sqrt(float64(s[0]+s[1]+s[2]+s[3]))) * unit
		}
	}
}

// extension holds the rows that extend reads and writes. Its layout is known to the assembly.
type extension struct {
	best, moved         *row  // of the previous vector of the earlier speech
	nextBest, nextMoved *row  // of this one
	vector              int32 // number of this one
	limit, drop, least  float32
}

func (a *aligner) extension(vector int) extension {
	return extension{a.best, a.moved, a.nextBest, a.nextMoved, int32(vector), limit, drop, pathScore}
}

// goExtend is extend in Go.
func (e *extension) goExtend(distances []float32, ended []uint8) {
	clear(ended)
	for k, distance := range distances {
		lag, gain := leastLag+k, limit-distance
		from := lag
		if e.best.score[lag-1] > e.best.score[lag] {
			from--
		}
		score, peak, start, startLag := e.best.score[from], e.best.peak[from], e.best.from[from], e.best.fromLag[from]
		if score <= 0 {
			score, peak, start, startLag = 0, 0, e.vector, int32(lag)
		}
		score, peak = addGain(score, peak, gain)
		e.nextMoved.score[lag], e.nextMoved.peak[lag] = score, peak
		e.nextMoved.from[lag], e.nextMoved.fromLag[lag] = start, startLag
		if e.moved.score[lag+1] > 0 {
			stay, top := addGain(e.moved.score[lag+1], e.moved.peak[lag+1], gain)
			if stay > score {
				score, peak, start, startLag = stay, top, e.moved.from[lag+1], e.moved.fromLag[lag+1]
			}
		}

		e.nextBest.score[lag], e.nextBest.peak[lag] = score, peak
		e.nextBest.from[lag], e.nextBest.fromLag[lag] = start, startLag
		if score >= pathScore && score == peak {
			ended[k/block] |= 1 << (k % block)
		}
	}
}

// addGain adds a gain to the score of a path. A score that is low, or far below its peak, ends the
// path.
func addGain(score, peak, gain float32) (newScore, newPeak float32) {
	score += gain
	peak = max(peak, score)
	if score <= 0 || score < peak-drop {
		score = 0
	}
	return score, peak
}
