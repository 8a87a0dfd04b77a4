package spectrum

import (
	"math"
	"testing"

	"roughcut/media"
)

// A tone that is held changes less than 1 dB, apart from its start and end. A sweep changes more.
func TestChangesTellHeldSoundFromMovingSound(t *testing.T) {
	const seconds = 2
	m, phase := NewMeter(), 0.0
	samples := make([]int16, seconds*media.SpeechSampleRate)
	for i := range samples {
		hz := 220.0
		if at := float64(i) / media.SpeechSampleRate; at >= 1 {
			hz = 220 + 3000*(at-1)
		}
		phase += 2 * math.Pi * hz / media.SpeechSampleRate
		for k := 1.0; k <= 10; k++ {
			samples[i] += int16(1000 * math.Sin(k*phase) / k)
		}
	}
	m.Add(samples)
	changes := m.Changes()
	frames := len(m.Levels()) / Bands
	if want := (frames + changeEvery - 1) / changeEvery; len(changes) != want {
		t.Fatalf("%d changes for %d frames, want %d", len(changes), frames, want)
	}
	for i, c := range changes {
		ms := i * ChangeFrameMS
		if ms >= 100 && ms <= 900 && c > ChangesPerDB {
			t.Errorf("a held tone changes by %d steps at %d ms", c, ms)
		}
		if ms >= 1100 && ms <= 1800 && c <= ChangesPerDB {
			t.Errorf("a sweep changes by %d steps at %d ms", c, ms)
		}
	}
}

func TestChangesOfShortAudio(t *testing.T) {
	m := NewMeter()
	if got := m.Changes(); len(got) != 0 {
		t.Errorf("no audio has %d changes", len(got))
	}
	m.Add(make([]int16, fftSize))
	if got := m.Changes(); len(got) != 1 || got[0] != 0 {
		t.Errorf("one silent frame has the changes %v", got)
	}
}
