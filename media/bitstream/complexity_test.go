package bitstream

import (
	"math"
	"testing"
)

// Video of 32 x 32 pixels that libx264 encoded with a constant quantization of 30: the
// configuration record, a slice that refers to others with weights, and a B slice.
const (
	tinyRecord = "0164000affe100176764000aace425b0110000030001000003000a0f12251201000668ebe112c8b0fdf8f800"
	tinyP      = "419a29b1ffc2b36668d217ada37da18efbae18469bff81d616ff81698356fd4d0e32c21d1b0546acc337f5319faa0c134f" +
		"fc085744de85af628167f50b77"
	tinyB = "019e45e7fffec4a1b6612ffa33e7becc5eeb86427fb135ef637cd9529bbe331fb8f1007c864954aa293b0397cd29d307d081"
)

func TestComplexity(t *testing.T) {
	p, b := unhex(t, tinyP), unhex(t, tinyB)
	filler := append([]byte{12}, make([]byte, 500)...)
	record := unhex(t, tinyRecord)
	config, err := ParseAVC(record)
	if err != nil {
		t.Fatal(err)
	}
	scale := math.Exp2((30.0 - 26) / 6)
	for name, c := range map[string]struct {
		record, packet []byte
		want           float64
	}{
		"P":           {record, appendUnit(nil, p), 62 * scale},
		"B":           {record, appendUnit(nil, b), 50 * scale},
		"two slices":  {record, appendUnit(appendUnit(nil, p), b), 112 * scale},
		"with filler": {record, appendUnit(appendUnit(nil, b), filler), 50 * scale},
		"with sets":   {record, appendUnit(appendUnit(appendUnit(nil, config.SPS[0]), config.PPS[0]), b), 50 * scale},
		// Without a header the usual quantization counts.
		"a damaged slice": {record, appendUnit(nil, []byte{avcSlice, 0, 0, 0}), 4},
		"no record":       {nil, appendUnit(nil, b), 54},
		"nothing":         {record, nil, 0},
	} {
		if got := Complexity(c.record)(c.packet); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %.2f, want %.2f", name, got, c.want)
		}
	}
}

// Damaged and hostile packets have a finite complexity and end soon.
func FuzzComplexity(f *testing.F) {
	record := unhex(f, tinyRecord)
	for _, unit := range []string{tinyP, tinyB} {
		f.Add(record, appendUnit(nil, unhex(f, unit)))
	}
	f.Add(unhex(f, avcRecord), appendUnit(nil, []byte{avcSPS, 100, 0, 31, 0xff, 0xff}))
	f.Fuzz(func(t *testing.T, record, packet []byte) {
		of := Complexity(record)
		for range 2 { // the second time, with the parameter sets of the packet
			if got := of(packet); got < 0 || got > 20*float64(len(packet)) {
				t.Errorf("the complexity of %d bytes is %g", len(packet), got)
			}
		}
	})
}

// The reader skips emulation prevention bytes and ends with the data.
func TestBitReader(t *testing.T) {
	r := &bitReader{data: []byte{0b10100110, 0, 0, 3, 0xff}}
	if a, b, c := r.unsigned(), r.unsigned(), r.signed(); a != 0 || b != 1 || c != -1 {
		t.Errorf("got %d, %d, %d", a, b, c)
	}
	r = &bitReader{data: []byte{0, 0, 3, 0xff}}
	if got := r.fixed(24); got != 0xff || r.ended {
		t.Errorf("got %#x, ended %v", got, r.ended)
	}
	if r.flag() || !r.ended {
		t.Error("the data has no end")
	}
}
