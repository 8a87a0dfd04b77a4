package cli

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"roughcut/media/whisper"
)

// withCache gives a test a cache of measured speeds, and lets it disable Vulkan.
func withCache(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("GGML_DISABLE_VULKAN", "")
	xdg.Reload()
	t.Cleanup(xdg.Reload)
}

// noGraphics is a child that finds no graphics processor.
func noGraphics(bool) (whisper.Speed, error) { return whisper.Speed{}, nil }

// A driver that crashes ends a child. The CPU transcribes, this process does not load the driver,
// and the doctor says why.
func TestDriverThatCrashesLeavesTheCPU(t *testing.T) {
	withCache(t)
	loads := 0
	device := childDevice(func(bool) (whisper.Speed, error) {
		loads++
		return whisper.Speed{}, errors.New("EOF\nsignal: aborted\nSIGABRT\ngoroutine 1")
	})
	if device.usesGraphics() || device.threads() < 1 {
		t.Error("the graphics processor of a driver that crashes is used")
	}
	if os.Getenv("GGML_DISABLE_VULKAN") == "" {
		t.Error("this process may load the driver")
	}
	found := device.finding()
	for _, part := range []string{
		"thread", "the driver of the graphics processor failed", "EOF, signal: aborted, SIGABRT.",
	} {
		if found[0].State != stateWarning || !strings.Contains(found[0].Message, part) {
			t.Errorf("the doctor says %+v, without %q", found[0], part)
		}
	}
	if loads != 1 {
		t.Errorf("the driver was loaded %d times", loads)
	}
}

// The child measures the speed of a graphics processor. Another processor is measured again.
func TestGraphicsProcessorIsMeasuredInAChild(t *testing.T) {
	withCache(t)
	name := "one"
	child := func(measure bool) (whisper.Speed, error) {
		speed := whisper.Speed{Device: name, Threads: 3}
		if measure {
			speed.Encoding, speed.Decoding = 1e15, 1e15
		}
		return speed, nil
	}
	device := childDevice(child)
	if !device.usesGraphics() || device.readSpeed() != (whisper.Speed{}) {
		t.Errorf("before the measurement: %+v", device.readSpeed())
	}
	if found := device.finding(); found[0].State != stateOK || !strings.Contains(found[0].Message, "with one") {
		t.Errorf("the doctor says %+v", found)
	}
	want := whisper.Speed{Device: "one", Threads: 3, Encoding: 1e15, Decoding: 1e15}
	if got := device.readSpeed(); got != want || device.threads() != 3 {
		t.Errorf("measured %+v, want %+v", got, want)
	}
	if os.Getenv("GGML_DISABLE_VULKAN") != "" {
		t.Error("this process may not transcribe on the graphics processor")
	}
	name = "two"
	if got := childDevice(child).readSpeed(); got != (whisper.Speed{}) {
		t.Errorf("of another processor: %+v", got)
	}
}
