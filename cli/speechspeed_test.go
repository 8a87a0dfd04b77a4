package cli

import (
	"os"
	"strings"
	"testing"

	"roughcut/media/whisper"
	"roughcut/pipeline/models"
)

func TestProposedModelSuitsTheMachine(t *testing.T) {
	for _, test := range []struct {
		speed whisper.Speed
		want  string
	}{
		{whisper.Speed{}, ""},
		{whisper.Speed{Threads: 1, Encoding: 1e8, Decoding: 1e8}, "tiny"}, // slower than real time
		{whisper.Speed{Threads: 2, Encoding: 60e9, Decoding: 50e9}, "base"},
		{whisper.Speed{Threads: 2, Encoding: 180e9, Decoding: 95e9}, "small"},
		{whisper.Speed{Threads: 16, Encoding: 1e15, Decoding: 1e15}, "large-v3"},
	} {
		if got := proposedModel(test.speed, models.Known()); got != test.want {
			t.Errorf("%+v proposes %q, want %q", test.speed, got, test.want)
		}
	}
	speed := whisper.Speed{Threads: 1, Encoding: 180e9, Decoding: 95e9}
	text := childDevice(noGraphics).speedText(speed, models.Known())
	for _, part := range []string{"base.en takes about 7 minutes", "1 thread;", "proposed model small "} {
		if !strings.Contains(text, part) {
			t.Errorf("%q lacks %q", text, part)
		}
	}
}

func TestSpeedOfAnotherMachineIsMeasuredAgain(t *testing.T) {
	withCache(t)
	device := childDevice(noGraphics)
	if speed := device.readSpeed(); speed != (whisper.Speed{}) {
		t.Errorf("without a file: %+v", speed)
	}
	measured, err := device.measureSpeed()
	if err != nil {
		t.Fatal(err)
	}
	if speed := device.readSpeed(); speed != measured {
		t.Errorf("read %+v, measured %+v", speed, measured)
	}
	text, err := os.ReadFile(speedFile())
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(text), "CPUs", "other CPUs", 1)
	if err := os.WriteFile(speedFile(), []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	if speed := device.readSpeed(); speed != (whisper.Speed{}) {
		t.Errorf("of other CPUs: %+v", speed)
	}
	if err := os.WriteFile(speedFile(), text[:len(text)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if speed := device.readSpeed(); speed != (whisper.Speed{}) {
		t.Errorf("of half a file: %+v", speed)
	}
}
