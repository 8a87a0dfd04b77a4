package server

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// TestEditHistoryOverTheAPI groups requests into entries, and undoes and redoes them, also on
// another device.
func TestEditHistoryOverTheAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	clip := p.readyClip(project)
	run := p.analyze(project, clip)
	history := base + "/edit-history/"
	p.do("GET", history, nil).want(200, "").shows(map[string]any{"total": 0})
	for _, step := range []string{"undo", "redo"} {
		p.do("POST", history+step, nil).want(409, "conflict")
		p.do("POST", history+step+"?entry=newest", nil).want(409, "conflict")
	}
	list := func() *reply { return p.do("GET", base+"/edits/", nil).want(200, "") }
	silence := list().text("items", 0, "uuid")

	const change = "3f7f0a53-5a4f-4c60-9b6f-61c2f6f0a1d4"
	send := func(method, path string, body any) *reply {
		r := p.request(method, path, body)
		r.Header.Set("X-Change", change)
		r.Header.Set("X-Change-Label", url.PathEscape("split “um”"))
		return w.send(r)
	}
	send("PATCH", "/api/v1/edits/"+silence, map[string]any{"end_ms": 1500}).want(200, "")
	send("POST", base+"/edits/", map[string]any{"type": "manual", "start_ms": 1500, "end_ms": 2050}).want(201, "")
	entries := p.do("GET", history, nil).want(200, "")
	entries.shows(map[string]any{"total": 1})
	if entries.text("items", 0, "uuid") != change || entries.text("items", 0, "label") != "split “um”" {
		t.Errorf("history %s", entries.body)
	}
	replan := map[string]any{"pacing_level": 90, "false_start_sensitivity": 50}
	p.do("POST", base+"/analysis-runs/"+run+"/replan", replan).want(200, "")
	p.do("POST", history+"undo?entry="+change, nil).want(409, "conflict") // the replan is newer

	elsewhere := w.signIn(p.user)
	elsewhere.do("POST", history+"undo", nil).want(200, "").shows(map[string]any{"kind": "settings", "undone": true})
	if got := p.do("GET", base+"/analysis-runs/"+run, nil).value("pacing_level"); got != 50.0 {
		t.Errorf("the undone replan leaves the pacing %v", got)
	}
	elsewhere.do("POST", history+"undo?entry="+change, nil).want(200, "").shows(map[string]any{"label": "split “um”"})
	if got := list(); got.value("total") != 1.0 || got.value("items", 0, "end_ms") != 2050.0 {
		t.Errorf("edits %s", got.body)
	}
	p.do("POST", history+"redo?entry="+change, nil).want(200, "").shows(map[string]any{"undone": false})
	list().shows(map[string]any{"total": 2})
	p.do("POST", history+"redo", nil).want(200, "").shows(map[string]any{"kind": "settings"})
	again := p.analyze(project, clip)
	p.do("POST", history+"undo", nil).want(200, "").shows(map[string]any{"kind": "run", "label": "analyze again"})
	p.do("GET", base, nil).shows(map[string]any{"active_run_id": run})
	p.do("POST", base+"/analysis-runs/"+again+"/activate", nil).want(200, "")
	p.do("POST", history+"undo", nil).want(200, "").shows(map[string]any{"label": "use another run"})
}

// TestHistoryChangesOnTheEventStream tells other windows of a change with several requests, of its
// undo and of its redo.
func TestHistoryChangesOnTheEventStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	p.analyze(project, p.readyClip(project))
	edits := p.do("GET", base+"/edits/", nil).want(200, "")
	silence := edits.text("items", 0, "uuid")
	stream := p.events(project, "")
	changed := func(what string) (entry string) {
		t.Helper()
		frame := stream.next()
		_, data, _ := strings.Cut(frame, "data: ")
		data, _, _ = strings.Cut(data, "\n")
		var got struct {
			Entry  string `json:"entry_uuid"`
			Kind   string
			Undone bool
		}
		err := json.Unmarshal([]byte(data), &got)
		if err != nil || !strings.HasPrefix(frame, "event: HISTORY_CHANGED\n") {
			t.Fatalf("frame %q: %v", frame, err)
		}
		if text := got.Kind + map[bool]string{true: " undone"}[got.Undone]; text != what {
			t.Errorf("the event says %s, want %s", text, what)
		}
		return got.Entry
	}
	const change = "3f7f0a53-5a4f-4c60-9b6f-61c2f6f0a1d4"
	send := func(method, path string, body any) {
		r := p.request(method, path, body)
		r.Header.Set("X-Change", change)
		w.send(r).want(200, "")
	}
	send("PATCH", "/api/v1/edits/"+silence, map[string]any{"end_ms": 1500})
	send("PATCH", "/api/v1/edits/"+silence, map[string]any{"active": false})
	if a, b := changed("edits"), changed("edits"); a != change || b != change {
		t.Errorf("entries %s and %s", a, b)
	}
	p.do("POST", base+"/edit-history/undo", nil).want(200, "")
	p.do("POST", base+"/edit-history/redo", nil).want(200, "")
	if a, b := changed("edits undone"), changed("edits"); a != change || b != change {
		t.Errorf("entries %s and %s", a, b)
	}
	p.do("POST", base+"/markers/", map[string]any{"kind": "chapter", "time_ms": 0, "name": "One"}).want(201, "")
	changed("markers")
	p.do("POST", base+"/shorts/", map[string]any{"name": "One", "start_ms": 0, "end_ms": 500}).want(201, "")
	changed("shorts")
}
