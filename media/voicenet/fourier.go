package voicenet

import (
	"math"

	"roughcut/media/fourier"
)

// frameSamples is the length of a spectrum's frame.
const frameSamples = fourier.Size

// spectrometer computes spectra of frames with a Hann window. It replaces the convolution with 258
// filters in the network's first layer, which package convert checks to be the same.
type spectrometer struct {
	transform *fourier.Transform
	window    [frameSamples]float32
	re, im    fourier.Signals
}

func newSpectrometer() *spectrometer {
	f := &spectrometer{transform: fourier.New()}
	for i := range f.window {
		f.window[i] = float32(0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/frameSamples))
	}
	return f
}

// loadLane makes two frames a signal of the next transform. The second frame is its imaginary part.
func (f *spectrometer) loadLane(lane int, first, second []float32) {
	first, second = first[:frameSamples], second[:frameSamples]
	for i, at := range f.transform.Order {
		f.re[at][lane], f.im[at][lane] = first[i]*f.window[i], second[i]*f.window[i]
	}
}

// magnitudes writes the magnitudes of the bins of the two frames of a signal, after the transform.
func (f *spectrometer) magnitudes(lane int, outFirst, outSecond []float32) {
	for k := range bins {
		mirror := (frameSamples - k) % frameSamples
		a, b, c, d := f.re[k][lane], f.im[k][lane], f.re[mirror][lane], f.im[mirror][lane]
		outFirst[k] = halfMagnitude(a+c, b-d)
		outSecond[k] = halfMagnitude(b+d, c-a)
	}
}

// halfMagnitude returns half of the magnitude of a complex number.
func halfMagnitude(re, im float32) float32 { return 0.5 * float32(math.Sqrt(float64(re*re+im*im))) }
