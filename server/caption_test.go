package server

import (
	"strings"
	"testing"
)

func TestCaptions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project + "/caption-lines/"
	p.do("POST", base+"generate", map[string]any{"max_words": 2}).want(409, "no_transcript")
	p.do("GET", "/api/v1/projects/"+project+"/captions.srt", nil).want(409, "no_transcript")
	p.do("POST", base+"generate", map[string]any{"max_words": 1}).want(422, "unprocessable")
	clip := p.readyClip(project)
	p.analyze(project, clip)
	if got := p.do("POST", base+"generate", map[string]any{"max_words": 2}).want(
		200,
		"",
	); got.text("created") != "0" ||
		len(got.value("items").([]any)) != 1 {
		t.Errorf("without force: %s", got.body)
	}
	made := p.do("POST", base+"generate", map[string]any{"max_words": 2, "force": true}).want(200, "")
	if made.text("created") != "2" || made.text("items", 0, "text") != "hello brave" {
		t.Errorf("with force: %s", made.body)
	}
	changed := p.do(
		"PATCH",
		"/api/v1/caption-lines/"+made.text("items", 0, "uuid"),
		map[string]any{"text": "Hello, brave"},
	).want(200, "")
	if changed.text("text") != "Hello, brave" || changed.text("original_text") != "hello brave" {
		t.Errorf("changed line: %s", changed.body)
	}
	root := "/api/v1/projects/" + project
	for _, c := range []struct{ file, kind, want string }{
		{"captions.srt", "application/x-subrip", "-->"}, {"captions.vtt", "text/vtt", "WEBVTT"},
		{"captions.txt", "text/plain; charset=utf-8", "Hello, brave\nworld\n"},
	} {
		got := p.do("GET", root+"/"+c.file, nil).want(200, "")
		if kind := got.header.Get(
			"Content-Type",
		); kind != c.kind || !strings.Contains(string(got.body), c.want) ||
			!strings.Contains(string(got.body), "world") {
			t.Errorf("%s is %s: %s", c.file, kind, got.body)
		}
		name := `attachment; filename="Talk` + strings.TrimPrefix(c.file, "captions") + `"; `
		if shown := got.header.Get("Content-Disposition"); !strings.HasPrefix(shown, name) {
			t.Errorf("%s is saved as %s", c.file, shown)
		}
	}

	p.do("POST", root+"/edits/", map[string]any{"type": "manual", "start_ms": 0, "end_ms": 9000}).want(201, "")
	if got := p.do("GET", root+"/captions.txt", nil).want(200, ""); string(got.body) != "" {
		t.Errorf("captions contain removed words: %s", got.body)
	}
	if got := p.do("GET", base+"?page=2&page_size=1", nil).want(200, ""); got.text("total") != "2" ||
		got.text("items", 0, "text") != "world" {
		t.Errorf("second page: %s", got.body)
	}
}
