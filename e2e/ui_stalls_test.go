package e2e

import (
	"fmt"
	"testing"

	"roughcut/media/mediatest"
)

// TestTimingBrowserStalls plays over cuts in a browser that reports no video frames, and with
// videos whose time stands. Playback shows nothing that is cut, and reaches the end.
func TestTimingBrowserStalls(t *testing.T) {
	mediatest.NeedsTiming(t)
	server := serve(t, t.TempDir(), nil, "--owner")
	c := server.owner(t)
	project, cuts := joinsProject(t, c)
	browse(
		t, "stalls.mjs", "BASE_URL="+server.base, "SESSION="+c.session(), "PROJECT="+project, "CUTS="+cuts,
		fmt.Sprint("LENGTH=", rounds*keptMS),
	)
}
