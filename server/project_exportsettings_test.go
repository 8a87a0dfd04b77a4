package server

import "testing"

// TestProjectRemembersExportSettings stores the options of the next export with the project, so
// that another device has them. Exports of the API do not use them.
func TestProjectRemembersExportSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	id := p.project("Talk")
	project := "/api/v1/projects/" + id
	p.do("GET", project, nil).want(200, "").shows(map[string]any{"export_settings": nil})
	look := map[string]any{
		"resolution": "720p", "drop_other_tracks": true, "captions": map[string]any{"enabled": true, "style": "bold"},
	}
	p.do("PATCH", project, map[string]any{"export_settings": look}).want(200, "")
	p.do("PATCH", project, map[string]any{"name": "Other"}).want(200, "")
	got := w.signIn(p.user).do("GET", project, nil).want(200, "")
	if got.text("export_settings", "captions", "style") != "bold" ||
		got.text("export_settings", "drop_other_tracks") != "true" ||
		got.text("export_settings", "resolution") != "720p" {
		t.Errorf("project %s", got.body)
	}
	wrong := map[string]any{"export_settings": map[string]any{"resolution": "1p"}}
	p.do("PATCH", project, wrong).want(422, "unprocessable")
	p.readyClip(id)
	made := p.do("POST", project+"/exports/", map[string]any{"name": "e"}).want(202, "")
	if made.text("export_settings", "resolution") != "source" {
		t.Errorf("export %s", made.body)
	}
}
