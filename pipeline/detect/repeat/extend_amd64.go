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
// start at leastLag. It sets a bit of ended for each lag at which a path may end.
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

//go:noescape
func distancesAVX2(x *vector, tiles *tile, n int, unit float32, out *float32)

//go:noescape
func extendAVX2(e *extension, distances *float32, ended *uint8, n int)
