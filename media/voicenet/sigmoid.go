package voicenet

import "math"

// sigmoids replaces each x by 1 / (1 + exp(x)), the logistic function of -x.
func sigmoids(x []float64) {
	for i, v := range x {
		x[i] = 1 / (1 + math.Exp(v))
	}
}
