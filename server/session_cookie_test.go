package server

import (
	"net/http"
	"strings"
	"testing"
)

// Browsers share cookies among the ports of a host. A sign-in at one server does not end the
// session at another.
func TestServersOfOneHostKeepTheirSessions(t *testing.T) {
	t.Parallel()
	jar := map[string]string{}
	keep := func(r *reply) {
		for _, c := range (&http.Response{Header: r.header}).Cookies() {
			if jar[c.Name] = c.Value; c.MaxAge < 0 {
				delete(jar, c.Name)
			}
		}
	}
	send := func(w *world, method, path string, body any, csrf string) *reply {
		r := w.anonymous().request(method, path, body)
		for name, value := range jar {
			r.AddCookie(&http.Cookie{Name: name, Value: value})
		}
		r.Header.Set(csrfHeader, csrf)
		response := w.send(r)
		keep(response)
		return response
	}
	enter := func(w *world) (csrf string) {
		token, err := w.server.LaunchToken()
		if err != nil {
			t.Fatal(err)
		}
		body := map[string]any{"token": token}
		return send(w, "POST", "/api/v1/auth/launch", body, "").want(200, "").text("csrf_token")
	}
	one, two := newWorld(t, ownerMode), newWorld(t, ownerMode)
	csrfOne, csrfTwo := enter(one), enter(two)
	send(one, "POST", "/api/v1/projects/", map[string]any{"name": "first"}, csrfOne).want(201, "")
	send(two, "POST", "/api/v1/projects/", map[string]any{"name": "second"}, csrfTwo).want(201, "")
	send(two, "POST", "/api/v1/auth/logout", nil, csrfTwo).want(204, "")
	send(two, "GET", "/api/v1/users/me", nil, "").want(401, "not_authenticated")
	send(one, "GET", "/api/v1/users/me", nil, "").want(200, "")
	send(one, "POST", "/api/v1/auth/logout", nil, csrfOne).want(204, "")
	if len(jar) != 0 {
		t.Errorf("cookies remain after signing out: %v", jar)
	}
}

// The link for the first account verifies that account only.
func TestSetupLinkCreatesTheFirstAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	link, err := w.server.LaunchAddress("https://cut.example.org")
	if err != nil {
		t.Fatal(err)
	}
	base, token, found := strings.Cut(link, "/sign-up?invitation=")
	if !found || base != "https://cut.example.org" {
		t.Fatalf("link %q", link)
	}
	w.anonymous().do("POST", "/api/v1/auth/check-invitation", map[string]any{"token": token}).want(200, "")
	body := map[string]any{
		"name": "Ada", "username": "ada", "email": "ada@example.com", "password": "a long enough password",
		"invitation": token,
	}
	in := w.anonymous().do("POST", "/api/v1/users/", body).want(201, "")
	if in.text("email_verified") != "true" || in.text("is_admin") != "true" {
		t.Errorf("account %s", in.body)
	}
	body["email"], body["username"] = "eve@example.com", "eve"
	w.anonymous().do("POST", "/api/v1/users/", body).want(400, "invitation_invalid")
	if link, err = w.server.LaunchAddress("https://cut.example.org"); err != nil || link != "https://cut.example.org" {
		t.Errorf("with an account: %q, %v", link, err)
	}
}
