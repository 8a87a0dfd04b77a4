// Package fourier computes the Fourier transforms of eight signals at once. The result of each
// signal equals a plain radix-2 transform in float32, bit for bit on every amd64 processor.
package fourier

import (
	"math"
	"math/bits"
)

const (
	// Size is the length of a signal.
	Size = 256
	// Lanes is the number of signals.
	Lanes = 8
)

// Signals holds one number of each signal for each time or frequency.
type Signals [Size][Lanes]float32

// Transform holds the tables of a transform. Create one with New. It is safe for concurrent use.
type Transform struct {
	// Order holds the numbers from 0 to Size-1 with their bits reversed.
	Order    [Size]uint8
	cos, sin [Size / 2]float32
}

// New returns a transform.
func New() *Transform {
	t := &Transform{}
	for i := range t.Order {
		t.Order[i] = bits.Reverse8(uint8(i))
	}
	for i := range t.cos {
		angle := 2 * math.Pi * float64(i) / Size
		t.cos[i], t.sin[i] = float32(math.Cos(angle)), float32(math.Sin(angle))
	}

	return t
}

// goForward is Forward in Go.
func (t *Transform) goForward(re, im *Signals) {
	for half := 1; half < Size; half *= 2 {
		stride := Size / 2 / half
		for k := range half {
			c, s := t.cos[k*stride], t.sin[k*stride]
			for a := k; a < Size; a += 2 * half {
				b := a + half
				for l := range Lanes {
					x := re[b][l]*c + im[b][l]*s
					y := im[b][l]*c - re[b][l]*s
					re[b][l], im[b][l] = re[a][l]-x, im[a][l]-y
					re[a][l], im[a][l] = re[a][l]+x, im[a][l]+y
				}
			}
		}
	}
}
