package server

import (
	"testing"
	"time"
)

func TestDraftIsApplied(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	clip := p.readyClip(project)
	p.analyze(project, clip)
	edit := p.do("GET", base+"/edits/", nil).text("items", 0, "uuid")
	short := map[string]any{"name": "Kitchen", "start_ms": 1000, "end_ms": 4000}
	made := p.do("POST", base+"/shorts/", short).want(201, "").text("uuid")
	draft := p.do("POST", base+"/drafts/", map[string]any{
		"name": "d", "with_shorts": true, "edit_overrides": map[string]any{edit: map[string]any{"active": false}},
	}).want(201, "")
	address := "/api/v1/drafts/" + draft.text("uuid")
	if got := p.do("GET", address, nil).want(200, ""); got.text("shorts", 0, "end_ms") != "4000" {
		t.Errorf("draft %s", got.body)
	}
	p.do("PATCH", base+"/shorts/"+made, map[string]any{"end_ms": 5000}).want(200, "")
	w.clock.Advance(time.Second)
	manual := map[string]any{"type": "manual", "start_ms": 100, "end_ms": 200}
	newer := p.do("POST", base+"/edits/", manual).want(201, "").text("uuid")

	applied := p.do("POST", address+"/apply", nil).want(200, "")
	applied.shows(map[string]any{"missing": 0, "switched_off": 1})
	for _, e := range p.do("GET", base+"/edits/", nil).want(200, "").value("items").([]any) {
		item := e.(map[string]any)
		if want := item["uuid"] != edit && item["uuid"] != newer; item["active"] != want {
			t.Errorf("want active %v: %v", want, item)
		}
	}
	p.do("GET", base+"/shorts/", nil).want(200, "").shows(map[string]any{"total": 1})
	entry := map[string]any{"kind": "shorts", "label": "apply draft", "undone": true}
	p.do("POST", base+"/edit-history/undo", nil).want(200, "").shows(entry)

	p.do("DELETE", base+"/shorts/"+made, nil).want(204, "")
	for range 100 {
		p.do("POST", base+"/shorts/", short).want(201, "")
	}
	p.do("POST", address+"/apply", nil).want(422, "unprocessable")
	p.do("PATCH", address, map[string]any{"with_shorts": false}).want(200, "").shows(map[string]any{"shorts": nil})
	p.do("POST", address+"/apply", nil).want(200, "")
	p.analyze(project, clip)
	p.do("POST", address+"/apply", nil).want(409, "conflict")
}
