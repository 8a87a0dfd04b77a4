package libav

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
	s, err := openUntrusted(context.Background(), large)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if n := s.video.affordableThreads(64); n < 2 || s.video.decoderBytes(n) > maxDecoderBytes ||
		s.video.decoderBytes(n+1) <= maxDecoderBytes {
		t.Errorf("%d threads take %d MB", n, s.video.decoderBytes(n)>>20)
	}
}
