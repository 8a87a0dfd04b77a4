package libav

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// resampled returns what libswresample makes of stereo audio.
func resampled(t *testing.T, in av.Stereo) (out []int16) {
	t.Helper()
	context, from, to := astiav.AllocSoftwareResampleContext(), astiav.AllocFrame(), astiav.AllocFrame()
	defer context.Free()
	defer from.Free()
	defer to.Free()
	from.SetNbSamples(int(in.Len()))
	from.SetSampleFormat(astiav.SampleFormatFltp)
	from.SetSampleRate(media.SampleRate)
	from.SetChannelLayout(astiav.ChannelLayoutStereo)
	if err := from.AllocBuffer(0); err != nil {
		t.Fatal(err)
	}
	copy(av.PlaneFloats(from, 0), in.Left)
	copy(av.PlaneFloats(from, 1), in.Right)
	for _, input := range []*astiav.Frame{from, nil} {
		to.Unref()
		to.SetSampleFormat(astiav.SampleFormatS16)
		to.SetSampleRate(media.SpeechSampleRate)
		to.SetChannelLayout(astiav.ChannelLayoutMono)
		if err := context.ConvertFrame(input, to); err != nil {
			t.Fatal(err)
		}
		raw, _ := av.PlaneBytes(to, 0, 1)
		out = append(out, samplesOf(raw[:2*to.NbSamples()])...)
	}
	return out
}

func samplesOf(raw []byte) (out []int16) {
	for ; len(raw) > 0; raw = raw[2:] {
		out = append(out, int16(binary.LittleEndian.Uint16(raw)))
	}
	return out
}

// decimated returns what a decimator makes of stereo audio in two parts.
func decimated(in av.Stereo, first int64) []int16 {
	d := newDecimator()
	out := samplesOf(d.add(in.Cut(0, first)))
	out = append(out, samplesOf(d.add(in.Cut(first, in.Len())))...)
	return append(out, samplesOf(d.finish())...)
}

// noise returns a second of noise, the same every time.
func noise(level float64) av.Stereo {
	random := rand.New(rand.NewPCG(1, 2))
	out := av.NewStereo(media.SampleRate)
	for i := range out.Left {
		out.Left[i], out.Right[i] = float32(level*random.NormFloat64()), float32(level*random.NormFloat64())
	}
	return out
}

// Speech audio equals the output of libswresample from the first to the last sample, up to
// rounding.
func TestDecimatorMatchesTheResampler(t *testing.T) {
	for name, in := range map[string]av.Stereo{
		"noise":         noise(0.2),
		"short":         noise(0.2).Cut(0, 153),
		"quiet":         noise(0.0001),
		"overdriven":    noise(3),
		"no whole step": noise(0.2).Cut(0, 7001),
	} {
		t.Run(name, func(t *testing.T) {
			want := resampled(t, in)
			for _, first := range []int64{in.Len() / 2, 100, 101, in.Len()} {
				got := decimated(in, first)
				if n := (int(in.Len()) + decimateStep - 1) / decimateStep; len(got) != n || len(want) < n {
					t.Fatalf("%d samples, the resampler has %d, want %d", len(got), len(want), n)
				}
				others := 0
				for i, x := range got {
					if x == want[i] {
						continue
					}
					if others++; math.Abs(float64(x)-float64(want[i])) > 1 {
						t.Fatalf("sample %d is %d, want the resampler's %d", i, x, want[i])
					}
				}
				if others > 1+len(got)/200 {
					t.Errorf("%d of %d samples differ from the resampler's", others, len(got))
				}
			}
		})
	}
}

// The shortest recordings have as many samples as they last.
func TestDecimatorKeepsTheLength(t *testing.T) {
	for n := range int64(decimateTaps + 5) {
		got := decimated(noise(0.2).Cut(0, n), n)
		if want := (int(n) + decimateStep - 1) / decimateStep; len(got) != want {
			t.Errorf("%d samples of %d, want %d", len(got), n, want)
		}
	}
}
