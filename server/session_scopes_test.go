package server

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/server/contract"
	"roughcut/store"
)

// scopedToken creates an access token and returns a caller that uses it.
func (p *person) scopedToken(scope map[string]any) *person {
	p.w.t.Helper()
	scope["name"] = "scoped"
	made := p.do("POST", "/api/v1/users/me/tokens", scope).want(201, "")
	return &person{w: p.w, user: p.user, bearer: made.text("token")}
}

// Every operation checks the scope of an access token, before anything else of the request.
func TestScopesOfAccessTokensHoldOnEveryOperation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada")
	ids := everything(ada)
	reader := ada.scopedToken(map[string]any{"read_only": true})
	other := ada.scopedToken(map[string]any{"project_uuid": ada.project("Other")})
	checked := 0
	for _, op := range sortedOperations(w) {
		if op.Access != contract.SignedIn {
			continue
		}
		method, path := op.Route.Method, fill(op, ids)
		if contract.IsUnsafe(method) {
			reader.do(method, path, nil).want(403, "forbidden")
		}
		other.do(method, path, nil).want(403, "forbidden")
		checked++
	}
	t.Logf("checked %d operations", checked)
}

func TestProjectTokenUsesItsProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada")
	ids := everything(ada)
	project := "/api/v1/projects/" + ids["project_uuid"]
	script := ada.scopedToken(map[string]any{"project_uuid": ids["project_uuid"], "expires_in_days": 1})
	script.do("GET", project, nil).want(200, "")
	script.do("PATCH", project, map[string]any{"name": "by script"}).want(200, "")
	script.do("GET", "/api/v1/clips/"+ids["clip_uuid"]+"/waveform", nil).want(200, "")
	script.do("DELETE", "/api/v1/exports/"+ids["export_uuid"], nil).want(204, "")
	script.do("GET", "/api/v1/auth/check", nil).want(200, "")
	script.do("GET", "/api/v1/projects/", nil).want(403, "forbidden")
	list := ada.do("GET", "/api/v1/users/me/tokens", nil).want(200, "")
	if list.text("items", 0, "project_uuid") != ids["project_uuid"] || list.text("items", 0, "read_only") != "false" ||
		list.text("items", 1, "project_uuid") != "" {
		t.Errorf("the list is %s", list.body)
	}
	ada.do("DELETE", project, nil).want(204, "")
	script.do("GET", project, nil).want(401, "not_authenticated")
}

var updatedAt = regexp.MustCompile(`"updated_at":"[^"]*"`)

// Reading leaves updated_at unchanged, also when the server stores a result that it had to compute.
func TestReadOnlyTokenChangesNothing(t *testing.T) {
	t.Parallel()
	var w *world
	w = newWorld(t, func(o *Options, _ *store.Options) {
		o.Faces = func(_ context.Context, clip store.Clip) ([]media.Face, error) {
			found := []media.Face{{MS: 5}}
			return found, w.store.SetFaces(clip.UUID, found)
		}
	})
	ada := w.person("ada")
	ids := everything(ada)
	reader := ada.scopedToken(map[string]any{"read_only": true})
	read := func(p *person) (times []string) {
		for _, op := range sortedOperations(w) {
			if op.Access == contract.SignedIn && op.Route.Method == "GET" && !op.Streams {
				body := p.do("GET", fill(op, ids), nil).body
				times = append(times, op.ID+strings.Join(updatedAt.FindAllString(string(body), -1), " "))
			}
		}
		return times
	}
	before := read(reader)
	w.clock.Advance(time.Hour)
	for i, after := range read(reader) {
		if after != before[i] {
			t.Errorf("%s became %s", before[i], after)
		}
	}
}

func TestReadOnlyTokenReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada")
	reader := ada.scopedToken(map[string]any{"read_only": true})
	reader.do("GET", "/api/v1/projects/", nil).want(200, "")
	reader.do("GET", "/api/v1/users/me", nil).want(200, "")
}

func TestTokensAreForOwnProjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, eve := w.person("ada"), w.person("eve")
	for project, status := range map[string]int{ada.project("Talk"): 403, w.store.NewID(): 404} {
		code := map[int]string{403: "forbidden", 404: "not_found"}[status]
		body := map[string]any{"name": "x", "project_uuid": project}
		eve.do("POST", "/api/v1/users/me/tokens", body).want(status, code)
	}
}
