package spectrum

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The table has the levels of the formula, on both sides of each rise and in between.
func TestLevelsAreThoseOfTheFormula(t *testing.T) {
	table := levels()
	check := func(bits uint32) {
		power := math.Float32frombits(bits)
		if got, want := table.of(power), halfDecibels(float64(power)); got != want {
			t.Fatalf("%g has level %d, want %d", power, got, want)
		}
	}
	infinity := math.Float32bits(float32(math.Inf(1)))
	for cell, rise := range table.rise {
		first := uint32(cell) << cellBits
		if first >= infinity {
			break
		}
		last := first + 1<<cellBits - 1
		for _, bits := range []uint32{first, last, min(rise, last), max(rise-1, first)} {
			check(bits)
		}
	}
	random := rand.New(rand.NewPCG(13, 14))
	for range 1_000_000 {
		check(random.Uint32N(infinity))
	}
}
