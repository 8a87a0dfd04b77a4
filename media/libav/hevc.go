package libav

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/asticode/go-astiav"
)

// Types of HEVC NAL units, as in ITU-T H.265, table 7-1.
const (
	hevcRADLN  = 6 // the first kind of leading picture: shown before the random access picture ahead of it
	hevcRASLR  = 9 // the last kind of it
	hevcBLAWLP = 16
	hevcBLANLP = 18
	hevcCRA    = 21
	hevcSlices = 32 // those below are slices of pictures
	hevcVPS    = 32
	hevcSPS    = 33
	hevcPPS    = 34
	hevcAUD    = 35
	hevcEOS    = 36
	hevcEOB    = 37
)

var errHEVC = errors.New("parameter sets of HEVC that make no sense")

// hevcProfileBytes is the length of what general_profile_space to general_level_idc take.
const hevcProfileBytes = 12

// hevcConfig is what a decoder of HEVC is told before the first picture: the
// HEVCDecoderConfigurationRecord of ISO/IEC 14496-15, 8.3.3.
type hevcConfig struct {
	general    []byte // profile, compatibility, constraints and level, as in ITU-T H.265, 7.3.3
	lengthSize int    // bytes of the length before each NAL unit in a packet
	sets       [][]byte
}

// parseHEVC reads a configuration record. Errors: errHEVC, also for other profiles than Main and
// Main 10.
func parseHEVC(record []byte) (*hevcConfig, error) {
	if len(record) < 23 || record[0] != 1 {
		return nil, errHEVC
	}
	c := &hevcConfig{general: slices.Clone(record[1 : 1+hevcProfileBytes]), lengthSize: int(record[21]&3) + 1}
	rest := record[23:]
	for range record[22] {
		if len(rest) < 3 {
			return nil, errHEVC
		}
		count := binary.BigEndian.Uint16(rest[1:])
		rest = rest[3:]
		for range count {
			if len(rest) < 2 || len(rest)-2 < int(binary.BigEndian.Uint16(rest)) {
				return nil, errHEVC
			}
			end := 2 + int(binary.BigEndian.Uint16(rest))
			c.addSet(slices.Clone(rest[2:end]))
			rest = rest[end:]
		}
	}
	return c, c.check()
}

// parseHEVCSets reads the parameter sets of an encoder, which have lengths of four bytes.
func parseHEVCSets(packet []byte) (*hevcConfig, error) {
	c := &hevcConfig{lengthSize: 4}
	if !units(packet, c.lengthSize, func(unit []byte) { c.addSet(slices.Clone(unit)) }) {
		return nil, errHEVC
	}
	for _, set := range c.sets {
		// The profile comes after the head of the unit and a byte with the number of the VPS and of
		// layers.
		if plain := bytes.ReplaceAll(set, []byte{0, 0, 3}, []byte{0, 0}); hevcType(set) == hevcSPS &&
			len(plain) >= 3+hevcProfileBytes {
			c.general = plain[3 : 3+hevcProfileBytes]
		}
	}
	return c, c.check()
}

// addSet adds a parameter set; other units are left out.
func (c *hevcConfig) addSet(unit []byte) {
	if len(unit) > 2 && isHEVCSet(unit) {
		c.sets = append(c.sets, unit)
	}
}

// check reports a configuration that lacks a kind of parameter set, or is of another profile than
// Main (1) and Main 10 (2).
func (c *hevcConfig) check() error {
	for _, kind := range []byte{hevcVPS, hevcSPS, hevcPPS} {
		if !slices.ContainsFunc(c.sets, func(u []byte) bool { return hevcType(u) == kind }) {
			return errHEVC
		}
	}
	if len(c.general) < hevcProfileBytes || c.general[0]&31 != 1 && c.general[0]&31 != 2 {
		return errHEVC
	}
	slices.SortStableFunc(c.sets, func(a, b []byte) int { return int(hevcType(a)) - int(hevcType(b)) })
	return nil
}

// record returns the configuration of pictures of a format as a record, with lengths of four bytes.
// Where packets bring their parameter sets, the record holds none: some tools put those of the
// record behind those of the packet, which then has the wrong ones.
func (c *hevcConfig) record(format astiav.PixelFormat, inBand bool) []byte {
	deeper := byte(0) // bits beyond 8
	if format == astiav.PixelFormatYuv420P10Le {
		deeper = 2
	}
	out := append([]byte{1}, c.general...)
	// No least size of slices, kinds of parallelism and rate are promised; 4:2:0; bits of luma and
	// chroma; layers are not counted.
	out = append(out, 0xf0, 0, 0xfc, 0xfc|1, 0xf8|deeper, 0xf8|deeper, 0, 0, 3)
	if inBand {
		return append(out, 0)
	}
	out = append(out, 3) // arrays, each of them complete
	for _, kind := range []byte{hevcVPS, hevcSPS, hevcPPS} {
		sets := slices.DeleteFunc(slices.Clone(c.sets), func(u []byte) bool { return hevcType(u) != kind })
		out = append(out, 0x80|kind)
		out = binary.BigEndian.AppendUint16(out, uint16(len(sets)))
		for _, set := range sets {
			out = binary.BigEndian.AppendUint16(out, uint16(len(set)))
			out = append(out, set...)
		}
	}
	return out
}

// covering returns the configuration with a profile and level that hold for another one's pictures
// too.
func (c *hevcConfig) covering(other *hevcConfig) *hevcConfig {
	general := slices.Clone(c.general)
	general[0] = max(c.general[0]&31, other.general[0]&31) | (c.general[0]|other.general[0])&0x20 // the higher tier
	for i := 1; i < hevcProfileBytes-1; i++ {
		general[i] &= other.general[i]
	}
	general[hevcProfileBytes-1] = max(c.general[hevcProfileBytes-1], other.general[hevcProfileBytes-1])
	return &hevcConfig{general: general, lengthSize: c.lengthSize, sets: c.sets}
}

// sameSets reports that packets of one configuration can be decoded with the other.
func (c *hevcConfig) sameSets(other *hevcConfig) bool {
	return slices.EqualFunc(c.sets, other.sets, bytes.Equal)
}

// kind returns the type of a packet's slices. It returns false where the packet brings other
// parameter sets than the configuration's, ends a sequence, belongs to more than one layer, or is
// damaged.
func (c *hevcConfig) kind(packet []byte) (kind byte, ok bool) {
	kind, ok = hevcSlices, true
	whole := units(packet, c.lengthSize, func(unit []byte) {
		this := hevcType(unit)
		switch {
		case len(unit) < 3 || unit[0]&1 != 0 || unit[1]>>3 != 0 || this == hevcEOS || this == hevcEOB:
			ok = false
		case isHEVCSet(unit):
			ok = ok && slices.ContainsFunc(c.sets, func(u []byte) bool { return bytes.Equal(u, unit) })
		case this < hevcSlices:
			ok = ok && (kind == hevcSlices || kind == this)
			kind = this
		}
	})
	return kind, whole && ok && kind < hevcSlices
}

// begins reports that decoding can begin at a packet with slices of a type, and that it lets
// pictures be shown that were decoded before: its no_output_of_prior_pics_flag, the second bit of a
// slice, is not set.
func (c *hevcConfig) begins(packet []byte, kind byte) bool {
	begins := randomAccess(kind)
	units(packet, c.lengthSize, func(unit []byte) {
		if hevcType(unit) < hevcSlices {
			begins = begins && unit[2]&0x40 == 0
		}
	})
	return begins
}

// carried returns a packet as an export has it, with lengths of four bytes. With inBand a random
// access picture brings its parameter sets, after the delimiter that may come first. With first
// nothing that it is decoded from is there: a CRA picture then has to be a BLA picture, which has
// the same syntax and says so (ITU-T H.265, 7.4.2.2).
func (c *hevcConfig) carried(packet []byte, first, inBand bool) []byte {
	kind, _ := c.kind(packet)
	var out []byte
	add := func(unit []byte) {
		out = binary.BigEndian.AppendUint32(out, uint32(len(unit)))
		out = append(out, unit...)
	}
	missing := inBand && randomAccess(kind)
	units(packet, c.lengthSize, func(unit []byte) {
		if isHEVCSet(unit) {
			return
		}
		if missing && hevcType(unit) != hevcAUD {
			for _, set := range c.sets {
				add(set)
			}
			missing = false
		}
		add(unit)
		if first && hevcType(unit) == hevcCRA {
			head := len(out) - len(unit)
			out[head] = out[head]&0x81 | hevcBLANLP<<1
		}
	})
	return out
}

func hevcType(unit []byte) byte { return unit[0] >> 1 & 63 }

func isHEVCSet(unit []byte) bool { return hevcType(unit) >= hevcVPS && hevcType(unit) <= hevcPPS }

// randomAccess reports slices of a picture that decoding can begin at.
func randomAccess(kind byte) bool { return kind >= hevcBLAWLP && kind <= hevcCRA }

// leads reports slices of a picture that is shown before the random access picture ahead of it. No
// picture but leading ones refers to it.
func leads(kind byte) bool { return kind >= hevcRADLN && kind <= hevcRASLR }
