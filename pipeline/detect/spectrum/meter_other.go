//go:build !amd64

package spectrum

import "roughcut/media/fourier"

// weigh writes the sums of weighted powers, one for each signal.
func weigh(weights []float32, power [][fourier.Lanes]float32, sums *[fourier.Lanes]float32) {
	goWeigh(weights, power, sums)
}

// join writes the powers at a frequency of signals whose samples alternate between the real and the
// imaginary part of a transform. other is its value at the negative frequency.
func join(re, im, otherRe, otherIm *[fourier.Lanes]float32, cos, sin float32, out *[fourier.Lanes]float32) {
	goJoin(re, im, otherRe, otherIm, cos, sin, out)
}
