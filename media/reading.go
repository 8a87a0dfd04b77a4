package media

import "time"

const (
	baseReadingCPU = 10 * time.Minute
	// bytesPerCPUSecond is the size of a recording for which a second of processor time is allowed.
	// A screen recording in 4K has about 20 KB for a second, which takes two seconds.
	bytesPerCPUSecond = 2 << 10
)

// ReadingCPU returns the processor time that decoding a recording of some bytes from start to end,
// and making its proxy, may take in all threads.
func ReadingCPU(bytes int64) time.Duration {
	return baseReadingCPU + time.Duration(bytes/bytesPerCPUSecond)*time.Second
}
