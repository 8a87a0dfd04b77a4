package server

import (
	"net/http"
	"strings"
	"testing"

	"roughcut/store"
)

// Pages of the origins in CORS_ORIGINS may call the API with a token, and no others.
func TestPagesOfOtherOrigins(t *testing.T) {
	t.Parallel()
	const friend, stranger = "https://studio.example.org", "https://evil.example.org"
	for _, c := range []struct {
		allowed []string
		origin  string
		granted string
	}{
		{[]string{friend}, friend, friend}, {[]string{friend}, stranger, ""}, {[]string{friend}, "", ""},
		{nil, friend, ""},
	} {
		w := newWorld(t, func(o *Options, _ *store.Options) { o.Settings.CORSOrigins = c.allowed })
		p := w.person("ada").scopedToken(map[string]any{})
		send := func(method, path string, header http.Header) *http.Response {
			r := p.request(method, path, nil)
			r.Header.Set("Origin", c.origin)
			for name, values := range header {
				r.Header[name] = values
			}
			response, err := w.http.Client().Do(r) // the contract does not cover preflights
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			return response
		}
		asked := send("OPTIONS", "/api/v1/projects/", http.Header{
			"Access-Control-Request-Method":  {"POST"},
			"Access-Control-Request-Headers": {"authorization,idempotency-key"},
		}).Header
		read := send("GET", "/api/v1/projects/", nil)
		for _, h := range []http.Header{asked, read.Header} {
			if h.Get("Access-Control-Allow-Origin") != c.granted || h.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%v, page of %q: %v", c.allowed, c.origin, h)
			}
		}
		keys := strings.Contains(asked.Get("Access-Control-Allow-Headers"), "Idempotency-Key")
		if read.StatusCode != 200 || keys != (c.granted != "") {
			t.Errorf("%v, page of %q: %d, preflight %v", c.allowed, c.origin, read.StatusCode, asked)
		}
		bob := w.person("bob")
		upload := send("OPTIONS", bob.resumable(bob.project("Talk"), 9).path, nil)
		if upload.Header.Get("Tus-Version") == "" {
			t.Errorf("OPTIONS of an upload: %d %v", upload.StatusCode, upload.Header)
		}
	}
}

// Below a path of BASE_URL, the cookie is not sent to other programs of the host. Who reaches the
// server without the path gets a cookie that works there.
func TestCookieIsBelowThePathOfBaseURL(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options, _ *store.Options) { o.Settings.BaseURL = "http://home.test/cut/" })
	p := w.person("ada")
	for host, path := range map[string]string{"home.test": "/cut", "127.0.0.1:8420": "/", "home.test.example": "/"} {
		r := p.request("GET", "/api/v1/users/me", nil)
		r.Host = host
		cookies := (&http.Response{Header: w.send(r).want(200, "").header}).Cookies()
		if len(cookies) == 0 {
			t.Errorf("at %s the server sets no cookie", host)
		}
		for _, cookie := range cookies {
			if cookie.Path != path {
				t.Errorf("at %s the cookie %s has the path %s, want %s", host, cookie.Name, cookie.Path, path)
			}
		}
	}
}

// A field that no operation knows is accepted, and named.
func TestUnknownFieldsAreNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	free := map[string]any{"name": "Talk", "settings": map[string]any{"any": 1}}
	project := p.do("POST", "/api/v1/projects/", free).want(201, "")
	if got := project.header.Values(unknownHeader); got != nil {
		t.Errorf("known fields: %v", got)
	}
	path := "/api/v1/projects/" + project.text("uuid") + "/analyze"
	refused := p.do("POST", path, map[string]any{"pacing": 60, "a\"ü\n": 1, "pacing_level": 50}).want(400, "no_clips")
	if got := refused.header.Get(unknownHeader); got != `"a???", "pacing"` {
		t.Errorf("unknown fields: %s", got)
	}
	many := map[string]any{"name": "Talk"}
	for n := range 1000 {
		many[strings.Repeat("x", n+1)] = n
	}
	got := p.do("POST", "/api/v1/projects/", many).want(201, "").header.Get(unknownHeader)
	if strings.Count(got, ",") != mostUnknown-1 || len(got) > mostUnknown*104 {
		t.Errorf("%d unknown fields: %s", len(many)-1, got)
	}
}
