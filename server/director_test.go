package server

import "testing"

// TestDirectorSwitches reads and changes the switches of the account and of a project.
func TestDirectorSwitches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	project := "/api/v1/projects/" + p.project("Talk")
	for _, path := range []string{"/api/v1/users/me", project} {
		p.do("GET", path, nil).want(200, "").shows(map[string]any{"ai_director": true})
		p.do("PATCH", path, map[string]any{"ai_director": false}).want(200, "").
			shows(map[string]any{"ai_director": false})
		p.do("PATCH", path, map[string]any{"name": "Other"}).want(200, "").shows(map[string]any{"ai_director": false})
		p.do("GET", path, nil).want(200, "").shows(map[string]any{"ai_director": false, "name": "Other"})
		p.do("PATCH", path, map[string]any{"ai_director": true}).want(200, "").
			shows(map[string]any{"ai_director": true})
	}
	p.do("POST", project+"/analyze", map[string]any{"director": "always"}).want(422, "unprocessable")
}
