package server

import (
	"net"
	"strings"
	"testing"
)

// at sends a request that names another host than it reaches.
func (p *person) at(host, method, path string, body any) *reply {
	p.w.t.Helper()
	r := p.request(method, path, body)
	r.Host = host
	return p.w.send(r)
}

// A request that names a foreign host, such as a password reset that an attacker requests for
// someone else, never puts that host into a mail.
func TestMailsNeverLinkToForeignHosts(t *testing.T) {
	t.Parallel()
	const evil = "evil.example"
	w := newWorld(t)
	ada := w.withPassword("ada")
	setNew := map[string]any{"new_email": "new@example.com", "password": goodPassword}
	email := map[string]any{"email": "ada@example.com"}
	for _, c := range []struct {
		by           *person
		method, path string
		body         any
	}{
		{w.anonymous(), "POST", "/api/v1/auth/request-password-reset", email},
		{w.anonymous(), "POST", "/api/v1/auth/send-verification", email},
		{w.anonymous(), "POST", "/api/v1/auth/verify-email", map[string]any{"token": "x"}},
		{w.anonymous(), "POST", "/api/v1/users/", map[string]any{
			"name": "Eve", "username": "eve", "email": "eve@example.com", "password": goodPassword,
		}},
		{ada, "POST", "/api/v1/auth/request-email-change", setNew},
		{ada, "POST", "/api/v1/admin/invitations", map[string]any{"email": "bob@example.com"}},
		{
			ada, "POST", "/api/v1/payments/subscription/support-request",
			map[string]any{"reason": "other", "message": "help"},
		},
		{w.anonymous(), "GET", "/api/v1/auth/oauth/start/github", nil},
		{w.anonymous(), "GET", oauthCallbackPath + "github?state=x&code=y", nil},
	} {
		c.by.at(evil, c.method, c.path, c.body).want(421, "unknown_host")
	}
	ids := everything(ada)
	for _, op := range sortedOperations(w) {
		if op.Streams || op.ID == "deleteMe" || strings.HasPrefix(op.ID, "logout") {
			continue
		}
		var body any
		if required := op.Route.Operation.RequestBody; required != nil {
			if content := required.Value.Content["application/json"]; content != nil {
				body = bodiesOf(t, content)[0]
			}
		}
		if ada.at(evil, op.Route.Method, fill(op, ids), body); op.ID == "changePassword" {
			ada = w.signIn(ada.user)
		}
	}
	for _, m := range w.mails() {
		if strings.Contains(m.text+m.html, evil) || strings.Contains(m.text, "\n/") {
			t.Errorf("mail to %s, %q: %s", m.to, m.subject, m.text)
		}
	}
}

func TestSetUpLinkWorksAtEveryHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	link, err := w.server.LaunchAddress("http://studio.lan:8420")
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(link, "invitation=")
	w.anonymous().at("studio.lan:8420", "POST", "/api/v1/users/", map[string]any{
		"name": "Ada", "username": "ada", "email": "ada@example.com", "password": goodPassword, "invitation": token,
	}).want(201, "")
	if m := w.mailTo("ada@", "Welcome"); m == nil || !strings.Contains(m.text, "http://studio.lan:8420/") {
		t.Errorf("welcome mail %+v", m)
	}
}

func TestHostsThatMailsLinkTo(t *testing.T) {
	t.Parallel()
	s := &Server{Options: Options{Settings: Settings{AllowedHosts: []string{"Studio.lan"}}}}
	local := &net.TCPAddr{IP: net.IPv4(192, 168, 1, 5), Port: 8420}
	for host, want := range map[string]bool{
		"localhost:9000":         true,
		"127.0.0.1:9000":         true,
		"[::1]:9000":             true,
		"192.168.1.5:8420":       true,
		"192.168.1.5":            true,
		"192.168.1.5:9000":       false, // may belong to another program of this machine
		"203.0.113.9:8420":       false,
		"studio.lan":             true,
		"STUDIO.LAN.:8420":       true,
		"studio.lan:443":         true,
		"studio.lan:9000":        false,
		"studio.lan.evil.test":   false,
		"evil.test":              false,
		"evil.test@studio.lan":   false,
		"studio.lan:8420/x":      false,
		"":                       false,
		"localhost.evil.test":    false,
		"evil.test/?x=localhost": false,
	} {
		if got := s.knownHost(host, local); got != want {
			t.Errorf("%q is known: %v, want %v", host, got, want)
		}
	}
	if s.knownHost("192.168.1.5:8420", nil) {
		t.Error("an IP address is known although the address of the connection is not")
	}
}
