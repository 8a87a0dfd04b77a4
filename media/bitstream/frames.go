package bitstream

import "bytes"

// Frames describes the frames that a decoder holds, as the sequence parameter sets of a recording
// demand them.
type Frames struct {
	Width, Height int
	References    int // frames that are kept for reference or for their order, at most 16
	Chroma        int // chroma_format_idc: 0 none, 1 4:2:0, 2 4:2:2, 3 4:4:4
	BitDepth      int
}

// Bytes returns the size of one frame.
func (f Frames) Bytes() int64 {
	size := int64(f.Width) * int64(f.Height)
	switch f.Chroma {
	case 1:
		size += size / 2
	case 2, 3:
		size *= int64(f.Chroma)
	}

	if f.BitDepth > 8 {
		size *= 2
	}
	return size
}

// larger returns the frames that take more memory.
func (f Frames) larger(other Frames) Frames {
	if other.Bytes()*int64(1+other.References) > f.Bytes()*int64(1+f.References) {
		return other
	}
	return f
}

// Frames returns the largest frames of the parameter sets. ok is false if none can be read.
func (c AVCConfig) Frames() (frames Frames, ok bool) {
	for _, unit := range c.SPS {
		if len(unit) < 2 {
			continue
		}
		r := &bitReader{data: unit[1:]}
		if _, s := readAVCSequence(r); !r.ended {
			frames, ok = frames.larger(s.frames), true
		}
	}

	return frames, ok
}

// HEVCFrames returns the largest frames of the parameter sets in a configuration record of any
// profile: see HEVCConfig. ok is false if none can be read.
func HEVCFrames(record []byte) (frames Frames, ok bool) {
	hevcSets(record, func(unit []byte) {
		if len(unit) <= 2 || hevcType(unit) != hevcSPS {
			return
		}
		if f, whole := readHEVCSequence(&bitReader{data: unit[2:]}); whole {
			frames, ok = frames.larger(f), true
		}
	})
	return frames, ok
}

// FramesInBand returns the largest frames of the sequence parameter sets in a packet of H.264 or
// HEVC: codec is h264 or hevc. A length of lengthSize bytes precedes each unit of the packet; with
// 0, units follow the start code 0 0 1. ok is false if the packet has none.
func FramesInBand(codec string, packet []byte, lengthSize int) (frames Frames, ok bool) {
	read := func(unit []byte) {
		var found AVCConfig
		switch {
		case codec == "hevc" && len(unit) > 2 && hevcType(unit) == hevcSPS:
			if f, whole := readHEVCSequence(&bitReader{data: unit[2:]}); whole {
				frames, ok = frames.larger(f), true
			}
			return
		case codec == "h264" && len(unit) > 2 && unit[0]&31 == avcSPS:
			found.SPS = [][]byte{unit}
		}

		if f, whole := found.Frames(); whole {
			frames, ok = frames.larger(f), true
		}
	}
	if lengthSize > 0 {
		EachUnit(packet, lengthSize, read)
		return frames, ok
	}

	code := []byte{0, 0, 1}
	for at := bytes.Index(packet, code); at >= 0; at = bytes.Index(packet, code) {
		packet = packet[at+len(code):]
		read(packet[:min(len(packet), longestSet)])
	}

	return frames, ok
}

// longestSet is how many bytes of a unit are searched for the sizes of frames.
const longestSet = 4096

// readHEVCSequence reads a sequence parameter set up to the sizes of its buffers (ITU-T H.265,
// 7.3.2.2.1).
func readHEVCSequence(r *bitReader) (f Frames, ok bool) {
	r.fixed(4)
	layers := r.fixed(3) // sps_max_sub_layers_minus1
	r.fixed(1)
	skipHEVCProfile(r, layers)
	r.unsigned()
	if f.Chroma = r.unsigned(); f.Chroma == 3 {
		r.flag()
	}
	f.Width, f.Height = r.unsigned(), r.unsigned()
	if r.flag() { // conformance window
		for range 4 {
			r.unsigned()
		}
	}

	f.BitDepth = 8 + max(r.unsigned(), r.unsigned())
	r.unsigned()
	first := layers
	if r.flag() { // the sizes of all layers follow
		first = 0
	}
	for range layers - first + 1 {
		f.References = max(f.References, r.unsigned())
		r.unsigned()
		r.unsigned()
	}

	f.References = min(f.References, 16)
	return f, !r.ended && f.plausible()
}

// skipHEVCProfile skips profile, tier and level (ITU-T H.265, 7.3.3).
func skipHEVCProfile(r *bitReader, layers int) {
	skip := func(bits int) {
		for range bits {
			r.next()
		}
	}
	const profileBits, levelBits = 88, 8
	skip(profileBits + levelBits)
	var bits int
	for range layers {
		if r.flag() {
			bits += profileBits
		}
		if r.flag() {
			bits += levelBits
		}
	}

	if layers > 0 {
		skip(2 * (8 - layers))
	}
	skip(bits)
}

// plausible reports whether the numbers can belong to a video and not to damaged data.
func (f Frames) plausible() bool {
	const most = 1 << 16
	return f.Width > 0 && f.Width < most && f.Height > 0 && f.Height < most && f.Chroma <= 3 && f.BitDepth <= 16
}
