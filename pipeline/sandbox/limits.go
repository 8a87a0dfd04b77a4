//go:build linux

package sandbox

import (
	"fmt"
	"runtime"
	"time"

	"roughcut/media"
)

// Limits bound the resources of one child. The kernel enforces them.
type Limits struct {
	MemoryBytes int64         `json:"memory_bytes"` // of writable memory, in use or not
	FileBytes   int64         `json:"file_bytes"`   // of each file that it writes
	CPU         time.Duration `json:"cpu"`          // of all its threads
}

// Parts of the limits. They are several times what the largest recordings of the tests take: a
// limit stops a job that would harm others, and not one that is slow.
const (
	// Decoders refuse videos above 1.5 GiB; see libav. The rest is for encoders and filters.
	baseMemory = 3 << 30
	// Each thread has a stack, and each thread of an encoder also has frames.
	threadMemory = 64 << 20
	// encoderFrames is how many frames an encoder holds for lookahead and reference, and
	// threadFrames how many it holds for each thread.
	encoderFrames, threadFrames = 100, 4

	// The speech audio of twelve hours, and a proxy of a still recording.
	baseFile   = 2 << 30
	fileFactor = 20

	// Parts of what a call usually takes of the memory of all children. A decoder holds pixelMemory
	// for each pixel of a video: stills took 90 MB for 1280x720 and 1250 MB for 7680x4320.
	usualStart  = 64 << 20
	usualRead   = 256 << 20 // of a recording whose size is unknown
	pixelMemory = 36
)

// readLimits are the limits of a call that reads files of some bytes, and writes files whose size
// depends on them.
func readLimits(bytes int64) Limits {
	return Limits{
		MemoryBytes: baseMemory + int64(runtime.NumCPU())*threadMemory,
		FileBytes:   baseFile + fileFactor*bytes,
		CPU:         media.ReadingCPU(bytes),
	}
}

// planLimits are the limits of a call that encodes the given number of frames of a plan, which
// reads files of some bytes.
func planLimits(plan media.RenderPlan, frames, bytes int64) Limits {
	l := readLimits(bytes)
	pixels := int64(plan.Width) * int64(plan.Height)
	l.MemoryBytes += heldFrames() * pixels * 3 / 2
	l.CPU = media.RenderCPU(plan, frames, bytes)
	l.FileBytes += frames * pixels / 2
	return l
}

// heldFrames is how many frames an encoder holds at most.
func heldFrames() int64 { return encoderFrames + threadFrames*int64(runtime.NumCPU()) }

// planMemory is the memory that a call usually takes which encodes the given number of frames of a
// plan, in bytes.
func planMemory(plan media.RenderPlan, frames int64) int64 {
	out := int64(plan.Width) * int64(plan.Height)
	largest := out
	for _, in := range plan.Inputs {
		largest = max(largest, int64(in.Width)*int64(in.Height))
	}
	return usualStart + largest*pixelMemory + min(heldFrames(), frames)*out*3/2
}

// speechLimits are the limits of a transcription.
func speechLimits(modelBytes, audioBytes int64) Limits {
	seconds := audioBytes / (2 * media.SpeechSampleRate)
	return Limits{
		MemoryBytes: baseMemory + 2*modelBytes + int64(runtime.NumCPU())*threadMemory,
		// A second of speech takes about a minute of processor time with the largest model.
		CPU: media.ReadingCPU(0) + time.Duration(300*seconds)*time.Second,
	}
}

// exceeded returns the error of a call that exceeded its memory.
func (l Limits) exceededMemory(cause error) error {
	return faultf(cause, "this job needed more than %s of memory and was stopped; "+
		"choose a lower resolution, or use a smaller recording", gib(l.MemoryBytes))
}

// exceededCPU returns the error of a call that exceeded its processor time.
func (l Limits) exceededCPU(cause error) error {
	return faultf(cause, "this job needed more than %d minutes of processor time and was stopped; "+
		"the file may be damaged, convert it to H.264 and try again", int(l.CPU.Minutes()))
}

// exceededFile returns the error of a call that exceeded its file size.
func (l Limits) exceededFile(cause error) error {
	return faultf(cause, "this job wrote more than %s into one file and was stopped; "+
		"the file may be damaged, convert it to H.264 and try again", gib(l.FileBytes))
}

// gib returns a size in GiB for people.
func gib(bytes int64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }
