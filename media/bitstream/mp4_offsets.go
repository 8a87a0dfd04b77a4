package bitstream

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
)

// mostBoxes is the number of boxes that are looked through for the tables of a track.
const mostBoxes = 10_000

// CompositionOffsets returns how much later than it is decoded each sample of a track is shown, in
// the time base of the track (ISO/IEC 14496-12, 8.6.1.3). It returns nil if the track has no such
// table. file is an MP4 or MOV of size bytes. ok is false if the file is fragmented, if it is
// damaged, and if the tables have another number of samples than the given one.
func CompositionOffsets(file io.ReaderAt, size int64, track uint32, samples int) (offsets []int32, ok bool) {
	b := &boxReader{file: file}
	moov, found := b.find(box{to: size}, "moov")
	if !found {
		return nil, false
	}
	table, count, fragmented := box{}, int64(-1), false
	b.each(moov, func(kind string, body box) bool {
		fragmented = fragmented || kind == "mvex"
		if kind != "trak" || count >= 0 || b.trackID(body) != track {
			return true
		}
		stbl := body
		for _, kind := range []string{"mdia", "minf", "stbl"} {
			if stbl, found = b.find(stbl, kind); !found {
				return true
			}
		}

		b.each(stbl, func(kind string, body box) bool {
			switch kind {
			case "stsz", "stz2":
				count = int64(b.number(body, 8))
			case "ctts":
				table = body
			}

			return true
		})
		return true
	})
	if b.failed || fragmented || count != int64(samples) {
		return nil, false
	}
	if table == (box{}) {
		return nil, true
	}
	return b.offsets(table, samples)
}

// Track is where an MP4 or MOV describes a track.
type Track struct {
	KindAt  int64  // offset in the file of the four letters that name the box
	Handler string // "vide" for video, "soun" for audio (ISO/IEC 14496-12, 8.4.3)
}

// Tracks returns the tracks of an MP4 or MOV of size bytes. ok is false if the file is fragmented
// or damaged.
func Tracks(file io.ReaderAt, size int64) (tracks []Track, ok bool) {
	b := &boxReader{file: file}
	moov, found := b.find(box{to: size}, "moov")
	if !found {
		return nil, false
	}
	fragmented := false
	b.each(moov, func(kind string, body box) bool {
		fragmented = fragmented || kind == "mvex"
		if kind != "trak" {
			return true
		}
		if mdia, found := b.find(body, "mdia"); found {
			if hdlr, found := b.find(mdia, "hdlr"); found {
				handler := binary.BigEndian.AppendUint32(nil, b.number(hdlr, 8))
				if !b.failed {
					tracks = append(tracks, Track{body.kindAt, string(handler)})
				}
			}
		}

		return true
	})
	return tracks, !b.failed && !fragmented
}

// box is the body of a box, or a whole file: the bytes [from, to). kindAt is the offset of the name
// of the box.
type box struct{ from, to, kindAt int64 }

// boxReader reads the boxes of a file.
type boxReader struct {
	file   io.ReaderAt
	boxes  int
	failed bool // the file is damaged, or has too many boxes
}

// each calls visit with the boxes in a body until visit returns false.
func (b *boxReader) each(in box, visit func(kind string, body box) bool) {
	const short, long = 8, 16 // bytes of a header
	for at := in.from; in.to-at >= short && !b.failed; {
		var head [long]byte
		n, err := b.file.ReadAt(head[:min(long, in.to-at)], at)
		if b.boxes++; n < short || (err != nil && err != io.EOF) || b.boxes > mostBoxes {
			b.failed = true
			return
		}

		length, header := int64(binary.BigEndian.Uint32(head[:])), int64(short)
		switch length {
		case 0:
			length = in.to - at
		case 1:
			large := binary.BigEndian.Uint64(head[short:])
			length, header = int64(min(large, math.MaxInt64)), long
		}

		if length < header || length > in.to-at {
			b.failed = true
			return
		}

		if !visit(string(head[4:short]), box{at + header, at + length, at + 4}) {
			return
		}
		at += length
	}
}

// find returns the first box of a kind in a body.
func (b *boxReader) find(in box, kind string) (body box, found bool) {
	b.each(in, func(k string, inner box) bool {
		if k == kind {
			body, found = inner, true
		}
		return !found
	})
	return body, found
}

// number returns the number of 32 bits at an offset of a body.
func (b *boxReader) number(in box, offset int64) uint32 {
	var bytes [4]byte
	if in.from+offset+4 > in.to {
		b.failed = true
	} else if _, err := b.file.ReadAt(bytes[:], in.from+offset); err != nil {
		b.failed = true
	}

	return binary.BigEndian.Uint32(bytes[:])
}

// trackID returns the number of a track.
func (b *boxReader) trackID(trak box) uint32 {
	head, found := b.find(trak, "tkhd")
	if !found {
		return 0
	}
	if b.number(head, 0)>>24 == 1 { // times of 64 bits
		return b.number(head, 20)
	}
	return b.number(head, 12)
}

// offsets reads the body of a ctts box, which must describe the given number of samples. Version 0
// has unsigned numbers, but writers use negative ones too.
func (b *boxReader) offsets(table box, samples int) (offsets []int32, ok bool) {
	const header, run = 8, 8
	runs := int64(b.number(table, 4))
	if b.failed || runs*run > table.to-table.from-header {
		return nil, false
	}
	read := bufio.NewReaderSize(io.NewSectionReader(b.file, table.from+header, runs*run), 1<<16)
	offsets = make([]int32, 0, samples)
	for range runs {
		var entry [run]byte
		if _, err := io.ReadFull(read, entry[:]); err != nil {
			return nil, false
		}
		count, offset := int64(binary.BigEndian.Uint32(entry[:])), int32(binary.BigEndian.Uint32(entry[4:]))
		if count > int64(samples-len(offsets)) {
			return nil, false
		}
		for range count {
			offsets = append(offsets, offset)
		}
	}

	if len(offsets) != samples {
		return nil, false
	}
	return offsets, true
}
