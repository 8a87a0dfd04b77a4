package e2e

import "testing"

// TestBrowserLateSpriteSheet uploads a recording whose sprite sheet arrives after its cuts. The
// editor and the projects page show it without a reload. The steps are in web/e2e/tiles.mjs.
func TestBrowserLateSpriteSheet(t *testing.T) {
	t.Parallel()
	server := serve(t, t.TempDir(), nil, "--owner")
	c := server.owner(t)
	browse(t, "tiles.mjs", "BASE_URL="+c.base, "SESSION="+c.session(), "VIDEO="+lecture(t))
	server.stop()
}

// lecture films seven and a half minutes that move, with a pause of two seconds every four seconds.
// Its keyframes are large: decoding them takes seconds, but copying them takes no time.
func lecture(t *testing.T) string {
	t.Helper()
	moment := film(
		t, "moment.mp4", "-f", "lavfi", "-i", "testsrc2=s=1920x1080:r=2:d=4",
		"-f", "lavfi", "-i", "sine=frequency=300:r=48000:d=4,volume=4*lt(t\\,2):eval=frame",
		"-c:v", "libx264", "-preset", "ultrafast", "-crf", "26", "-g", "2", "-pix_fmt", "yuv420p", "-c:a", "aac",
	)
	return film(t, "lecture.mp4", "-stream_loop", "112", "-i", moment, "-c", "copy", "-t", "450")
}
