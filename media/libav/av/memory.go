package av

import (
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/bitstream"
)

// Limits of the memory of a video decoder.
const (
	maxDecoderBytes = 3 << 29 // 1.5 GiB, enough for 8192 x 4320 at 10 bits

	// pipelineFrames is how many decoded frames the steps after a decoder hold.
	pipelineFrames = 6
	// Frames that a decoder keeps for reference, if its parameter sets do not say. The levels of
	// all codecs allow few frames of a size above 4K.
	usualReferences, largeReferences = 16, 6
	largePixels                      = 4096 * 2304
)

// twoReferences are the codecs whose frames refer to at most two others.
var twoReferences = []string{"mpeg1video", "mpeg2video", "wmv1", "wmv2", "ffv1"}

// decoderBytes estimates the memory that the frames of a video track take while a number of threads
// decode it. Each thread has one frame in progress. The estimate also works before the first packet
// is read, if the container holds the parameter sets.
func (t *Track) decoderBytes(threads int) int64 {
	references := usualReferences
	if t.Params.Width()*t.Params.Height() > largePixels {
		references = largeReferences
	}
	frame := frameBytes(t.Params.PixelFormat(), t.Params.Width(), t.Params.Height())
	sets, ok := t.parameterSets()
	if t.inBand != (bitstream.Frames{}) {
		sets, ok = t.inBand, true
	}
	if ok {
		references, frame = sets.References, max(frame, sets.Bytes())
	}
	switch codec, _ := media.CodecNamed(t.Name); {
	case codec.Intra:
		references = 1
	case slices.Contains(twoReferences, t.Name):
		references = 2
	}

	return frame * int64(references+threads+pipelineFrames)
}

// parameterSets returns what the parameter sets in the container say about frames.
func (t *Track) parameterSets() (bitstream.Frames, bool) {
	switch t.Name {
	case "h264":
		if config, err := bitstream.ParseAVC(t.Params.ExtraData()); err == nil {
			return config.Frames()
		}
	case "hevc":
		return bitstream.HEVCFrames(t.Params.ExtraData())
	}

	return bitstream.Frames{}, false
}

// unitLength returns the number of bytes of the length before each unit of a packet of H.264 or
// HEVC, 0 for units behind start codes.
func (t *Track) unitLength() int {
	at := map[string]int{"h264": 4, "hevc": 21}[t.Name] // of the size of the length, after ISO/IEC 14496-15
	if record := t.Params.ExtraData(); len(record) > at && record[0] == 1 {
		return int(record[at]&3) + 1
	}
	return 0
}

// checkPacket is checkMemory for the parameter sets in the current packet, before the packet is
// decoded.
func (s *Source) checkPacket(t *Track) error {
	if t.Name != "h264" && t.Name != "hevc" {
		return nil
	}
	sets, ok := bitstream.FramesInBand(t.Name, PacketData(s.Packet), t.unitLength())
	if !ok || sets == t.inBand {
		return nil
	}
	t.inBand = sets
	return s.checkMemory(t)
}

// lackSets returns the video tracks whose parameter sets come in their packets.
func (s *Source) lackSets() (tracks []*Track) {
	for _, stream := range s.Format.Streams() {
		params := stream.CodecParameters()
		t := &Track{Stream: stream, Params: params, index: stream.Index(), Name: params.CodecID().Name()}
		if _, ok := t.parameterSets(); !ok && (t.Name == "h264" || t.Name == "hevc") {
			tracks = append(tracks, t)
		}
	}

	return tracks
}

// checkFirstPackets is checkPacket up to the first parameter sets of the tracks, and reports
// whether it has read packets. libav decodes these packets to learn more about the tracks.
func (s *Source) checkFirstPackets() (read bool, err error) {
	tracks := s.lackSets()
	for bytes := 0; len(tracks) > 0 && bytes < probeBytes; {
		read = true
		if s.Format.ReadFrame(s.Packet) != nil {
			return read, nil // the probe reports it
		}
		bytes += s.Packet.Size()
		for i, t := range tracks {
			if t.index != s.Packet.StreamIndex() {
				continue
			}
			if err = s.checkPacket(t); t.inBand != (bitstream.Frames{}) {
				tracks = slices.Delete(tracks, i, i+1)
			}
			break
		}

		s.Packet.Unref()
		if err != nil {
			return read, err
		}
	}

	return read, nil
}

// affordableThreads returns the largest number of threads, at most the given one, that keeps a
// video decoder within maxDecoderBytes. It returns at least one thread.
func (t *Track) affordableThreads(threads int) int {
	for threads > 1 && t.decoderBytes(threads) > maxDecoderBytes {
		threads--
	}
	return threads
}

// checkMemoryEarly is checkMemory for all video tracks, before libav decodes their first frames to
// learn more about them.
func (s *Source) checkMemoryEarly() error {
	for _, stream := range s.Format.Streams() {
		params := stream.CodecParameters()
		if params.MediaType() != astiav.MediaTypeVideo {
			continue
		}
		if err := s.checkMemory(&Track{Stream: stream, Params: params, Name: params.CodecID().Name()}); err != nil {
			return err
		}
	}

	return nil
}

// checkMemory refuses a video that takes too much memory to decode even with one thread.
func (s *Source) checkMemory(t *Track) error {
	if need := t.decoderBytes(1); need > maxDecoderBytes && !s.IsStill() {
		return Errorf(
			"this video needs %d MB of memory to decode, but at most %d MB are allowed; "+
				"convert it to 4:2:0 or scale it down, and upload it again",
			need>>20, maxDecoderBytes>>20,
		)
	}

	return nil
}
