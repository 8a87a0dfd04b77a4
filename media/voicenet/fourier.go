package voicenet

import (
	"math"
	"math/bits"
)

// frameSamples is the length of a spectrum's frame.
const frameSamples = 256

// fourier computes spectra of frames with a Hann window. It replaces the convolution with 258
// filters in the network's first layer, which package convert checks to be the same.
type fourier struct {
	window   [frameSamples]float32
	cos, sin [frameSamples / 2]float32
	order    [frameSamples]uint8 // bits of the index reversed
	re, im   [frameSamples]float32
}

func newFourier() *fourier {
	f := &fourier{}
	for i := range frameSamples {
		f.window[i] = float32(0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/frameSamples))
		f.order[i] = bits.Reverse8(uint8(i))
	}
	for i := range f.cos {
		angle := 2 * math.Pi * float64(i) / frameSamples
		f.cos[i], f.sin[i] = float32(math.Cos(angle)), float32(-math.Sin(angle))
	}
	return f
}

// magnitudes writes the magnitudes of the bins of two frames. One transform computes both: the
// second frame is its imaginary part.
func (f *fourier) magnitudes(first, second, outFirst, outSecond []float32) {
	for i, at := range f.order {
		f.re[at], f.im[at] = first[i]*f.window[i], second[i]*f.window[i]
	}
	f.transform()
	for k := range bins {
		mirror := (frameSamples - k) % frameSamples
		a, b, c, d := f.re[k], f.im[k], f.re[mirror], f.im[mirror]
		outFirst[k] = half(a+c, b-d)
		outSecond[k] = half(b+d, c-a)
	}
}

// half returns half of the magnitude of a complex number.
func half(re, im float32) float32 { return float32(0.5 * math.Sqrt(float64(re*re+im*im))) }

// transform is a radix-2 fast Fourier transform in place, of values in reversed order.
func (f *fourier) transform() {
	for size := 1; size < frameSamples; size *= 2 {
		stride := frameSamples / (2 * size)
		for from := 0; from < frameSamples; from += 2 * size {
			for k := range size {
				cos, sin := f.cos[k*stride], f.sin[k*stride]
				i, j := from+k, from+k+size
				re, im := f.re[j]*cos-f.im[j]*sin, f.re[j]*sin+f.im[j]*cos
				f.re[j], f.im[j] = f.re[i]-re, f.im[i]-im
				f.re[i], f.im[i] = f.re[i]+re, f.im[i]+im
			}
		}
	}
}
