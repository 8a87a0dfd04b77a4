package mediatest

import "testing"

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
