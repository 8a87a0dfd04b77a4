package bitstream

import (
	"bytes"
	"slices"
	"testing"
)

// bufferedRecord and bufferedPackets are 64 x 64 video that libx265 encoded with a buffer model.
// The packets hold messages, and slices of all types.
const bufferedRecord = "0101600000009000000000003cf000fcfdf8f800000f04a00001001840010c01ffff" +
	"0160000003009000000300000300" +
	"3c959009a10001003242010101600000030090000003000003003ca020810596564924caf0168080000003008000000cb0924" +
	"82f00186a0030d440a2000100074401c172b4224027000100064e0181010f80"

var bufferedPackets = []string{
	"0000000c4e010007800278d008ca2080000000074e010102000580000000802801af0658fdfc569ee3ec922e2a21cbc7bb77c3edb745" +
		"c5afebfcf0c2276a05a12ebdd55948f08d3eff4065d312a1c6a22d0e10ebb4519df7a089ca0e91ed48c1c3a8e5bad3b25c" +
		"6214a06b862aa0d1063bbd5da32ceb3e9c206d5c367b9f88b1d683cda4df03739cd16c537d3e271e59c5a4ee2cead0670f" +
		"ef095f09b7bf2d",
	"000000074e0101020009800000000f0201d0195f84460c90e9b9c5fff396",
	"000000074e0101020085800000000a0201e04497e18324e916",
	"000000074e0101020101800000000b0001e024fffa2c1960e916",
	"000000074e0101020185800000000d0201d0209f5f710c060cb0fbce",
}

// hevcHeaderBits are the lengths of the slice headers in bufferedPackets, in bits without the unit
// header, as the trace_headers filter of ffmpeg shows them.
var hevcHeaderBits = []int{20, 51, 45, 50, 67}

func bufferedHEVC(t testing.TB) *HEVCConfig {
	t.Helper()
	config, err := ParseHEVC(unhex(t, bufferedRecord))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// ids returns the IDs of all parameter sets by their type.
func ids(c *HEVCConfig) map[byte][]int {
	all := map[byte][]int{}
	for _, set := range c.Sets {
		id, _ := hevcSetID(set)
		all[hevcType(set)] = append(all[hevcType(set)], id)
	}
	return all
}

func TestMergedHEVCHasAllSetsUnderDifferentIDs(t *testing.T) {
	first, second := parseHEVC(t), bufferedHEVC(t)
	sum, renamed, ok := first.Merge(second)
	if !ok || renamed == nil {
		t.Fatalf("merged %v, %v", sum, ok)
	}
	// Both have the same VPS, but it gets a new ID too.
	for kind, got := range ids(sum) {
		if !slices.Equal(got, []int{0, 1}) {
			t.Errorf("sets of type %d have the IDs %v", kind, got)
		}
	}
	again, none, ok := sum.Merge(first)
	if !ok || none != nil || !sameSets(again, sum) {
		t.Errorf("merged once more: %v, %v, %v", again, none, ok)
	}
	third, _, ok := sum.Merge(&HEVCConfig{General: second.General, LengthSize: 4, Sets: second.Sets})
	if !ok || !slices.Equal(ids(third)[hevcPPS], []int{0, 1, 2}) {
		t.Errorf("a third configuration has the IDs %v, %v", ids(third), ok)
	}
}

// Sets differ from the original ones in their IDs only, so renaming them back restores them.
func TestRenamedHEVCSetsKeepTheirContent(t *testing.T) {
	config := bufferedHEVC(t)
	there := &HEVCIDs{map[int]int{0: 9}, map[int]int{0: 15}, map[int]int{0: 63}, hevcSyntax{}}
	back := &HEVCIDs{map[int]int{9: 0}, map[int]int{15: 0}, map[int]int{63: 0}, hevcSyntax{}}
	for _, set := range config.Sets {
		renamed, ok := there.set(set)
		if !ok || bytes.Equal(renamed, set) {
			t.Fatalf("% x became % x, %v", set, renamed, ok)
		}
		if restored, ok := back.set(renamed); !ok || !bytes.Equal(restored, set) {
			t.Errorf("% x came back as % x, %v", set, restored, ok)
		}
	}
}

func TestRenamedHEVCSlicesKeepTheirContent(t *testing.T) {
	config := bufferedHEVC(t)
	syntax, ok := readHEVCSyntax(config.Sets)
	if !ok {
		t.Fatal("the sets cannot be read")
	}
	there := &HEVCIDs{picture: map[int]int{0: 63}, syntax: syntax}
	syntax.pictures[63] = syntax.pictures[0]
	back := &HEVCIDs{picture: map[int]int{63: 0}, syntax: syntax}
	for i, text := range bufferedPackets {
		packet := unhex(t, text)
		if !config.CanRename(packet) {
			t.Errorf("packet %d cannot get other IDs", i)
		}
		EachUnit(packet, 4, func(unit []byte) {
			if hevcType(unit) >= hevcSlices {
				return
			}
			var h hevcHeader
			if !h.read(unit, syntax) || h.end != hevcHeaderBits[i] {
				t.Errorf("the header of packet %d has %d bits, want %d", i, h.end, hevcHeaderBits[i])
			}
			renamed, ok := there.unit(unit)
			if !ok || bytes.Equal(renamed, unit) || h.setID != 0 {
				t.Fatalf("packet %d became % x, %v", i, renamed, ok)
			}
			if restored, ok := back.unit(renamed); !ok || !bytes.Equal(restored, unit) {
				t.Errorf("% x came back as % x, %v", unit, restored, ok)
			}
		})
	}
}

// Messages that name parameter sets would name others.
func TestRenamedHEVCLosesMessagesThatNameSets(t *testing.T) {
	light := []byte{0x90, 4, 3, 232, 0, 100}
	for name, c := range map[string]struct{ in, want []byte }{
		"buffering period": {[]byte{0, 1, 0x55, 0x80}, nil},
		"active sets":      {[]byte{seiActiveParameters, 2, 1, 2, 0x80}, nil},
		"light level":      {slices.Concat(light, []byte{0x80}), slices.Concat(light, []byte{0x80})},
		"both": {
			slices.Concat([]byte{0, 1, 0x55}, light, []byte{0x80}), slices.Concat(light, []byte{0x80}),
		},
		"truncated": {[]byte{1, 200, 0x80}, nil},
	} {
		head := []byte{hevcSEIPrefix << 1, 1}
		got := withoutIDs(slices.Concat(head, c.in))
		if c.want != nil {
			c.want = slices.Concat(head, c.want)
		}
		if !bytes.Equal(got, c.want) {
			t.Errorf("%s: % x, want % x", name, got, c.want)
		}
	}
}

// Random access pictures state a display, unless they state one already.
func TestRewrittenHEVCStatesItsDisplay(t *testing.T) {
	config := parseHEVC(t)
	d := Display{
		Mastered: true, Colors: [8]uint16{1, 2, 3, 4, 5, 6, 7, 8}, Most: 0x01020304, Least: 9, Lit: true, Peak: 1000,
	}
	mastering := []byte{137, 24, 0, 3, 0, 4, 0, 5, 0, 6, 0, 1, 0, 2, 0, 7, 0, 8, 1, 2, 3, 4, 0, 0, 3, 0, 9}
	light := []byte{144, 4, 3, 0xe8, 0, 0}
	delimiter, picture := hevcUnit(hevcAUD, 0x50), hevcUnit(hevcCRA, 0x80, 0, 0)
	both := hevcUnit(hevcSEIPrefix, slices.Concat(mastering, light, []byte{0x80})...)
	own := hevcUnit(hevcSEIPrefix, 144, 4, 1, 1, 1, 1, 0x80)
	for name, c := range map[string]struct{ in, want []byte }{
		"without": {
			slices.Concat(delimiter, picture),
			slices.Concat(delimiter, both, picture),
		},
		"with light levels": {
			slices.Concat(own, picture),
			slices.Concat(hevcUnit(hevcSEIPrefix, slices.Concat(mastering, []byte{0x80})...), own, picture),
		},
		"other picture": {hevcUnit(1, 0x80, 0, 0), hevcUnit(1, 0x80, 0, 0)},
	} {
		if got, ok := config.Rewrite(c.in, HEVCRewrite{Display: d}); !ok || !bytes.Equal(got, c.want) {
			t.Errorf("%s: % x, %v, want % x", name, got, ok, c.want)
		}
	}
}

// The range extension of a picture parameter set adds a bit to slice headers.
func TestHEVCRangeExtensionIsRead(t *testing.T) {
	config := bufferedHEVC(t)
	extended := func(flags int) hevcSyntax {
		var sets [][]byte
		for _, set := range config.Sets {
			if hevcType(set) == hevcPPS {
				r, w := &bitReader{data: set[2:]}, &bitWriter{}
				w.copy(r, payloadBits(set[2:])-1)
				w.put(1) // pps_extension_present_flag
				w.fixed(flags, 8)
				w.fixed(0b01, 2) // no prediction between components, lists of chroma offsets
				for range 2 {
					w.unsigned(0) // depth of the offsets, entries
				}
				for _, offset := range []int{3, 4, 0, 0} { // of Cb and Cr; scales of adaptive offsets
					w.unsigned(offset)
				}

				w.align()
				set = appendEscaped(slices.Clone(set[:2]), w.data)
			}
			sets = append(sets, set)
		}
		syntax, _ := readHEVCSyntax(sets)
		return syntax
	}
	if p, known := extended(0x80).pictures[0]; !known || !p.chromaLists {
		t.Errorf("read %+v, %v", p, known)
	}
	if p, known := extended(0x90).pictures[0]; known {
		t.Errorf("an extension for screen content reads as %+v", p)
	}

	syntax, _ := readHEVCSyntax(config.Sets)
	ranged := syntax.pictures[0]
	ranged.chromaLists = true
	unit := unhex(t, bufferedPackets[0])
	EachUnit(unit, 4, func(unit []byte) {
		if hevcType(unit) >= hevcSlices {
			return
		}
		h := hevcHeader{picture: ranged, sequence: syntax.sequences[0], r: &bitReader{data: unit[2:]}}
		plain := hevcHeader{picture: syntax.pictures[0], sequence: h.sequence, r: &bitReader{data: unit[2:]}}
		for _, header := range []*hevcHeader{&h, &plain} {
			header.r.fixed(3)
			header.readIndependent(HEVCPicture(hevcType(unit)))
		}
		if got := h.r.bits - plain.r.bits; got != 1 {
			t.Errorf("the header has %d more bits, want 1", got)
		}
	})
}
