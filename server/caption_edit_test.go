package server

import (
	"net/url"
	"strings"
	"testing"
)

// lineTexts returns the texts of a project's captions.
func lineTexts(p *person, project string) string {
	var texts []string
	for _, item := range p.do("GET", "/api/v1/projects/"+project+"/caption-lines/", nil).want(200, "").value(
		"items",
	).([]any) {
		texts = append(texts, item.(map[string]any)["text"].(string))
	}
	return strings.Join(texts, " | ")
}

func TestCaptionEditing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	root := "/api/v1/projects/" + project
	base, lines := root+"/caption-lines/", "/api/v1/caption-lines/"
	file := map[string]any{
		"text": "1\n00:00:00,100 --> 00:00:02,000\nhello\n\n2\n00:00:03,000 --> 00:00:04,000\nworld\n",
	}
	spoken := map[string]any{"text": "[applause]", "start_ms": 4000, "end_ms": 5000}
	p.do("POST", base, spoken).want(409, "no_transcript")
	p.do("POST", base+"import", file).want(409, "no_transcript")
	clip := p.readyClip(project)
	p.analyze(project, clip)

	first := p.do("GET", base, nil).want(200, "").text("items", 0, "uuid")
	p.do("PATCH", lines+first, map[string]any{"end_ms": 2500}).want(200, "").shows(map[string]any{"end_ms": 2500})
	p.do("PATCH", lines+first, map[string]any{"start_ms": 3000, "end_ms": 2500}).want(422, "unprocessable")
	p.do("PATCH", lines+first, map[string]any{"end_ms": 90_000_000}).want(400, "out_of_bounds")
	p.do("POST", base, map[string]any{"text": "x", "start_ms": 1, "end_ms": 90_000_000}).want(400, "out_of_bounds")
	p.do("POST", base, map[string]any{"text": "x", "start_ms": 5, "end_ms": 5}).want(422, "unprocessable")
	p.do("POST", base, spoken).want(201, "").shows(map[string]any{"sequence": 2})
	parts := p.do("POST", lines+first+"/split", map[string]any{"position": 5}).want(200, "")
	if parts.text("items", 0, "text") != "hello" || parts.text("items", 1, "text") != "brave world" {
		t.Errorf("parts %s", parts.body)
	}
	p.do("POST", lines+first+"/split", map[string]any{"position": 90}).want(422, "unprocessable")
	p.do("POST", lines+first+"/merge", nil).want(200, "").shows(map[string]any{"text": "hello brave world"})
	p.do("POST", lines+p.do("GET", base, nil).text("items", 1, "uuid")+"/merge", nil).want(409, "conflict")
	p.do("DELETE", lines+first, nil).want(204, "")
	p.do("DELETE", lines+first, nil).want(404, "not_found")
	if got := lineTexts(p, project); got != "[applause]" {
		t.Errorf("captions %s", got)
	}

	p.do("POST", base+"import", file).want(200, "").shows(map[string]any{"created": 2})
	file["replace"] = false
	p.do("POST", base+"import", file).want(200, "").shows(map[string]any{"created": 2})
	if got := lineTexts(p, project); got != "hello | hello | world | world" {
		t.Errorf("captions %s", got)
	}
	refused := p.do("POST", base+"import", map[string]any{"text": "not a subtitle"}).want(422, "unprocessable")
	if refused.text("errors", 0, "field") != "text" || !strings.Contains(refused.text("detail"), "no timed text") {
		t.Errorf("refused %s", refused.body)
	}
	large := map[string]any{
		"text": "WEBVTT\n\n00:01.000 --> 00:02.000\nhi\n\nNOTE " + strings.Repeat("x", 3*maxBodyBytes),
	}
	p.do("POST", base+"import", large).want(200, "").shows(map[string]any{"created": 1})

	p.do("POST", root+"/transcript/replace", map[string]any{"find": "hi", "replace": "bye", "in": "captions"}).want(
		200, "",
	).shows(map[string]any{"changed": 1})
	p.do("POST", root+"/edits/", map[string]any{"type": "manual", "start_ms": 0, "end_ms": clipMS}).want(201, "")
	p.do("POST", base+"import", map[string]any{"text": file["text"], "times": "video"}).want(422, "unprocessable")
	p.do("DELETE", "/api/v1/clips/"+clip, nil).want(204, "")
	p.do("POST", base+"import", map[string]any{"text": file["text"], "times": "video"}).want(400, "no_clips")
}

// The speaker of a caption is in the exported texts, stays when the caption is split, and can be
// undone.
func TestCaptionSpeaker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	p.analyze(project, p.readyClip(project))
	root := "/api/v1/projects/" + project
	line := p.do("GET", root+"/caption-lines/", nil).want(200, "").text("items", 0, "uuid")
	one := "/api/v1/caption-lines/" + line
	exported := func(format, want string, present bool) {
		t.Helper()
		body := string(p.do("GET", root+"/timelines/"+format, nil).want(200, "").body)
		if strings.Contains(body, want) != present {
			t.Errorf("%s contains %s: %v, want %v\n%s", format, want, !present, present, body)
		}
	}
	p.do("PATCH", one, map[string]any{"speaker": strings.Repeat("x", 101)}).want(422, "unprocessable")
	p.do("PATCH", one, map[string]any{"speaker": " Ada "}).want(200, "").shows(map[string]any{"speaker": "Ada"})
	for format, want := range map[string]string{"vtt": "<v Ada>", "json": `"speaker": "Ada"`, "txt": "Ada: hello"} {
		exported(format, want, true)
	}
	parts := p.do("POST", one+"/split", map[string]any{"position": 5}).want(200, "")
	if parts.text("items", 1, "speaker") != "Ada" {
		t.Errorf("the second part is %s", parts.body)
	}
	p.do("POST", root+"/edit-history/undo", nil).want(200, "")
	p.do("POST", root+"/edit-history/undo", nil).want(200, "")
	exported("vtt", "<v Ada>", false)
}

// Captions share the history of the edits: one list, undone in order and on any device.
func TestHistoryHasCaptionsAndReplacements(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	p.analyze(project, p.readyClip(project))
	root := "/api/v1/projects/" + project
	line := p.do("GET", root+"/caption-lines/", nil).text("items", 0, "uuid")
	request := p.request("PATCH", "/api/v1/caption-lines/"+line, map[string]any{"text": "Hello!"})
	request.Header.Set("X-Change", "3f7f0a53-5a4f-4c60-9b6f-61c2f6f0a1d4")
	request.Header.Set("X-Change-Label", url.PathEscape("edit caption “hello”"))
	w.send(request).want(200, "")
	p.do("POST", root+"/edits/", map[string]any{"type": "manual", "start_ms": 10, "end_ms": 20}).want(201, "")
	p.do("POST", root+"/transcript/replace", map[string]any{"find": "brave", "replace": "bold"}).want(200, "")

	elsewhere := w.signIn(p.user)
	undo := root + "/edit-history/undo"
	elsewhere.do("POST", undo, nil).want(200, "").shows(map[string]any{"kind": "text", "label": "replace text"})
	elsewhere.do("POST", undo, nil).want(200, "").shows(map[string]any{"kind": "edits"})
	elsewhere.do("POST", undo, nil).want(200, "").shows(
		map[string]any{"kind": "captions", "label": "edit caption “hello”"},
	)
	if got := lineTexts(p, project); got != "hello brave world" {
		t.Errorf("captions %s", got)
	}
	for range 3 {
		p.do("POST", root+"/edit-history/redo", nil).want(200, "")
	}
	spoken := p.do("GET", root, nil).text("transcript", "words", 1, "text")
	if got := lineTexts(p, project); got != "Hello!" || spoken != "bold" {
		t.Errorf("captions %s, words %s", got, spoken)
	}
}
