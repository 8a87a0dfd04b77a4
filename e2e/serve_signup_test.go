package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// The server says at its start who can create accounts. Unless everyone can, its link is the only
// way to the first account.
func TestServerSaysWhoCanSignUp(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]struct {
		says  []string
		first int // status of a sign-up without the link
	}{
		"open": {
			[]string{"Create the first account", "Everyone who can reach this server can create an account."}, 201,
		},
		"invite": {[]string{"Only this link creates the first account"}, 403},
		"closed": {[]string{"Only this link creates the first account"}, 403},
	} {
		t.Run(mode, func(t *testing.T) {
			server := serve(t, t.TempDir(), []string{"SIGNUP=" + mode})
			link, err := url.Parse(server.launch)
			if err != nil {
				t.Fatal(err)
			}
			c := newClient(t, server.base)
			account := map[string]string{
				"name": "Ada", "username": "ada", "email": "ada@example.com", "password": "a long enough passphrase",
			}
			call[map[string]any](c, "POST", "/api/v1/users/", account, want.first)
			if want.first == http.StatusForbidden {
				account["invitation"] = link.Query().Get("invitation")
				call[map[string]any](c, "POST", "/api/v1/users/", account, http.StatusCreated)
			}
			server.stop()
			said := server.said.String()
			for _, text := range want.says {
				if !strings.Contains(said, text) {
					t.Errorf("the server does not say %q:\n%s", text, said)
				}
			}
			if mode != "open" && strings.Contains(said, "Everyone") {
				t.Errorf("the server says that sign-up is open:\n%s", said)
			}
		})
	}
}
