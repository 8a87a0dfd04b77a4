package av

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"roughcut/media/bitstream"
	"roughcut/media/mediatest"
)

// A pass is refused when its frames come too fast.
func TestWorkOfAPassIsLimited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "small.mp4")
	mediatest.FFmpeg(
		t, "-f", "lavfi", "-i", "testsrc2=s=64x64:r=25:d=8", "-c:v", "libx264", "-preset", "ultrafast", path,
	)
	for _, c := range []struct {
		name  string
		spend func(b *budget)
		want  string // in the error; empty if no error is expected
	}{
		{"usual", func(*budget) {}, ""},
		{"too many frames", func(b *budget) { b.pixels = maxBurstPixels + 10*fastestRate*64*64 }, "frames a second"},
	} {
		s, err := Open(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		_, m := NewMeter(context.Background(), nil, time.Minute)
		s.LimitWork(m, NewCPUClock(ProcessTime))
		c.spend(s.budget)
		for err == nil {
			_, err = s.Next()
		}
		s.Close()
		m.Close()
		var fault *MediaError
		if (c.want == "" && !errors.Is(err, io.EOF)) ||
			(c.want != "" && (!errors.As(err, &fault) || !strings.Contains(fault.Message, c.want))) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// The memory of a decoder follows from the parameter sets in the container.
func TestParameterSetsTellTheFrames(t *testing.T) {
	for _, c := range []struct {
		name    string
		options []string
		want    bitstream.Frames
	}{
		{"avc.mp4", []string{"-c:v", "libx264", "-pix_fmt", "yuv444p10le", "-x264-params", "ref=16"},
			bitstream.Frames{Width: 192, Height: 112, References: 16, Chroma: 3, BitDepth: 10}},
		{"avc.mkv", []string{"-c:v", "libx264", "-pix_fmt", "yuv420p", "-x264-params", "ref=3:bframes=0"},
			bitstream.Frames{Width: 192, Height: 112, References: 3, Chroma: 1, BitDepth: 8}},
		{"hevc.mp4", []string{"-c:v", "libx265", "-pix_fmt", "yuv420p12le", "-x265-params", "ref=6:log-level=none"},
			bitstream.Frames{Width: 192, Height: 112, References: 6, Chroma: 1, BitDepth: 12}},
		{"hevc.mkv", []string{"-c:v", "libx265", "-pix_fmt", "yuv422p", "-x265-params", "ref=4:log-level=none"},
			bitstream.Frames{Width: 192, Height: 112, References: 4, Chroma: 2, BitDepth: 8}},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		options := append([]string{"-f", "lavfi", "-i", "testsrc2=s=192x112:d=1"}, c.options...)
		mediatest.FFmpeg(t, append(options, path)...)
		s, err := Open(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := s.Video.parameterSets()
		s.Close()
		if got.References >= c.want.References && got.References <= c.want.References+2 {
			got.References = c.want.References // encoders add frames for their order
		}
		if !ok || got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Parameter sets in packets are read before the packet is decoded, also if they change.
func TestParameterSetsInPacketsTellTheFrames(t *testing.T) {
	dir := t.TempDir()
	for codec, options := range map[string][]string{
		"h264": {"-c:v", "libx264", "-x264-params", "ref=4:bframes=0"},
		"hevc": {"-c:v", "libx265", "-x265-params", "ref=4:bframes=0:log-level=none"},
	} {
		var both [][]byte
		for _, size := range []string{"192x112", "384x224"} {
			path := filepath.Join(dir, codec+size+".ts")
			mediatest.FFmpeg(t, append(append(
				[]string{"-f", "lavfi", "-i", "testsrc2=s=" + size + ":d=1", "-pix_fmt", "yuv420p"}, options...,
			), path)...)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			both = append(both, data)
		}
		joined := filepath.Join(dir, codec+".ts")
		if err := os.WriteFile(joined, bytes.Join(both, nil), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(context.Background(), joined)
		if err != nil {
			t.Fatal(err)
		}
		var widths []int
		for err == nil {
			var at *Track
			if at, err = s.Next(); at != nil && !slices.Contains(widths, at.inBand.Width) {
				widths = append(widths, at.inBand.Width)
			}
		}
		s.Close()
		if !errors.Is(err, io.EOF) || !slices.Equal(widths, []int{192, 384}) {
			t.Errorf("%s: the widths are %v, %v", codec, widths, err)
		}
	}
}
