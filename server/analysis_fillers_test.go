package server

import "testing"

// The choice of an analysis to cut fillers is stored with the run; a replan keeps or changes it.
func TestCutFillersIsStoredWithTheRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	clip := p.readyClip(project)
	base := "/api/v1/projects/" + project
	for _, c := range []struct {
		body map[string]any
		want string
	}{
		{map[string]any{}, "false"},
		{map[string]any{"cut_fillers": true}, "true"},
	} {
		run := p.do("POST", base+"/analyze", c.body).want(202, "").text("run_uuid")
		if got := p.do("GET", base+"/analysis-runs/"+run, nil).want(200, "").text("cut_fillers"); got != c.want {
			t.Errorf("analyze with %v: the run has cut_fillers %s, want %s", c.body, got, c.want)
		}
		p.do("POST", base+"/analysis-runs/"+run+"/cancel", nil).want(202, "")
	}

	run := p.analyze(project, clip)
	replan := base + "/analysis-runs/" + run + "/replan"
	for _, c := range []struct {
		change map[string]any
		want   string
	}{
		{map[string]any{"cut_fillers": true, "dry_run": true}, "false"},
		{map[string]any{"cut_fillers": true}, "true"},
		{map[string]any{}, "true"},
		{map[string]any{"cut_fillers": false}, "false"},
	} {
		body := map[string]any{"pacing_level": 60, "false_start_sensitivity": 60}
		for name, value := range c.change {
			body[name] = value
		}
		p.do("POST", replan, body).want(200, "")
		list := p.do("GET", base+"/analysis-runs", nil).want(200, "")
		if got := list.text("items", 0, "cut_fillers"); got != c.want {
			t.Errorf("replan with %v: the run has cut_fillers %s, want %s", c.change, got, c.want)
		}
	}
	p.do("POST", base+"/analyze", map[string]any{"cut_fillers": "yes"}).want(422, "unprocessable")
}
