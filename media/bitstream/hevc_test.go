package bitstream

import (
	"bytes"
	"slices"
	"testing"
)

// hevcRecord is the configuration record of 320 x 180 video that libx265 encoded.
const hevcRecord = "0101600000009000000000003cf000fcfdf8f800000f03a00001001840010c01ffff0160000003009000000300000300" +
	"3c959409a10001002b42010101600000030090000003000003003ca00a080b9f796565924caf01680800000300080000" +
	"0300f040a2000100074401c172b46240"

func TestHEVCRecordReadsBackAsWritten(t *testing.T) {
	config := parseHEVC(t)
	for _, depth := range []int{8, 10} {
		again, err := ParseHEVC(config.Record(1, depth))
		if err != nil || !sameSets(again, config) || !bytes.Equal(again.General, config.General) ||
			again.LengthSize != 4 {
			t.Errorf("%d bits: the record reads as %+v, %v", depth, again, err)
		}
	}
	bare := append(config.Record(1, 8)[:22], 0)
	if _, err := ParseHEVC(bare); err == nil {
		t.Error("a record without parameter sets was accepted")
	}
}

func TestHEVCParameterSetsOfEncoderReadAsRecord(t *testing.T) {
	config := parseHEVC(t)
	var packet []byte
	for _, set := range config.Sets {
		packet = appendUnit(packet, set)
	}
	got, err := ParseHEVCParameterSets(packet)
	if err != nil || !sameSets(got, config) || !bytes.Equal(got.General, config.General) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := ParseHEVCParameterSets(packet[:len(packet)-1]); err == nil {
		t.Error("truncated parameter sets were accepted")
	}
}

func TestTruncatedHEVCRecordIsRefused(t *testing.T) {
	record, config := unhex(t, hevcRecord), parseHEVC(t)
	for n := range record {
		short, err := ParseHEVC(record[:n])
		if err == nil && !sameSets(short, config) {
			t.Errorf("the first %d bytes were accepted", n)
		}
	}
	for i := range record {
		changed := slices.Clone(record)
		changed[i] ^= 0xff
		_, _ = ParseHEVC(changed) // must not panic
	}
}

func TestHEVCRecordOfAnotherProfileIsRefused(t *testing.T) {
	record := unhex(t, hevcRecord)
	record[1] = record[1]&^31 | 9 // screen content coding
	if _, err := ParseHEVC(record); err == nil {
		t.Error("accepted")
	}
}

func TestHEVCPictureRefusesUnsafePackets(t *testing.T) {
	config := parseHEVC(t)
	slice := hevcUnit(hevcCRA, 0x80, 0, 0)
	for name, p := range map[string]struct {
		packet []byte
		ok     bool
	}{
		"one slice":            {slice, true},
		"two slices":           {slices.Concat(slice, slice), true},
		"known sets":           {slices.Concat(appendUnit(nil, config.Sets[0]), slice), true},
		"empty packet":         {nil, false},
		"no slice":             {hevcUnit(39, 1, 2, 3), false},
		"truncated unit":       {slice[:len(slice)-1], false},
		"truncated length":     {slices.Concat(slice, []byte{0, 0}), false},
		"one-byte unit":        {[]byte{0, 0, 0, 1, hevcCRA << 1}, false},
		"empty unit":           {[]byte{0, 0, 0, 0}, false},
		"second layer":         {slices.Concat(slice, []byte{0, 0, 0, 4, hevcCRA << 1, 1 << 3, 0x80, 0}), false},
		"end of sequence":      {slices.Concat(slice, hevcUnit(hevcEOS, 0)), false},
		"unknown sets":         {slices.Concat(hevcUnit(hevcPPS, 1, 2, 3), slice), false},
		"slices of two types":  {slices.Concat(slice, hevcUnit(1, 0, 0, 0)), false},
		"slices of two layers": {slices.Concat(slice, []byte{0, 0, 0, 4, hevcCRA<<1 | 1, 1, 0x80, 0}), false},
	} {
		if kind, ok := config.Picture(p.packet); ok != p.ok || (ok && kind != hevcCRA) {
			t.Errorf("%s: type %d, %v", name, kind, ok)
		}
	}
}

func TestHEVCCopyStartsWhereNoEarlierPictureIsLost(t *testing.T) {
	config := parseHEVC(t)
	for name, p := range map[string]struct {
		packet []byte
		kind   HEVCPicture
		start  bool
	}{
		"CRA":                              {hevcUnit(hevcCRA, 0x80, 0, 0), hevcCRA, true},
		"CRA that discards prior pictures": {hevcUnit(hevcCRA, 0xc0, 0, 0), hevcCRA, false},
		"trailing picture":                 {hevcUnit(1, 0x80, 0, 0), 1, false},
		"unit of one byte":                 {[]byte{0, 0, 0, 1, hevcCRA << 1}, hevcCRA, false},
	} {
		if got := config.CanStart(p.packet, p.kind); got != p.start {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRewrittenHEVCPacketCanStartACopy(t *testing.T) {
	config := parseHEVC(t)
	delimiter, slice := hevcUnit(hevcAUD, 0x50), hevcUnit(hevcCRA, 0x80, 0, 0)
	var sets []byte
	for _, set := range config.Sets {
		sets = appendUnit(sets, set)
	}
	got, ok := config.Rewrite(slices.Concat(delimiter, sets, slice), HEVCRewrite{})
	if want := slices.Concat(delimiter, slice); !ok || !bytes.Equal(got, want) {
		t.Errorf("% x, %v", got, ok)
	}
	got, ok = config.Rewrite(slices.Concat(delimiter, slice), HEVCRewrite{First: true})
	if want := slices.Concat(delimiter, hevcUnit(hevcBLANLP, 0x80, 0, 0)); !ok || !bytes.Equal(got, want) {
		t.Errorf("as the start of a copy: % x, %v", got, ok)
	}
}

func TestHEVCCoveringTakesTheHigherLevel(t *testing.T) {
	low, high := parseHEVC(t), parseHEVC(t)
	high.General[0], high.General[hevcProfileBytes-1] = hevcMain10|0x20, 120
	if got := low.Covering(high).General; got[0] != hevcMain10|0x20 || got[hevcProfileBytes-1] != 120 {
		t.Errorf("got % x", got)
	}
}

// sameSets reports whether two configurations hold the same parameter sets.
func sameSets(a, b *HEVCConfig) bool { return slices.EqualFunc(a.Sets, b.Sets, bytes.Equal) }

func parseHEVC(t testing.TB) *HEVCConfig {
	t.Helper()
	config, err := ParseHEVC(unhex(t, hevcRecord))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// hevcUnit returns a unit of the base layer with its four-byte length.
func hevcUnit(kind byte, payload ...byte) []byte {
	return appendUnit(nil, append([]byte{kind << 1, 1}, payload...))
}
