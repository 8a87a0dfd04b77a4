package whisper

import (
	"runtime"
	"testing"
	"time"
)

func TestMeasuredSpeedOrdersModels(t *testing.T) {
	start := time.Now()
	speed, err := MeasureSpeed()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v after %v; an hour takes %v with base.en", speed, time.Since(start), speed.PerHour("base.en"))
	if speed.Threads < 1 || speed.Threads > runtime.NumCPU() {
		t.Errorf("%d threads on %d CPUs", speed.Threads, runtime.NumCPU())
	}
	last := time.Duration(0)
	for _, model := range []string{"tiny", "base.en", "small-q5_1", "medium", "large-v3"} {
		took := speed.PerHour(model)
		if took <= last {
			t.Errorf("an hour takes %v with %s, and %v with the smaller model", took, model, last)
		}
		last = took
	}
	if turbo := speed.PerHour("large-v3-turbo-q5_0"); turbo >= last {
		t.Errorf("the turbo model takes %v, the large one %v", turbo, last)
	}
	if unknown := speed.PerHour("my-model"); unknown != 0 {
		t.Errorf("a model of unknown size takes %v", unknown)
	}
}

// Only the CPU is slower with weights of the format q5_1.
func TestSlowWeights(t *testing.T) {
	for device, slower := range map[string]bool{"": true, "a graphics processor": false} {
		speed := Speed{Device: device, Threads: 2, Encoding: 1e11, Decoding: 1e11}
		if slow := speed.PerHour("base-q5_1") > speed.PerHour("base"); slow != slower {
			t.Errorf("on %q base-q5_1 takes longer than base: %t", device, slow)
		}
	}
}

func TestThreadChoices(t *testing.T) {
	for n, want := range map[int]int{1: 1, 2: 2, 8: 3} {
		choices := threadChoices(n)
		if len(choices) != want || choices[0] != n || choices[len(choices)-1] < 1 {
			t.Errorf("%d CPUs: %v", n, choices)
		}
	}
}
