package repeat

import "golang.org/x/sys/cpu"

// distances writes the distances of x from the vectors of tiles, times unit, to out.
func distances(x *vector, tiles []tile, unit float32, out []float32) {
	switch {
	case len(tiles) == 0:
	case cpu.X86.HasAVX2:
		_ = out[len(tiles)*block-1]
		distancesAVX2(x, &tiles[0], len(tiles), unit, &out[0])
	default:
		goDistances(x, tiles, unit, out)
	}
}

// extend extends the paths of the previous rows by a vector, whose distances from later vectors
// start at leastLag. It sets a bit of ended for each lag where a path may end.
func (e *extension) extend(distances []float32, ended []uint8) {
	switch n := len(ended); {
	case n == 0:
	case cpu.X86.HasAVX2:
		_, _ = distances[n*block-1], e.best.score[leastLag+n*block]
		extendAVX2(e, &distances[0], &ended[0], n)
	default:
		e.goExtend(distances, ended)
	}
}

// warp adds distances to the cheaper ways to the next columns. The first column of the rows is
// margin columns before the first distance. The number of distances is divisible by block.
func warp(best, moved, nextBest, nextMoved, distances []float32) {
	switch n := len(distances); {
	case n == 0:
	case cpu.X86.HasAVX2:
		_, _, _, _ = best[n+1], moved[n+1], nextBest[n+1], nextMoved[n+1]
		warpAVX2(&best[0], &moved[0], &nextBest[0], &nextMoved[0], &distances[0], n/block)
	default:
		goWarp(best, moved, nextBest, nextMoved, distances)
	}
}

//go:noescape
func distancesAVX2(x *vector, tiles *tile, n int, unit float32, out *float32)

//go:noescape
func extendAVX2(e *extension, distances *float32, ended *uint8, n int)

//go:noescape
func warpAVX2(best, moved, nextBest, nextMoved, distances *float32, blocks int)
