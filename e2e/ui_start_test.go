package e2e

import "testing"

// TestBrowserStart opens the page in browsers without a language tag and without storage, and with
// a broken app, which says so.
func TestBrowserStart(t *testing.T) {
	t.Parallel()
	server := serve(t, t.TempDir(), nil, "--owner")
	browse(t, "start.mjs", "BASE_URL="+server.base, "SESSION="+server.owner(t).session())
}
