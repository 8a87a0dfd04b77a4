//go:build !amd64

package audio

// lagSums writes the sums of the products of a and of b from each of lagsTogether places on, every
// fourth product to the same one of four sums. The length of a is divisible by four.
func lagSums(a, b []float32, out *[lagsTogether][4]float32) { goLagSums(a, b, out) }
