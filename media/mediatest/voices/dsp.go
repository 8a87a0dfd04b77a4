package voices

import (
	"math"
	"math/cmplx"
)

// biquad is a second-order filter in transposed direct form, after the cookbook of Robert
// Bristow-Johnson.
type biquad struct{ b0, b1, b2, a1, a2, z1, z2 float64 }

func (f *biquad) next(x float64) float64 {
	y := f.b0*x + f.z1
	f.z1 = f.b1*x - f.a1*y + f.z2
	f.z2 = f.b2*x - f.a2*y
	return y
}

// apply filters a signal in place.
func (f biquad) apply(x []float64) {
	for i, s := range x {
		x[i] = f.next(s)
	}
}

func highPass(hz float64) biquad { return butterworth(hz, 1) }
func lowPass(hz float64) biquad  { return butterworth(hz, -1) }

// butterworth returns a Butterworth high-pass for sign 1 and low-pass for sign -1.
func butterworth(hz, sign float64) biquad {
	sin, cos := math.Sincos(2 * math.Pi * hz / rate)
	alpha := sin / math.Sqrt2
	a0 := 1 + alpha
	b1 := -sign * (1 + sign*cos)
	edge := (1 + sign*cos) / 2
	return biquad{b0: edge / a0, b1: b1 / a0, b2: edge / a0, a1: -2 * cos / a0, a2: (1 - alpha) / a0}
}

// peaking returns a filter that changes the level around a frequency.
func peaking(hz, db, q float64) biquad {
	sin, cos := math.Sincos(2 * math.Pi * hz / rate)
	a, alpha := math.Pow(10, db/40), sin/(2*q)
	a0 := 1 + alpha/a
	return biquad{
		b0: (1 + alpha*a) / a0, b1: -2 * cos / a0, b2: (1 - alpha*a) / a0,
		a1: -2 * cos / a0, a2: (1 - alpha/a) / a0,
	}
}

// gain returns the factor of a level in decibels.
func gain(db float64) float64 { return math.Pow(10, db/20) }

// rms returns the root mean square of a signal, and a tiny value for silence.
func rms(x []float64) float64 {
	sum := 1e-18
	for _, s := range x {
		sum += s * s
	}
	return math.Sqrt(sum / float64(max(len(x), 1)))
}

// fft transforms in place. The length must be a power of two.
func fft(x []complex128, inverse bool) {
	n := len(x)
	for i, j := 1, 0; i < n; i++ {
		bit := n >> 1
		for ; j&bit != 0; bit >>= 1 {
			j ^= bit
		}
		j ^= bit
		if i < j {
			x[i], x[j] = x[j], x[i]
		}
	}

	angle := -2 * math.Pi
	if inverse {
		angle = -angle
	}
	for size := 2; size <= n; size *= 2 {
		step := cmplx.Rect(1, angle/float64(size))
		for from := 0; from < n; from += size {
			w := complex(1, 0)
			for k := from; k < from+size/2; k++ {
				a, b := x[k], x[k+size/2]*w
				x[k], x[k+size/2] = a+b, a-b
				w *= step
			}
		}
	}

	if inverse {
		for i := range x {
			x[i] /= complex(float64(n), 0)
		}
	}
}

// convolve returns a signal filtered by an impulse response, with the length of the signal.
func convolve(signal, response []float64) []float64 {
	size := 1
	for size < 4*len(response) {
		size *= 2
	}
	filter := make([]complex128, size)
	for i, r := range response {
		filter[i] = complex(r, 0)
	}
	fft(filter, false)
	step := size - len(response) + 1
	out := make([]float64, len(signal)+size)
	block := make([]complex128, size)
	for from := 0; from < len(signal); from += step {
		clear(block)
		for i, s := range signal[from:min(from+step, len(signal))] {
			block[i] = complex(s, 0)
		}
		fft(block, false)
		for i := range block {
			block[i] *= filter[i]
		}
		fft(block, true)
		for i, b := range block {
			out[from+i] += real(b)
		}
	}

	return out[:len(signal)]
}

// resample returns a signal read at factor times its speed, by cubic interpolation.
func resample(x []float64, factor float64) []float64 {
	out := make([]float64, int(float64(len(x))/factor))
	at := func(i int) float64 { return x[min(max(i, 0), len(x)-1)] }
	for i := range out {
		pos := float64(i) * factor
		k := int(pos)
		f := pos - float64(k)
		a, b, c, d := at(k-1), at(k), at(k+1), at(k+2)
		out[i] = b + f/2*(c-a+f*(2*a-5*b+4*c-d+f*(3*(b-c)+d-a)))
	}

	return out
}
