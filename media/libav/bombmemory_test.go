package libav

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// bombEnv names the recording that a child process ingests, so that its memory can be measured.
const bombEnv = "ROUGHCUT_TEST_INGEST"

// TestIngestChild is what TestLongBombsTakeLittleMemory runs.
func TestIngestChild(t *testing.T) {
	path := os.Getenv(bombEnv)
	if path == "" {
		t.Skip("only another test runs this")
	}
	e := New(WithThreads(measuredThreads))
	_, err := e.Ingest(context.Background(), media.IngestRequest{
		Path: path, ProxyPath: path + ".proxy", SpritePath: path + ".sprite", SpeechPath: path + ".speech",
	}, nil)
	var fault *av.MediaError
	if err != nil && !errors.As(err, &fault) {
		t.Fatal(err)
	}
	t.Logf("ended with %v", err)
	leaveStatus(t, path)
}

// Small files whose frames are huge take little memory, whether they are read or refused. Their
// parameter sets come in the container, in the first packets, or in the middle of a small video.
func TestLongBombsTakeLittleMemory(t *testing.T) {
	needsLong(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	encode := func(name string, options ...string) {
		mediatest.FFmpeg(t, append(options, at(name))...)
	}
	black := []string{"-f", "lavfi", "-i", "color=black:s=8192x4320:r=25", "-frames:v", "10", "-threads", "2"}
	encode("avc.mp4", append(black, "-pix_fmt", "yuv444p10le", "-c:v", "libx264", "-preset", "ultrafast",
		"-x264-params", "ref=16:level=6.2:bframes=0")...)
	encode("hevc.mp4", append(black, "-pix_fmt", "yuv444p12le", "-c:v", "libx265", "-preset", "ultrafast",
		"-x265-params", "ref=6:bframes=0:pools=2:log-level=none")...)
	small := []string{"-f", "lavfi", "-i", "testsrc2=s=320x180:d=12", "-pix_fmt", "yuv420p", "-preset", "ultrafast"}
	encode("smallavc.ts", append(small, "-c:v", "libx264")...)
	encode("smallhevc.ts", append(small, "-c:v", "libx265", "-x265-params", "log-level=none")...)
	for _, codec := range []string{"avc", "hevc"} {
		for _, container := range []string{".mkv", ".ts"} {
			encode(codec+container, "-i", at(codec+".mp4"), "-c", "copy")
		}
		late := [][]byte{}
		for _, name := range []string{"small" + codec + ".ts", codec + ".ts"} {
			data, err := os.ReadFile(at(name))
			if err != nil {
				t.Fatal(err)
			}
			late = append(late, data)
		}
		if err := os.WriteFile(at("late"+codec+".ts"), bytes.Join(late, nil), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	encode("avc.avi", "-i", at("avc.mp4"), "-c", "copy", "-bsf:v", "h264_mp4toannexb")
	for _, name := range []string{
		"avc.mp4", "avc.mkv", "avc.ts", "avc.avi", "lateavc.ts", "hevc.mp4", "hevc.mkv", "hevc.ts", "latehevc.ts",
	} {
		cmd := exec.Command(os.Args[0], "-test.v", "-test.run", "^TestIngestChild$")
		cmd.Env = append(os.Environ(), bombEnv+"="+at(name))
		said, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, said)
			continue
		}
		_, ended, _ := strings.Cut(string(said), "ended with ")
		ended, _, _ = strings.Cut(ended, "\n")
		peak, size := peakMemory(t, at(name)), sizeOf(t, at(name))
		t.Logf("%s of %d KB took %d MB: %s", name, size>>10, peak>>20, ended)
		if peak > memoryLimit {
			t.Errorf("%s took %d MB", name, peak>>20)
		}
	}
}
