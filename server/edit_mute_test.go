package server

import "testing"

// A muted cut stays in the video. Drafts and exports can override the action.
func TestEditsCutOrMute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	clip := p.readyClip(project)
	p.analyze(project, clip)
	p.readyAsset("image/png")
	base := "/api/v1/projects/" + project
	edits, exports := base+"/edits/", base+"/exports/"
	length := func(body map[string]any) string {
		t.Helper()
		body["name"] = "e"
		return p.do("POST", exports, body).want(202, "").text("duration_ms")
	}
	list := p.do("GET", edits, nil).want(200, "")
	detected := list.text("items", 0, "uuid")
	if list.text("items", 0, "action") != "cut" || length(map[string]any{}) != "8950" {
		t.Errorf("edits %s", list.body)
	}
	muted := p.do("PATCH", edits, map[string]any{
		"edits": []any{map[string]any{"uuid": detected, "action": "mute"}},
	}).want(200, "")
	if muted.text("items", 0, "action") != "mute" || muted.text("undo", 0, "action") != "cut" {
		t.Errorf("muting responds with %s", muted.body)
	}
	if got := length(map[string]any{}); got != "10000" {
		t.Errorf("with a muted cut the export has %s ms", got)
	}
	override := map[string]any{detected: map[string]any{"action": "cut"}}
	if got := length(map[string]any{"edit_overrides": override}); got != "8950" {
		t.Errorf("an override that cuts leaves %s ms", got)
	}
	draft := p.do("POST", base+"/drafts/", map[string]any{"name": "d", "edit_overrides": override}).want(201, "")
	if draft.text("edit_overrides", detected, "action") != "cut" {
		t.Errorf("draft %s", draft.body)
	}
	if got := length(map[string]any{"draft_id": draft.text("uuid")}); got != "8950" {
		t.Errorf("a draft that cuts leaves %s ms", got)
	}
	manual := p.do("POST", edits, map[string]any{
		"type": "manual", "start_ms": 5000, "end_ms": 6000, "action": "mute",
	}).want(201, "")
	if manual.text("action") != "mute" {
		t.Errorf("manual cut %s", manual.body)
	}
	one := "/api/v1/edits/" + manual.text("uuid")
	if got := p.do("PATCH", one, map[string]any{"action": "cut"}).want(200, "").text("action"); got != "cut" {
		t.Errorf("the manual cut has the action %s", got)
	}
	p.do("PATCH", one, map[string]any{"action": "bleep"}).want(422, "unprocessable")
	file := p.do("GET", "/api/v1/assets/", nil).want(200, "").text("items", 0, "asset_file_id")
	placed := map[string]any{"type": "asset", "asset_file_id": file, "start_ms": 0, "end_ms": 1000}
	if got := p.do("POST", edits, placed).want(201, ""); got.value("action") != nil {
		t.Errorf("a placed asset has the action %v", got.value("action"))
	}
	placed["action"] = "mute"
	p.do("POST", edits, placed).want(422, "unprocessable")
}

var otherChoices = map[string]any{
	"breaths": "shorten", "background": "keep", "faint_speech": "remove", "keep_demonstrations": true,
	"exact_edges": true, "mute_kinds": []any{"filler", "silence"}, "cut_fillers": true,
}

var defaultChoices = map[string]any{
	"breaths": "remove", "background": "remove", "faint_speech": "keep", "keep_demonstrations": false,
	"exact_edges": false, "mute_kinds": []any{}, "cut_fillers": false,
}

// Presets and runs hold the choices of what to cut. A replan keeps those that it does not name.
func TestChoicesOfAnAnalysis(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	body := map[string]any{"name": "plain"}
	holds(t, p.do("POST", presetsPath, body).want(201, ""), defaultChoices)
	for name, value := range otherChoices {
		body[name] = value
	}
	preset := p.do("POST", presetsPath, body).want(201, "")
	holds(t, preset, otherChoices)
	path := presetsPath + "/" + preset.text("uuid")
	holds(t, p.do("PATCH", path, map[string]any{"pacing_level": 1}).want(200, ""), otherChoices)
	holds(t, p.do("PATCH", path, defaultChoices).want(200, ""), defaultChoices)
	p.do("PATCH", path, map[string]any{"mute_kinds": []any{"manual"}}).want(422, "unprocessable")

	project := p.project("Talk")
	clip := p.readyClip(project)
	base := "/api/v1/projects/" + project
	run := p.do("POST", base+"/analyze", otherChoices).want(202, "").text("run_uuid")
	w.finishAnalysis(clip)
	replan := base + "/analysis-runs/" + run + "/replan"
	get := func() *reply { return p.do("GET", base+"/analysis-runs/"+run, nil).want(200, "") }
	holds(t, get(), otherChoices)
	levels := map[string]any{"pacing_level": 60, "false_start_sensitivity": 60}
	p.do("POST", replan, levels).want(200, "")
	holds(t, get(), otherChoices)
	for name, value := range defaultChoices {
		levels[name] = value
	}
	levels["dry_run"] = true
	p.do("POST", replan, levels).want(200, "")
	holds(t, get(), otherChoices)
	levels["dry_run"] = false
	p.do("POST", replan, levels).want(200, "")
	holds(t, get(), defaultChoices)
	p.do("POST", base+"/analyze", map[string]any{"breaths": "loud"}).want(422, "unprocessable")
}
