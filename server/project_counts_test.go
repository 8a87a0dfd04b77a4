package server

import "testing"

// The list of projects counts the cuts that wait for a decision, and the exports that can be
// downloaded. Every change of either counts at once, also in the trash.
func TestProjectsCountCutsToReviewAndExports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	clip := p.readyClip(project)
	base := "/api/v1/projects/" + project
	list := "/api/v1/projects/"
	expect := func(when string, toReview, exports float64) {
		t.Helper()
		for _, query := range []string{list, list + "?sort=name", list + "?q=talk"} {
			got := p.do("GET", query, nil).want(200, "")
			if got.value("items", 0, "to_review") != toReview || got.value("items", 0, "export_count") != exports {
				t.Errorf("%s, %s has %s, want %v cuts and %v exports", when, query, got.body, toReview, exports)
			}
		}
	}
	counts := map[string]any{"to_review": 1.0, "export_count": 1.0}

	expect("before the analysis", 0, 0)
	p.analyze(project, clip)
	expect("after the analysis", 1, 0)
	p.analyze(project, clip)
	expect("after another analysis", 1, 0)
	found := p.do("GET", base+"/edits/", nil).text("items", 0, "uuid")
	change := map[string]any{"edits": []any{map[string]any{"uuid": found, "active": true}}}
	p.do("PATCH", base+"/edits/", change).want(200, "")
	expect("after a decision", 0, 0)
	p.do("POST", base+"/edit-history/undo", nil).want(200, "")
	expect("after its undo", 1, 0)
	p.do("POST", base+"/edits/", map[string]any{"type": "manual", "start_ms": 5000, "end_ms": 6000}).want(201, "")
	expect("after a cut by hand", 1, 0)

	export := p.export(project)
	expect("after an export", 1, 1)
	p.do("POST", base+"/duplicate", nil).want(201, "").shows(map[string]any{"to_review": 1.0, "export_count": 0.0})
	copied := p.do("GET", list, nil).text("items", 0, "uuid")
	p.do("DELETE", list+copied, nil).want(204, "")
	p.do("POST", base+"/trash", nil).want(200, "").shows(counts)
	if got := p.do("GET", list+"?trashed=true", nil); got.value("items", 0, "to_review") != 1.0 {
		t.Errorf("in the trash: %s", got.body)
	}
	p.do("POST", base+"/restore", nil).want(200, "").shows(counts)
	p.do("DELETE", "/api/v1/exports/"+export, nil).want(204, "")
	expect("without the export", 1, 0)
	p.do("POST", base+"/trash/"+export+"/restore", nil).want(204, "")
	expect("after its restore", 1, 1)

	p.do("DELETE", "/api/v1/clips/"+clip, nil).want(204, "")
	expect("without the clip", 0, 1)
	p.do("POST", base+"/trash/"+clip+"/restore", nil).want(204, "")
	expect("with the clip again", 1, 1)
	p.do("DELETE", "/api/v1/edits/"+found, nil).want(200, "")
	expect("after a rejection", 0, 1)
	p.analyze(project, clip)
	expect("after an analysis that keeps the decision", 0, 1)
}
