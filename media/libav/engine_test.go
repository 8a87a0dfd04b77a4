package libav

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// fakeCPU is an engine in whose process every look at the CPU time finds another hour.
func fakeCPU() *Engine {
	e := New()
	var now time.Duration
	e.clock = av.NewCPUClock(func() time.Duration { now += time.Hour; return now })
	return e
}

// A call that takes too much processor time ends with the fault of its file, and leaves no file.
func TestProcessorTimeOfACallIsLimited(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "talk.mp4"), filepath.Join(dir, "out.mp4")
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "testsrc2=s=64x64:r=25:d=12", "-f", "lavfi", "-i", "sine=d=12",
		"-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", path)
	plan := makePlan(t, nil, media.RenderSettings{AspectRatio: "9:16"}, path)
	for name, call := range map[string]func() error{
		"reading": func() error {
			_, err := fakeCPU().Ingest(context.Background(), media.IngestRequest{Path: path, ProxyPath: out}, nil)
			return err
		},
		"rendering": func() error {
			_, err := fakeCPU().Render(context.Background(), plan, out, nil)
			return err
		},
	} {
		var fault *av.MediaError
		if err := call(); !errors.As(err, &fault) || !strings.Contains(fault.Message, "of processor time") {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "out*")); len(left) > 0 {
			t.Errorf("%s left %v", name, left)
		}
	}
}
