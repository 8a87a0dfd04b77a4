package bitstream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sync"
)

// Types of HEVC NAL units, as in ITU-T H.265, table 7-1.
const (
	hevcRADLN  = 6  // first type of leading pictures, which are shown before their random access picture
	hevcRASLR  = 9  // last type of leading pictures
	hevcBLAWLP = 16 // first type of random access pictures
	hevcBLANLP = 18
	hevcIDRNLP = 20
	hevcCRA    = 21 // last type of random access pictures
	hevcSlices = 32 // types below hold slices of pictures
	hevcVPS    = 32
	hevcSPS    = 33
	hevcPPS    = 34
	hevcAUD    = 35
	hevcEOS    = 36
	hevcEOB    = 37
)

// Values of general_profile_idc, ITU-T H.265, A.3.
const (
	hevcMain   = 1
	hevcMain10 = 2
	hevcRanges = 4 // format range extensions, such as 4:2:2
)

// ErrHEVC is a decoder configuration of HEVC that is damaged, incomplete or of another profile than
// Main, Main 10 and the format range extensions.
var ErrHEVC = errors.New("invalid HEVC parameter sets")

// hevcProfileBytes is the length of the fields general_profile_space to general_level_idc.
const hevcProfileBytes = 12

// HEVCConfig is what a decoder of HEVC needs before the first packet: the
// HEVCDecoderConfigurationRecord of ISO/IEC 14496-15, 8.3.3.
type HEVCConfig struct {
	General    []byte   // profile, compatibility, constraints and level, as in ITU-T H.265, 7.3.3
	LengthSize int      // bytes of the length before each NAL unit in a packet
	Sets       [][]byte // parameter sets, VPS before SPS before PPS

	// What slices depend on, for CanRename.
	readSyntax sync.Once
	syntax     hevcSyntax
	readable   bool
}

// ParseHEVC reads a configuration record. Errors: ErrHEVC.
func ParseHEVC(record []byte) (*HEVCConfig, error) {
	if len(record) < 23 || record[0] != 1 {
		return nil, ErrHEVC
	}
	c := &HEVCConfig{General: slices.Clone(record[1 : 1+hevcProfileBytes]), LengthSize: int(record[21]&3) + 1}
	if !hevcSets(record, c.addSet) {
		return nil, ErrHEVC
	}
	if err := c.normalize(); err != nil {
		return nil, err
	}
	return c, nil
}

// hevcSets calls each with the parameter sets of a configuration record, up to the first that is
// cut off. It reports whether none is.
func hevcSets(record []byte, each func(unit []byte)) bool {
	if len(record) < 23 {
		return false
	}
	rest := record[23:]
	for range record[22] {
		if len(rest) < 3 {
			return false
		}
		count := binary.BigEndian.Uint16(rest[1:])
		rest = rest[3:]
		for range count {
			if len(rest) < 2 || len(rest)-2 < int(binary.BigEndian.Uint16(rest)) {
				return false
			}
			end := 2 + int(binary.BigEndian.Uint16(rest))
			each(rest[2:end])
			rest = rest[end:]
		}
	}

	return true
}

// ParseHEVCParameterSets reads parameter sets with four-byte lengths, as an encoder hands them out.
// Errors: ErrHEVC.
func ParseHEVCParameterSets(packet []byte) (*HEVCConfig, error) {
	c := &HEVCConfig{LengthSize: 4}
	if !EachUnit(packet, c.LengthSize, c.addSet) {
		return nil, ErrHEVC
	}
	for _, set := range c.Sets {
		// The profile follows the unit header and a byte with the VPS ID and the number of layers.
		plain := bytes.ReplaceAll(set, []byte{0, 0, 3}, []byte{0, 0})
		if hevcType(set) == hevcSPS && len(plain) >= 3+hevcProfileBytes {
			c.General = plain[3 : 3+hevcProfileBytes]
		}
	}

	if err := c.normalize(); err != nil {
		return nil, err
	}
	return c, nil
}

// addSet adds a copy of a parameter set and ignores other units.
func (c *HEVCConfig) addSet(unit []byte) {
	if len(unit) > 2 && isHEVCSet(unit) {
		c.Sets = append(c.Sets, slices.Clone(unit))
	}
}

// normalize sorts the parameter sets. It refuses a configuration that lacks a kind of parameter
// set, holds more of a kind than a record can store, or has a profile that ErrHEVC does not list.
func (c *HEVCConfig) normalize() error {
	for _, kind := range []byte{hevcVPS, hevcSPS, hevcPPS} {
		if n := len(c.setsOf(kind)); n == 0 || n > math.MaxUint16 {
			return ErrHEVC
		}
	}

	profiles := []byte{hevcMain, hevcMain10, hevcRanges}
	if len(c.General) < hevcProfileBytes || !slices.Contains(profiles, c.General[0]&31) {
		return ErrHEVC
	}
	slices.SortStableFunc(c.Sets, func(a, b []byte) int { return int(hevcType(a)) - int(hevcType(b)) })
	return nil
}

func (c *HEVCConfig) setsOf(kind byte) (sets [][]byte) {
	for _, set := range c.Sets {
		if hevcType(set) == kind {
			sets = append(sets, set)
		}
	}

	return sets
}

// Record returns the configuration as a record for video of a chroma format, as in Frames, and of
// bitDepth bits (8 or 10), whose packets have four-byte lengths and no parameter sets.
func (c *HEVCConfig) Record(chroma, bitDepth int) []byte {
	deeper := byte(bitDepth - 8)
	out := append([]byte{1}, c.General...)
	// No minimum spatial segmentation, parallelism type or frame rate; chroma format; bit depth of
	// luma and chroma; number of temporal layers unknown; four-byte lengths.
	out = append(out, 0xf0, 0, 0xfc, 0xfc|byte(chroma), 0xf8|deeper, 0xf8|deeper, 0, 0, 3)
	out = append(out, 3) // arrays, each of them complete
	for _, kind := range []byte{hevcVPS, hevcSPS, hevcPPS} {
		sets := c.setsOf(kind)
		out = append(out, 0x80|kind)
		out = binary.BigEndian.AppendUint16(out, uint16(len(sets)))
		for _, set := range sets {
			out = binary.BigEndian.AppendUint16(out, uint16(len(set)))
			out = append(out, set...)
		}
	}

	return out
}

// Covering returns the configuration with the profile and level raised so that they also cover
// other. The result keeps the parameter sets of c.
func (c *HEVCConfig) Covering(other *HEVCConfig) *HEVCConfig {
	const tierFlag = 0x20
	general, level := slices.Clone(c.General), hevcProfileBytes-1
	general[0] = max(c.General[0]&31, other.General[0]&31) | (c.General[0]|other.General[0])&tierFlag
	for i := 1; i < level; i++ {
		general[i] &= other.General[i]
	}
	general[level] = max(c.General[level], other.General[level])
	return &HEVCConfig{General: general, LengthSize: c.LengthSize, Sets: c.Sets}
}

// HEVCPicture is the NAL unit type of a picture's slices.
type HEVCPicture byte

// RandomAccess reports a picture that decoding can start at.
func (p HEVCPicture) RandomAccess() bool { return p >= hevcBLAWLP && p <= hevcCRA }

// Leading reports a picture that is shown before the random access picture ahead of it in the file.
// Only leading pictures refer to a leading picture.
func (p HEVCPicture) Leading() bool { return p >= hevcRADLN && p <= hevcRASLR }

// Picture returns the type of the picture in a packet. ok is false if the packet is damaged, brings
// parameter sets that the configuration does not hold, ends a sequence, or holds more than one
// layer.
func (c *HEVCConfig) Picture(packet []byte) (kind HEVCPicture, ok bool) {
	kind, ok = hevcSlices, true
	whole := EachUnit(packet, c.LengthSize, func(unit []byte) {
		this := hevcType(unit)
		switch {
		case len(unit) < 3 || unit[0]&1 != 0 || unit[1]>>3 != 0 || this == hevcEOS || this == hevcEOB:
			ok = false
		case isHEVCSet(unit):
			ok = ok && c.holds(unit)
		case this < hevcSlices:
			picture := HEVCPicture(this)
			ok = ok && (kind == hevcSlices || kind == picture)
			kind = picture
		}
	})
	return kind, whole && ok && kind < hevcSlices
}

// CanStart reports whether a copy can start at a packet whose picture is of a type. The picture
// must be a random access picture, and it must not discard earlier pictures that are still to be
// shown: no_output_of_prior_pics_flag, the second bit of a slice, is 0.
func (c *HEVCConfig) CanStart(packet []byte, kind HEVCPicture) bool {
	start := kind.RandomAccess()
	EachUnit(packet, c.LengthSize, func(unit []byte) {
		if hevcType(unit) < hevcSlices {
			start = start && len(unit) > 2 && unit[2]&0x40 == 0
		}
	})
	return start
}

// HEVCRewrite says how a packet changes for another file.
type HEVCRewrite struct {
	IDs     *HEVCIDs // of parameter sets, nil if they stay
	Display Display  // that random access pictures state unless they state another one
	// First says that the packet starts a copy, so the pictures that it may refer to are missing. A
	// CRA picture then becomes a BLA picture, which has the same syntax and signals this (ITU-T
	// H.265, 7.4.2.2).
	First bool
}

// Rewrite returns a packet for another file, with four-byte lengths and without parameter sets. ok
// is false if a slice cannot get the new IDs.
func (c *HEVCConfig) Rewrite(packet []byte, how HEVCRewrite) (out []byte, ok bool) {
	ok = true
	kind, _ := c.Picture(packet)
	stated := !kind.RandomAccess() || how.Display == (Display{})
	EachUnit(packet, c.LengthSize, func(unit []byte) {
		if isHEVCSet(unit) {
			return
		}
		if how.IDs != nil {
			var renamed bool
			unit, renamed = how.IDs.unit(unit)
			if ok = ok && renamed; len(unit) == 0 {
				return
			}
		}

		if !stated && hevcType(unit) != hevcAUD {
			if messages := how.Display.messages(c.messageTypes(packet)); messages != nil {
				out = appendUnit(out, messages)
			}
			stated = true
		}

		out = appendUnit(out, unit)
		if how.First && hevcType(unit) == hevcCRA {
			head := len(out) - len(unit)
			out[head] = out[head]&0x81 | hevcBLANLP<<1
		}
	})
	return out, ok
}

func hevcType(unit []byte) byte { return unit[0] >> 1 & 63 }

func isHEVCSet(unit []byte) bool { return hevcType(unit) >= hevcVPS && hevcType(unit) <= hevcPPS }
