package server

import (
	"testing"

	"roughcut/media"
	"roughcut/store"
)

const takeGroupID = "5b0c0f4e-58a5-5d0f-9a1d-d9a39a9d8c11"

// analyzeTakes creates a project whose run has a group of three takes; the last one is proposed.
func (p *person) analyzeTakes() (project string) {
	p.w.t.Helper()
	project = p.project("Talk")
	clip := p.readyClip(project)
	p.do("POST", "/api/v1/projects/"+project+"/analyze", map[string]any{}).want(202, "")
	job := p.w.claim(store.JobAnalysis)
	if _, err := p.w.store.StartRun(job); err != nil {
		p.w.t.Fatal(err)
	}
	group := store.DetectedTakeGroup{ID: takeGroupID, ClipUUID: clip, Proposed: 3}
	result := store.AnalysisResult{Language: "en", Evidence: []byte(clip)}
	for i := range 3 {
		take := media.Span{StartMS: int64(i) * 2000, EndMS: int64(i)*2000 + 1500}
		group.Takes = append(
			group.Takes,
			store.DetectedTake{Span: take, Text: "Hello", Complete: i > 0, LevelDB: -20.5},
		)
		if i < 2 {
			result.Edits = append(result.Edits, store.DetectedEdit{
				ClipUUID: clip, Type: store.EditFalseStart, Active: true, Reason: "repeated", Confidence: 0.8,
				Span:      media.Span{StartMS: take.StartMS, EndMS: take.StartMS + 2000},
				TakeGroup: takeGroupID, TakeNumber: i + 1,
			})
		}
	}
	result.TakeGroups = []store.DetectedTakeGroup{group}
	if _, err := p.w.store.FinishAnalysis(job, result); err != nil {
		p.w.t.Fatal(err)
	}
	return project
}

// A person lists the takes of a sentence, chooses another one, and takes the choice back.
func TestTakesAreChosenAndRestored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	base := "/api/v1/projects/" + p.analyzeTakes()
	groups, choose := base+"/take-groups/", base+"/take-groups/"+takeGroupID+"/choose"
	kept := func() (numbers string) {
		t.Helper()
		list := p.do("GET", groups, nil).want(200, "")
		for i := range 3 {
			if list.text("items", 0, "takes", i, "kept") == "true" {
				numbers += list.text("items", 0, "takes", i, "number")
			}
		}
		return numbers
	}
	list := p.do("GET", groups, nil).want(200, "")
	last := list.value("items", 0, "takes", 2).(map[string]any)
	if list.text("total") != "1" || list.text("items", 0, "id") != takeGroupID || last["proposed"] != true ||
		last["edit_uuid"] != nil || last["level_db"] != -20.5 || kept() != "3" {
		t.Errorf("take groups %s", list.body)
	}
	edits := p.do("GET", base+"/edits/", nil).want(200, "")
	if edits.text("items", 1, "take_group") != takeGroupID || edits.text("items", 1, "take_number") != "2" ||
		edits.text("items", 1, "action") != "cut" {
		t.Errorf("edits %s", edits.body)
	}

	second := p.do("POST", choose, map[string]any{"number": 2}).want(200, "")
	if n := len(second.value("items").([]any)); n != 2 || kept() != "2" {
		t.Errorf("choosing take 2 keeps %s and changes %s", kept(), second.body)
	}
	p.do("PATCH", base+"/edits/", map[string]any{"edits": second.value("undo")}).want(200, "")
	if kept() != "3" {
		t.Errorf("undo keeps %s", kept())
	}
	if again := p.do("POST", choose, map[string]any{"number": 1}).want(200, ""); kept() != "1" ||
		len(again.value("items").([]any)) != 2 {
		t.Errorf("choosing take 1 keeps %s and changes %s", kept(), again.body)
	}
	if same := p.do("POST", choose, map[string]any{"number": 1}).want(200, ""); len(same.value("items").([]any)) != 0 {
		t.Errorf("choosing the same take again changes %s", same.body)
	}
	p.do("POST", choose, map[string]any{"number": 4}).want(422, "unprocessable")
	p.do("POST", choose, map[string]any{"number": 0}).want(422, "unprocessable")
	p.do("POST", base+"/take-groups/other/choose", map[string]any{"number": 1}).want(404, "not_found")
}
