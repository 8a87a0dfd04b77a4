//go:build !amd64

package repeat

// distances writes the distances of x from the vectors of tiles, times unit, to out.
func distances(x *vector, tiles []tile, unit float32, out []float32) {
	goDistances(x, tiles, unit, out)
}

// extend extends the paths of the previous rows by a vector, whose distances from later vectors
// start at leastLag. It sets a bit of ended for each lag where a path may end.
func (e *extension) extend(distances []float32, ended []uint8) { e.goExtend(distances, ended) }

// warp adds distances to the cheaper ways to the next columns. The first column of the rows is
// margin columns before the first distance. The number of distances is divisible by block.
func warp(best, moved, nextBest, nextMoved, distances []float32) {
	goWarp(best, moved, nextBest, nextMoved, distances)
}
