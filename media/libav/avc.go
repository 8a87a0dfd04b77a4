package libav

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// Types of H.264 NAL units, as in ITU-T H.264, table 7-1.
const (
	nalSlice     = 1
	nalIDR       = 5
	nalSEI       = 6
	nalSPS       = 7
	nalPPS       = 8
	nalDelimiter = 9
)

var errAVC = errors.New("parameter sets that make no sense")

// avcConfig is what a decoder of H.264 is told before the first picture: the
// AVCDecoderConfigurationRecord of ISO/IEC 14496-15, 5.3.3.
type avcConfig struct {
	profile, constraints, level byte
	lengthSize                  int // bytes of the length before each NAL unit in a packet
	sps, pps                    [][]byte
}

// parseAVC reads a configuration record.
func parseAVC(record []byte) (avcConfig, error) {
	if len(record) < 7 || record[0] != 1 {
		return avcConfig{}, errAVC
	}
	c := avcConfig{profile: record[1], constraints: record[2], level: record[3], lengthSize: int(record[4]&3) + 1}
	rest := record[5:]
	for i, mask := range []byte{31, 255} {
		if len(rest) < 1 {
			return avcConfig{}, errAVC
		}
		count := int(rest[0] & mask)
		rest = rest[1:]
		for range count {
			if len(rest) < 2 || len(rest)-2 < int(binary.BigEndian.Uint16(rest)) {
				return avcConfig{}, errAVC
			}
			end := 2 + int(binary.BigEndian.Uint16(rest))
			unit := slices.Clone(rest[2:end])
			if rest = rest[end:]; i == 0 {
				c.sps = append(c.sps, unit)
			} else {
				c.pps = append(c.pps, unit)
			}
		}
	}
	if len(c.sps) == 0 || len(c.pps) == 0 {
		return avcConfig{}, errAVC
	}
	return c, nil
}

// record returns the configuration as a record, with lengths of four bytes.
func (c avcConfig) record() []byte {
	out := []byte{1, c.profile, c.constraints, c.level, 0xfc | 3, 0xe0 | byte(len(c.sps))}
	for i, units := range [][][]byte{c.sps, c.pps} {
		if i == 1 {
			out = append(out, byte(len(units)))
		}
		for _, unit := range units {
			out = binary.BigEndian.AppendUint16(out, uint16(len(unit)))
			out = append(out, unit...)
		}
	}
	switch c.profile {
	case 100, 110, 122, 144: // 4:2:0, 8 bits of luma and chroma, no extensions
		out = append(out, 0xfc|1, 0xf8, 0xf8, 0)
	}
	return out
}

// with adds the parameter sets of another configuration. It returns false where the two give one
// number to different sets.
func (c avcConfig) with(other avcConfig) (avcConfig, bool) {
	sum := c
	sum.profile, sum.level = max(c.profile, other.profile), max(c.level, other.level)
	sum.constraints &= other.constraints
	sum.lengthSize = 4
	var ok bool
	if sum.sps, ok = addUnits(c.sps, other.sps); !ok {
		return avcConfig{}, false
	}
	sum.pps, ok = addUnits(c.pps, other.pps)
	return sum, ok && len(sum.sps) <= 31 && len(sum.pps) <= 255
}

func addUnits(units, more [][]byte) ([][]byte, bool) {
	sum := slices.Clone(units)
	for _, unit := range more {
		same := func(u []byte) bool { return setNumber(u) == setNumber(unit) }
		if i := slices.IndexFunc(sum, same); i < 0 {
			sum = append(sum, unit)
		} else if !bytes.Equal(sum[i], unit) {
			return nil, false
		}
	}
	return sum, true
}

// has reports whether a parameter set is one of the configuration's.
func (c avcConfig) has(unit []byte) bool {
	same := func(u []byte) bool { return bytes.Equal(u, unit) }
	return slices.ContainsFunc(c.sps, same) || slices.ContainsFunc(c.pps, same)
}

// free returns a number that no parameter set of the configuration has.
func (c avcConfig) free() int {
	for number := range 32 {
		taken := func(u []byte) bool { return setNumber(u) == number }
		if !slices.ContainsFunc(c.sps, taken) && !slices.ContainsFunc(c.pps, taken) {
			return number
		}
	}
	return -1
}

// setNumber reads the number of a parameter set, -1 where there is none: seq_parameter_set_id comes
// after three bytes, pic_parameter_set_id at once (ITU-T H.264, 7.3.2.1 and 7.3.2.2).
func setNumber(unit []byte) int {
	if len(unit) < 2 {
		return -1
	}
	bits := unit[1:]
	if unit[0]&31 == nalSPS {
		if len(unit) < 5 {
			return -1
		}
		bits = unit[4:]
	}
	return expGolomb(bits)
}

// expGolomb reads an unsigned Exp-Golomb number (ITU-T H.264, 9.1) from the start of bits, -1 where
// there is none.
func expGolomb(bits []byte) int {
	bit := func(i int) int { return int(bits[i/8]>>(7-i%8)) & 1 }
	zeros := 0
	for zeros < 8*len(bits) && bit(zeros) == 0 {
		zeros++
	}
	if zeros > 16 || 2*zeros+1 > 8*len(bits) {
		return -1
	}
	value := 0
	for i := range zeros + 1 {
		value = value<<1 | bit(zeros+i)
	}
	return value - 1
}

// units yields the NAL units of a packet with lengths of a number of bytes; it stops where the
// lengths do not add up, and ok says so.
func units(packet []byte, lengthSize int, each func(unit []byte)) (ok bool) {
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

// disposable reports a packet with a picture that no other refers to, and nothing else that one
// could need: nal_ref_idc of its slices is 0 (ITU-T H.264, 7.4.1).
func disposable(packet []byte, lengthSize int) bool {
	free, others := 0, 0
	whole := units(packet, lengthSize, func(unit []byte) {
		switch kind, referred := unit[0]&31, unit[0]>>5&3 != 0; {
		case kind == nalSlice && !referred:
			free++
		case kind != nalSEI && kind != nalDelimiter:
			others++
		}
	})
	return whole && free > 0 && others == 0
}

// fourByteLengths rewrites a packet with lengths of another size.
func fourByteLengths(packet []byte, lengthSize int) []byte {
	var out []byte
	units(packet, lengthSize, func(unit []byte) {
		out = binary.BigEndian.AppendUint32(out, uint32(len(unit)))
		out = append(out, unit...)
	})
	return out
}
