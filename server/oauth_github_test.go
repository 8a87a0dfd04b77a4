package server

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"roughcut/server/auth"
	"roughcut/store"
)

// gitHubServer implements the sign-in API of a GitHub Enterprise server. All its users are already
// signed in.
type gitHubServer struct {
	http   *httptest.Server
	user   string // JSON of GET /user
	emails string // JSON of GET /user/emails
	fail   string // path that responds with 502

	mu    sync.Mutex
	codes map[string]url.Values // code -> the request that received it
}

const gitHubToken = "gho_of-the-test"

func newGitHubServer(t *testing.T) *gitHubServer {
	t.Helper()
	g := &gitHubServer{
		user: `{"id": 583231, "login": "octo-cat", "name": "Octo Cat", "email": "public@example.com"}`,
		emails: `[{"email": "old@example.com", "primary": false, "verified": true}, ` +
			`{"email": "octo@example.com", "primary": true, "verified": true}]`,
		codes: map[string]url.Values{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login/oauth/authorize", g.authorize)
	mux.HandleFunc("POST /login/oauth/access_token", g.exchange)
	mux.HandleFunc("GET /api/v3/user", g.resource(&g.user))
	mux.HandleFunc("GET /api/v3/user/emails", g.resource(&g.emails))
	g.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == g.fail {
			http.Error(w, "unicorn", http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(g.http.Close)
	return g
}

func (g *gitHubServer) authorize(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	code := fmt.Sprintf("code-%d", len(g.codes))
	g.codes[code] = r.URL.Query()
	back := url.Values{"code": {code}, "state": {r.URL.Query().Get("state")}}
	http.Redirect(w, r, r.URL.Query().Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// exchange answers a wrong code as GitHub does: with status 200 and an error in the body.
func (g *gitHubServer) exchange(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	asked, known := g.codes[r.FormValue("code")]
	delete(g.codes, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	response := map[string]string{"access_token": gitHubToken, "token_type": "bearer", "scope": "read:user,user:email"}
	switch {
	case !known || asked.Get("redirect_uri") != r.FormValue("redirect_uri"):
		response = map[string]string{
			"error":             "bad_verification_code",
			"error_description": "The code passed is incorrect or expired.",
		}
	case asked.Get("code_challenge_method") != "S256" ||
		base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge"):
		response = map[string]string{"error": "bad_verification_code"}
	case r.FormValue("client_id") != clientID || r.FormValue("client_secret") != clientSecret:
		response = map[string]string{"error": "incorrect_client_credentials"}
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(response)
}

func (g *gitHubServer) resource(body *string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+gitHubToken {
			http.Error(w, `{"message": "Bad credentials"}`, http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write([]byte(*body))
	}
}

// newGitHubWorld returns a server with a GitHub provider named hub, and a function that signs in
// there.
func newGitHubWorld(t *testing.T) (*world, *gitHubServer, func() *reply) {
	t.Helper()
	g := newGitHubServer(t)
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.Settings.OAuthProviders = []auth.ProviderConfig{
			{Name: "hub", Type: "github", Issuer: g.http.URL + "/", ClientID: clientID, ClientSecret: clientSecret},
		}
	})
	return w, g, func() *reply {
		b := &browser{w: w}
		return b.back(w.anonymous().do("GET", b.start("hub", ""), nil).want(302, "").header.Get("Location"))
	}
}

func TestSignInAtGitHub(t *testing.T) {
	t.Parallel()
	w, g, signIn := newGitHubWorld(t)
	octo := w.in(signIn(), "/")
	if u := octo.user; u.Email != "octo@example.com" || !u.EmailVerified || u.Username != "octo-cat" ||
		u.Name != "Octo Cat" ||
		len(u.Identities) != 1 {
		t.Errorf("account %+v", u)
	}
	g.user = `{"id": 583231, "login": "renamed", "name": null}` // the numeric ID counts
	if again := w.in(signIn(), "/"); again.user.UUID != octo.user.UUID {
		t.Error("a renamed account is another user")
	}
	w.sound()
}

func TestGitHubUsesPrimaryVerifiedAddress(t *testing.T) {
	t.Parallel()
	w, g, signIn := newGitHubWorld(t)
	ada := w.person("ada")
	for _, emails := range []string{
		`[{"email": "ada@example.com", "primary": true, "verified": false}]`,
		`[{"email": "ada@example.com", "primary": false, "verified": true}]`,
		`[{"email": "ada", "primary": true, "verified": true}]`,
		`[{"email": "Ada <ada@example.com>", "primary": true, "verified": true}]`,
		`[{"email": "ada@example.com, eve@example.com", "primary": true, "verified": true}]`,
		`[]`,
	} {
		g.emails = emails
		w.refused(signIn(), "oauth_email_unverified")
	}
	g.emails = `[{"email": "ada@example.com", "primary": true, "verified": true}]`
	if linked := w.in(signIn(), "/"); linked.user.UUID != ada.user.UUID {
		t.Errorf("signed in as %+v", linked.user)
	}
}

func TestGitHubFailuresAreReported(t *testing.T) {
	t.Parallel()
	w, g, signIn := newGitHubWorld(t)
	for _, path := range []string{"/login/oauth/access_token", "/api/v3/user", "/api/v3/user/emails"} {
		g.fail = path
		w.refused(signIn(), "oauth_failed")
	}
	g.fail = ""
	for _, user := range []string{`{}`, `[]`, `not JSON`, `{"id": "x"}`, `{"id": 0}`, `{"id": -1}`} {
		g.user = user
		w.refused(signIn(), "oauth_failed")
	}
	b := &browser{w: w}
	address, _ := url.Parse(b.start("hub", ""))
	w.refused(
		b.back(w.http.URL+oauthCallbackPath+"hub?code=made-up&state="+address.Query().Get("state")),
		"oauth_failed",
	)
	if logs := w.logs.String(); strings.Contains(logs, gitHubToken) || strings.Contains(logs, clientSecret) {
		t.Error("the log contains a secret")
	}
}

func TestGitHubDefaultsToGitHubCom(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.Settings.OAuthProviders = []auth.ProviderConfig{
			{Name: "github", Type: "github", ClientID: clientID, ClientSecret: clientSecret},
		}
	})
	b := &browser{w: w}
	if address := b.start(
		"github",
		"",
	); !strings.HasPrefix(address, "https://github.com/login/oauth/authorize?") ||
		!strings.Contains(address, "scope=read%3Auser+user%3Aemail") {
		t.Errorf("the browser is sent to %s", address)
	}
}
