package server

import "testing"

// An export counts what a person left on and switched off. The person can look at the counts,
// switch learning off, and forget them.
func TestCutDefaultsAreVisibleAndReversible(t *testing.T) {
	t.Parallel()
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

// A run says which learned limits it uses. Its account has rejected every false start so far.
func TestRunsShowWhatTheyLearned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	first := "/api/v1/projects/" + p.analyzeTakes()
	runs := func(base string) string {
		t.Helper()
		return p.do("GET", base+"/analysis-runs", nil).want(200, "").text("items", 0, "active_from")
	}
	if got := runs(first); got != "" {
		t.Errorf("a run of a new account has learned %s", got)
	}
	for range 20 {
		base := "/api/v1/projects/" + p.analyzeTakes()
		p.do("DELETE", "/api/v1/edits/"+p.do("GET", base+"/edits/", nil).text("items", 0, "uuid"), nil).want(200, "")
		p.do("DELETE", "/api/v1/edits/"+p.do("GET", base+"/edits/", nil).text("items", 1, "uuid"), nil).want(200, "")
		export := p.do("POST", base+"/exports/", map[string]any{"name": "e"}).want(202, "").text("uuid")
		p.do("POST", "/api/v1/exports/"+export+"/cancel", nil).want(202, "")
	}
	next := "/api/v1/projects/" + p.analyzeTakes()
	if got := runs(next); got != "map[false_start:0.8]" {
		t.Errorf("the next run has learned %q", got)
	}
	p.do("PATCH", "/api/v1/users/me/cut-defaults", map[string]any{"enabled": false}).want(200, "")
	if got := runs("/api/v1/projects/" + p.analyzeTakes()); got != "" {
		t.Errorf("a run after learning was switched off has learned %q", got)
	}
}
