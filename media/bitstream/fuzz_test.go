package bitstream

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
)

// A record that was accepted must survive writing and reading, and its sets must merge with
// themselves.
func FuzzParseAVC(f *testing.F) {
	f.Add(unhex(f, avcRecord))
	f.Add([]byte{1, 66, 0, 30, 0xff, 0xe1, 0, 2, 0x67, 1, 1, 0, 1, 0x68})
	f.Fuzz(func(t *testing.T, record []byte) {
		config, err := ParseAVC(record)
		if err != nil {
			return
		}
		again, err := ParseAVC(config.Record())
		config.LengthSize = 4
		if err != nil || !reflect.DeepEqual(again, config) {
			t.Errorf("wrote %+v, read %+v, %v", config, again, err)
		}
		if id := config.FreeID(); id < -1 || id > 31 {
			t.Errorf("the free ID is %d", id)
		}
		if sum, ok := config.Merge(config); ok {
			if _, err := ParseAVC(sum.Record()); err != nil {
				t.Errorf("merged with itself: %v", err)
			}
		}
	})
}

// A packet splits into units that lie within it, and its rewritten form splits into the same ones.
func FuzzAVCPacket(f *testing.F) {
	f.Add(unhex(f, avcRecord), appendUnit(appendUnit(nil, []byte{avcSEI, 0}), []byte{avcIDR, 1, 2}), 4)
	f.Add(unhex(f, avcRecord), []byte{2, avcSlice, 0, 1, avcPPS}, 1)
	f.Add([]byte{}, []byte{0, 0, 1, avcIDR}, 3)
	f.Fuzz(func(t *testing.T, record, packet []byte, lengthSize int) {
		lengthSize = lengthSize&3 + 1
		var units [][]byte
		whole := EachUnit(packet, lengthSize, func(unit []byte) { units = append(units, unit) })

		var again [][]byte
		if rewritten := FourByteLengths(packet, lengthSize); !EachUnit(rewritten, 4, func(unit []byte) {
			again = append(again, unit)
		}) || !slices.EqualFunc(units, again, bytes.Equal) {
			t.Errorf("%d units became %d", len(units), len(again))
		}
		if AVCDisposable(packet, lengthSize) && !whole {
			t.Error("a damaged packet is disposable")
		}
		CleanKeyframes("h264", record)(packet, len(packet))
		CleanKeyframes("hevc", record)(packet, len(packet))
		if config, err := ParseAVC(record); err == nil {
			config.Keyframe(packet)
		}
	})
}

// A record that was accepted must survive writing and reading.
func FuzzParseHEVC(f *testing.F) {
	record := unhex(f, hevcRecord)
	f.Add(record)
	f.Add(slices.Concat(record[:22], []byte{0}))
	f.Fuzz(func(t *testing.T, record []byte) {
		config, err := ParseHEVC(record)
		if err != nil {
			return
		}
		again, err := ParseHEVC(config.Record(1, 8))
		if err != nil || !sameSets(again, config) || !bytes.Equal(again.General, config.General) {
			t.Errorf("wrote %+v, read %+v, %v", config, again, err)
		}
		config.Covering(again)
	})
}

// Rewriting a packet that was accepted keeps its type, except that a first CRA becomes a BLA.
func FuzzHEVCPacket(f *testing.F) {
	config := parseHEVC(f)
	var sets []byte
	for _, set := range config.Sets {
		sets = appendUnit(sets, set)
	}
	f.Add(slices.Concat(hevcUnit(hevcAUD, 0x50), sets, hevcUnit(hevcCRA, 0x80, 0, 0)), true)
	f.Add(hevcUnit(1, 0x80, 0, 0), false)
	f.Add([]byte{0, 0, 0, 1, hevcCRA << 1}, true)
	_, ids, ok := bufferedHEVC(f).Merge(config)
	if !ok {
		f.Fatal("two configurations do not merge")
	}
	f.Fuzz(func(t *testing.T, packet []byte, first bool) {
		kind, ok := config.Picture(packet)
		config.CanStart(packet, kind)
		rewritten, _ := config.Rewrite(packet, HEVCRewrite{First: first, Display: Display{Lit: first}})
		can := config.CanRename(packet)
		if _, ok := config.Rewrite(packet, HEVCRewrite{IDs: ids}); can && !ok {
			t.Error("a packet that can get other IDs got none")
		}
		if _, err := ParseHEVCParameterSets(packet); err == nil && ok {
			t.Log("a picture packet that holds all parameter sets")
		}
		if !ok {
			return
		}
		want := kind
		if first && kind == hevcCRA {
			want = hevcBLANLP
		}
		if got, ok := config.Picture(rewritten); !ok || got != want {
			t.Errorf("type %d became %d, %v", kind, got, ok)
		}
	})
}
