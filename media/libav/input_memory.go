package libav

import (
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

// decoderBytes estimates the memory that the frames of a video track take while it is decoded with
// a number of threads, each of which has a frame of its own in progress.
func (t *track) decoderBytes(threads int) int64 {
	references := usualReferences
	if t.params.Width()*t.params.Height() > largePixels {
		references = largeReferences
	}
	switch t.name {
	case "png", "mjpeg", "prores", "gif", "webp", "bmp":
		references = 1 // every frame decodes without others
	case "h264":
		if config, err := bitstream.ParseAVC(t.params.ExtraData()); err == nil {
			references = config.References()
		}
	}
	frame := frameBytes(t.params.PixelFormat(), t.params.Width(), t.params.Height())
	return frame * int64(references+threads+pipelineFrames)
}

// affordableThreads returns the number of threads, at most the given one, with which a video
// decoder keeps within its memory.
func (t *track) affordableThreads(threads int) int {
	for threads > 1 && t.decoderBytes(threads) > maxDecoderBytes {
		threads--
	}
	return threads
}

// checkMemory refuses a video that takes too much memory to decode even with one thread.
func (s *source) checkMemory(t *track) error {
	if need := t.decoderBytes(1); need > maxDecoderBytes && !s.isStill() {
		return mediaErrorf(
			"this video needs %d MB of memory to decode, but at most %d MB are allowed; "+
				"convert it to 4:2:0 or scale it down, and upload it again",
			need>>20, maxDecoderBytes>>20,
		)
	}
	return nil
}
