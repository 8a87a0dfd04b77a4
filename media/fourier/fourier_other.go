//go:build !amd64

package fourier

// Forward transforms complex signals in place. Number i of a signal is at the bit-reversed index
// Order[i] before, and in its own place afterwards.
func (t *Transform) Forward(re, im *Signals) { t.goForward(re, im) }
