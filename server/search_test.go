package server

import (
	"net/http"
	"os"
	"testing"
)

func TestSearchReportsIndexRebuild(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	ids := everything(p)
	p.do("GET", "/api/v1/search?q=hello", nil).want(200, "")
	w.close()
	if err := os.RemoveAll(w.so.Dir + "/index"); err != nil {
		t.Fatal(err)
	}
	w.start(w.o, w.so)
	w.eventually("the search works again", func() bool {
		r := p.do("GET", "/api/v1/search?q=hello", nil)
		if r.status != 200 {
			r.want(503, "unavailable")
		}
		return r.status == 200 && r.text("total") != "0"
	})
	p.do("GET", "/api/v1/projects/"+ids["project_uuid"], nil).want(200, "")
}

func TestSearchFindsWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := w.person("p"), w.person("other")
	project := p.project("Talk")
	clip := p.readyClip(project)
	p.analyze(project, clip)
	var hits *reply
	w.eventually("the words are indexed", func() bool {
		hits = p.do("GET", "/api/v1/search?q=brave&kind=transcript", nil)
		return hits.status == http.StatusOK && hits.text("total") == "1"
	})
	if hits.text("items", 0, "project_uuid") != project || hits.text("items", 0, "clip_uuid") != clip ||
		hits.value("items", 0, "asset_uuid") != nil {
		t.Errorf("hits: %s", hits.body)
	}
	if got := other.do("GET", "/api/v1/search?q=brave", nil).want(200, "").text("total"); got != "0" {
		t.Errorf("another user finds %s hits", got)
	}
}

func TestSearchFindsAssets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := w.person("p"), w.person("other")
	asset := p.readyAsset("video/mp4")
	p.do("PATCH", "/api/v1/assets/"+asset, map[string]any{"display_name": "Harbor at night"}).want(200, "")
	var hits *reply
	w.eventually("the name is indexed", func() bool {
		hits = p.do("GET", "/api/v1/search?q=harbor&kind=asset", nil)
		return hits.status == http.StatusOK && hits.text("total") == "1"
	})
	if hits.text("items", 0, "asset_uuid") != asset || hits.text("items", 0, "display_name") != "Harbor at night" ||
		hits.value("items", 0, "clip_uuid") != nil {
		t.Errorf("hits: %s", hits.body)
	}
	if got := other.do("GET", "/api/v1/search?q=harbor", nil).want(200, "").text("total"); got != "0" {
		t.Errorf("another user finds %s hits", got)
	}
}
