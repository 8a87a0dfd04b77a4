package av

import (
	"context"
	"path/filepath"
	"testing"

	"roughcut/media/mediatest"
)

// A number of threads that takes too much memory is reduced.
func TestThreadsAreAffordable(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large.mp4")
	mediatest.FFmpeg(
		t, "-f", "lavfi", "-i", "color=black:s=8192x4320:r=25", "-frames:v", "1", "-pix_fmt", "yuv420p10le",
		"-c:v", "libx264", "-preset", "ultrafast", "-threads", "1", large,
	)
	s, err := Open(context.Background(), large)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := s.Video.affordableThreads(64); n < 2 || s.Video.decoderBytes(n) > maxDecoderBytes ||
		s.Video.decoderBytes(n+1) <= maxDecoderBytes {
		t.Errorf("%d threads take %d MB", n, s.Video.decoderBytes(n)>>20)
	}
}
