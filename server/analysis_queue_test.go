package server

import "testing"

// An analysis that waits for its clips is accepted during the upload. It starts after the clip, and
// leaves an export behind.
func TestAnalysisWaitsForClips(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	body := map[string]any{"wait_for_clips": true}
	p.do("POST", base+"/analyze", body).want(400, "no_clips")
	clip, _ := p.upload(project, []byte("recording"))
	run := p.do("POST", base+"/analyze", body).want(202, "").text("run_uuid")
	if again := p.do("POST", base+"/analyze", body).want(409, "already_analyzing"); again.text("run_uuid") != run {
		t.Errorf("the refusal does not name the running analysis: %s", again.body)
	}
	runs := func() *reply { return p.do("GET", base+"/analysis-runs", nil).want(200, "") }
	if got := runs(); got.text("items", 0, "waits_for_clips") != "true" || got.text("items", 0, "status") != "queued" {
		t.Errorf("waiting run: %s", got.body)
	}

	later := base + "/analysis-runs/" + run + "/export-when-done"
	wanted := map[string]any{"name": "For the web", "export_settings": map[string]any{"resolution": "720p"}}
	p.do("PUT", later, map[string]any{"name": " "}).want(422, "unprocessable")
	p.do("PUT", later, wanted).want(200, "")
	p.do("DELETE", later, nil).want(204, "")
	if got := runs(); got.value("items", 0, "export_when_done") != nil {
		t.Errorf("the request for an export is still there: %s", got.body)
	}
	p.do("PUT", later, wanted).want(200, "")
	if got := runs(); got.text("items", 0, "export_when_done", "export_settings", "resolution") != "720p" {
		t.Errorf("the run does not show its export: %s", got.body)
	}

	p.do("POST", base+"/clips/"+clip+"/confirm", nil).want(202, "")
	w.finishClip()
	if got := runs(); got.text("items", 0, "waits_for_clips") != "false" {
		t.Errorf("the run still waits: %s", got.body)
	}
	w.finishAnalysis(clip)
	if got := runs(); got.text("items", 0, "status") != "completed" {
		t.Errorf("the run: %s", got.body)
	}
	p.do("PUT", later, wanted).want(409, "conflict")
	p.do("DELETE", later, nil).want(409, "conflict")
}
