package e2e

import (
	"os"
	"testing"

	"roughcut/media/mediatest"
)

// TestBrowserFirstCut drops a recording on the projects page and exports it. It allows three
// clicks, and two with an export that is requested before the analysis.
func TestBrowserFirstCut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	type effort struct {
		Clicks, Waits int
		Path          string
	}
	out := decode[struct{ Reviewed, Unattended effort }](t, browse(
		t, "first-cut.mjs", "BASE_URL="+server.launch, "VIDEO="+shortTalk(t), "DOWNLOADS="+t.TempDir(),
	))
	for name, got := range map[string]struct {
		effort
		clicks, waits int
	}{
		"with a review":             {out.Reviewed, 3, 2}, // for the analysis and for the export
		"with export when analyzed": {out.Unattended, 2, 1},
	} {
		if got.Clicks > got.clicks || got.Waits > got.waits {
			t.Errorf("%s: %d clicks and %d waits, want at most %d and %d",
				name, got.Clicks, got.Waits, got.clicks, got.waits)
		}
		if info, err := os.Stat(got.Path); err != nil || info.Size() < 10_000 {
			t.Errorf("%s: download %s: %v", name, got.Path, err)
		}
	}
	server.stop()
	doctor(t, dir)
}
