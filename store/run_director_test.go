package store

import "testing"

// The AI Director suggests unless the request, the project or the account says otherwise.
func TestDirectorSuggestsUnlessSwitchedOff(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	u := w.user("ann")
	p := w.project(u)
	w.ready(p, 6000)
	want := func(what string, k AnalysisSettings, director string) {
		t.Helper()
		run := get(w.StartAnalysis(u.UUID, p.UUID, k))(t)
		if run.Director != director || run.Directed != (director != DirectorOff) {
			t.Errorf("%s: the AI Director does %q, directed is %v", what, run.Director, run.Directed)
		}
		get(w.CancelRun(u.UUID, p.UUID, run.UUID))(t)
	}
	notes := AnalysisSettings{DirectorNotes: "only images"}
	want("no choice", AnalysisSettings{}, DirectorSuggest)
	want("notes", notes, DirectorPlace)
	want(
		"notes and a choice",
		AnalysisSettings{DirectorNotes: "only images", Director: DirectorSuggest}, DirectorSuggest,
	)
	get(w.UpdateProject(u.UUID, p.UUID, ProjectChange{Director: ptr(false)}))(t)
	want("off in the project", notes, DirectorOff)
	want("off in the project, with a choice", AnalysisSettings{Director: DirectorPlace}, DirectorPlace)
	get(w.UpdateProject(u.UUID, p.UUID, ProjectChange{Director: ptr(true)}))(t)
	get(w.SetDirector(u.UUID, false))(t)
	want("off in the account", notes, DirectorOff)
	get(w.SetDirector(u.UUID, true))(t)
	want("on again", AnalysisSettings{}, DirectorSuggest)
}
