package server

import "testing"

// TestTrashOfExports deletes, restores and finally deletes an export.
func TestTrashOfExports(t *testing.T) {
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	p.readyClip(project)
	export := p.export(project)
	trash := "/api/v1/projects/" + project + "/trash/"
	p.do("POST", trash+export+"/restore", nil).want(404, "not_found")
	p.do("DELETE", "/api/v1/exports/"+export, nil).want(204, "")
	p.do("GET", "/api/v1/exports/"+export, nil).want(404, "not_found")
	if got := p.do("GET", trash, nil).want(200, ""); got.text("items", 0, "uuid") != export {
		t.Errorf("trash %s", got.body)
	}
	p.do("POST", trash+export+"/restore", nil).want(204, "")
	p.do("GET", "/api/v1/exports/"+export+"/download-url", nil).want(200, "")
	p.do("DELETE", "/api/v1/exports/"+export, nil).want(204, "")
	p.do("POST", trash+"empty", nil).want(204, "")
	p.do("GET", trash, nil).want(200, "").shows(map[string]any{"total": 0})
	p.do("POST", trash+export+"/restore", nil).want(404, "not_found")
}
