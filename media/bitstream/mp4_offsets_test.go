package bitstream

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
)

// mp4Box returns a box.
func mp4Box(kind string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return slices.Concat(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), []byte(kind), body)
}

// words returns numbers of 32 bits.
func words(numbers ...uint32) (out []byte) {
	for _, n := range numbers {
		out = binary.BigEndian.AppendUint32(out, n)
	}
	return out
}

func TestCompositionOffsets(t *testing.T) {
	trak := func(id uint32, tables ...[]byte) []byte {
		return mp4Box("trak", mp4Box("tkhd", words(0, 1, 1, id)),
			mp4Box("mdia", mp4Box("minf", mp4Box("stbl", tables...))))
	}
	sizes := mp4Box("stsz", words(0, 100, 5))
	other := trak(1, mp4Box("stsz", words(0, 1, 9)))
	shifted := mp4Box("ctts", words(0, 2, 2, 512, 3, 0xffffff00))
	for name, c := range map[string]struct {
		file []byte
		want []int32
		ok   bool
	}{
		"offsets": {mp4Box("moov", other, trak(7, sizes, shifted)), []int32{512, 512, -256, -256, -256}, true},
		"late tkhd": {mp4Box("moov", mp4Box("trak", mp4Box("tkhd", words(1<<24, 0, 1, 0, 1, 7)),
			mp4Box("mdia", mp4Box("minf", mp4Box("stbl", sizes))))), nil, true},
		"none":         {slices.Concat(mp4Box("free"), mp4Box("moov", trak(7, sizes))), nil, true},
		"fragments":    {mp4Box("moov", trak(7, sizes), mp4Box("mvex")), nil, false},
		"other count":  {mp4Box("moov", trak(7, mp4Box("stsz", words(0, 100, 6)))), nil, false},
		"no track":     {mp4Box("moov", other), nil, false},
		"no index":     {mp4Box("mdat", make([]byte, 100)), nil, false},
		"empty":        {nil, nil, false},
		"too few":      {mp4Box("moov", trak(7, sizes, mp4Box("ctts", words(0, 1, 4, 512)))), nil, false},
		"too many":     {mp4Box("moov", trak(7, sizes, mp4Box("ctts", words(0, 1, 1<<31, 512)))), nil, false},
		"short table":  {mp4Box("moov", trak(7, sizes, mp4Box("ctts", words(0, 3, 5, 512)))), nil, false},
		"many boxes":   {bytes.Repeat(mp4Box("free"), mostBoxes+1), nil, false},
		"no progress":  {words(0, 0, 1, 0, 0, 0), nil, false},
		"beyond end":   {words(500, 0x6d6f6f76), nil, false},
		"large header": {slices.Concat(words(1, 0x66726565, 0, 16), mp4Box("moov", trak(7, sizes))), nil, true},
	} {
		got, ok := CompositionOffsets(bytes.NewReader(c.file), int64(len(c.file)), 7, 5)
		if !slices.Equal(got, c.want) || ok != c.ok {
			t.Errorf("%s: %v, %t, want %v, %t", name, got, ok, c.want, c.ok)
		}
	}
}

func TestTracks(t *testing.T) {
	trak := func(handler string) []byte {
		return mp4Box("trak", mp4Box("tkhd", words(0, 1, 1, 7)),
			mp4Box("mdia", mp4Box("hdlr", words(0, 0), []byte(handler), words(0, 0, 0))))
	}
	video, audio := trak("vide"), trak("soun")
	for name, c := range map[string]struct {
		file []byte
		want []string
		ok   bool
	}{
		"two":        {slices.Concat(mp4Box("ftyp"), mp4Box("moov", video, audio)), []string{"vide", "soun"}, true},
		"no handler": {mp4Box("moov", mp4Box("trak", mp4Box("mdia")), audio), []string{"soun"}, true},
		"fragments":  {mp4Box("moov", audio, mp4Box("mvex")), []string{"soun"}, false},
		"short":      {mp4Box("moov", audio, mp4Box("trak", mp4Box("mdia", mp4Box("hdlr")))), []string{"soun"}, false},
		"no index":   {mp4Box("mdat", make([]byte, 100)), nil, false},
	} {
		tracks, ok := Tracks(bytes.NewReader(c.file), int64(len(c.file)))
		var handlers []string
		for _, track := range tracks {
			handlers = append(handlers, track.Handler)
			if kind := string(c.file[track.KindAt:][:4]); kind != "trak" {
				t.Errorf("%s: %q is where a track should be", name, kind)
			}
		}
		if !slices.Equal(handlers, c.want) || ok != c.ok {
			t.Errorf("%s: %q, %t, want %q, %t", name, handlers, ok, c.want, c.ok)
		}
	}
}
