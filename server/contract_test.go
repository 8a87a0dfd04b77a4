package server

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"sort"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"roughcut/server/contract"
	"roughcut/store"
)

const noSuchUUID = "00000000-0000-4000-8000-000000000000"

// everything creates a project with a resource of each kind.
func everything(p *person) map[string]string {
	project := p.project("Talk")
	clip := p.readyClip(project)
	run := p.analyze(project, clip)
	base := "/api/v1/projects/" + project
	return map[string]string{
		"user_uuid": p.user.UUID,
		"preset_uuid": p.do("POST", "/api/v1/users/me/presets", map[string]any{"name": "fast"}).want(
			201,
			"",
		).text("uuid"),
		"project_uuid": project,
		"clip_uuid":    clip,
		"run_uuid":     run,
		"edit_uuid": p.do(
			"POST",
			base+"/edits/",
			map[string]any{"type": "manual", "start_ms": 5000, "end_ms": 6000},
		).want(201, "").text("uuid"),
		"draft_uuid": p.do("POST", base+"/drafts/", map[string]any{"name": "d"}).want(201, "").text("uuid"),
		"marker_uuid": p.do("POST", base+"/markers/", map[string]any{"kind": "chapter", "time_ms": 500}).want(
			201,
			"",
		).text("uuid"),
		"short_uuid": p.do("POST", base+"/shorts/", map[string]any{"name": "s", "start_ms": 0, "end_ms": 900}).want(
			201,
			"",
		).text("uuid"),
		"export_uuid": p.export(project),

		"trashed_uuid": p.export(project),
		"asset_uuid":   p.readyAsset("image/png"),
		"asset_group_uuid": p.do("POST", "/api/v1/asset-groups/", map[string]any{"name": "g"}).want(
			201,
			"",
		).text("uuid"),
		"invitation_uuid": p.do("POST", "/api/v1/admin/invitations", map[string]any{}).want(201, "").text("uuid"),
		"token_uuid": p.do("POST", "/api/v1/users/me/tokens", map[string]any{"name": "t"}).want(
			201,
			"",
		).text("uuid"),
		"caption_line_uuid": p.do("GET", base+"/caption-lines/", nil).want(200, "").text("items", 0, "uuid"),
		"replacement_uuid": p.do(
			"POST",
			base+"/transcript/replace",
			map[string]any{"find": "brave", "replace": "bold"},
		).want(200, "").text("replacement_uuid"),
	}
}

// fill inserts IDs into the path of an operation.
func fill(op *contract.Operation, ids map[string]string) string {
	path := op.Route.Path
	for name, id := range ids {
		path = strings.ReplaceAll(path, "{"+name+"}", id)
	}
	return path
}

func sortedOperations(w *world) []*contract.Operation {
	all := w.server.contract.Operations()
	sort.Slice(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	return all
}

func TestContractIsValid(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(contractYAML)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestEveryOperationIsRouted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, op := range sortedOperations(w) {
		path := fill(op, map[string]string{"token": "x"})
		for _, name := range op.Resources {
			path = strings.ReplaceAll(path, "{"+name+"}", noSuchUUID)
		}
		r := w.anonymous().do(op.Route.Method, path, nil)
		if r.status == http.StatusMethodNotAllowed || r.status >= 500 ||
			(r.status == http.StatusNotFound && op.Access == contract.SignedIn) {
			t.Errorf("%s: %s %s responds with %d", op.ID, op.Route.Method, path, r.status)
		}
	}
}

func TestEveryOperationChecksOwnership(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner, stranger := w.person("owner"), w.person("stranger")
	ids := everything(owner)
	checked := 0
	for _, op := range sortedOperations(w) {
		if op.Access != contract.SignedIn {
			continue
		}
		checked++
		method, path := op.Route.Method, fill(op, ids)
		w.anonymous().do(method, path, nil).want(401, "not_authenticated")
		(&person{w: w, cookie: "forged", csrf: owner.csrf}).do(method, path, nil).want(401, "not_authenticated")
		(&person{w: w, cookie: owner.cookie, csrf: owner.csrf, bearer: "rc_forged"}).do(method, path, nil).want(
			401,
			"not_authenticated",
		)
		if contract.IsUnsafe(method) {
			(&person{w: w, cookie: owner.cookie}).do(method, path, nil).want(403, "csrf_failed")
			(&person{w: w, cookie: owner.cookie, csrf: stranger.csrf}).do(method, path, nil).want(403, "csrf_failed")
		}
		for _, name := range op.Resources {
			for _, id := range []string{noSuchUUID, "17", "Not-a-uuid"} {
				missing := map[string]string{}
				for k, v := range ids {
					missing[k] = v
				}
				missing[name] = id
				owner.do(method, fill(op, missing), nil).want(404, "not_found")
			}
		}
		if op.AdminOnly {
			stranger.do(method, path, nil).want(403, "forbidden")
			stranger.do(method, strings.ReplaceAll(path, ids["user_uuid"], noSuchUUID), nil).want(403, "forbidden")
		}
		if len(op.Resources) > 0 {
			stranger.do(method, path, nil).want(403, "forbidden")
			stranger.do(method, path, []byte("{")).want(403, "forbidden")
		}
		if op.OwnerLocal {
			owner.do(method, path, nil).want(403, "local_only")
			owner.do(method, path, []byte("{")).want(403, "local_only")
		}
	}
	if checked < 35 {
		t.Errorf("only %d operations need a session", checked)
	}
	for name, id := range ids {
		if err := w.store.Access(owner.user.UUID, strings.TrimSuffix(name, "_uuid"), id); err != nil {
			t.Errorf("a rejected request changed %s: %v", name, err)
		}
	}
}

// In owner mode, every operation refuses a foreign host name.
func TestEveryOperationChecksTheHostInOwnerMode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ownerMode)
	for _, op := range sortedOperations(w) {
		path := fill(op, map[string]string{"token": "x"})
		code := "forbidden"
		if op.Route.Method == http.MethodHead {
			code = ""
		}
		w.anonymous().at("evil.example", op.Route.Method, path, nil).want(403, code)
	}
}

func TestEveryBodyIsValidated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ownerMode)
	owner := w.launched()
	ids := everything(owner)
	for _, op := range sortedOperations(w) {
		if op.Streams || op.Route.Operation.RequestBody == nil || op.ID == "login" {
			continue
		}
		path := fill(op, ids)
		for _, body := range []string{"", "{", "[]", "null", `"text"`} {
			if _, limited := rateLimits[op.ID]; limited {
				w.clock.Advance(rateLimits[op.ID].window)
			}
			r := owner.do(op.Route.Method, path, []byte(body)).want(422, "unprocessable")
			if len(r.value("errors").([]any)) == 0 {
				t.Errorf("%s: no field is named for the body %q", op.ID, body)
			}
		}
	}
}

func TestUnprocessableErrorsNameFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.person("owner")
	project := owner.project("p")
	for _, c := range []struct {
		method, path, body, field string
	}{
		{"POST", "/api/v1/users/", `{"name":"a","username":"abc","email":"a@b.c","password":"short"}`, "password"},
		{"POST", "/api/v1/users/", `{"username":"abc","email":"a@b.c","password":"long enough"}`, "name"},
		{
			"POST", "/api/v1/users/", `{"name":"a","username":"a b","email":"a@b.c","password":"long enough"}`,
			"username",
		},
		{"POST", "/api/v1/users/", `{"name":"a","username":"abc","email":"a@b@c","password":"long enough"}`, "email"},
		{"POST", "/api/v1/projects/" + project + "/edits/", `{"type":"manual","start_ms":"1","end_ms":2}`, "start_ms"},
		{"POST", "/api/v1/projects/" + project + "/edits/", `{"type":"manual","start_ms":1.5,"end_ms":2}`, "start_ms"},
		{"POST", "/api/v1/projects/" + project + "/edits/", `{"type":"manual","start_ms":-1,"end_ms":2}`, "start_ms"},
		{"POST", "/api/v1/projects/" + project + "/edits/", `{"type":"other","start_ms":1,"end_ms":2}`, "type"},
		{"POST", "/api/v1/projects/" + project + "/analyze", `{"pacing_level":101}`, "pacing_level"},
		{
			"POST", "/api/v1/projects/" + project + "/exports/",
			`{"name":"x","export_settings":{"audio":{"main_volume_percent":101}}}`,
			"export_settings.audio.main_volume_percent",
		},
		{
			"POST", "/api/v1/projects/" + project + "/exports/", `{"name":"x","export_settings":{"resolution":"4k"}}`,
			"export_settings.resolution",
		},
		{
			"POST", "/api/v1/projects/" + project + "/exports/",
			`{"name":"x","export_settings":{"video_codec":"av1"}}`, "export_settings.video_codec",
		},
		{"GET", "/api/v1/projects/?page=0", "", "page"},
		{"GET", "/api/v1/projects/?page_size=201", "", "page_size"},
		{"GET", "/api/v1/projects/?page=x", "", "page"},
		{"GET", "/api/v1/search?q=a&kind=planet", "", "kind"},
		{"GET", "/api/v1/search", "", "q"},
	} {
		r := owner.do(c.method, c.path, []byte(c.body)).want(422, "unprocessable")
		if got := r.text("errors", 0, "field"); got != c.field {
			t.Errorf("%s %s %s: field %q, want %q", c.method, c.path, c.body, got, c.field)
		}
	}
	for _, body := range []string{
		`{"type":"manual","start_ms":1,"end_ms":1e300}`,
		`{"type":"manual","start_ms":1,"end_ms":99999999999999999999}`,
	} {
		owner.do("POST", "/api/v1/projects/"+project+"/edits/", []byte(body)).want(422, "unprocessable")
	}
	owner.do("POST", "/api/v1/auth/login", map[string]any{"username": "a", "password": "b"}).want(422, "unprocessable")
	owner.do("POST", "/api/v1/auth/login", url.Values{"username": {"a"}}).want(422, "unprocessable")
	owner.do("POST", "/api/v1/projects/", []byte(`{"name":"x","color":"unknown fields are ignored"}`)).want(201, "")
}

func TestAddressesOutsideContract(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/api/v1/nothing", "/api", "/api/v2/projects/", "/api/v1/nothing/"} {
		r := w.anonymous().do("GET", path, nil).want(404, "not_found")
		if got := r.header.Get("Content-Type"); got != "application/problem+json" {
			t.Errorf("%s: content type %q", path, got)
		}
	}
	r := w.anonymous().do("DELETE", "/api/v1/users/", nil).want(405, "method_not_allowed")
	if got := r.header.Get("Allow"); !strings.Contains(got, "POST") {
		t.Errorf("Allow is %q", got)
	}
	w.anonymous().do("POST", "/some/page", nil).want(404, "not_found") // this server has no UI
}

func TestSlashHeadAndCompression(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	p.project("one")
	for _, path := range []string{"/api/v1/projects", "/api/v1/projects/", "/api/v1/users/me/", "/healthz/"} {
		if r := p.do("GET", path, nil); r.status >= 300 {
			t.Errorf("GET %s responds with %d", path, r.status)
		}
	}
	p.do("POST", "/api/v1/projects", map[string]any{"name": "two"}).want(201, "")
	head := p.do("HEAD", "/api/v1/projects/", nil).want(200, "")
	if len(head.body) != 0 || head.header.Get("Content-Type") != "application/json" {
		t.Errorf("HEAD responds with %q and %v", head.body, head.header)
	}
	request := p.request("GET", "/api/v1/openapi.json", nil)
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := w.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.Header.Get("Content-Encoding") != "gzip" {
		t.Fatal("a large JSON response is not compressed")
	}
	plain, err := gzip.NewReader(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("x-go-")) {
		t.Error("openapi.json contains hints for the code generator")
	}
	var doc struct {
		OpenAPI string         `json:"openapi"`
		Paths   map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(text, &doc); err != nil || !strings.HasPrefix(doc.OpenAPI, "3.") ||
		doc.Paths["/api/v1/users"] == nil {
		t.Errorf("openapi.json: %v, version %q", err, doc.OpenAPI)
	}
}

// Generated clients take the address of the server from the document, with the path of BASE_URL.
func TestDocumentNamesTheServer(t *testing.T) {
	t.Parallel()
	for baseURL, want := range map[string]string{
		"": "http://127.0.0.1:8420", "https://cut.example.org/video/": "https://cut.example.org/video",
	} {
		w := newWorld(t, func(o *Options, _ *store.Options) { o.Settings.BaseURL = baseURL })
		r := w.anonymous().at("127.0.0.1:8420", "GET", "/api/v1/openapi.json", nil).want(200, "")
		if got := r.text("servers", 0, "url"); got != want {
			t.Errorf("with BASE_URL %q the document names %q, want %q", baseURL, got, want)
		}
	}
}

func TestSecurityHeadersAndTooLargeBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.UI = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("page")) })
	})
	for _, path := range []string{"/", "/projects/1", "/healthz", "/api/v1/auth/check", "/media/v1/x"} {
		h := w.anonymous().do("GET", path, nil).header
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
			"Referrer-Policy": "no-referrer",
		} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		if !strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none'") ||
			h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", path, h)
		}
		if len(h.Get("X-Request-Id")) != 36 {
			t.Errorf("%s: request ID %q", path, h.Get("X-Request-Id"))
		}
	}
	for _, c := range []struct{ host, agent, policy string }{
		{"127.0.0.1:8420", "Mozilla/5.0", "same-origin"},
		{"127.0.0.1:8420", "Mozilla/5.0 wails.io", ""}, // the window
		{"home.test", "Mozilla/5.0", ""},
	} {
		r := w.anonymous().request("GET", "/projects/1", nil)
		r.Host = c.host
		r.Header.Set("User-Agent", c.agent)
		if policy := w.send(r).header.Get("Cross-Origin-Opener-Policy"); policy != c.policy {
			t.Errorf("the opener policy for %s at %s is %q, want %q", c.agent, c.host, policy, c.policy)
		}
	}
	if r := w.anonymous().do("GET", "/projects/1", nil); string(r.body) != "page" {
		t.Errorf("page %q", r.body)
	}
	w.anonymous().do("POST", "/projects/1", nil).want(405, "method_not_allowed")
	w.person("p").do(
		"POST",
		"/api/v1/projects/",
		append([]byte(`{"name":"`), make([]byte, maxBodyBytes)...),
	).want(413, "too_large")
}
