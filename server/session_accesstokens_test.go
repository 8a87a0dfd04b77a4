package server

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"roughcut/server/auth"
	"roughcut/store"
)

// token creates a personal access token and returns a caller that uses it.
func (p *person) token(name string) *person {
	p.w.t.Helper()
	made := p.do("POST", "/api/v1/users/me/tokens", map[string]any{"name": name}).want(201, "")
	return &person{w: p.w, user: p.user, bearer: made.text("token")}
}

func TestAccessTokensReplaceSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada")
	script := ada.token("backup")
	if !strings.HasPrefix(script.bearer, "rc_") || len(script.bearer) < 43 {
		t.Errorf("token %q", script.bearer)
	}
	project := script.do("POST", "/api/v1/projects/", map[string]any{"name": "by script"}).want(201, "").text("uuid")
	script.readyClip(project)
	ada.do("GET", "/api/v1/projects/"+project, nil).want(200, "")
	if got := script.do("GET", "/api/v1/auth/check", nil).want(
		200,
		"",
	); got.text("user", "username") != "ada" ||
		got.text("csrf_token") != "" {
		t.Errorf("check responds with %s", got.body)
	}
	stranger := w.person("eve").token("x")
	stranger.do("GET", "/api/v1/projects/"+project, nil).want(403, "forbidden")
	forged := &person{w: w, cookie: ada.cookie, csrf: ada.csrf, bearer: "rc_forged"}
	forged.do("GET", "/api/v1/users/me", nil).want(401, "not_authenticated")
	behindProxy := &person{w: w, cookie: ada.cookie, bearer: "of-a-proxy"}
	behindProxy.do("GET", "/api/v1/users/me", nil).want(200, "")
	behindProxy.do("POST", "/api/v1/projects/", map[string]any{"name": "x"}).want(403, "csrf_failed")
	if strings.Contains(w.logs.String(), script.bearer) {
		t.Error("the log contains a token")
	}
	if _, _, err := w.store.UseAccessToken(script.bearer); !store.IsKind(err, store.NotFound) {
		t.Errorf("the store contains the token itself: %v", err)
	}
	if _, _, err := w.store.UseAccessToken(auth.HashToken(script.bearer)); err != nil {
		t.Error(err)
	}
}

func TestAccessTokensListUseRevoke(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada")
	list := func() *reply { return ada.do("GET", "/api/v1/users/me/tokens", nil).want(200, "") }
	if got := list(); got.text("total") != "0" || got.text("page_size") != "50" {
		t.Errorf("empty list: %s", got.body)
	}
	first := ada.token("first")
	w.clock.Advance(time.Minute)
	second := ada.token("second")
	if strings.Contains(string(list().body), "rc_") || list().text("items", 0, "name") != "second" ||
		list().text("items", 1, "last_used_at") != "" ||
		list().text("items", 1, "expires_at") != "" {
		t.Errorf("list %s", list().body)
	}
	first.do("GET", "/api/v1/users/me", nil).want(200, "")
	w.clock.Advance(59 * time.Second)
	first.do("GET", "/api/v1/users/me", nil).want(200, "")
	if got := list().text("items", 1, "last_used_at"); got != "2026-01-31T12:01:00.000+00:00" {
		t.Errorf("last used at %s", got)
	}
	w.clock.Advance(time.Second)
	first.do("GET", "/api/v1/users/me", nil).want(200, "")
	if got := list().text("items", 1, "last_used_at"); got != "2026-01-31T12:02:00.000+00:00" {
		t.Errorf("last used at %s", got)
	}
	path := "/api/v1/users/me/tokens/" + list().text("items", 1, "uuid")
	second.do("DELETE", path, nil).want(204, "")
	ada.do("DELETE", path, nil).want(404, "not_found")
	first.do("GET", "/api/v1/users/me", nil).want(401, "not_authenticated")
	second.do("GET", "/api/v1/users/me", nil).want(200, "")
	ada.do("POST", "/api/v1/users/me/tokens", map[string]any{"name": "  "}).want(422, "unprocessable")
	ada.do("POST", "/api/v1/users/me/tokens", map[string]any{"name": "x", "expires_in_days": 0}).want(
		422,
		"unprocessable",
	)
}

func TestAccessTokensExpire(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada")
	made := ada.do(
		"POST",
		"/api/v1/users/me/tokens",
		map[string]any{"name": "short", "expires_in_days": 2},
	).want(201, "")
	if got := made.text("expires_at"); got != "2026-02-02T12:00:00.000+00:00" {
		t.Errorf("the token expires at %s", got)
	}
	script := &person{w: w, bearer: made.text("token")}
	w.clock.Advance(48*time.Hour - time.Millisecond)
	script.do("GET", "/api/v1/users/me", nil).want(200, "")
	w.clock.Advance(time.Millisecond)
	script.do("GET", "/api/v1/users/me", nil).want(401, "not_authenticated")
	if got := ada.do("GET", "/api/v1/users/me/tokens", nil).want(200, ""); got.text("total") != "0" {
		t.Errorf("an expired token is listed: %s", got.body)
	}
}

func TestLogoutKeepsAccessTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada")
	script := ada.token("backup")
	script.do("POST", "/api/v1/auth/logout", nil).want(204, "")
	ada.do("GET", "/api/v1/users/me", nil).want(200, "")
	if got := ada.do("POST", "/api/v1/auth/logout-all", nil).want(200, "").text("terminated_count"); got != "1" {
		t.Errorf("%s sessions ended", got)
	}
	script.do("GET", "/api/v1/users/me", nil).want(200, "")
}

func TestEventStreamEndsWithAccessToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options, _ *store.Options) { o.Settings.EventsKeepalive = time.Millisecond })
	ada := w.person("ada")
	script := ada.token("watch")
	project := ada.project("p")
	response, err := w.http.Client().Do(script.request("GET", "/api/v1/projects/"+project+"/events", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("the stream responds with %d", response.StatusCode)
	}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() && lines.Text() != ": keepalive" { // a keepalive shows that the server has checked the token
		continue
	}
	id := ada.do("GET", "/api/v1/users/me/tokens", nil).want(200, "").text("items", 0, "uuid")
	ada.do("DELETE", "/api/v1/users/me/tokens/"+id, nil).want(204, "")
	if _, err := io.Copy(io.Discard, response.Body); err != nil && !strings.Contains(err.Error(), "EOF") {
		t.Errorf("the stream ended with %v", err)
	}
	w.eventually("the stream ends", func() bool { return w.server.transfers.count() == 0 })
}
