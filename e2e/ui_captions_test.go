package e2e

import (
	"testing"

	"roughcut/media/mediatest"
)

// TestBrowserCaptions edits captions by keyboard and on the timeline, replaces a text in them,
// imports a subtitle file, and undoes all of it.
func TestBrowserCaptions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	c := server.owner(t)
	project := c.guideProject("Light in a small kitchen", guideTalk(t), true)
	browse(t, "captions.mjs", "BASE_URL="+c.base, "SESSION="+c.session(), "PROJECT="+project)
	server.stop()
	doctor(t, dir)
}
