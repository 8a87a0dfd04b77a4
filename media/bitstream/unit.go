package bitstream

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// EachUnit calls each for every NAL unit of a packet. A big-endian length of lengthSize bytes
// precedes each unit. A unit has at least one byte and is a subslice of packet. EachUnit stops at
// the first length that does not fit the packet, and then returns false.
func EachUnit(packet []byte, lengthSize int, each func(unit []byte)) (whole bool) {
	for len(packet) > 0 {
		if len(packet) < lengthSize {
			return false
		}
		n := 0
		for _, b := range packet[:lengthSize] {
			n = n<<8 | int(b)
		}
		if packet = packet[lengthSize:]; n < 1 || n > len(packet) {
			return false
		}
		each(packet[:n])
		packet = packet[n:]
	}

	return true
}

// FourByteLengths rewrites a packet so that every unit length takes four bytes. Units that do not
// fit the packet are dropped.
func FourByteLengths(packet []byte, lengthSize int) []byte {
	var out []byte
	EachUnit(packet, lengthSize, func(unit []byte) { out = appendUnit(out, unit) })
	return out
}

// appendUnit appends a unit with its length in four bytes.
func appendUnit(out, unit []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(unit)))
	return append(out, unit...)
}

// startCodeHeaders yields the first byte of each unit of a packet whose units follow the start code
// 0 0 1.
func startCodeHeaders(packet []byte) iter.Seq[byte] {
	return func(yield func(byte) bool) {
		for {
			at := bytes.Index(packet, []byte{0, 0, 1})
			if at < 0 || at+3 >= len(packet) || !yield(packet[at+3]) {
				return
			}
			packet = packet[at+3:]
		}
	}
}

// lengthHeaders yields the first byte of each unit of a packet. A length of lengthSize bytes
// precedes each unit. whole is the size of the packet in bytes, and packet may hold only its
// beginning. lengthHeaders stops at the first length that does not fit into the whole packet, and
// at the end of the given bytes.
func lengthHeaders(packet []byte, whole, lengthSize int) iter.Seq[byte] {
	return func(yield func(byte) bool) {
		for len(packet) > lengthSize {
			length := 0
			for _, b := range packet[:lengthSize] {
				length = length<<8 | int(b)
			}
			unit := lengthSize + length
			if length <= 0 || unit > whole || !yield(packet[lengthSize]) || unit > len(packet) {
				return
			}
			packet, whole = packet[unit:], whole-unit
		}
	}
}
