package av

import (
	"math"
	"slices"
	"testing"
)

// Decoded samples stay within 64 times full scale at any position of a packet, and valid ones
// stay as they are.
func TestWildSamplesAreReplaced(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for n := range 13 {
		valid := make([]float32, n)
		for i := range valid {
			valid[i] = float32(i)/2 - 2
		}
		if got := appendClean([]float32{1}, valid); !slices.Equal(got, append([]float32{1}, valid...)) {
			t.Errorf("%v became %v", valid, got)
		}
		for at := range n {
			for wild, want := range map[float32]float32{
				64: 64, -64: -64, 64.5: 64, -99: -64, inf: 64, -inf: -64, nan: 0,
			} {
				from, wanted := slices.Clone(valid), slices.Clone(valid)
				from[at], wanted[at] = wild, want
				if got := appendClean(nil, from); !slices.Equal(got, wanted) {
					t.Errorf("%v became %v, want %v", from, got, wanted)
				}
			}
		}
	}
}
