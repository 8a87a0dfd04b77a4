package voicenet

import (
	"bytes"
	"math"
	"slices"
	"testing"
)

// vowels returns two seconds of audio: silence, the vowels a and i sung over a falling pitch, hiss,
// and a tone. It is the same on every machine.
func vowels() []int16 {
	out := make([]int16, 2*SampleRate)
	seed, phase := uint32(1), 0.0
	for i := range out {
		second := float64(i) / SampleRate
		seed = seed*1664525 + 1013904223
		x := 0.0005 * (float64(seed>>8)/(1<<23) - 1)
		switch {
		case second >= 0.4 && second < 1:
			phase += 2 * math.Pi * (180 - 60*second) / SampleRate
			for h := 1.0; h <= 20; h++ {
				x += 0.2 / h * formant(h*(180-60*second), second < 0.7) * math.Sin(h*phase)
			}
		case second >= 1.2 && second < 1.5:
			x *= 200
		case second >= 1.6:
			x += 0.2 * math.Sin(2*math.Pi*440*second)
		}
		out[i] = int16(math.Round(32767 * x))
	}
	return out
}

// formant returns the gain of a vowel at a frequency: of a if open, of i otherwise.
func formant(hz float64, open bool) float64 {
	first, second := 300.0, 2300.0
	if open {
		first, second = 750, 1200
	}
	gain := 0.05
	for _, center := range []float64{first, second} {
		gain += 1 / (1 + (hz-center)*(hz-center)/(100*100))
	}
	return gain
}

func network(t testing.TB) *Network {
	t.Helper()
	n, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// heard are the probabilities that ONNX Runtime 1.20.1 computes for vowels.
var heard = []byte{
	6, 3, 2, 1, 1, 1, 0, 0, 1, 1, 1, 1, 90, 223, 233, 229, 217, 193, 191, 165, 148, 73, 226, 244, 245, 242, 241, 245,
	247, 243, 241, 36, 19, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
}

func TestNetworkMatchesTheReference(t *testing.T) {
	n := network(t)
	n.Add(vowels())
	got := n.Probabilities()
	if len(got) != len(heard) {
		t.Fatalf("%d probabilities for %d windows", len(got), len(heard))
	}
	for i, want := range heard {
		if d := int(got[i]) - int(want); d < -1 || d > 1 {
			t.Errorf("window %d has probability %d, the reference %d", i, got[i], want)
		}
	}
}

func TestNetworkHearsAStreamInAnyPortions(t *testing.T) {
	audio := append(vowels(), vowels()...)
	whole := network(t)
	whole.Add(audio)
	want := whole.Probabilities()
	for _, size := range []int{1, 511, 100_000} {
		n := network(t)
		for rest := audio; len(rest) > 0; rest = rest[min(size, len(rest)):] {
			n.Add(rest[:min(size, len(rest))])
		}
		if got := n.Probabilities(); !bytes.Equal(got, want) {
			t.Errorf("portions of %d samples change the probabilities", size)
		}
	}
}

// Digital silence, whose layers are computed only once, leaves the network in the same state as
// full computation.
func TestNetworkHearsLongSilence(t *testing.T) {
	audio := slices.Concat(vowels(), make([]int16, 5*full), vowels())
	short, long := network(t), network(t)
	short.Add(audio)
	for part := range slices.Chunk(audio, WindowSamples) {
		long.silent = false
		long.Add(part)
	}
	if !bytes.Equal(short.Probabilities(), long.Probabilities()) {
		t.Error("silence that is computed once changes the probabilities")
	}
}

func TestNetworkHandlesExtremeAudio(t *testing.T) {
	if got := network(t).Probabilities(); len(got) != 0 {
		t.Errorf("no audio has %d probabilities", len(got))
	}
	square := make([]int16, 5*SampleRate)
	for i := range square {
		square[i] = 32767
		if i/80%2 == 0 {
			square[i] = -32768
		}
	}
	n := network(t)
	n.Add(square)
	n.Add(make([]int16, 5*SampleRate+1))
	got := n.Probabilities()
	if want := (10*SampleRate + WindowSamples) / WindowSamples; len(got) != want {
		t.Errorf("%d probabilities, want %d", len(got), want)
	}
	for i, p := range got[len(got)-50:] {
		if p > 20 {
			t.Errorf("digital silence has probability %d at window %d", p, i)
		}
	}
}

func TestWeightsOfAnotherLengthAreRefused(t *testing.T) {
	for _, size := range []int{0, 4, 1 << 20} {
		if _, err := parseWeights(make([]byte, size)); err == nil {
			t.Errorf("%d bytes of weights are accepted", size)
		}
	}
}

// BenchmarkNetwork reports the CPU time for an hour of audio.
func BenchmarkNetwork(b *testing.B) {
	audio := vowels()
	n := network(b)
	for b.Loop() {
		n.Add(audio)
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*1800, "s/hour")
}
