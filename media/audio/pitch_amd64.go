package audio

// lagSums writes the sums of the products of a and of b from each of lagsTogether places on, every
// fourth product to the same one of four sums. The length of a is divisible by four.
func lagSums(a, b []float32, out *[lagsTogether][4]float32) {
	_ = b[len(a)+lagsTogether-2]
	lagSumsSSE(&a[0], &b[0], len(a), out)
}

//go:noescape
func lagSumsSSE(a, b *float32, n int, out *[lagsTogether][4]float32)
