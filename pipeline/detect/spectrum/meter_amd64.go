package spectrum

import (
	"golang.org/x/sys/cpu"

	"roughcut/media/fourier"
)

// weigh writes the sums of weighted powers, one for each signal.
func weigh(weights []float32, power [][fourier.Lanes]float32, sums *[fourier.Lanes]float32) {
	if !cpu.X86.HasAVX || len(weights) == 0 {
		goWeigh(weights, power, sums)
		return
	}
	_ = power[len(weights)-1]
	weighAVX(&weights[0], len(weights), &power[0], sums)
}

// join writes the powers at a frequency of signals whose samples alternate between the real and the
// imaginary part of a transform. other is its value at the negative frequency.
func join(re, im, otherRe, otherIm *[fourier.Lanes]float32, cos, sin float32, out *[fourier.Lanes]float32) {
	if cpu.X86.HasAVX {
		joinAVX(re, im, otherRe, otherIm, cos, sin, out)
	} else {
		goJoin(re, im, otherRe, otherIm, cos, sin, out)
	}
}

//go:noescape
func weighAVX(weights *float32, n int, power, sums *[fourier.Lanes]float32)

//go:noescape
func joinAVX(re, im, otherRe, otherIm *[fourier.Lanes]float32, cos, sin float32, out *[fourier.Lanes]float32)
