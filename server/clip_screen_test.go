package server

import (
	"testing"

	"roughcut/media"
	"roughcut/store"
)

// A clip says whether its video shows a screen, and null until that is known. An analysis with
// keep_screens keeps the demonstrations of a screen; without it, the default stays.
func TestClipsSayWhetherTheyShowAScreen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	is, not := true, false
	for name, c := range map[string]struct {
		screen *bool
		body   map[string]any
		keeps  bool
	}{
		"a screen":               {&is, map[string]any{"keep_screens": true, "wait_for_clips": true}, true},
		"a screen, by default":   {&is, map[string]any{"wait_for_clips": true}, false},
		"no screen":              {&not, map[string]any{"keep_screens": true, "wait_for_clips": true}, false},
		"of an earlier version":  {nil, map[string]any{"keep_screens": true, "wait_for_clips": true}, false},
		"a screen, kept anyway":  {&is, map[string]any{"keep_demonstrations": true}, true},
		"a screen, after ingest": {&is, map[string]any{"keep_screens": true}, true},
	} {
		project := p.project("Talk")
		base := "/api/v1/projects/" + project
		clip, _ := p.upload(project, []byte("recording"))
		screen := func() any { return p.do("GET", base+"/clips/", nil).want(200, "").value("items", 0, "screen") }
		if got := screen(); got != nil {
			t.Errorf("%s: %v during the upload", name, got)
		}
		if c.body["wait_for_clips"] == true {
			p.do("POST", base+"/analyze", c.body).want(202, "")
		}

		p.do("POST", base+"/clips/"+clip+"/confirm", nil).want(202, "")
		p.finishScreen(c.screen)
		if c.body["wait_for_clips"] == nil {
			p.do("POST", base+"/analyze", c.body).want(202, "")
		}

		want := any(nil)
		if c.screen != nil {
			want = *c.screen
		}
		if got := screen(); got != want {
			t.Errorf("%s: the clip says %v, want %v", name, got, want)
		}
		runs := p.do("GET", base+"/analysis-runs", nil).want(200, "")
		if got := runs.value("items", 0, "keep_demonstrations"); got != c.keeps {
			t.Errorf("%s: keep_demonstrations is %v, want %v", name, got, c.keeps)
		}
		w.claim(store.JobAnalysis)
	}
}

// finishScreen does the pipeline's work for an uploaded recording that shows a screen or not.
func (p *person) finishScreen(screen *bool) {
	p.w.t.Helper()
	_, err := p.w.store.FinishClip(p.w.claim(store.JobClip), store.ClipResult{
		Ingested:   media.IngestResult{Info: media.Info{Format: "mov", DurationMS: clipMS}, Screen: screen},
		SpeechTemp: p.w.temp("speech"),
	})
	if err != nil {
		p.w.t.Fatal(err)
	}
}
