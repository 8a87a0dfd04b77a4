package media

import "time"

const (
	baseReadingCPU = 10 * time.Minute
	// bytesPerCPUSecond is the number of bytes of a recording that allow one second of processor
	// time. A second of a 4K screen recording has about 20 KB and takes two seconds to decode.
	bytesPerCPUSecond = 2 << 10
)

// ReadingCPU returns the processor time that decoding a recording of some bytes from start to end,
// and making its proxy, may take in all threads.
func ReadingCPU(bytes int64) time.Duration {
	return baseReadingCPU + time.Duration(bytes/bytesPerCPUSecond)*time.Second
}

const (
	// pixelsPerCPUSecond is how many pixels of output a second of processor time must encode. x264
	// encodes about fifty times as many.
	pixelsPerCPUSecond = 2_000_000
	// cpuSecondsOfAudio is how many seconds of processor time are allowed for each second of audio.
	cpuSecondsOfAudio = 20
)

// RenderCPU returns the processor time that rendering a plan may take in all threads, if some of
// its frames are encoded and its files have some bytes.
func RenderCPU(plan RenderPlan, frames, bytes int64) time.Duration {
	pixels := int64(plan.Width) * int64(plan.Height)
	audio := plan.DurationMS() * int64(1+len(plan.OtherTracks))
	seconds := frames*pixels/pixelsPerCPUSecond + cpuSecondsOfAudio*audio/1000
	return ReadingCPU(bytes) + time.Duration(seconds)*time.Second
}
