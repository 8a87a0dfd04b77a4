package spectrum

import "math"

// fftSize is the length of the Fourier transform in samples.
const fftSize = 512

// fourier computes power spectra of real signals of fftSize samples, as one complex transform of
// half the size.
type fourier struct {
	re, im   [fftSize / 2]float32
	cos, sin [fftSize / 2]float32
	order    [fftSize / 2]uint16 // bit reversal
}

func newFourier() *fourier {
	f := &fourier{}
	const half = fftSize / 2
	for i := range half {
		angle := 2 * math.Pi * float64(i) / fftSize
		f.cos[i], f.sin[i] = float32(math.Cos(angle)), float32(math.Sin(angle))
		for bit := 1; bit < half; bit <<= 1 {
			f.order[i] <<= 1
			if i&bit != 0 {
				f.order[i] |= 1
			}
		}
	}
	return f
}

// power writes the power of the frequencies 0 to fftSize/2-1 to out.
func (f *fourier) power(x *[fftSize]float32, out *[fftSize / 2]float32) {
	for i, from := range f.order {
		f.re[i], f.im[i] = x[2*from], x[2*from+1]
	}
	f.transform()
	const half = fftSize / 2
	for k := range half {
		other := (half - k) % half
		evenRe, evenIm := (f.re[k]+f.re[other])/2, (f.im[k]-f.im[other])/2
		oddRe, oddIm := (f.im[k]+f.im[other])/2, (f.re[other]-f.re[k])/2
		re := evenRe + f.cos[k]*oddRe + f.sin[k]*oddIm
		im := evenIm + f.cos[k]*oddIm - f.sin[k]*oddRe
		out[k] = re*re + im*im
	}
}

// transform computes the complex transform of re and im, which are in bit-reversed order.
func (f *fourier) transform() {
	const half = fftSize / 2
	for size := 2; size <= half; size *= 2 {
		stride := fftSize / size
		for start := 0; start < half; start += size {
			for k := range size / 2 {
				c, s := f.cos[k*stride], f.sin[k*stride]
				a, b := start+k, start+k+size/2
				re, im := f.re[b]*c+f.im[b]*s, f.im[b]*c-f.re[b]*s
				f.re[b], f.im[b] = f.re[a]-re, f.im[a]-im
				f.re[a], f.im[a] = f.re[a]+re, f.im[a]+im
			}
		}
	}
}
