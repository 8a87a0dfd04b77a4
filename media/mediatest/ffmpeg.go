package mediatest

import "testing"

// FFmpeg makes a file with the ffmpeg command.
func FFmpeg(t testing.TB, args ...string) {
	t.Helper()
	if out, err := Command(
		t, "ffmpeg",
		append([]string{"-v", "error", "-nostdin", "-y"}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg %v: %v\n%s", args, err, out)
	}
}
