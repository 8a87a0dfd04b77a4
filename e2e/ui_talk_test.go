package e2e

import (
	"roughcut/media/mediatest"
	"testing"
)

// TestBrowserTalk takes the three-minute talk through the web UI in owner mode.
func TestBrowserTalk(t *testing.T) {
	t.Parallel()
	talk := threeMinutes(t)
	dir := t.TempDir()
	server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	result := decode[struct {
		Download string
		Edits    []cutEdit
		Export   struct {
			DurationMS int64 `json:"duration_ms"`
		}
	}](t, browse(t, "main-flow.mjs", "BASE_URL="+server.launch, "VIDEO="+talk.Path, "DOWNLOADS="+t.TempDir()))
	checkCut(t, talk, result.Download, result.Edits, result.Export.DurationMS, 1)
	server.stop()
	doctor(t, dir)
}
