package e2e

import (
	"fmt"
	"testing"
)

// TestBrowserStalls plays over cuts in a browser that reports no video frames, and with videos
// whose time stands. Playback says that it waits, and reaches the end.
func TestBrowserStalls(t *testing.T) {
	server := serve(t, t.TempDir(), nil, "--owner")
	c := server.owner(t)
	project, cuts := joinsProject(t, c)
	browse(
		t, "stalls.mjs", "BASE_URL="+server.base, "SESSION="+c.session(), "PROJECT="+project, "CUTS="+cuts,
		fmt.Sprint("LENGTH=", rounds*keptMS),
	)
}
