package bitstream

import "math/bits"

// bitReader reads the payload of a NAL unit bit by bit. It skips emulation prevention bytes. After
// the end of the data it returns zeros, and ended is true.
type bitReader struct {
	data  []byte
	at    int // in bytes
	bit   int // of the byte at at, from the highest
	zeros int // zero bytes before at
	bits  int // read so far, without those of emulation prevention bytes
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
	r.bits++
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

// bitWriter writes the payload of a NAL unit bit by bit, without emulation prevention bytes.
type bitWriter struct {
	data []byte
	bit  int // of the last byte, from the highest; 0 for a byte that is full
}

func (w *bitWriter) put(bit int) {
	if w.bit == 0 {
		w.data = append(w.data, 0)
	}
	w.data[len(w.data)-1] |= byte(bit) << (7 - w.bit)
	w.bit = (w.bit + 1) & 7
}

// copy writes the next n bits of a reader.
func (w *bitWriter) copy(r *bitReader, n int) {
	for range n {
		w.put(r.next())
	}
}

// fixed writes a number of n bits.
func (w *bitWriter) fixed(value, n int) {
	for i := n - 1; i >= 0; i-- {
		w.put(value >> i & 1)
	}
}

// unsigned writes an unsigned Exp-Golomb code.
func (w *bitWriter) unsigned(value int) {
	length := bits.Len(uint(value + 1))
	w.fixed(value+1, 2*length-1)
}

// align writes a one and zeros up to the next byte.
func (w *bitWriter) align() {
	w.put(1)
	w.bit = 0
}

// appendEscaped appends a payload with emulation prevention bytes (ITU-T H.265, 7.4.2).
func appendEscaped(out, payload []byte) []byte {
	zeros := 0
	for _, b := range payload {
		if zeros >= 2 && b <= 3 {
			out, zeros = append(out, 3), 0
		}
		if zeros++; b != 0 {
			zeros = 0
		}
		out = append(out, b)
	}

	return out
}
