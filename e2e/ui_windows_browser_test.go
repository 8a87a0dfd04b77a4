package e2e

import (
	"testing"

	"roughcut/media/mediatest"
)

// TestBrowserTwoWindows shows the changes of one window in another one, keeps what is being typed
// there, and undoes in a window that missed a change.
func TestBrowserTwoWindows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	c := server.owner(t)
	project := c.guideProject("Light in a small kitchen", guideTalk(t), true)
	browse(t, "windows.mjs", "BASE_URL="+c.base, "SESSION="+c.session(), "PROJECT="+project)
	server.stop()
	doctor(t, dir)
}
