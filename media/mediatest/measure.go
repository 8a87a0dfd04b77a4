package mediatest

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"roughcut/media"
)

// Size of the scaled frames that numbers are read from.
const (
	readWidth  = 768
	readHeight = 24
)

// FrameNumbers returns the number that each frame of a video shows, in order, or -1 for an
// unreadable one. The ffmpeg filters undo changes of the video, such as hflip or crop.
func FrameNumbers(t testing.TB, path string, filters ...string) []int64 {
	t.Helper()
	filters = append(filters, fmt.Sprintf("scale=%d:%d:flags=area", readWidth, readHeight), "format=gray")
	cmd := Command(t, "ffmpeg", "-v", "error", "-nostdin", "-i", path, "-map", "0:v:0",
		"-vf", strings.Join(filters, ","), "-fps_mode", "passthrough", "-f", "rawvideo", "pipe:1")
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
		t.Fatalf("read frames of %s: %v\n%s", path, err, report.String())
	}
	return numbers
}

// FrameNumber returns the number that a grey frame of 768 by 24 pixels shows, or -1 if it is
// unreadable.
func FrameNumber(grey []byte) int64 {
	if len(grey) != readWidth*readHeight {
		return -1
	}
	return readFrame(grey)
}

// readFrame returns the number that most lines of a frame agree on, or -1.
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

// ChangedShares compares two videos of the same size after applying ffmpeg filters to both. It
// returns, for each frame, the fraction of pixels that are clearly brighter or darker.
func ChangedShares(t testing.TB, path, other string, filters string) []float64 {
	t.Helper()
	const width, height, clearly = 192, 64, 60
	scaled := filters + fmt.Sprintf(",scale=%d:%d,format=gray", width, height)
	graph := "[0:v]" + scaled + "[a];[1:v]" + scaled + "[b];[a][b]blend=all_mode=difference:shortest=1"
	raw := runCommand(t, nil, "ffmpeg", "-v", "error", "-nostdin", "-i", path, "-i", other,
		"-filter_complex", graph, "-fps_mode", "passthrough", "-f", "rawvideo", "pipe:1")
	var shares []float64
	for ; len(raw) >= width*height; raw = raw[width*height:] {
		n := 0
		for _, v := range raw[:width*height] {
			if v > clearly {
				n++
			}
		}

		shares = append(shares, float64(n)/(width*height))
	}

	return shares
}

// PCM decodes the audio of a file to mono samples at a rate in hertz. If the audio starts later
// than the file, the samples start with silence.
func PCM(t testing.TB, path string, rate int) []float32 {
	t.Helper()
	return TrackPCM(t, path, 0, rate)
}

// TrackPCM is PCM for an audio track, by its number from 0.
func TrackPCM(t testing.TB, path string, track, rate int) []float32 {
	t.Helper()
	raw := runCommand(t, nil, "ffmpeg", "-v", "error", "-nostdin", "-i", path, "-map", fmt.Sprintf("0:a:%d", track),
		"-af", "aresample=async=1:first_pts=0", "-ac", "1", "-ar", fmt.Sprint(rate), "-f", "f32le", "pipe:1")
	samples := make([]float32, len(raw)/4)
	for i := range samples {
		samples[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return samples
}

// Offset is the audio-video offset of an output at one frame.
type Offset struct {
	Frame int64   // of the output
	MS    float64 // positive if the audio is late
	Fit   float64 // correlation of the audio, 0 to 1
}

// Offsets measures the audio-video offset at some frames of an output. It compares the source time
// of the frame, from its number, with the source time of the audio, from the correlation over
// windowMS. The window starts half a crossfade after the frame: before that, a join also lets
// through the audio of the last segment, which may be much louder. The source is a Talk at the same
// rate with Hiss. Frames with an unreadable number are skipped.
func Offsets(
	t testing.TB,
	numbers []int64,
	output, source []float32,
	rateNum, rateDen int,
	hz, windowMS int,
	at []int64,
) []Offset {
	t.Helper()
	seconds := func(frame int64) float64 { return float64(frame) * float64(rateDen) / float64(rateNum) }
	faded := (media.CrossfadeSamples/2*hz + media.SampleRate - 1) / media.SampleRate
	var offsets []Offset
	for _, frame := range at {
		if frame < 0 || frame >= int64(len(numbers)) || numbers[frame] < 0 {
			continue
		}
		from := int(math.Round(seconds(frame)*float64(hz))) + faded
		to := from + windowMS*hz/1000
		if to > len(output) {
			continue
		}
		seen := int(math.Round(seconds(numbers[frame])*float64(hz))) + faded
		lag, fit := Lag(source, output[from:to], seen, hz/10)
		// The audio comes from lag samples later in the source than the frame, so it is early.
		offsets = append(offsets, Offset{Frame: frame, MS: -float64(lag) * 1000 / float64(hz), Fit: fit})
	}

	return offsets
}

// Loudness returns the integrated loudness of a file in LUFS and its true peak in dBFS, as measured
// by ffmpeg.
func Loudness(t testing.TB, path string) (lufs, peak float64) {
	t.Helper()
	report, err := Command(t, "ffmpeg", "-nostdin", "-i", path, "-map", "0:a:0",
		"-af", "ebur128=peak=true", "-f", "null", "-").CombinedOutput()
	if err != nil {
		t.Fatalf("measure loudness of %s: %v\n%s", path, err, report)
	}
	last := func(name string) float64 {
		found := regexp.MustCompile(name+`:\s+(-?[\d.]+|-inf) `).FindAllSubmatch(report, -1)
		if len(found) == 0 {
			t.Fatalf("no %s in %s", name, report)
		}
		v, err := strconv.ParseFloat(string(found[len(found)-1][1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	return last("I"), last("Peak")
}

// MaxSecondDifference returns the largest absolute second difference. A click is a corner in the
// waveform, which neither tones nor speech have.
func MaxSecondDifference(samples []float32) float64 {
	largest := 0.0
	for i := 2; i < len(samples); i++ {
		largest = max(largest, math.Abs(float64(samples[i]-2*samples[i-1]+samples[i-2])))
	}
	return largest
}
