package cli

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/adrg/xdg"
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
func noGraphics() (string, error) { return "", nil }

// A driver that crashes ends a child. The CPU transcribes, this process does not load the driver,
// and the doctor says why.
func TestDriverThatCrashesLeavesTheCPU(t *testing.T) {
	withCache(t)
	loads := 0
	device := childDevice(func() (string, error) {
		loads++
		return "", errors.New("EOF\nsignal: aborted\nSIGABRT\ngoroutine 1")
	})
	if device.usesGraphics() {
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

// The child finds a graphics processor, which this process may then use.
func TestGraphicsProcessorIsFoundInAChild(t *testing.T) {
	withCache(t)
	device := childDevice(func() (string, error) { return "one", nil })
	if !device.usesGraphics() {
		t.Error("the graphics processor is not used")
	}
	if found := device.finding(); found[0].State != stateOK || !strings.Contains(found[0].Message, "with one") {
		t.Errorf("the doctor says %+v", found)
	}
	if os.Getenv("GGML_DISABLE_VULKAN") != "" {
		t.Error("this process may not transcribe on the graphics processor")
	}
}
