package e2e

import (
	"testing"

	"roughcut/media/mediatest"
)

// TestBrowserFocus checks that the focus of the keyboard is never lost in the editor, that the
// dividers have names and keys, that the bar of the crop fits, and that R and Delete do what they
// name.
func TestBrowserFocus(t *testing.T) {
	t.Parallel()
	dir, facts := startFrom(t, "talk")
	server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	c := server.owner(t)
	c.asset(c.addAsset(drawing(t, 200, 200), "image/png").UUID)
	browse(t, "focus.mjs", "BASE_URL="+c.base, "SESSION="+c.session(), "PROJECT="+facts["project"])
	server.stop()
	doctor(t, dir)
}
