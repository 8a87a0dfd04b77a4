package bitstream

// bitReader reads the payload of a NAL unit bit by bit. It skips emulation prevention bytes. After
// the end of the data it returns zeros, and ended is true.
type bitReader struct {
	data  []byte
	at    int // in bytes
	bit   int // of the byte at at, from the highest
	zeros int // zero bytes before at
	ended bool
}

// next returns the next bit.
func (r *bitReader) next() int {
	if r.bit == 0 && r.zeros >= 2 && r.at < len(r.data) && r.data[r.at] == 3 {
		r.at, r.zeros = r.at+1, 0
	}
	if r.at >= len(r.data) {
		r.ended = true
		return 0
	}

	value := int(r.data[r.at]>>(7-r.bit)) & 1
	if r.bit++; r.bit == 8 {
		if r.zeros++; r.data[r.at] != 0 {
			r.zeros = 0
		}
		r.at, r.bit = r.at+1, 0
	}

	return value
}

// flag reads one bit.
func (r *bitReader) flag() bool { return r.next() == 1 }

// fixed reads an unsigned number of n bits, at most 32.
func (r *bitReader) fixed(n int) (value int) {
	for range n {
		value = value<<1 | r.next()
	}
	return value
}

// unsigned reads an unsigned Exp-Golomb code (ITU-T H.264, 9.1). A code of more than 32 zeros ends
// the data.
func (r *bitReader) unsigned() int {
	zeros := 0
	for !r.flag() {
		if zeros++; r.ended || zeros > 32 {
			r.ended = true
			return 0
		}
	}

	return 1<<zeros - 1 + r.fixed(zeros)
}

// signed reads a signed Exp-Golomb code (ITU-T H.264, 9.1.1).
func (r *bitReader) signed() int {
	n := r.unsigned()
	if n%2 == 0 {
		return -n / 2
	}
	return n/2 + 1
}
