package server

import (
	"fmt"
	"testing"
)

// The duplicate of a clip shares its file, and the history undoes it.
func TestDuplicateClip(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	clip := p.readyClip(project)
	p.do("POST", base+"/edits/", map[string]any{"type": "manual", "start_ms": 1000, "end_ms": 2000}).want(201, "")
	used := p.do("GET", "/api/v1/users/me/storage", nil).want(200, "").text("storage_used_bytes")
	first := p.do("GET", base+"/clips/", nil).want(200, "")
	made := p.do("POST", "/api/v1/clips/"+clip+"/duplicate", nil).want(201, "")
	holds(t, made, map[string]any{"status": "ready", "position": 1, "duration_ms": 10000, "copy_of": []any{clip}})
	if made.text("clip_file_id") != first.text("items", 0, "clip_file_id") {
		t.Errorf("duplicate %s of %s", made.body, first.body)
	}
	p.do("GET", "/api/v1/clips/"+made.text("uuid")+"/proxy-url", nil).want(200, "")
	p.do("GET", "/api/v1/clips/"+made.text("uuid")+"/waveform", nil).want(200, "")
	edits := p.do("GET", base+"/edits/", nil).want(200, "")
	if edits.text("total") != "2" || edits.text("items", 1, "start_ms") != "11000" {
		t.Errorf("edits %s", edits.body)
	}
	if now := p.do("GET", "/api/v1/users/me/storage", nil).want(200, "").text("storage_used_bytes"); now != used {
		t.Errorf("%s bytes are used, %s before", now, used)
	}
	p.do("POST", base+"/edit-history/undo", nil).want(200, "")
	if list := p.do("GET", base+"/clips/", nil).want(200, ""); list.text("total") != "1" {
		t.Errorf("clips after undo %s", list.body)
	}
	p.do("POST", "/api/v1/clips/"+noSuchUUID+"/duplicate", nil).want(404, "not_found")
	w.person("other").do("POST", "/api/v1/clips/"+clip+"/duplicate", nil).want(403, "forbidden")
	run := p.do("POST", base+"/analyze", map[string]any{}).want(202, "").text("run_uuid")
	p.do("POST", "/api/v1/clips/"+clip+"/duplicate", nil).want(409, "conflict")
	p.do("POST", base+"/analysis-runs/"+run+"/cancel", nil).want(202, "")
}

// The runs of the API say whether they cover all clips.
func TestRunsCoverDuplicates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	clip := p.readyClip(project)
	run := p.analyze(project, clip)
	covers := func(want bool) {
		t.Helper()
		holds(t, p.do("GET", base+"/analysis-runs/"+run, nil).want(200, ""), map[string]any{"covers_clips": want})
		list := p.do("GET", base+"/analysis-runs/", nil).want(200, "")
		if got := list.text("items", 0, "covers_clips"); got != fmt.Sprint(want) {
			t.Errorf("the list says %s, want %v", got, want)
		}
	}
	p.do("POST", "/api/v1/clips/"+clip+"/duplicate", nil).want(201, "")
	covers(true)
	p.readyClip(project)
	covers(false)
}

// A recording can be in a project 200 times, those in the trash included.
func TestDuplicatesHaveALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	clip := p.readyClip(project)
	var last *reply
	for range 199 {
		last = p.do("POST", "/api/v1/clips/"+clip+"/duplicate", nil).want(201, "")
	}
	p.do("DELETE", "/api/v1/clips/"+last.text("uuid"), nil).want(204, "")
	p.do("POST", "/api/v1/clips/"+clip+"/duplicate", nil).want(422, "unprocessable")
	p.do("POST", "/api/v1/projects/"+project+"/duplicate", nil).want(422, "unprocessable")
}

// An arrangement takes segments of clips, and refuses others.
func TestArrangeClips(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	first, second := p.readyClip(project), p.readyClip(project)
	segment := func(clip string, start, end int) map[string]any {
		return map[string]any{"clip_uuid": clip, "start_ms": start, "end_ms": end}
	}
	arrange := func(segments ...map[string]any) *reply {
		return p.do("PUT", base+"/clips/arrangement", map[string]any{"segments": segments})
	}
	whole := segment(second, 0, 10_000)
	for _, wrong := range [][]map[string]any{
		{}, {whole}, {whole, segment(first, 0, 10_001)}, {whole, segment(first, 5, 5)}, {whole, segment(first, -1, 5)},
		{whole, segment(first, 0, 5), segment(noSuchUUID, 0, 5)},
	} {
		arrange(wrong...).want(422, "unprocessable")
	}
	r := arrange(segment(first, 3000, 10_000), whole, segment(first, 0, 3000)).want(200, "")
	holds(t, r, map[string]any{"total": 3})
	if r.text("items", 0, "uuid") != first || r.text("items", 1, "uuid") != second ||
		r.text("items", 2, "copy_of", 0) != first {
		t.Errorf("clips %s", r.body)
	}
	edits := p.do("GET", base+"/edits/", nil).want(200, "")
	if edits.text("items", 0, "end_ms") != "3000" || edits.text("items", 1, "start_ms") != "23000" {
		t.Errorf("edits %s", edits.body)
	}
	run := p.do("POST", base+"/analyze", map[string]any{}).want(202, "").text("run_uuid")
	arrange(segment(first, 0, 5)).want(409, "conflict")
	p.do("POST", base+"/analysis-runs/"+run+"/cancel", nil).want(202, "")
	p.do("POST", base+"/edit-history/undo", nil).want(200, "")
	if list := p.do("GET", base+"/clips/", nil).want(200, ""); list.text("total") != "2" {
		t.Errorf("clips after undo %s", list.body)
	}
}
