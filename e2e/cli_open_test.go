package e2e

import (
	"net/url"
	"os"
	"strings"
	"testing"
)

// TestOpenPrintsLinks asks the running server for links with `roughcut open`. The links of owner
// mode sign in as often as needed, until the server stops.
func TestOpenPrintsLinks(t *testing.T) {
	dir := t.TempDir()
	open := func() (string, error) {
		out, err := program(t.Context(), dir, "open", "--print").CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	if said, err := open(); err == nil || !strings.Contains(said, "start one with roughcut serve --owner") {
		t.Errorf("without a server: %v %s", err, said)
	}
	server := serve(t, dir, nil, "--owner")
	link, err := open()
	if err != nil || !strings.HasPrefix(link, server.base+"/?launch=") {
		t.Fatalf("link %q, %v", link, err)
	}
	for _, each := range []string{server.launch, link, server.launch, link} {
		server.launch = each
		call[record](server.owner(t), "GET", "/api/v1/users/me", nil, 200)
	}
	newClient(t, server.base).refused("signup_closed")
	server.stop()
	if said, err := open(); err == nil {
		t.Errorf("after the stop: %s", said)
	}
}

// refused fails the test unless sign-up is refused with the code.
func (c *client) refused(code string) {
	c.t.Helper()
	status, text, err := c.do("POST", "/api/v1/users/", map[string]string{
		"name": "Bob", "username": "bob", "email": "bob@example.com", "password": "a long enough password",
	})
	if err != nil || status != 403 || !strings.Contains(string(text), code) {
		c.t.Errorf("sign-up: %d %s, %v", status, text, err)
	}
}

// TestFirstAccountNeedsNoMail creates the first account of a team server with the printed link.
func TestFirstAccountNeedsNoMail(t *testing.T) {
	dir := t.TempDir()
	server := serve(t, dir, nil)
	link, err := url.Parse(server.launch)
	if err != nil || link.Path != "/sign-up" {
		t.Fatalf("the server printed %s", server.launch)
	}
	account := map[string]string{
		"name": "Ada", "username": "ada", "email": "ada@example.com", "password": "a long enough password",
		"invitation": link.Query().Get("invitation"),
	}
	c := newClient(t, server.base)
	created := call[struct {
		Admin    bool `json:"is_admin"`
		Verified bool `json:"email_verified"`
	}](c, "POST", "/api/v1/users/", account, 201)
	if !created.Admin || !created.Verified {
		t.Errorf("the first account: %+v", created)
	}
	c.signIn(account["email"], account["password"])
	account["email"], account["username"] = "eve@example.com", "eve"
	call[struct{}](c, "POST", "/api/v1/users/", account, 400)
	if mails, _ := os.ReadDir(dir + "/outbox"); len(mails) > 1 {
		t.Errorf("%d mails were sent, want the welcome mail at most", len(mails))
	}
	server.stop()
	server = serve(t, dir, nil)
	if server.launch != server.base {
		t.Errorf("the second start prints %s", server.launch)
	}
	server.stop()
}
