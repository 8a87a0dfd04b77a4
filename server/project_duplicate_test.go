package server

import (
	"slices"
	"testing"
)

// A duplicate of a project has its edits, captions and drafts without a new analysis, uses no
// storage, and outlives the original.
func TestDuplicateOfProjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, eve := w.person("ada"), w.person("eve")
	ids := everything(ada)
	base := "/api/v1/projects/" + ids["project_uuid"]
	eve.do("POST", base+"/duplicate", nil).want(403, "forbidden")
	used := ada.do("GET", "/api/v1/users/me/storage", nil).text("storage_used_bytes")
	made := ada.do("POST", base+"/duplicate", nil).want(201, "")
	made.shows(map[string]any{"name": "Talk copy", "status": "analyzed", "clip_count": 1})
	copied := "/api/v1/projects/" + made.text("uuid")
	totals := func(of string) (list []string) {
		for _, part := range []string{"/clips/", "/edits/", "/caption-lines/", "/markers/", "/shorts/", "/drafts/"} {
			list = append(list, ada.do("GET", of+part, nil).want(200, "").text("total"))
		}
		return list
	}
	want := totals(base)
	if got := totals(copied); !slices.Equal(got, want) {
		t.Errorf("the duplicate has %v parts, want %v", got, want)
	}
	ada.do("GET", copied+"/exports/", nil).want(200, "").shows(map[string]any{"total": 0})
	ada.do("GET", copied+"/edit-history/", nil).want(200, "").shows(map[string]any{"total": 0})
	if now := ada.do("GET", "/api/v1/users/me/storage", nil).text("storage_used_bytes"); now != used {
		t.Errorf("storage %s, was %s", now, used)
	}
	ada.do("DELETE", base, nil).want(204, "")
	if got := totals(copied); !slices.Equal(got, want) {
		t.Errorf("without the original, the duplicate has %v parts, want %v", got, want)
	}
	clip := ada.do("GET", copied+"/clips/", nil).text("items", 0, "uuid")
	ada.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).want(200, "")
	run := ada.do("GET", copied, nil).text("active_run_id")
	ada.do("GET", copied+"/analysis-runs/"+run, nil).want(200, "").shows(map[string]any{"status": "completed"})
	ada.upload(made.text("uuid"), []byte(videoText))
	ada.do("POST", copied+"/duplicate", nil).want(409, "clips_processing")
	ada.do("POST", copied+"/trash", nil).want(200, "")
	ada.do("POST", copied+"/duplicate", nil).want(404, "not_found")
}
