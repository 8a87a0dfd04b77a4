package server

import (
	"strings"
	"testing"
)

func TestReplaceTextOverHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	path := "/api/v1/projects/" + project + "/transcript/replace"
	body := map[string]any{"find": "BRAVE world", "replace": "Brave New World"}
	p.do("POST", path, body).want(409, "no_transcript")
	p.analyze(project, p.readyClip(project))
	text := func() string {
		t.Helper()
		return p.do("GET", "/api/v1/projects/"+project, nil).want(200, "").text("transcript", "words", 1, "text")
	}
	body["dry_run"] = true
	preview := p.do("POST", path, body).want(200, "")
	if preview.text("items", 0, "text_before") != "brave world" || preview.text("items", 0, "in") != "transcript" ||
		preview.text("items", 0, "context_before") != "hello" || preview.text("changed") != "0" ||
		preview.value("replacement_uuid") != nil || text() != "brave" {
		t.Errorf("a dry run responds with %s", preview.body)
	}
	delete(body, "dry_run")
	body["only"] = []int{}
	if none := p.do("POST", path, body).want(200, ""); none.text("changed") != "0" || text() != "brave" {
		t.Errorf("an empty selection changes %s", none.body)
	}
	delete(body, "only")
	first := p.do("POST", path, body).want(200, "").text("replacement_uuid")
	second := p.do("POST", path, map[string]any{"find": "new", "replace": "old"}).want(200, "").text("replacement_uuid")
	undo := func(uuid string) *reply {
		return p.do("DELETE", "/api/v1/projects/"+project+"/transcript/replacements/"+uuid, nil)
	}
	undo(first).want(409, "conflict")
	undo(second).want(204, "")
	if text() != "Brave" {
		t.Errorf("the text is %q after one undo", text())
	}
	undo(first).want(204, "")
	undo(first).want(404, "not_found")
	if text() != "brave" {
		t.Errorf("the text is %q after undo", text())
	}
	for _, wrong := range []map[string]any{
		{"find": "a"},
		{"find": "", "replace": "b"},
		{"find": " ", "replace": "b"},
		{"find": "a", "replace": "b", "only": []int{-1}},
	} {
		p.do("POST", path, wrong).want(422, "unprocessable")
	}
}

func TestSpeakersOverHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	path := base + "/transcript/rename-speaker"
	body := map[string]any{"speaker": "SPEAKER_00", "name": "Ada"}
	p.do("POST", path, body).want(409, "no_transcript")
	w.speaker = "SPEAKER_00"
	clip := p.readyClip(project)
	p.analyze(project, clip)
	speaker := func() string {
		t.Helper()
		return p.do("GET", base, nil).want(200, "").text("transcript", "words", 1, "speaker")
	}
	p.do("POST", path, body).want(200, "").shows(map[string]any{"words": 3})
	p.do("POST", path, body).want(404, "not_found")
	ours := p.do("GET", "/api/v1/clips/"+clip+"/transcript", nil).want(200, "")
	if speaker() != "Ada" || ours.text("words", 2, "speaker") != "Ada" {
		t.Errorf("the words are said by %q and %q", speaker(), ours.text("words", 2, "speaker"))
	}
	if vtt := p.do("GET", base+"/captions.vtt", nil).want(200, ""); !strings.Contains(string(vtt.body), "<v Ada>") {
		t.Errorf("the captions are %s", vtt.body)
	}
	p.do("POST", base+"/edit-history/undo", nil).want(200, "")
	if speaker() != "SPEAKER_00" {
		t.Errorf("undo leaves the speaker %q", speaker())
	}
	for _, wrong := range []map[string]any{
		{"speaker": "SPEAKER_00"}, {"speaker": "SPEAKER_00", "name": ""}, {"speaker": "SPEAKER_00", "name": " "},
		{"speaker": "", "name": "Ada"},
	} {
		p.do("POST", path, wrong).want(422, "unprocessable")
	}
}

func TestVocabularyOfAProjectAndAnAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := "/api/v1/projects/" + p.project("Talk")
	changed := p.do("PATCH", project, map[string]any{"vocabulary": []string{" Ada  Lovelace", "C++", "ada lovelace"}})
	if got := changed.want(200, ""); got.text("vocabulary", 0) != "Ada Lovelace" ||
		len(got.value("vocabulary").([]any)) != 2 {
		t.Errorf("the project responds with %s", got.body)
	}
	p.do("PATCH", project, map[string]any{"name": "Other", "vocabulary": []string{"<|en|>"}}).want(422, "unprocessable")
	if got := p.do("GET", project, nil).want(200, ""); got.text("name") != "Talk" ||
		got.text("vocabulary", 1) != "C++" {
		t.Errorf("a refused change leaves %s", got.body)
	}
	put := p.do("PUT", wordListsPath, map[string]any{"language": "de", "vocabulary": []string{"Köln"}}).want(200, "")
	if put.text("vocabulary", 0) != "Köln" || put.value("updated_at") == nil {
		t.Errorf("the word list is %s", put.body)
	}
	p.do("PUT", wordListsPath, map[string]any{"language": "de", "vocabulary": []string{"a,b"}}).
		want(422, "unprocessable")
}
