package server

import (
	"context"
	"strings"
	"testing"
	"time"

	"roughcut/server/problem"
	"roughcut/store"
)

// lookUpTalk replaces the network. Its result depends only on the address.
func lookUpTalk(_ context.Context, address string) (store.NewImport, error) {
	switch {
	case strings.HasSuffix(address, "/long.mp4"):
		return store.NewImport{}, problem.Errorf(store.Invalid, "import_too_long", "The maximum import is 60 minutes.")
	case !strings.HasPrefix(address, "https://"):
		return store.NewImport{}, problem.Errorf(store.Invalid, "import_address_refused", "Only https.")
	}
	return store.NewImport{Address: address, Name: "talk.mp4", ContentType: "video/mp4", SizeBytes: 50}, nil
}

func (p *person) importClip(project, address string) *reply {
	p.w.t.Helper()
	return p.do("POST", "/api/v1/projects/"+project+"/clips/video-import", map[string]any{"url": address})
}

func TestImportClip(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	clip := p.importClip(project, "https://example.org/talk.mp4").want(202, "")
	if clip.text("source") != "import" || clip.text("status") != "processing" || clip.text("size_bytes") != "50" ||
		clip.text("name") != "talk.mp4" {
		t.Errorf("clip %s", clip.body)
	}
	uuid := clip.text("uuid")
	p.do("GET", "/api/v1/clips/"+uuid+"/proxy-url", nil).want(409, "conflict")
	p.do("POST", "/api/v1/projects/"+project+"/analyze", map[string]any{}).want(409, "clips_processing")
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+uuid+"/confirm", nil).want(200, "")

	job, ok, err := w.store.ClaimImport(t.Context())
	if err != nil || !ok {
		t.Fatalf("no import is queued: %v", err)
	}
	if err := w.store.FinishImport(job, w.temp("the downloaded file")); err != nil {
		t.Fatal(err)
	}
	p.do("GET", "/api/v1/clips/"+uuid+"/proxy-url", nil).want(200, "")
	w.finishClip()
	if list := p.do("GET", "/api/v1/projects/"+project+"/clips/", nil).want(
		200,
		"",
	); list.text("items", 0, "status") != "ready" ||
		list.text("items", 0, "size_bytes") != "19" {
		t.Errorf("clips %s", list.body)
	}
	if got := p.do("GET", "/api/v1/users/me", nil).text("storage_used_bytes"); got != "19" {
		t.Errorf("%s bytes count towards the quota", got)
	}
}

func TestImportErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, smallPlans)
	p := w.person("p")
	project := p.project("Talk")
	p.importClip(project, "https://example.org/long.mp4").want(400, "import_too_long")
	p.importClip(project, "ftp://example.org/talk.mp4").want(400, "import_address_refused")
	p.importClip(project, "").want(422, "unprocessable")
	p.do("POST", "/api/v1/projects/"+project+"/clips/video-import", map[string]any{"url": 3}).want(422, "unprocessable")
	p.do("POST", "/api/v1/projects/"+project+"/clips/video-import", map[string]any{}).want(422, "unprocessable")
	p.importClip(project, "https://example.org/talk.mp4").want(202, "")
	if job, _, err := w.store.ClaimImport(t.Context()); err != nil ||
		w.store.FinishImport(job, w.temp(strings.Repeat("x", 80))) != nil {
		t.Fatal("the import was not accepted")
	}
	p.importClip(project, "https://example.org/talk.mp4").want(422, "quota_exceeded")
	if list := p.do("GET", "/api/v1/projects/"+project+"/clips/", nil).want(200, ""); list.text("total") != "1" {
		t.Errorf("clips %s", list.body)
	}
}

func TestImportRateLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := w.person("p"), w.person("other")
	project, theirs := p.project("Talk"), other.project("Talk")
	for range rateLimits["importClip"].requests {
		p.importClip(project, "ftp://example.org/").want(400, "")
	}
	if r := p.importClip(
		project,
		"https://example.org/talk.mp4",
	).want(429, "rate_limited"); r.header.Get("Retry-After") == "" {
		t.Error("the response has no Retry-After")
	}
	other.importClip(theirs, "https://example.org/talk.mp4").want(202, "")
	w.clock.Advance(5 * time.Minute)
	p.importClip(project, "https://example.org/talk.mp4").want(202, "")
}

func TestImportAsset(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := w.person("p"), w.person("other")
	group := p.do("POST", "/api/v1/asset-groups/", map[string]any{"name": "Jingles"}).want(201, "").text("uuid")
	body := func(address string, group any) map[string]any {
		return map[string]any{"url": address, "group_id": group, "display_name": "Jingle"}
	}
	const path = "/api/v1/assets/import-video"
	other.do("POST", path, body("ftp://example.org/", group)).want(403, "forbidden") // before any network access
	p.do("POST", path, body("ftp://example.org/", w.store.NewID())).want(404, "not_found")
	p.do("POST", path, body("ftp://example.org/", group)).want(400, "import_address_refused")
	p.do("POST", path, body("https://example.org/long.mp4", nil)).want(400, "import_too_long")
	p.do("POST", path, map[string]any{"display_name": "x"}).want(422, "unprocessable")
	asset := p.do("POST", path, body("https://example.org/talk.mp4", group)).want(202, "")
	if asset.text("status") != "pending" || asset.text("display_name") != "Jingle" || asset.text("group_id") != group {
		t.Errorf("asset %s", asset.body)
	}
	uuid := asset.text("uuid")
	p.do("GET", "/api/v1/assets/"+uuid+"/video-url", nil).want(409, "asset_not_ready")
	p.do("POST", "/api/v1/assets/"+uuid+"/confirm", nil).want(200, "")
	job, ok, err := w.store.ClaimImport(t.Context())
	if err != nil || !ok {
		t.Fatalf("no import is queued: %v", err)
	}
	if err := w.store.FinishImport(job, w.temp("the downloaded file")); err != nil {
		t.Fatal(err)
	}
	if list := p.do("GET", "/api/v1/assets/", nil).want(
		200,
		"",
	); list.text("items", 0, "status") != "pending" ||
		list.text("items", 0, "size_bytes") != "19" {
		t.Errorf("library %s", list.body)
	}
	p.do("DELETE", "/api/v1/assets/"+uuid, nil).want(204, "")
}
