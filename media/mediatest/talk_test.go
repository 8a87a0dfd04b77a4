package mediatest

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBarSurvivesScaling(t *testing.T) {
	talk := Talk(t, TalkOptions{Hiss: true})
	numbers := FrameNumbers(t, talk.Path, "scale=160:90")
	if int64(len(numbers)) != talk.Frames {
		t.Fatalf("%d frames, want %d", len(numbers), talk.Frames)
	}
	for i, n := range numbers {
		if n != int64(i) {
			t.Fatalf("frame %d shows number %d", i, n)
		}
	}
}

func TestReadBarRejectsNoise(t *testing.T) {
	line := make([]byte, readWidth)
	for i := range line {
		line[i] = byte(i * 7)
	}
	if n, ok := readBar(line); ok {
		t.Fatalf("readBar reads %d from noise", n)
	}
}

func TestLagFindsAShift(t *testing.T) {
	talk := Talk(t, TalkOptions{Hiss: true})
	audio := PCM(t, talk.Path, 8000)
	const at, shift = 8000 * 5, 23
	lag, fit := Lag(audio, audio[at+shift:at+shift+1600], at, 800)
	if lag != shift || fit < 0.999 {
		t.Fatalf("lag %d fit %.3f, want %d", lag, fit, shift)
	}
}

func TestOffsetsArePositiveForLateAudio(t *testing.T) {
	talk := Talk(t, TalkOptions{Hiss: true})
	audio := PCM(t, talk.Path, 8000)
	const late = 40 // samples: 5 ms
	output := append(make([]float32, late), audio...)
	numbers := FrameNumbers(t, talk.Path)
	offsets := Offsets(t, numbers, output, audio, 30, 1, 8000, 200, []int64{60, 150, 400})
	if len(offsets) != 3 {
		t.Fatalf("got %v", offsets)
	}
	for _, o := range offsets {
		if o.MS != 5 || o.Fit < 0.99 {
			t.Errorf("frame %d: %.2f ms, fit %.2f; want 5 ms", o.Frame, o.MS, o.Fit)
		}
	}
}

// A join from loud to quiet audio is measured by the quiet audio, not by the end of the loud audio
// in the crossfade. The measurement finds the audio in sync and late.
func TestOffsetsIgnoreTheCrossfade(t *testing.T) {
	const hz, cutFrom, cutTo = 8000, 8000, 16000 // in samples; loud to cutTo
	random := rand.New(rand.NewPCG(1, 2))
	source := make([]float32, 4*hz)
	for i := range source {
		source[i] = float32(random.Float64()-0.5) / 100
		if i < cutTo-hz/10 {
			source[i] *= 100
		}
	}
	const half = hz * 5 / 1000
	output := slices.Concat(source[:cutFrom], source[cutTo:])
	for i := range 2 * half {
		in := (float32(i) + 0.5) / (2 * half)
		output[cutFrom-half+i] = (1-in)*source[cutFrom-half+i] + in*source[cutTo-half+i]
	}
	numbers := make([]int64, 90)
	for i := range numbers {
		if numbers[i] = int64(i); i >= 30 {
			numbers[i] += 30
		}
	}
	for _, late := range []int{0, 160} {
		output := slices.Concat(output[:cutFrom+half], make([]float32, late), output[cutFrom+half:])
		got := Offsets(t, numbers, output, source, 30, 1, hz, 250, []int64{30})
		if want := float64(late) / 8; len(got) != 1 || got[0].MS != want || got[0].Fit < 0.95 {
			t.Errorf("got %v, want %v ms", got, want)
		}
	}
}
