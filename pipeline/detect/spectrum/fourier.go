package spectrum

import (
	"math"

	"roughcut/media/fourier"
)

// fftSize is the length of the Fourier transform in samples.
const fftSize = 2 * fourier.Size

// spectrometer computes power spectra of real signals of fftSize samples, eight at once, as complex
// transforms of half the size.
type spectrometer struct {
	transform *fourier.Transform
	re, im    fourier.Signals
	cos, sin  [fourier.Size]float32
}

func newSpectrometer() *spectrometer {
	f := &spectrometer{transform: fourier.New()}
	for i := range f.cos {
		angle := 2 * math.Pi * float64(i) / fftSize
		f.cos[i], f.sin[i] = float32(math.Cos(angle)), float32(math.Sin(angle))
	}

	return f
}

// loadLane makes samples, multiplied by a taper, a signal of the next transform. Zeros follow the
// taper.
func (f *spectrometer) loadLane(lane int, samples *[fftSize]float32, taper *[window]float32) {
	for i, at := range f.transform.Order {
		if i < window/2 {
			f.re[at][lane], f.im[at][lane] = samples[2*i]*taper[2*i], samples[2*i+1]*taper[2*i+1]
		} else {
			f.re[at][lane], f.im[at][lane] = 0, 0
		}
	}
}

// power transforms the signals and writes the power of the frequencies from first on to out.
func (f *spectrometer) power(out *fourier.Signals, first, end int) {
	f.transform.Forward(&f.re, &f.im)
	for k := first; k < end; k++ {
		other := (fourier.Size - k) % fourier.Size
		interleavedPower(&f.re[k], &f.im[k], &f.re[other], &f.im[other], f.cos[k], f.sin[k], &out[k])
	}
}

// interleavedPower writes the powers at a frequency of signals whose samples alternate between the
// real and the imaginary part of a transform. other is its value at the negative frequency.
func interleavedPower(re, im, otherRe, otherIm *[fourier.Lanes]float32, cos, sin float32, out *[fourier.Lanes]float32) {
	for l := range out {
		evenRe, evenIm := (re[l]+otherRe[l])/2, (im[l]-otherIm[l])/2
		oddRe, oddIm := (im[l]+otherIm[l])/2, (otherRe[l]-re[l])/2
		x := evenRe + float32(cos*oddRe) + float32(sin*oddIm)
		y := evenIm + float32(cos*oddIm) - float32(sin*oddRe)
		out[l] = float32(x*x) + float32(y*y)
	}
}
