package libav

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// scrolledText writes a recording of a page of text that scrolls, and rests for some seconds.
func scrolledText(t *testing.T, extension string, options ...string) string {
	t.Helper()
	text, path := filepath.Join(t.TempDir(), "page.txt"), filepath.Join(t.TempDir(), "page."+extension)
	var page strings.Builder
	for line := range 80 {
		fmt.Fprintf(&page, "%3d  if err := open(file%d); err != nil { return wrap(err, %d) }\n", line, line*7, line*13)
	}
	if err := os.WriteFile(text, []byte(page.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	mediatest.FFmpeg(t, append(append([]string{
		"-f", "lavfi", "-i", "color=0x1e1e2e:s=1280x720:r=10:d=9", "-vf",
		"drawtext=textfile=" + text + ":fontsize=20:fontcolor=0xd0d0e0:x=120:y=20-60*min(t\\,5):expansion=none",
		"-pix_fmt", "yuv420p",
	}, options...), path)...)
	return path
}

// screenOf ingests a recording and returns IngestResult.Screen as text.
func screenOf(t *testing.T, request media.IngestRequest) string {
	t.Helper()
	request.Screen = true
	got, err := New().Ingest(t.Context(), request, nil)
	switch {
	case err != nil:
		t.Fatal(err)
	case got.Screen == nil:
		return "nil"
	case *got.Screen:
		return "true"
	}

	return "false"
}

// An ingest recognizes a screen by the frames of a proxy, by the keyframes of a sprite sheet, and
// without either.
func TestIngestRecognizesAScreen(t *testing.T) {
	t.Parallel()
	x264 := strings.Fields("-c:v libx264 -preset veryfast -crf 32 -g 20 -movflags +faststart")
	page := scrolledText(t, "mp4", x264...)
	far := scrolledText(t, "mkv", strings.Fields("-c:v libx264 -preset veryfast -crf 32 -g 250")...)
	sheet := func() string { return filepath.Join(t.TempDir(), "sheet.jpg") }
	proxy := func() string { return filepath.Join(t.TempDir(), "proxy.mp4") }
	type request = media.IngestRequest
	for name, c := range map[string]struct {
		request request
		want    string
	}{
		"proxy":        {request{Path: page, ProxyPath: proxy(), SpritePath: sheet(), Motion: true}, "true"},
		"sprite sheet": {request{Path: page, SpritePath: sheet(), SkipProxyIfPlayable: true}, "true"},
		"tiles later": {
			request{Path: page, SpritePath: sheet(), SkipProxyIfPlayable: true, TilesLaterMS: 1}, "true",
		},
		"motion":         {request{Path: page, Motion: true}, "true"},
		"nothing else":   {request{Path: page}, "true"},
		"one keyframe":   {request{Path: far}, "nil"},
		"proxy of these": {request{Path: far, ProxyPath: proxy()}, "true"},
	} {
		if got := screenOf(t, c.request); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// A test pattern does not count as a screen, and audio says nothing.
func TestIngestTakesNoPatternForAScreen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ source, want string }{
		{"testsrc=s=640x360:r=5:d=5", "false"},
		{"testsrc2=s=640x360:r=5:d=5", "false"},
		{"smptebars=s=640x360:r=5:d=5", "false"},
		{"gradients=s=640x360:r=5:d=5", "false"},
		{"mandelbrot=s=640x360:r=5:end_pts=25", "false"},
		{"life=s=640x360:r=5:ratio=0.3", "false"},
		{"color=black:s=640x360:r=5:d=5", "false"},
		{"sine=d=3", "nil"},
	} {
		path := filepath.Join(t.TempDir(), "pattern.mkv")
		mediatest.FFmpeg(t, "-f", "lavfi", "-i", c.source, "-t", "5", "-g", "5", "-pix_fmt", "yuv420p", path)
		if got := screenOf(t, media.IngestRequest{Path: path}); got != c.want {
			t.Errorf("%s: %s, want %s", c.source, got, c.want)
		}
	}
}
