package mediatest

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os/exec"
	"strings"
	"testing"
)

// The size at which pictures are read.
const (
	readWidth  = 384
	readHeight = 48
)

// FrameNumbers returns the number that each frame of a video shows, in order; -1 where none can be read. Filters of ffmpeg may be named that
// undo what was done to the picture (hflip, crop, …).
func FrameNumbers(t testing.TB, path string, filters ...string) []int64 {
	t.Helper()
	filters = append(filters, fmt.Sprintf("scale=%d:%d:flags=area", readWidth, readHeight), "format=gray")
	cmd := exec.Command("ffmpeg", "-v", "error", "-nostdin", "-i", path, "-map", "0:v:0", "-vf", strings.Join(filters, ","), "-fps_mode", "passthrough", "-f", "rawvideo", "pipe:1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var report strings.Builder
	cmd.Stderr = &report
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var numbers []int64
	in, frame := bufio.NewReaderSize(out, 1<<20), make([]byte, readWidth*readHeight)
	for {
		if _, err := io.ReadFull(in, frame); err != nil {
			break
		}
		numbers = append(numbers, readFrame(frame))
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("reading frames of %s: %v\n%s", path, err, report.String())
	}
	return numbers
}

// readFrame returns the number that most lines of a picture agree on.
func readFrame(frame []byte) int64 {
	votes := map[int64]int{}
	best := int64(-1)
	for y := range readHeight {
		if n, ok := readBar(frame[y*readWidth:][:readWidth]); ok {
			if votes[n]++; best < 0 || votes[n] > votes[best] {
				best = n
			}
		}
	}
	return best
}

// PCM decodes the sound of a file to mono samples at a rate in hertz, silence where the sound begins later than the file.
func PCM(t testing.TB, path string, rate int) []float32 {
	t.Helper()
	raw := run(t, nil, "ffmpeg", "-v", "error", "-nostdin", "-i", path, "-map", "0:a:0", "-af", "aresample=async=1:first_pts=0",
		"-ac", "1", "-ar", fmt.Sprint(rate), "-f", "f32le", "pipe:1")
	samples := make([]float32, len(raw)/4)
	for i := range samples {
		samples[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return samples
}

// Lag returns by how many samples window must be moved so that it fits source best, near position at, at most reach samples away, and how
// well it then fits: 1 is the same sound, 0 another one.
func Lag(source, window []float32, at, reach int) (lag int, fit float64) {
	var energy float64
	for _, v := range window {
		energy += float64(v) * float64(v)
	}
	fit = -1
	for d := -reach; d <= reach; d++ {
		from := at + d
		if from < 0 || from+len(window) > len(source) {
			continue
		}
		var dot, other float64
		for i, v := range window {
			s := source[from+i]
			dot += float64(v) * float64(s)
			other += float64(s) * float64(s)
		}
		if c := dot / math.Sqrt(energy*other+1e-12); c > fit {
			lag, fit = d, c
		}
	}
	return lag, fit
}

// Offset is how far sound and picture of an output are apart at one place.
type Offset struct {
	Frame int64   // of the output
	MS    float64 // sound later than picture is positive
	Fit   float64 // how sure the sound was recognised, 0 to 1
}

// Offsets measures, at each of some frames of an output, which instant of its source is seen (by the frame's number) and which
// is heard (by correlation over windowMS around the frame's time): the source is a Talk at the same rate with Hiss. Frames whose number cannot be
// read are left out.
func Offsets(t testing.TB, numbers []int64, output, source []float32, rateNum, rateDen int, hz, windowMS int, at []int64) []Offset {
	t.Helper()
	seconds := func(frame int64) float64 { return float64(frame) * float64(rateDen) / float64(rateNum) }
	var offsets []Offset
	for _, frame := range at {
		if frame < 0 || frame >= int64(len(numbers)) || numbers[frame] < 0 {
			continue
		}
		from := int(math.Round(seconds(frame) * float64(hz)))
		to := from + windowMS*hz/1000
		if to > len(output) {
			continue
		}
		seen := int(math.Round(seconds(numbers[frame]) * float64(hz)))
		lag, fit := Lag(source, output[from:to], seen, hz/10)
		// What is heard comes from lag samples later in the source than what is seen: the sound is early.
		offsets = append(offsets, Offset{Frame: frame, MS: -float64(lag) * 1000 / float64(hz), Fit: fit})
	}
	return offsets
}
