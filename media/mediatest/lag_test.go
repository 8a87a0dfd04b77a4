package mediatest

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Lag finds the place and the correlation that the sums over every place give.
func TestLagFindsTheBestMatch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	source := make([]float32, 3000)
	for i := range source {
		source[i] = float32(random.NormFloat64())
	}
	noisy := func(at, n int, scale float32) []float32 {
		window := make([]float32, n)
		for i := range window {
			window[i] = scale * (source[at+i] + 0.3*float32(random.NormFloat64()))
		}
		return window
	}
	for _, c := range []struct{ from, length, at, reach int }{
		{1000, 480, 1037, 100}, {1000, 480, 900, 100}, {0, 64, 40, 50}, {2900, 100, 2890, 500}, {5, 1, 5, 0},
		{700, 513, 700, 511}, {300, 2, 300, 1}, {0, 3000, 0, 10}, {1000, 480, 1500, 100},
	} {
		window := noisy(c.from, c.length, 0.01)
		lag, fit := Lag(source, window, c.at, c.reach)
		wantLag, want := 0, -1.0
		for from := max(0, c.at-c.reach); from <= min(c.at+c.reach, len(source)-len(window)); from++ {
			var product, a, b float64
			for i, v := range window {
				s := float64(source[from+i])
				product, a, b = product+float64(v)*s, a+float64(v)*float64(v), b+s*s
			}
			if r := product / math.Sqrt(a*b+1e-12); r > want {
				wantLag, want = from-c.at, r
			}
		}
		if lag != wantLag || math.Abs(fit-want) > 1e-6 {
			t.Errorf("%+v: lag %d with %.7f, want %d with %.7f", c, lag, fit, wantLag, want)
		}
	}
	if _, fit := Lag(source, source[:100], 5000, 10); fit != -1 {
		t.Errorf("outside the source, the fit is %v", fit)
	}
}
