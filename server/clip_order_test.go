package server

import "testing"

func TestOrderClips(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	first := p.readyClip(project)
	second := p.readyClip(project)
	edit := p.do(
		"POST",
		base+"/edits/",
		map[string]any{"type": "manual", "start_ms": 1000, "end_ms": 2000},
	).want(201, "").text("uuid")
	order := func(ids ...any) *reply { return p.do("PUT", base+"/clips/order", map[string]any{"clip_uuids": ids}) }

	r := order(second, first).want(200, "")
	holds(t, r, map[string]any{"total": 2, "page": 1, "page_size": 50})
	if r.text("items", 0, "uuid") != second || r.text("items", 0, "position") != "0" ||
		r.text("items", 1, "uuid") != first {
		t.Errorf("response: %s", r.body)
	}
	if list := p.do("GET", base+"/clips/", nil).want(200, ""); list.text("items", 0, "uuid") != second {
		t.Errorf("list: %s", list.body)
	}
	edits := p.do("GET", base+"/edits/", nil).want(200, "")
	if edits.text("items", 0, "uuid") != edit || edits.text("items", 0, "start_ms") != "11000" ||
		edits.text("items", 0, "end_ms") != "12000" {
		t.Errorf("edits: %s", edits.body)
	}
	for _, ids := range [][]any{{}, {first}, {first, first}, {first, second, noSuchUUID}, {first, "x"}, {first, 1}} {
		if got := order(
			ids...).want(
			422,
			"unprocessable",
		).text("errors", 0, "field"); got != "clip_uuids" &&
			got != "clip_uuids.1" {
			t.Errorf("%v: field %q", ids, got)
		}
	}
	run := p.do("POST", base+"/analyze", map[string]any{}).want(202, "").text("run_uuid")
	order(first, second).want(409, "conflict")
	p.do("DELETE", "/api/v1/clips/"+first, nil).want(409, "conflict")
	p.do("POST", base+"/analysis-runs/"+run+"/cancel", nil).want(202, "")
	export := p.do("POST", base+"/exports/", map[string]any{"name": "x"}).want(202, "").text("uuid")
	order(first, second).want(409, "conflict")
	p.do("POST", "/api/v1/exports/"+export+"/cancel", nil).want(202, "")
	order(first, second).want(200, "")
}

func TestRenameClip(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	clip := p.readyClip(project)
	rename := func(name string) *reply {
		return p.do("PATCH", "/api/v1/clips/"+clip, map[string]any{"name": name})
	}
	holds(t, rename(" The kitchen ").want(200, ""), map[string]any{"uuid": clip, "name": "The kitchen"})
	if got := p.do("GET", "/api/v1/projects/"+project+"/clips/", nil).text("items", 0, "name"); got != "The kitchen" {
		t.Errorf("the clip is called %q", got)
	}
	for _, name := range []string{"", "  ", "two\nlines"} {
		rename(name).want(422, "unprocessable")
	}
	undone := map[string]any{"kind": "clips", "label": "rename clip", "undone": true}
	holds(t, p.do("POST", "/api/v1/projects/"+project+"/edit-history/undo", nil).want(200, ""), undone)
	if got := p.do("GET", "/api/v1/projects/"+project+"/clips/", nil).text("items", 0, "name"); got == "The kitchen" {
		t.Error("undo keeps the new name")
	}
}
