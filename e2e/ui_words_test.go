package e2e

import (
	"testing"

	"roughcut/media/mediatest"
)

// TestBrowserWords corrects, selects and cuts words, replaces a text in the transcript and the
// captions, undoes all of it, and edits the vocabulary of the project and of the account.
func TestBrowserWords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	c := server.owner(t)
	project := c.guideProject("Light in a small kitchen", guideTalk(t), true)
	browse(t, "words.mjs", "BASE_URL="+c.base, "SESSION="+c.session(), "PROJECT="+project)
	server.stop()
	doctor(t, dir)
}
