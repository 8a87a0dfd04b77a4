package mediatest

import (
	"math"
	"math/bits"
	"math/cmplx"
)

// Lag finds the best match of window in source, at most reach samples away from position at. It
// returns the distance to at, and the correlation: 1 for identical audio, 0 for unrelated audio.
func Lag(source, window []float32, at, reach int) (lag int, fit float64) {
	first, last := max(0, at-reach), min(at+reach, len(source)-len(window))
	fit = -1
	if len(window) == 0 || first > last {
		return 0, fit
	}
	energy, under := 0.0, 0.0
	for i, v := range window {
		energy += float64(v) * float64(v)
		under += float64(source[first+i]) * float64(source[first+i])
	}

	products := correlate(source[first:last+len(window)], window)
	for from := first; ; from++ {
		if c := products[from-first] / math.Sqrt(energy*max(0, under)+1e-12); c > fit {
			lag, fit = from-at, c
		}
		if from == last {
			return lag, fit
		}
		leaving, entering := float64(source[from]), float64(source[from+len(window)])
		under += entering*entering - leaving*leaving
	}
}

// correlate returns the dot product of window with source at each place where it fits. The Fourier
// transform of both, as the real and the imaginary part of one signal, takes a tenth of the time of
// the sums.
func correlate(source, window []float32) []float64 {
	z := make([]complex128, 1<<bits.Len(uint(len(source)-1)))
	for i, v := range source {
		z[i] = complex(float64(v), 0)
	}
	for i, v := range window {
		z[i] += complex(0, float64(v))
	}
	transform(z)
	product := make([]complex128, len(z))
	for k, a := range z {
		b := cmplx.Conj(z[(len(z)-k)%len(z)])
		// (a+b)/2 is the transform of source, (a-b)/2i that of window. The conjugate of the
		// product makes the next transform the inverse one, except for the scale.
		product[k] = cmplx.Conj((a+b)/2) * (a - b) / 2i
	}

	transform(product)
	sums := make([]float64, len(source)-len(window)+1)
	for i := range sums {
		sums[i] = real(product[i]) / float64(len(z))
	}
	return sums
}

// transform computes the discrete Fourier transform in place. The length is a power of two.
func transform(z []complex128) {
	shift := bits.LeadingZeros(uint(len(z) - 1))
	for i := range z {
		if j := int(bits.Reverse(uint(i)) >> shift); i < j {
			z[i], z[j] = z[j], z[i]
		}
	}

	turns := make([]complex128, len(z)/2)
	for k := range turns {
		turns[k] = cmplx.Rect(1, -2*math.Pi*float64(k)/float64(len(z)))
	}
	for size := 2; size <= len(z); size *= 2 {
		for from := 0; from < len(z); from += size {
			low, high := z[from:from+size/2], z[from+size/2:from+size]
			for k := range low {
				v := high[k] * turns[k*(len(z)/size)]
				low[k], high[k] = low[k]+v, low[k]-v
			}
		}
	}
}
