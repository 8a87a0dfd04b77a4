package bitstream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// Types of H.264 NAL units, as in ITU-T H.264, table 7-1.
const (
	avcSlice     = 1
	avcIDR       = 5
	avcSEI       = 6
	avcSPS       = 7
	avcPPS       = 8
	avcDelimiter = 9
)

// Limits of ISO/IEC 14496-15, 5.3.3: the record stores the number of sequence parameter sets in
// five bits and the number of picture parameter sets in eight.
const (
	avcMaxSPS = 31
	avcMaxPPS = 255
)

// ErrAVC is a decoder configuration record of H.264 that is damaged or holds no parameter sets.
var ErrAVC = errors.New("invalid H.264 parameter sets")

// AVCConfig is what a decoder of H.264 needs before the first packet: the
// AVCDecoderConfigurationRecord of ISO/IEC 14496-15, 5.3.3. The zero value holds no parameter sets.
type AVCConfig struct {
	Profile, Constraints, Level byte
	LengthSize                  int // bytes of the length before each NAL unit in a packet
	SPS, PPS                    [][]byte
}

// ParseAVC reads a configuration record. Errors: ErrAVC.
func ParseAVC(record []byte) (AVCConfig, error) {
	if len(record) < 7 || record[0] != 1 {
		return AVCConfig{}, ErrAVC
	}
	c := AVCConfig{Profile: record[1], Constraints: record[2], Level: record[3], LengthSize: int(record[4]&3) + 1}
	rest := record[5:]
	for i, mask := range []byte{avcMaxSPS, avcMaxPPS} {
		if len(rest) < 1 {
			return AVCConfig{}, ErrAVC
		}
		count := int(rest[0] & mask)
		rest = rest[1:]
		for range count {
			if len(rest) < 2 || len(rest)-2 < int(binary.BigEndian.Uint16(rest)) {
				return AVCConfig{}, ErrAVC
			}
			end := 2 + int(binary.BigEndian.Uint16(rest))
			unit := slices.Clone(rest[2:end])
			if rest = rest[end:]; i == 0 {
				c.SPS = append(c.SPS, unit)
			} else {
				c.PPS = append(c.PPS, unit)
			}
		}
	}

	if len(c.SPS) == 0 || len(c.PPS) == 0 {
		return AVCConfig{}, ErrAVC
	}
	return c, nil
}

// Record returns the configuration as a record for 8-bit 4:2:0 video whose packets have four-byte
// lengths.
func (c AVCConfig) Record() []byte {
	out := []byte{1, c.Profile, c.Constraints, c.Level, 0xfc | 3, 0xe0 | byte(len(c.SPS))}
	for i, units := range [][][]byte{c.SPS, c.PPS} {
		if i == 1 {
			out = append(out, byte(len(units)))
		}
		for _, unit := range units {
			out = binary.BigEndian.AppendUint16(out, uint16(len(unit)))
			out = append(out, unit...)
		}
	}

	switch c.Profile {
	case 100, 110, 122, 144: // 4:2:0, 8 bits of luma and chroma, no extensions
		out = append(out, 0xfc|1, 0xf8, 0xf8, 0)
	}

	return out
}

// Merge returns a configuration that holds the parameter sets of both. ok is false if they use one
// ID for different parameter sets, or if the result holds more sets than a record can store.
func (c AVCConfig) Merge(other AVCConfig) (sum AVCConfig, ok bool) {
	sum = c
	sum.Profile, sum.Level = max(c.Profile, other.Profile), max(c.Level, other.Level)
	sum.Constraints &= other.Constraints
	sum.LengthSize = 4
	if sum.SPS, ok = mergeSets(c.SPS, other.SPS); !ok {
		return AVCConfig{}, false
	}
	sum.PPS, ok = mergeSets(c.PPS, other.PPS)
	return sum, ok && len(sum.SPS) <= avcMaxSPS && len(sum.PPS) <= avcMaxPPS
}

func mergeSets(units, more [][]byte) ([][]byte, bool) {
	sum := slices.Clone(units)
	for _, unit := range more {
		same := func(u []byte) bool { return avcSetID(u) == avcSetID(unit) }
		if i := slices.IndexFunc(sum, same); i < 0 {
			sum = append(sum, unit)
		} else if !bytes.Equal(sum[i], unit) {
			return nil, false
		}
	}

	return sum, true
}

// FreeID returns an ID from 0 to 31 that no parameter set of the configuration has, or -1.
func (c AVCConfig) FreeID() int {
	for id := range 32 {
		taken := func(u []byte) bool { return avcSetID(u) == id }
		if !slices.ContainsFunc(c.SPS, taken) && !slices.ContainsFunc(c.PPS, taken) {
			return id
		}
	}

	return -1
}

// Keyframe inspects the packet of a keyframe. idr reports an IDR picture: decoding can start there
// without any earlier data. ok is false if the packet is damaged or brings parameter sets that the
// configuration does not hold.
func (c AVCConfig) Keyframe(packet []byte) (idr, ok bool) {
	known := true
	whole := EachUnit(packet, c.LengthSize, func(unit []byte) {
		switch unit[0] & 31 {
		case avcIDR:
			idr = true
		case avcSPS, avcPPS:
			known = known && c.holds(unit)
		}
	})
	return idr, whole && known
}

// holds reports whether a parameter set is one of the configuration's.
func (c AVCConfig) holds(unit []byte) bool {
	same := func(u []byte) bool { return bytes.Equal(u, unit) }
	return slices.ContainsFunc(c.SPS, same) || slices.ContainsFunc(c.PPS, same)
}

// AVCDisposable reports a packet that a decoder can skip: it holds a picture that no other picture
// refers to (nal_ref_idc of its slices is 0, ITU-T H.264, 7.4.1), and nothing else that a later
// picture could need.
func AVCDisposable(packet []byte, lengthSize int) bool {
	free, others := 0, 0
	whole := EachUnit(packet, lengthSize, func(unit []byte) {
		switch kind, referred := unit[0]&31, unit[0]>>5&3 != 0; {
		case kind == avcSlice && !referred:
			free++
		case kind != avcSEI && kind != avcDelimiter:
			others++
		}
	})
	return whole && free > 0 && others == 0
}

// avcSetID returns the ID of a parameter set, or -1. seq_parameter_set_id follows three bytes after
// the header, pic_parameter_set_id follows the header (ITU-T H.264, 7.3.2.1 and 7.3.2.2).
func avcSetID(unit []byte) int {
	if len(unit) < 2 {
		return -1
	}
	bits := unit[1:]
	if unit[0]&31 == avcSPS {
		if len(unit) < 5 {
			return -1
		}
		bits = unit[4:]
	}

	return expGolomb(bits)
}

// expGolomb reads an unsigned Exp-Golomb code of at most 33 bits (ITU-T H.264, 9.1) from the start
// of bits. It returns -1 for a truncated or longer code.
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
