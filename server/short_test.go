package server

import (
	"strings"
	"testing"
)

func TestShorts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	of := func(start, end int64) map[string]any {
		return map[string]any{"name": " The kitchen ", "start_ms": start, "end_ms": end}
	}
	add := func(body map[string]any) *reply { return p.do("POST", base+"/shorts/", body) }
	add(of(1000, 4000)).want(400, "no_clips")
	p.analyze(project, p.readyClip(project))
	add(of(1000, clipMS+1)).want(400, "out_of_bounds")
	within := map[string]any{"range": map[string]any{"start_ms": 0, "end_ms": 4}}
	for _, body := range []map[string]any{
		of(-1, 4000),
		of(4000, 4000),
		{"name": "s", "start_ms": 0},
		{"name": " ", "start_ms": 0, "end_ms": 1},
		{"name": strings.Repeat("x", 201), "start_ms": 0, "end_ms": 1},
		{"name": "s", "start_ms": 0, "end_ms": 1, "export_settings": map[string]any{"fit": "bent"}},
		{"name": "s", "start_ms": 0, "end_ms": 5, "export_settings": within},
	} {
		add(body).want(422, "unprocessable")
	}

	later := add(of(5000, 9000)).want(201, "")
	later.shows(map[string]any{
		"name": "The kitchen", "start_ms": 5000, "end_ms": 9000, "project_uuid": project,
		"export_settings": map[string]any{},
	})
	made := add(of(1000, 4000)).want(201, "")
	list := p.do("GET", base+"/shorts/", nil).want(200, "")
	list.shows(map[string]any{"total": 2, "page": 1, "page_size": 50})
	if list.text("items", 0, "uuid") != made.text("uuid") {
		t.Errorf("the list is %s", list.body)
	}

	address := base + "/shorts/" + made.text("uuid")
	change := func(body map[string]any) *reply { return p.do("PATCH", address, body) }
	look := map[string]any{"aspect_ratio": "9:16", "captions": map[string]any{"enabled": true}}
	changed := map[string]any{"name": "Oven", "start_ms": 1000, "end_ms": 3000, "export_settings": look}
	change(map[string]any{"name": "Oven", "end_ms": 3000, "export_settings": look}).want(200, "").shows(changed)
	change(map[string]any{"end_ms": clipMS + 1}).want(400, "out_of_bounds")
	change(map[string]any{"start_ms": 3000}).want(422, "unprocessable")
	change(map[string]any{"name": "two\nlines"}).want(422, "unprocessable")
	change(map[string]any{"export_settings": map[string]any{"format": "gif"}}).want(422, "unprocessable")
	p.do("PATCH", "/api/v1/projects/"+p.project("Other")+"/shorts/"+made.text("uuid"), changed).want(404, "not_found")
	p.do("DELETE", address, nil).want(204, "")
	p.do("DELETE", address, nil).want(404, "not_found")
	undone := map[string]any{"kind": "shorts", "label": "remove short", "undone": true}
	p.do("POST", base+"/edit-history/undo", nil).want(200, "").shows(undone)
	p.do("GET", base+"/shorts/", nil).want(200, "").shows(map[string]any{"total": 2})
	change(map[string]any{}).want(200, "").shows(changed)
}

// An export of a short is named like the short, and has its range and settings.
func TestExportsOfShorts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	p.readyClip(project)
	look := map[string]any{"aspect_ratio": "9:16"}
	short := p.do("POST", base+"/shorts/", map[string]any{
		"name": "Oven", "start_ms": 1000, "end_ms": 3500, "export_settings": look,
	}).want(201, "").text("uuid")
	asked := map[string]any{"short_uuid": short}
	estimate := p.do("POST", base+"/exports/estimate", asked).want(200, "")
	if ms, _ := estimate.value("duration_ms").(float64); ms < 2450 || ms > 2550 {
		t.Errorf("estimate of %v ms, want 2500: %s", ms, estimate.body)
	}
	if estimate.value("width").(float64) >= estimate.value("height").(float64) {
		t.Errorf("the estimate is not upright: %s", estimate.body)
	}

	made := p.do("POST", base+"/exports/", asked).want(202, "")
	made.shows(map[string]any{"name": "Oven", "short_uuid": short, "duration_ms": 2500})
	w.finishExport()
	export := "/api/v1/exports/" + made.text("uuid")
	p.do("GET", export+"/download-url", nil).want(200, "").shows(map[string]any{"filename": "Talk - Oven.mp4"})
	asked["name"], asked["export_settings"] = "Stove", map[string]any{"aspect_ratio": "1:1"}
	p.do("POST", base+"/exports/", asked).want(202, "").shows(map[string]any{"name": "Stove"})
	asked["export_settings"] = map[string]any{"range": map[string]any{"start_ms": 0, "end_ms": 5}}
	p.do("POST", base+"/exports/", asked).want(422, "unprocessable")
	p.do("POST", base+"/exports/", map[string]any{}).want(422, "unprocessable")
	p.do("POST", base+"/exports/", map[string]any{"short_uuid": noSuchUUID}).want(404, "not_found")
	p.do("DELETE", base+"/shorts/"+short, nil).want(204, "")
	p.do("GET", export, nil).want(200, "").shows(map[string]any{"short_uuid": short, "name": "Oven"})
}
