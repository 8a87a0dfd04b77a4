package fourier

import "golang.org/x/sys/cpu"

// Forward transforms complex signals in place. Number i of a signal is at the bit-reversed index
// Order[i] before, and in its own place afterwards.
func (t *Transform) Forward(re, im *Signals) {
	if cpu.X86.HasAVX {
		forwardAVX(re, im, &t.cos, &t.sin)
	} else {
		t.goForward(re, im)
	}
}

//go:noescape
func forwardAVX(re, im *Signals, cos, sin *[Size / 2]float32)
