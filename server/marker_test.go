package server

import (
	"strings"
	"testing"
)

func TestMarkers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	add := func(body map[string]any) *reply { return p.do("POST", base+"/markers/", body) }
	chapter := map[string]any{"kind": "chapter", "time_ms": 4000, "name": " The kitchen "}
	add(chapter).want(400, "no_clips")
	p.do("GET", base+"/chapters.txt", nil).want(400, "no_clips")
	p.do("GET", base+"/chapters.vtt", nil).want(400, "no_clips")

	p.readyClip(project)
	made := add(chapter).want(201, "")
	holds(t, made, map[string]any{"kind": "chapter", "time_ms": 4000, "name": "The kitchen"})
	add(map[string]any{"kind": "split", "time_ms": 2000}).want(201, "")
	note := add(map[string]any{"kind": "note", "time_ms": 5000, "name": "Louder here"}).want(201, "")
	holds(t, note, map[string]any{"kind": "note", "time_ms": 5000, "name": "Louder here"})
	list := p.do("GET", base+"/markers/", nil).want(200, "")
	holds(t, list, map[string]any{"total": 3, "page": 1, "page_size": 50})
	if list.text("items", 0, "kind") != "split" || list.text("items", 1, "uuid") != made.text("uuid") {
		t.Errorf("the list is %s", list.body)
	}
	for _, body := range []map[string]any{
		{"kind": "chapter", "time_ms": -1},
		{"kind": "bookmark", "time_ms": 1},
		{"kind": "chapter", "time_ms": 1, "name": "two\nlines"},
		{"kind": "chapter", "time_ms": 1, "name": strings.Repeat("x", 201)},
		{"kind": "chapter"},
	} {
		add(body).want(422, "unprocessable")
	}
	add(map[string]any{"kind": "split", "time_ms": 9_000_000}).want(400, "out_of_bounds")

	p.do("POST", base+"/edits/", map[string]any{"type": "manual", "start_ms": 1000, "end_ms": 2000}).want(201, "")
	text := p.do("GET", base+"/chapters.txt", nil).want(200, "")
	if got, want := string(text.body), "0:00 Intro\n0:03 The kitchen\n"; got != want {
		t.Errorf("got the chapters %q, want %q", got, want)
	}
	if name := text.header.Get("Content-Disposition"); !strings.Contains(name, ` chapters.txt"; `) {
		t.Errorf("the chapters are saved as %s", name)
	}
	track := p.do("GET", base+"/chapters.vtt", nil).want(200, "")
	if name := track.header.Get("Content-Disposition"); !strings.Contains(name, ` chapters.vtt"; `) {
		t.Errorf("the track of chapters is saved as %s", name)
	}
	want := "WEBVTT\n\n00:00:00.000 --> 00:00:02.999\nIntro\n\n00:00:02.999 --> 00:00:09.009\nThe kitchen\n\n"
	if got := string(track.body); got != want {
		t.Errorf("got the chapters %q, want %q", got, want)
	}
	address := "/api/v1/markers/" + made.text("uuid")
	change := func(body map[string]any) *reply { return p.do("PATCH", address, body) }
	holds(t, change(map[string]any{"name": "", "time_ms": 0}).want(200, ""), map[string]any{"name": "", "time_ms": 0})
	change(map[string]any{"time_ms": 9_000_000}).want(400, "out_of_bounds")
	change(map[string]any{"time_ms": -1}).want(422, "unprocessable")
	if got := string(p.do("GET", base+"/chapters.txt", nil).want(200, "").body); got != "0:00 Chapter 1\n" {
		t.Errorf("got the chapters %q", got)
	}
	p.do("DELETE", address, nil).want(204, "")
	p.do("DELETE", address, nil).want(404, "not_found")
	undone := map[string]any{"kind": "markers", "label": "remove marker", "undone": true}
	holds(t, p.do("POST", base+"/edit-history/undo", nil).want(200, ""), undone)
	p.do("DELETE", address, nil).want(204, "")

	p.do("POST", base+"/edits/", map[string]any{"type": "manual", "start_ms": 0, "end_ms": 10_000}).want(201, "")
	p.do("GET", base+"/chapters.txt", nil).want(422, "unprocessable")
	p.do("GET", base+"/chapters.vtt", nil).want(422, "unprocessable")
}
