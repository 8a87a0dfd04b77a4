package voicenet

import "math"

// farthest is the largest number whose exponential sigmoids computes four at a time. Beyond it, the
// result may overflow.
const farthest = 700

// sigmoids replaces each x by 1 / (1 + exp(x)), the logistic function of -x. The number of values
// is divisible by four. Results are those of math.Exp, bit by bit.
func sigmoids(x []float64) {
	most := uint64(0) // without their sign, the bits of floats are in the order of their absolute values
	for _, v := range x {
		most = max(most, math.Float64bits(v)&^(1<<63))
	}
	if most > math.Float64bits(farthest) { // or NaN
		goSigmoids(x)
		return
	}
	nearSigmoids(x)
}

// goSigmoids is sigmoids in Go.
func goSigmoids(x []float64) {
	for i, v := range x {
		x[i] = 1 / (1 + math.Exp(v))
	}
}
