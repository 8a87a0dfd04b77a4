package fourier

import (
	"math"
	"math/rand/v2"
	"testing"
)

func random() (re, im *Signals) {
	g := rand.New(rand.NewPCG(7, 8))
	re, im = &Signals{}, &Signals{}
	for i := range Size {
		for l := range Lanes {
			re[i][l], im[i][l] = float32(g.NormFloat64()), float32(g.NormFloat64())
		}
	}
	return re, im
}

// The transform matches the definition for each signal.
func TestForwardTransforms(t *testing.T) {
	f := New()
	re, im := random()
	var gotRe, gotIm Signals
	for i, at := range f.Order {
		gotRe[at], gotIm[at] = re[i], im[i]
	}
	f.Forward(&gotRe, &gotIm)
	for k := range Size {
		for l := range Lanes {
			wantRe, wantIm := 0.0, 0.0
			for i := range Size {
				sin, cos := math.Sincos(2 * math.Pi * float64(i*k%Size) / Size)
				x, y := float64(re[i][l]), float64(im[i][l])
				wantRe, wantIm = wantRe+x*cos+y*sin, wantIm+y*cos-x*sin
			}
			if d := math.Hypot(float64(gotRe[k][l])-wantRe, float64(gotIm[k][l])-wantIm); d > 1e-4 {
				t.Fatalf("bin %d of signal %d is off by %g", k, l, d)
			}
		}
	}
}

// Eight signals at once have the same spectra as one after the other, bit by bit.
func TestForwardIsExact(t *testing.T) {
	f := New()
	re, im := random()
	wantRe, wantIm := *re, *im
	f.Forward(re, im)
	f.goForward(&wantRe, &wantIm)
	if *re != wantRe || *im != wantIm {
		t.Error("Go has other spectra")
	}
}
