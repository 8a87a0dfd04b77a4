package e2e

import (
	"testing"

	"roughcut/media/mediatest"
)

// TestTimingBrowserPlayback plays a take, plays across a cut, a muted cut and the cut of a trimmed
// asset. The page shows and plays nothing that is cut.
func TestTimingBrowserPlayback(t *testing.T) {
	mediatest.NeedsTiming(t)
	dir, facts := startFrom(t, "takes")
	c := serve(t, dir, nil, "--owner").owner(t)
	asset := c.asset(c.addAsset(tinyTalk(t), "video/mp4").UUID)
	browse(t, "playback.mjs", "BASE_URL="+c.base, "SESSION="+c.session(), "PROJECT="+facts["project"],
		"ASSET="+asset.UUID)
}
