package e2e

import (
	"testing"

	"roughcut/media/mediatest"
)

// TestBrowserDirector decides on suggestions. Then it switches the AI Director off for the account,
// and the next analysis suggests nothing.
func TestBrowserDirector(t *testing.T) {
	t.Parallel()
	server := serve(t, t.TempDir(), []string{"SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	c := server.owner(t)
	asset := c.asset(c.addAsset(drawing(t, 200, 200), "image/png").UUID)
	call[assetRecord](c, "PATCH", "/api/v1/assets/"+asset.UUID, map[string]any{"display_name": "Microphone"}, 200)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "A talk"}, 201).UUID
	c.upload(
		project, mediatest.Talk(t, mediatest.TalkOptions{Width: 320, Height: 180, Script: directorScript}).Path,
	)
	c.clipsReady(project, 1)
	found := decode[struct{ Before, After int }](
		t, browse(t, "director.mjs", "BASE_URL="+c.base, "SESSION="+c.session(), "PROJECT="+project),
	)
	if found.Before != 1 || found.After != 0 {
		t.Errorf("the analyses suggested %d assets, and then %d; want 1 and 0", found.Before, found.After)
	}
	server.stop()
}
