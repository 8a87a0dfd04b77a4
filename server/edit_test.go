package server

import (
	"testing"

	"roughcut/store"
)

func TestEditsAndReplan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	edits := base + "/edits/"
	p.do("POST", edits, map[string]any{"type": "manual", "start_ms": 0, "end_ms": 10}).want(400, "no_clips")
	clip := p.readyClip(project)
	run := p.analyze(project, clip)

	p.do("POST", edits, map[string]any{"type": "manual", "start_ms": 10, "end_ms": 10}).want(422, "unprocessable")
	p.do("POST", edits, map[string]any{"type": "manual", "start_ms": 10, "end_ms": clipMS + 1}).want(
		400,
		"out_of_bounds",
	)
	manual := p.do(
		"POST",
		edits,
		map[string]any{"type": "manual", "start_ms": 4000, "end_ms": 5000, "reason": "boring"},
	).want(201, "")
	if manual.text("active") != "true" || manual.value("run_uuid") != nil || manual.value("confidence") != nil {
		t.Errorf("manual cut %s", manual.body)
	}
	list := p.do("GET", edits, nil).want(200, "")
	if list.text("items", 0, "type") != "silence" || list.text("items", 0, "run_uuid") != run ||
		list.text("total") != "2" {
		t.Errorf("edits: %s", list.body)
	}
	p.do("PATCH", "/api/v1/edits/"+manual.text("uuid"), map[string]any{"start_ms": 6000}).want(422, "unprocessable")
	p.do("PATCH", "/api/v1/edits/"+manual.text("uuid"), map[string]any{"active": false}).want(200, "")
	if got := p.do("GET", edits+"?active_only=true", nil).want(200, "").text("total"); got != "1" {
		t.Errorf("%s active edits", got)
	}

	replan := base + "/analysis-runs/" + run + "/replan"
	dry := p.do(
		"POST",
		replan,
		map[string]any{"pacing_level": 80, "false_start_sensitivity": 10, "dry_run": true},
	).want(200, "")
	if dry.text("items", 0, "end_ms") != "2080" {
		t.Errorf("dry run responds with %s", dry.body)
	}
	if got := p.do("GET", edits, nil).text("items", 0, "end_ms"); got != "2050" {
		t.Errorf("a dry run changed the edit to %s", got)
	}
	p.do("POST", replan, map[string]any{"pacing_level": 80, "false_start_sensitivity": 10}).want(200, "")
	list = p.do("GET", edits, nil)
	detected := list.text("items", 0, "uuid")
	if list.text("items", 0, "end_ms") != "2080" {
		t.Errorf("after the replan: %s", list.body)
	}

	both := p.do(
		"PATCH",
		edits,
		map[string]any{
			"edits": []any{
				map[string]any{"uuid": detected, "active": false},
				map[string]any{"uuid": manual.text("uuid"), "active": true},
			},
		},
	).want(200, "")
	if both.text("items", 0, "active") != "false" || both.text("items", 1, "active") != "true" ||
		both.text("undo", 0, "active") != "true" {
		t.Errorf("changing several edits: %s", both.body)
	}
	undone := p.do("PATCH", edits, map[string]any{"edits": both.value("undo")}).want(200, "")
	if undone.text("items", 0, "active") != "true" || undone.text("items", 1, "active") != "false" {
		t.Errorf("undo: %s", undone.body)
	}
	p.do("PATCH", edits, map[string]any{"edits": []any{}}).want(422, "unprocessable")
	p.do(
		"PATCH",
		edits,
		map[string]any{"edits": []any{map[string]any{"uuid": p.user.UUID, "active": false}}},
	).want(422, "unknown_edit")
	if got := p.do("DELETE", "/api/v1/edits/"+detected, nil).want(200, ""); got.text("active") != "false" {
		t.Errorf("deleted detected edit: %s", got.body)
	}
	p.do("DELETE", "/api/v1/edits/"+manual.text("uuid"), nil).want(204, "")
	p.do("DELETE", "/api/v1/edits/"+manual.text("uuid"), nil).want(404, "not_found")
}

// Edits name the first edit of the stretch that they remove, in lists and in responses to changes.
// A part that is split off a cut is of its kind.
func TestEditsNameTheirStretch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	p.analyze(project, p.readyClip(project))
	edits := "/api/v1/projects/" + project + "/edits/"
	found := p.do("GET", edits, nil).want(200, "")
	first, end := found.text("items", 0, "uuid"), found.text("items", 0, "end_ms")
	if end != "2050" || found.text("items", 0, "stretch_uuid") != first {
		t.Fatalf("the silence up to %s ms: %s", end, found.body)
	}

	made := p.do("POST", edits, map[string]any{"type": "manual", "start_ms": 2050, "end_ms": 3000}).want(201, "")
	if got := made.text("stretch_uuid"); got != first {
		t.Errorf("a cut that touches the silence names %s, want %s", got, first)
	}
	one := "/api/v1/edits/" + made.text("uuid")
	if got := p.do("PATCH", one, map[string]any{"action": "mute"}).want(200, "").value("stretch_uuid"); got != nil {
		t.Errorf("a mute names %v", got)
	}
	both := p.do("PATCH", edits, map[string]any{"edits": []any{
		map[string]any{"uuid": first, "active": false},
		map[string]any{"uuid": made.text("uuid"), "action": "cut"},
	}}).want(200, "")
	if both.value("items", 0, "stretch_uuid") != nil || both.text("items", 1, "stretch_uuid") != made.text("uuid") {
		t.Errorf("without the silence: %s", both.body)
	}

	part := map[string]any{"type": "manual", "start_ms": 1500, "end_ms": 2050, "split_from": first}
	split := p.do("POST", edits, part).want(201, "")
	if split.text("type") != "silence" || split.text("reason") != found.text("items", 0, "reason") {
		t.Errorf("the part of a silence is %s", split.body)
	}
	part["split_from"] = p.user.UUID
	p.do("POST", edits, part).want(404, "not_found")
}

// A completed run can be replanned. A running one can be previewed after it has found the silences,
// and not before.
func TestReplanRunningAnalysis(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	clip := p.readyClip(project)
	run := p.do("POST", base+"/analyze", map[string]any{}).want(202, "").text("run_uuid")
	look := map[string]any{"pacing_level": 50, "false_start_sensitivity": 50, "dry_run": true}
	keep := map[string]any{"pacing_level": 50, "false_start_sensitivity": 50}
	replan := base + "/analysis-runs/" + run + "/replan"
	p.do("POST", replan, look).want(409, "conflict")
	p.do("POST", replan, keep).want(409, "conflict")
	job := w.claim(store.JobAnalysis)
	if _, err := w.store.StartRun(job); err != nil {
		t.Fatal(err)
	}
	p.do("POST", replan, look).want(409, "conflict")
	if err := w.store.SaveEvidence(job, []byte(clip)); err != nil {
		t.Fatal(err)
	}
	if early := p.do("POST", replan, look).want(200, ""); early.text("items", 0, "type") != "silence" {
		t.Errorf("silences so far: %s", early.body)
	}
	p.do("POST", replan, keep).want(409, "conflict")
	if got := p.do("GET", base+"/edits/", nil).want(200, "").text("total"); got != "0" {
		t.Errorf("the preview created %s edits", got)
	}
	p.do("POST", base+"/analysis-runs/"+run+"/cancel", nil).want(202, "")
	p.do("POST", replan, look).want(409, "conflict")
}
