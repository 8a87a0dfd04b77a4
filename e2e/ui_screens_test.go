package e2e

import (
	"testing"

	"roughcut/pipeline/detect"
)

// TestLongBrowserScreens visits every screen at 150 % zoom, in both color schemes and with forced
// colors, and goes through the main screens by keyboard.
func TestLongBrowserScreens(t *testing.T) {
	needsLong(t)
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	user := call[record](c, "GET", "/api/v1/users/me", nil, 200)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Garden"}, 201)
	root := "/api/v1/projects/" + project.UUID
	c.upload(project.UUID, numbered(t, "garden.mp4"))
	comesTo(t, c, root+"/clips/", "ready")
	logo := c.asset(c.addAsset(guideStill(t, "lamp", "scale=320:180"), "image/png").UUID)
	server.stop()
	analyzeByHand(t, dir, user.UUID, project.UUID, detect.Evidence{DurationMS: 8000, Words: gardenWords()})
	server = serve(t, dir, nil, "--owner")
	c = server.owner(t)
	call[record](c, "POST", root+"/edits/", map[string]any{
		"type": "asset", "asset_file_id": logo.FileID, "start_ms": 4000, "end_ms": 6000,
	}, 201)
	for startMS := 500; startMS < 4000; startMS += 500 {
		call[record](c, "POST", root+"/edits/", map[string]any{
			"type": "manual", "start_ms": startMS, "end_ms": startMS + 200,
		}, 201)
	}
	empty := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Empty"}, 201)
	browse(
		t, "screens.mjs", "BASE_URL="+server.base, "SESSION="+c.session(), "PROJECT="+project.UUID,
		"EMPTY="+empty.UUID, "TEAM_URL="+serve(t, t.TempDir(), nil).base,
	)
}
