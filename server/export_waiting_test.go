package server

import "testing"

// TestExportNeverLeavesOutAClip exports while a clip is processed: the export waits, unless the
// request says otherwise.
func TestExportNeverLeavesOutAClip(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	p.readyClip(project)
	second, _ := p.upload(project, []byte("bytes"))
	uploading := p.do("POST", base+"/exports/", map[string]any{"name": "all", "wait_for_clips": true}).want(202, "")
	uploading.shows(map[string]any{"status": "queued", "waits_for_clips": true, "duration_ms": nil})
	p.do("POST", base+"/exports/", map[string]any{"name": "ready"}).want(
		202,
		"",
	).shows(map[string]any{"waits_for_clips": false})
	p.do("POST", base+"/clips/"+second+"/confirm", nil).want(202, "")
	p.do("POST", base+"/exports/", map[string]any{"name": "asked"}).want(
		202,
		"",
	).shows(map[string]any{"waits_for_clips": true})
	p.do("POST", base+"/exports/", map[string]any{"name": "now", "wait_for_clips": false}).want(
		202,
		"",
	).shows(map[string]any{"waits_for_clips": false})
	p.do("POST", base+"/exports/estimate", map[string]any{}).want(200, "")
	w.claim("export")
	w.finishClip()
	p.do("GET", "/api/v1/exports/"+uploading.text("uuid"), nil).want(
		200,
		"",
	).shows(map[string]any{"waits_for_clips": false, "duration_ms": 2 * clipMS})
}
