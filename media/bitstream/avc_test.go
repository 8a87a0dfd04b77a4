package bitstream

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"slices"
	"testing"
)

// avcRecord is the configuration record of 320 x 180 video that libx264 encoded.
const avcRecord = "0164000dffe1001a6764000dacd941419f9f0110000003001000000303c0f142996001000668ebe3cb22c0fdf8f800"

func TestAVCRecordReadsBackAsWritten(t *testing.T) {
	record := unhex(t, avcRecord)
	if got := parseAVC(t).Record(); !bytes.Equal(got, record) {
		t.Errorf("got % x", got)
	}
}

func TestTruncatedAVCRecordIsRefused(t *testing.T) {
	record, config := unhex(t, avcRecord), parseAVC(t)
	for n := range record {
		if short, err := ParseAVC(record[:n]); err == nil && !reflect.DeepEqual(short, config) {
			t.Errorf("the first %d bytes were accepted", n)
		}
	}
}

func TestAVCMergeKeepsSetsApart(t *testing.T) {
	one := parseAVC(t)
	if sum, ok := one.Merge(one); !ok || len(sum.SPS) != 1 || len(sum.PPS) != 1 {
		t.Errorf("with itself: %+v, %v", sum, ok)
	}

	other := parseAVC(t)
	other.SPS[0] = slices.Clone(other.SPS[0])
	other.SPS[0][len(other.SPS[0])-1] ^= 1
	if _, ok := one.Merge(other); ok {
		t.Error("two different sets with one ID were merged")
	}

	other.SPS[0][4] = 0b01000000 // ID 1
	other.PPS[0] = []byte{avcPPS, 0b01000000}
	sum, ok := one.Merge(other)
	if !ok || len(sum.SPS) != 2 || len(sum.PPS) != 2 {
		t.Fatalf("got %+v, %v", sum, ok)
	}
	if id := sum.FreeID(); id != 2 {
		t.Errorf("the free ID is %d", id)
	}
}

func TestAVCKeyframe(t *testing.T) {
	config := parseAVC(t)
	idr, point := []byte{3<<5 | avcIDR, 1}, []byte{3<<5 | avcSlice, 1}
	for name, p := range map[string]struct {
		packet  []byte
		idr, ok bool
	}{
		"IDR":            {appendUnit(nil, idr), true, true},
		"recovery point": {appendUnit(appendUnit(nil, []byte{avcSEI, 6}), point), false, true},
		"known sets":     {appendUnit(appendUnit(nil, config.SPS[0]), idr), true, true},
		"unknown sets":   {appendUnit(appendUnit(nil, []byte{avcPPS, 1}), idr), true, false},
		"truncated":      {appendUnit(nil, idr)[:5], false, false},
	} {
		if idr, ok := config.Keyframe(p.packet); ok != p.ok || (ok && idr != p.idr) {
			t.Errorf("%s: %v, %v", name, idr, ok)
		}
	}
}

func TestAVCDisposable(t *testing.T) {
	free, referred := []byte{avcSlice, 1}, []byte{2<<5 | avcSlice, 1}
	for name, p := range map[string]struct {
		packet     []byte
		disposable bool
	}{
		"unreferenced slice":     {appendUnit(nil, free), true},
		"with SEI":               {appendUnit(appendUnit(nil, []byte{avcSEI, 1}), free), true},
		"referenced slice":       {appendUnit(nil, referred), false},
		"one of two referenced":  {appendUnit(appendUnit(nil, free), referred), false},
		"with parameter sets":    {appendUnit(appendUnit(nil, []byte{avcPPS, 1}), free), false},
		"no picture":             {appendUnit(nil, []byte{avcDelimiter, 1}), false},
		"truncated after a unit": {append(appendUnit(nil, free), 0), false},
		"empty":                  {nil, false},
	} {
		if got := AVCDisposable(p.packet, 4); got != p.disposable {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestExpGolomb(t *testing.T) {
	for _, c := range []struct {
		bits []byte
		want int
	}{
		{[]byte{0b10000000}, 0},
		{[]byte{0b01000000}, 1},
		{[]byte{0b01100000}, 2},
		{[]byte{0b00100000}, 3},
		{[]byte{0b00000000, 0b11111111}, -1},    // cut off
		{[]byte{0, 0, 0, 0xff, 0xff, 0xff}, -1}, // longer than any ID
		{nil, -1},
	} {
		if got := expGolomb(c.bits); got != c.want {
			t.Errorf("%08b: %d, want %d", c.bits, got, c.want)
		}
	}
}

func TestFourByteLengths(t *testing.T) {
	packet := []byte{0, 2, 7, 8, 0, 1, 9}
	if got, want := FourByteLengths(packet, 2), []byte{0, 0, 0, 2, 7, 8, 0, 0, 0, 1, 9}; !bytes.Equal(got, want) {
		t.Errorf("got % x", got)
	}
}

func TestCleanKeyframes(t *testing.T) {
	avc, hevc := unhex(t, avcRecord), unhex(t, hevcRecord)
	for name, c := range map[string]struct {
		codec  string
		extra  []byte
		packet []byte
		clean  bool
	}{
		"H.264 IDR": {"h264", avc, appendUnit(nil, []byte{avcIDR}), true},
		"H.264 IDR after SEI": {
			"h264", avc, append(appendUnit(nil, []byte{avcSEI, 0}), 0, 0, 0, 1, avcIDR), true,
		},
		"H.264 recovery point":        {"h264", avc, appendUnit(nil, []byte{avcSlice}), false},
		"H.264 with start codes":      {"h264", nil, []byte{0, 0, 0, 1, avcSEI, 2, 0, 0, 1, avcIDR}, true},
		"H.264 start codes, no IDR":   {"h264", nil, []byte{0, 0, 1, avcSlice, 9}, false},
		"H.264 length beyond the end": {"h264", avc, []byte{0, 0, 0, 9, avcIDR}, false},
		"HEVC IDR":                    {"hevc", hevc, hevcUnit(hevcIDRNLP), true},
		"HEVC CRA":                    {"hevc", hevc, hevcUnit(hevcCRA), false},
		"VP9":                         {"vp9", nil, []byte{1}, true},
	} {
		if got := CleanKeyframes(c.codec, c.extra)(c.packet, len(c.packet)); got != c.clean {
			t.Errorf("%s: %v", name, got)
		}
	}
	idr := append(appendUnit(nil, []byte{avcSEI, 0}), 0, 0, 0, 9, avcIDR)
	for whole, clean := range map[int]bool{len(idr) + 8: true, len(idr) + 7: false} {
		if got := CleanKeyframes("h264", avc)(idr, whole); got != clean {
			t.Errorf("the first bytes of %d: %v", whole, got)
		}
	}
}

func parseAVC(t testing.TB) AVCConfig {
	t.Helper()
	config, err := ParseAVC(unhex(t, avcRecord))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	data, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
