package repeat

import (
	"math/rand/v2"
	"testing"
)

// randomVectors returns vectors, some of them alike.
func randomVectors(n int) []vector {
	random := rand.New(rand.NewPCG(5, 6))
	v := make([]vector, n)
	for i := range v {
		for f := range v[i] {
			if v[i][f] = float32(random.NormFloat64()); i%70 >= 20 && i >= 70 {
				v[i][f] = v[i-70][f] + v[i][f]/3
			}
		}
	}
	return v
}

// The distances of eight vectors at once equal the distances of pairs, bit for bit.
func TestDistancesAreExact(t *testing.T) {
	v := randomVectors(45)
	tiles := tilesOf(v)
	got, want := make([]float32, len(tiles)*block), make([]float32, len(tiles)*block)
	for i := range v {
		distances(&v[i], tiles, 0.37, got)
		goDistances(&v[i], tiles, 0.37, want)
		for j := range v {
			if pair := distance(&v[i], &v[j]) * 0.37; got[j] != pair || want[j] != pair {
				t.Fatalf("vectors %d and %d: %g and in Go %g, want %g", i, j, got[j], want[j], pair)
			}
		}
	}
}

// Eight paths at once continue as each of them alone.
func TestExtendIsExact(t *testing.T) {
	v := randomVectors(600)
	a := aligner{v: v, tiles: tilesOf(v), unit: 1 / meanDistance(v)}
	var ours, other [4]row
	var d [600 + 2*block]float32
	const blocks = 30
	ended := 0
	for i := range 300 {
		x, y := extensionOf(&ours, i), extensionOf(&other, i)
		first := (i + leastLag) / block
		distances(&v[i], a.tiles[first:first+blocks+1], a.unit, d[:])
		var one, two [blocks]uint8
		from := d[i+leastLag-first*block:][:blocks*block]
		x.extend(from, one[:])
		y.goExtend(from, two[:])
		if one != two || ours != other {
			t.Fatalf("row %d: Go has other paths", i)
		}
		for _, bits := range one {
			if bits != 0 {
				ended++
			}
		}
		ours[0], ours[1], ours[2], ours[3] = ours[2], ours[3], ours[0], ours[1]
		other[0], other[1], other[2], other[3] = other[2], other[3], other[0], other[1]
	}
	if ended == 0 {
		t.Error("no path ended, so the test compared nothing")
	}
}

func extensionOf(rows *[4]row, vector int) extension {
	a := aligner{best: &rows[0], moved: &rows[1], nextBest: &rows[2], nextMoved: &rows[3]}
	return a.extension(vector)
}

// Eight columns at once have the costs of each of them alone.
func TestWarpIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	const n = 5 * block
	var rows, want [5][n + 2]float32
	for r := range rows {
		for i := range rows[r] {
			if rows[r][i] = random.Float32(); random.IntN(4) == 0 && r < 4 {
				rows[r][i] = inf
			}
		}
	}
	want = rows
	warp(rows[0][:], rows[1][:], rows[2][:], rows[3][:], rows[4][:n])
	goWarp(want[0][:], want[1][:], want[2][:], want[3][:], want[4][:n])
	if rows != want {
		t.Error("Go has other costs")
	}
}
