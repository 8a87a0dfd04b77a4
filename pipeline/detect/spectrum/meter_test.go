package spectrum

import (
	"math"
	"math/rand/v2"
	"testing"

	"roughcut/media/fourier"
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

func TestAssemblyComputesLikeGo(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	var rows [9][fourier.Lanes]float32
	var weights [5]float32
	for i := range rows {
		for l := range rows[i] {
			rows[i][l] = float32(random.NormFloat64())
		}
	}
	for i := range weights {
		weights[i] = random.Float32()
	}
	var got, want [fourier.Lanes]float32
	for n := range len(weights) + 1 {
		weigh(weights[:n], rows[:], &got)
		goWeigh(weights[:n], rows[:], &want)
		if got != want {
			t.Errorf("%d weights give %v, want %v", n, got, want)
		}
	}
	join(&rows[0], &rows[1], &rows[2], &rows[3], 0.6, -0.8, &got)
	goJoin(&rows[0], &rows[1], &rows[2], &rows[3], 0.6, -0.8, &want)
	if got != want {
		t.Errorf("the powers are %v, want %v", got, want)
	}
}
