package server

import "testing"

// An export counts what a person left on and switched off. The person can look at the counts,
// switch learning off, and forget them.
func TestCutDefaultsAreVisibleAndReversible(t *testing.T) {
	w := newWorld(t)
	p := w.person("p")
	base := "/api/v1/projects/" + p.analyzeTakes()
	const defaults = "/api/v1/users/me/cut-defaults"
	falseStarts := func() map[string]any {
		t.Helper()
		list := p.do("GET", defaults, nil).want(200, "")
		for _, item := range list.value("items").([]any) {
			if item := item.(map[string]any); item["type"] == "false_start" {
				return item
			}
		}
		t.Fatalf("no false starts in %s", list.body)
		return nil
	}
	if got := falseStarts(); got["accepted"] != 0.0 || got["active_from"] != 0.5 || got["default_active_from"] != 0.5 {
		t.Errorf("without decisions: %v", got)
	}
	edit := p.do("GET", base+"/edits/", nil).text("items", 0, "uuid")
	p.do("PATCH", "/api/v1/edits/"+edit, map[string]any{"active": false}).want(200, "")
	p.do("POST", base+"/exports/", map[string]any{"name": "e"}).want(202, "")
	if got := falseStarts(); got["accepted"] != 1.0 || got["rejected"] != 1.0 {
		t.Errorf("after an export: %v", got)
	}
	if off := p.do("PATCH", defaults, map[string]any{"enabled": false}).want(200, ""); off.text("enabled") != "false" {
		t.Errorf("switched off: %s", off.body)
	}
	p.do("PATCH", "/api/v1/edits/"+edit, map[string]any{"active": true}).want(200, "")
	p.do("POST", base+"/exports/", map[string]any{"name": "e"}).want(202, "")
	if got := falseStarts(); got["accepted"] != 1.0 || got["rejected"] != 1.0 {
		t.Errorf("an export while learning is off counts: %v", got)
	}
	p.do("PATCH", defaults, map[string]any{}).want(422, "unprocessable")
	p.do("DELETE", defaults, nil).want(204, "")
	if got := falseStarts(); got["accepted"] != 0.0 || got["rejected"] != 0.0 {
		t.Errorf("after a reset: %v", got)
	}
}
