package server

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestTrashOfExports deletes, restores and finally deletes an export.
func TestTrashOfExports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	p.readyClip(project)
	export := p.export(project)
	trash := "/api/v1/projects/" + project + "/trash/"
	p.do("POST", trash+export+"/restore", nil).want(404, "not_found")
	p.do("DELETE", "/api/v1/exports/"+export, nil).want(204, "")
	p.do("GET", "/api/v1/exports/"+export, nil).want(404, "not_found")
	if got := p.do("GET", trash, nil).want(200, ""); got.text("items", 0, "uuid") != export {
		t.Errorf("trash %s", got.body)
	}
	p.do("POST", trash+export+"/restore", nil).want(204, "")
	p.do("GET", "/api/v1/exports/"+export+"/download-url", nil).want(200, "")
	p.do("DELETE", "/api/v1/exports/"+export, nil).want(204, "")
	p.do("POST", trash+"empty", nil).want(204, "")
	p.do("GET", trash, nil).want(200, "").shows(map[string]any{"total": 0})
	p.do("POST", trash+export+"/restore", nil).want(404, "not_found")
}

// The storage of an account includes the clips and exports in the trash until it is emptied, also
// what counts towards the quota.
func TestTrashUsesStorageUntilItIsEmptied(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	clip := p.readyClip(project)
	export := p.export(project)
	figures := func() string {
		t.Helper()
		r := p.do("GET", "/api/v1/users/me/storage", nil).want(200, "")
		return fmt.Sprint("used ", r.text("storage_used_bytes"), ", clips ", r.text("clip_bytes"),
			", exports ", r.text("export_bytes"))
	}
	before := figures()
	p.do("DELETE", "/api/v1/clips/"+clip, nil).want(204, "")
	p.do("DELETE", "/api/v1/exports/"+export, nil).want(204, "")
	if got := figures(); got != before {
		t.Errorf("with a clip and an export in the trash: %s; before: %s", got, before)
	}
	trash := p.do("GET", "/api/v1/projects/"+project+"/trash/", nil).want(200, "")
	for _, item := range []int{0, 1} {
		if size := trash.text("items", item, "size_bytes"); size == "0" || size == "" {
			t.Errorf("an item in the trash has %q bytes: %s", size, trash.body)
		}
	}
	p.do("POST", "/api/v1/projects/"+project+"/trash/empty", nil).want(204, "")
	if got := figures(); got != "used 0, clips 0, exports 0" {
		t.Errorf("after the trash was emptied: %s; before: %s", got, before)
	}
}

// TestTrashOfClips deletes and restores a clip, in one history entry with its name. A running
// analysis keeps the clip in the trash.
func TestTrashOfClips(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	first, second := p.readyClip(project), p.readyClip(project)
	base := "/api/v1/projects/" + project
	p.do("POST", base+"/edits/", map[string]any{"type": "manual", "start_ms": 500, "end_ms": 900}).want(201, "")
	remove := p.request("DELETE", "/api/v1/clips/"+first, nil)
	remove.Header.Set("X-Change", w.store.NewID())
	remove.Header.Set("X-Change-Label", "remove%20this")
	w.send(remove).want(204, "")
	p.do("GET", "/api/v1/clips/"+first+"/proxy-url", nil).want(404, "not_found")
	p.do("GET", base+"/edits/", nil).want(200, "").shows(map[string]any{"total": 0})
	p.do("GET", base+"/clips/", nil).want(200, "").shows(map[string]any{"total": 1})
	if got := p.do("GET", base+"/trash/", nil).want(200, ""); got.text("items", 0, "uuid") != first ||
		got.text("items", 0, "kind") != "clip" {
		t.Errorf("trash %s", got.body)
	}
	if got := p.do("GET", base+"/edit-history/", nil).want(200, ""); got.text("items", 0, "kind") != "clips" ||
		got.text("items", 0, "label") != "remove this" {
		t.Errorf("history %s", got.body)
	}
	run := p.do("POST", base+"/analyze", map[string]any{}).want(202, "").text("run_uuid")
	p.do("POST", base+"/trash/"+first+"/restore", nil).want(409, "conflict")
	p.do("POST", base+"/edit-history/undo", nil).want(409, "conflict")
	p.do("POST", base+"/analysis-runs/"+run+"/cancel", nil).want(202, "")
	p.do("POST", base+"/edit-history/undo", nil).want(200, "").shows(map[string]any{"kind": "clips", "undone": true})
	if got := p.do("GET", base+"/clips/", nil).want(200, ""); got.text("items", 0, "uuid") != first ||
		got.text("items", 1, "uuid") != second {
		t.Errorf("clips %s", got.body)
	}
	p.do("GET", base+"/edits/", nil).want(200, "").shows(map[string]any{"total": 1})
	p.do("DELETE", "/api/v1/clips/"+first, nil).want(204, "")
	p.do("POST", base+"/trash/"+first+"/restore", nil).want(204, "")
	p.do("DELETE", "/api/v1/clips/"+first, nil).want(204, "")
	p.do("POST", base+"/trash/empty", nil).want(204, "")
	p.do("GET", base+"/trash/", nil).want(200, "").shows(map[string]any{"total": 0})
}

// A project in the trash is in the list of the trash only. Its files use storage.
func TestTrashOfProjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, eve := w.person("ada"), w.person("eve")
	project, other := p.project("Talk"), p.project("Other")
	clip := p.readyClip(project)
	p.do("POST", "/api/v1/projects/"+project+"/analyze", map[string]any{}).want(202, "")
	base := "/api/v1/projects/" + project
	p.do("POST", base+"/restore", nil).want(404, "not_found")
	eve.do("POST", base+"/trash", nil).want(403, "forbidden")
	p.do("POST", base+"/trash", nil).want(200, "").shows(map[string]any{"uuid": project, "status": "created"})
	p.billing().shows(map[string]any{"credits.ai_minutes.reserved": 0})
	for _, request := range []string{
		"GET " + base, "POST " + base + "/trash", "PATCH " + base, "GET " + base + "/clips/",
		"POST " + base + "/analyze", "GET " + base + "/events", "GET " + base + "/trash/",
		"GET /api/v1/clips/" + clip + "/proxy-url", "DELETE /api/v1/clips/" + clip,
	} {
		method, path, _ := strings.Cut(request, " ")
		p.do(method, path, nil).want(404, "not_found")
	}
	eve.do("POST", base+"/restore", nil).want(403, "forbidden")
	list := p.do("GET", "/api/v1/projects/", nil).want(200, "")
	if list.text("total") != "1" || list.text("items", 0, "uuid") != other ||
		list.text("items", 0, "trashed_at") != "" {
		t.Errorf("projects %s", list.body)
	}
	trash := p.do("GET", "/api/v1/projects/?trashed=true", nil).want(200, "")
	if trash.text("total") != "1" || trash.text("items", 0, "uuid") != project ||
		trash.text("items", 0, "purged_at") != timestamp(w.clock.Now().Add(30*24*time.Hour)) {
		t.Errorf("trash %s", trash.body)
	}
	space := p.do("GET", "/api/v1/users/me/storage", nil).want(200, "")
	if space.text("items", 0, "uuid") != project || space.text("items", 0, "trashed") != "true" ||
		space.text("storage_used_bytes") == "0" {
		t.Errorf("storage %s", space.body)
	}
	p.do("POST", base+"/restore", nil).want(200, "").shows(map[string]any{"uuid": project, "trashed_at": nil})
	p.do("GET", base, nil).want(200, "").shows(map[string]any{"status": "created", "clip_count": 1})
	p.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).want(200, "")
	p.do("POST", base+"/trash", nil).want(200, "")
	p.do("DELETE", base, nil).want(204, "")
	p.do("POST", base+"/restore", nil).want(404, "not_found")
	p.do("GET", "/api/v1/projects/?trashed=true", nil).want(200, "").shows(map[string]any{"total": 0})
}
