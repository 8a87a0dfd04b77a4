package voicenet

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Four values at once are those of math.Exp, bit by bit, up to the largest numbers.
func TestSigmoidsAreExact(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for _, scale := range []float64{1e-9, 0.3, 5, 40, 350, 2000} {
		var x, want [4096]float64
		for i := range x {
			x[i] = float64(float32(scale * random.NormFloat64()))
		}
		copy(x[:], []float64{0, math.Copysign(0, -1), farthest, -farthest})
		want = x
		for i := 0; i < len(x); i += 4 {
			sigmoids(x[i : i+4])
		}
		goSigmoids(want[:])
		for i := range x {
			if math.Float64bits(x[i]) != math.Float64bits(want[i]) {
				t.Fatalf("scale %g, value %d: %v, want %v", scale, i, x[i], want[i])
			}
		}
	}
}
