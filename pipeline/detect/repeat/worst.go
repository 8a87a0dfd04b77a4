package repeat

// memory is how many vectors it takes until a distance loses most of its weight in walk.recent:
// about the duration of a short word.
const memory = 12

// walk is the state of an alignment that ends at a pair of vectors.
type walk struct {
	cost   float32
	recent float32 // mean distance of the last rows
	worst  float32 // largest recent
}

func (w walk) step(d float32) walk {
	recent := w.recent + (d-w.recent)/memory
	return walk{cost: w.cost + d, recent: recent, worst: max(w.worst, recent)}
}

// worst returns the largest mean distance over about the duration of a word along the best
// alignment of the speech [from, to) with the speech [start, end). Sentences that differ in one
// word are alike on average, but not everywhere.
func (w *warper) worst(from, to, start, end int) float32 {
	first := max(start-looseStart, 0)
	columns := min(end+looseStart, len(w.v)) - first
	here, next := newWalkRow(columns), newWalkRow(columns)
	for i := range to - from {
		for j := range columns {
			next.best[j].cost, next.moved[j].cost = inf, inf
			if j < i/2 || j > 2*i+start-first+looseStart {
				continue
			}
			move := walk{recent: w.usual}
			if i > 0 {
				move = here.move(j)
			}
			next.extend(j, move, here.moved[j], distance(&w.v[from+i], &w.v[first+j])*w.unit)
		}

		here, next = next, here
	}

	result := walk{cost: inf}
	for _, x := range here.best {
		if x.cost < result.cost {
			result = x
		}
	}

	return result.worst
}

// walkRow holds the alignments that end at one vector of the earlier speech, by column. Alignments
// in moved have advanced in the later speech.
type walkRow struct{ best, moved []walk }

func newWalkRow(n int) walkRow { return walkRow{newWalks(n), newWalks(n)} }

// move returns the best alignment to extend to column j by advancing 1 or 2 columns in the later
// speech.
func (r walkRow) move(j int) walk {
	move := walk{cost: inf}
	for k := max(j-2, 0); k < j; k++ {
		if r.best[k].cost < move.cost {
			move = r.best[k]
		}
	}

	return move
}

// extend adds a distance to the better of two alignments at column j. Only move may be extended
// without an advance in the next row.
func (r walkRow) extend(j int, move, stay walk, d float32) {
	r.moved[j] = move.step(d)
	r.best[j] = r.moved[j]
	if stay.cost < move.cost {
		r.best[j] = stay.step(d)
	}
}

func newWalks(n int) []walk {
	walks := make([]walk, n)
	for i := range walks {
		walks[i].cost = inf
	}
	return walks
}
