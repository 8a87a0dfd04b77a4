package e2e

import (
	"testing"

	"roughcut/media/mediatest"
)

// TestBrowserExportsAsRecorded exports an upright phone clip in the page.
// The steps are in web/e2e/asrecorded.mjs.
func TestBrowserExportsAsRecorded(t *testing.T) {
	t.Parallel()
	talk := func(o mediatest.TalkOptions) string {
		o.Seconds, o.GOP, o.VideoOptions = 6, 30, bt709
		return mediatest.Talk(t, o).Path
	}
	phone := talk(mediatest.TalkOptions{Width: 360, Height: 640, RotationDeg: 90})
	landscape := talk(mediatest.TalkOptions{Width: 640, Height: 360, RateNum: 25})
	server := serve(t, t.TempDir(), nil, "--owner")
	c := server.owner(t)
	project := func(name string, clips ...string) string {
		made := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": name}, 201)
		for _, clip := range clips {
			c.upload(made.UUID, clip)
		}
		c.clipsReady(made.UUID, len(clips))
		return made.UUID
	}
	single, mixed := project("Phone", phone), project("Mixed", phone, landscape)
	call[record](
		c, "POST", "/api/v1/projects/"+single+"/edits/",
		map[string]any{"type": "manual", "start_ms": 1500, "end_ms": 2300}, 201,
	)
	browse(t, "asrecorded.mjs", "BASE_URL="+c.base, "SESSION="+c.session(), "PROJECT="+single, "MIXED="+mixed)
	server.stop()
}
