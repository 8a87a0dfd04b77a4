package server

import (
	"testing"

	"roughcut/store"
)

func TestStorageUseByKindAndProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, stranger := w.person("ada"), w.person("bob")
	small, large := p.project("Small"), p.project("Large")
	p.readyClip(small)
	p.readyClip(large)
	p.readyClip(large)
	p.readyAsset("video/mp4")
	stranger.readyClip(stranger.project("Theirs"))
	got := p.do("GET", "/api/v1/users/me/storage?page_size=1", nil).want(200, "")
	clip := p.do(
		"GET", "/api/v1/projects/"+small+"/clips/", nil,
	).want(200, "").value("items", 0, "size_bytes").(float64)
	asset := p.do("GET", "/api/v1/assets/", nil).want(200, "").value("items", 0, "size_bytes").(float64)
	got.shows(
		map[string]any{
			"total":                 2,
			"page_size":             1,
			"clip_bytes":            3 * clip,
			"asset_bytes":           asset,
			"export_bytes":          0,
			"storage_used_bytes":    3*clip + asset,
			"generated_bytes":       got.value("derived_bytes"),
			"generated_quota_bytes": nil,
		},
	)
	if got.text("items", 0, "name") != "Large" || got.value("items", 0, "clip_bytes") != 2*clip ||
		got.text("items", 0, "clip_count") != "2" {
		t.Errorf("largest project: %s", got.body)
	}
	if sum := got.value("items", 0, "clip_bytes").(float64) +
		got.value("items", 0, "derived_bytes").(float64); got.value(
		"items",
		0,
		"total_bytes",
	) != sum {
		t.Errorf("the parts do not add up: %s", got.body)
	}
	p.do("DELETE", "/api/v1/projects/"+large, nil).want(204, "")
	p.do("GET", "/api/v1/users/me/storage", nil).want(200, "").shows(map[string]any{"total": 1, "clip_bytes": clip})
	p.do("GET", "/api/v1/users/me/storage?page=0", nil).want(422, "unprocessable")
}

func TestGeneratedFilesFillTheirQuota(t *testing.T) {
	t.Parallel()
	w := newWorld(t, smallPlans, func(_ *Options, so *store.Options) { so.GeneratedPercent = 1 })
	p := w.person("ada")
	project := p.project("Talk")
	p.readyClip(project)
	got := p.do("GET", "/api/v1/users/me/storage", nil).want(200, "")
	got.shows(map[string]any{"generated_quota_bytes": 1})
	if got.value("generated_bytes").(float64) <= 1 {
		t.Fatalf("generated files: %s", got.body)
	}
	root := "/api/v1/projects/" + project
	p.do("POST", root+"/exports/", map[string]any{"name": "out"}).want(422, "quota_exceeded")
	p.do("POST", root+"/clips/presign", map[string]any{
		"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": 1,
	}).want(422, "quota_exceeded")
}
