package server

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"

	"roughcut/server/auth"
	"roughcut/store"
)

// people are the accounts at an OpenID provider.
type people struct {
	mu   sync.Mutex
	byID map[string]*storage.User
}

func (p *people) GetUserByID(id string) *storage.User {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byID[id]
}

func (p *people) GetUserByUsername(name string) *storage.User {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, u := range p.byID {
		if u.Username == name {
			return u
		}
	}
	return nil
}

func (p *people) ExampleClientID() string { return "service" }

// set creates or changes an account. Its password is its ID.
func (p *people) set(id, username, email string, verified bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byID[id] = &storage.User{
		ID:            id,
		Username:      username,
		Password:      id,
		FirstName:     "Ada",
		LastName:      "Lovelace",
		Email:         email,
		EmailVerified: verified,
	}
}

const (
	clientID     = "roughcut"
	clientSecret = "the secret of the client"
)

// identityProvider is a real OpenID provider with a sign-in form.
type identityProvider struct {
	*people
	t       *testing.T
	http    *httptest.Server
	issuer  string
	clients map[string]*storage.Client

	mu   sync.Mutex
	away map[string]bool // paths that respond with 503
}

func newIdentityProvider(t *testing.T) *identityProvider {
	t.Helper()
	p := &identityProvider{
		people:  &people{byID: map[string]*storage.User{}},
		t:       t,
		clients: map[string]*storage.Client{},
		away:    map[string]bool{},
	}
	var handler http.Handler
	p.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.isAway(r.URL.Path) {
			http.Error(w, "not now", http.StatusServiceUnavailable)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(p.http.Close)
	p.issuer = strings.Replace(p.http.URL, "127.0.0.1", "localhost", 1) + "/"
	handler = exampleop.SetupServer(
		p.issuer,
		storage.NewStorageWithClients(p, p.clients),
		slog.New(slog.DiscardHandler),
		false,
	)
	return p
}

func (p *identityProvider) isAway(path string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.away[path]
}

func (p *identityProvider) setAway(path string, away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away[path] = away
}

// oauthWorld is a server with an OpenID provider named corp.
type oauthWorld struct {
	*world
	idp *identityProvider
}

func newOAuthWorld(t *testing.T, change ...func(*Options, *store.Options)) *oauthWorld {
	t.Helper()
	idp := newIdentityProvider(t)
	change = append(change, func(o *Options, _ *store.Options) {
		o.Settings.OAuthProviders = append(
			o.Settings.OAuthProviders,
			auth.ProviderConfig{Name: "corp", Issuer: idp.issuer, ClientID: clientID, ClientSecret: clientSecret},
		)
	})
	w := &oauthWorld{world: newWorld(t, change...), idp: idp}
	idp.clients[clientID] = storage.WebClient(clientID, clientSecret, w.http.URL+oauthCallbackPath+"corp")
	return w
}

// browser keeps the cookie of a flow and, after a success, the session cookie.
type browser struct {
	w      *world
	cookie string // of the flow
}

// start starts a flow and returns the address of the provider.
func (b *browser) start(provider, query string) string {
	b.w.t.Helper()
	r := b.w.anonymous().do("GET", "/api/v1/auth/oauth/start/"+provider+query, nil).want(200, "")
	cookie := cookieNamed(b.w.t, r, oauthCookie)
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.MaxAge != 600 {
		b.w.t.Errorf("flow cookie %v", cookie)
	}
	b.cookie = cookie.Value
	return r.text("url")
}

// back opens the address that the provider redirects to.
func (b *browser) back(address string) *reply {
	b.w.t.Helper()
	r := b.w.anonymous().request("GET", address, nil)
	if b.cookie != "" {
		r.AddCookie(&http.Cookie{Name: oauthCookie, Value: b.cookie})
	}
	response := b.w.send(r).want(303, "")
	if cleared := cookieNamed(b.w.t, response, oauthCookie); cleared.MaxAge >= 0 || cleared.Value != "" {
		b.w.t.Errorf("flow cookie after the sign-in: %v", cleared)
	}
	return response
}

func cookieNamed(t *testing.T, r *reply, name string) *http.Cookie {
	t.Helper()
	for _, c := range (&http.Response{Header: r.header}).Cookies() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("%s: no cookie %s in %v", r.what, name, r.header)
	return nil
}

// in checks that a response starts a session and redirects to a page. It returns the signed-in
// person.
func (w *world) in(r *reply, page string) *person {
	w.t.Helper()
	if got := r.header.Get("Location"); got != w.http.URL+page {
		w.t.Fatalf("the browser is sent to %s, want %s", got, page)
	}
	p := &person{w: w, cookie: sessionOf(w.t, r).Value}
	check := p.do("GET", "/api/v1/auth/check", nil).want(200, "")
	p.csrf = check.text("csrf_token")
	var err error
	if p.user, err = w.store.User(check.text("user", "uuid")); err != nil {
		w.t.Fatal(err)
	}
	return p
}

// refused checks that a response redirects to the sign-in page with a code and without a session.
func (w *world) refused(r *reply, code string) {
	w.t.Helper()
	if got, want := r.header.Get("Location"), w.http.URL+"/sign-in?error="+code; got != want {
		w.t.Fatalf("the browser is sent to %s, want %s; log:\n%s", got, want, w.logs.String())
	}
	for _, c := range (&http.Response{Header: r.header}).Cookies() {
		if c.Name == sessionCookie {
			w.t.Errorf("a failed sign-in sets %v", c)
		}
	}
}

var requestID = regexp.MustCompile(`name="id" value="([^"]+)"`)

// fillIn submits the provider's form and returns the redirect address.
func (p *identityProvider) fillIn(address, id string) string {
	p.t.Helper()
	jar, _ := cookiejar.New(nil)
	client := &http.Client{
		Jar:       jar,
		Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(r *http.Request, _ []*http.Request) error {
			if strings.HasPrefix(r.URL.Path, oauthCallbackPath) {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
	read := func(response *http.Response, err error) (*http.Response, string) {
		p.t.Helper()
		if err != nil {
			p.t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			p.t.Fatal(err)
		}
		return response, string(body)
	}
	_, form := read(client.Get(address))
	found := requestID.FindStringSubmatch(form)
	if found == nil {
		p.t.Fatalf("the provider shows no form: %s", form)
	}
	user := p.GetUserByID(id)
	response, body := read(
		client.PostForm(
			p.issuer+"login/username",
			url.Values{"id": {found[1]}, "username": {user.Username}, "password": {user.Password}},
		),
	)
	location := response.Header.Get("Location")
	if response.StatusCode != http.StatusFound || location == "" {
		p.t.Fatalf("the provider responds with %d %s", response.StatusCode, body)
	}
	return location
}

// signInAs runs the complete sign-in of an account at the provider.
func (w *oauthWorld) signInAs(id, query string) *reply {
	w.t.Helper()
	b := &browser{w: w.world}
	return b.back(w.idp.fillIn(b.start("corp", query), id))
}

func TestFirstOAuthSignInCreatesVerifiedAccount(t *testing.T) {
	t.Parallel()
	w := newOAuthWorld(t)
	w.idp.set("1", "ada", "Ada@example.com", true)
	options := w.anonymous().do("GET", "/api/v1/auth/options", nil).want(200, "")
	if options.text("providers", 0, "name") != "corp" || options.text("signup") != "open" {
		t.Errorf("options %s", options.body)
	}
	ada := w.in(w.signInAs("1", ""), "/")
	me := ada.do("GET", "/api/v1/users/me", nil).want(200, "")
	if me.text("email") != "Ada@example.com" || me.text("email_verified") != "true" ||
		me.text("has_password") != "false" ||
		me.text("oauth_providers", 0) != "corp" ||
		me.text("username") != "ada" ||
		me.text("name") != "Ada Lovelace" ||
		me.text("is_admin") != "true" {
		t.Errorf("account %s", me.body)
	}
	if got := ada.do("GET", "/api/v1/payments/subscription/status", nil).want(
		200,
		"",
	); got.text("subscription_status") != "trialing" {
		t.Errorf("tier %s", got.body)
	}
	again := w.in(w.signInAs("1", "?next=/projects/1%3Fat=2"), "/projects/1?at=2")
	if again.user.UUID != ada.user.UUID || again.cookie == ada.cookie {
		t.Error("a second sign-in is not a new session of the same account")
	}
	w.idp.set("1", "ada", "moved@example.com", false) // the identity counts, even if its address changes
	if moved := w.in(w.signInAs("1", ""), "/"); moved.user.UUID != ada.user.UUID ||
		moved.user.Email != "Ada@example.com" {
		t.Errorf("after a change of address: %+v", moved.user)
	}
	w.sound()
}

// sound checks the invariants of the data directory.
func (w *world) sound() {
	w.t.Helper()
	found, err := w.store.Check(w.t.Context())
	if err != nil || len(found) != 0 {
		w.t.Errorf("the data directory: %v %v", found, err)
	}
}

func TestProviderAddressHasStatePKCEAndNonce(t *testing.T) {
	t.Parallel()
	w := newOAuthWorld(t, func(o *Options, _ *store.Options) { o.Settings.BaseURL = "https://cut.example.org/base" })
	b := &browser{w: w.world}
	first, err := url.Parse(b.start("corp", ""))
	if err != nil {
		t.Fatal(err)
	}
	q := first.Query()
	for name, want := range map[string]string{
		"client_id": clientID, "response_type": "code", "code_challenge_method": "S256",
		"redirect_uri": "https://cut.example.org/base/api/v1/auth/oauth/callback/corp", "scope": "openid profile email",
	} {
		if q.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, q.Get(name), want)
		}
	}
	second, _ := url.Parse(b.start("corp", ""))
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if len(q.Get(name)) < 43 || q.Get(name) == second.Query().Get(name) {
			t.Errorf("%s is %q", name, q.Get(name))
		}
	}
	if strings.Contains(first.String(), b.cookie) || strings.Contains(first.String(), clientSecret) {
		t.Error("the address contains a secret")
	}
	r := b.back(w.http.URL + oauthCallbackPath + "corp?state=forged&code=x")
	if got := r.header.Get("Location"); got != "https://cut.example.org/base/sign-in?error=oauth_expired" {
		t.Errorf("the browser is sent to %s", got)
	}
}

func TestNextParameterStaysInsideUI(t *testing.T) {
	t.Parallel()
	w := newOAuthWorld(t)
	for _, next := range []string{"https://evil.example", "//evil.example", "/\\evil.example", "evil", ""} {
		w.anonymous().do("GET", "/api/v1/auth/oauth/start/corp?next="+url.QueryEscape(next), nil).want(
			422,
			"unprocessable",
		)
	}
}

func TestUnknownProviderIsNotFound(t *testing.T) {
	t.Parallel()
	w := newOAuthWorld(t)
	w.anonymous().do("GET", "/api/v1/auth/oauth/start/other", nil).want(404, "not_found")
	b := &browser{w: w.world}
	b.start("corp", "")
	w.refused(b.back(w.http.URL+oauthCallbackPath+"other?state=x&code=y"), "oauth_expired")
}

func TestOAuthStateWorksOnceInItsBrowser(t *testing.T) {
	t.Parallel()
	w := newOAuthWorld(t)
	w.idp.set("1", "ada", "ada@example.com", true)
	b := &browser{w: w.world}
	begun := func() string { return w.idp.fillIn(b.start("corp", ""), "1") }

	address := begun()
	w.in(b.back(address), "/")
	w.refused(b.back(address), "oauth_expired")

	address = begun()
	w.refused((&browser{w: w.world}).back(address), "oauth_expired") // no cookie
	w.refused(b.back(address), "oauth_expired")                      // already used

	address = begun()
	w.refused((&browser{w: w.world, cookie: "another"}).back(address), "oauth_expired")

	address = begun()
	w.clock.Advance(auth.OAuthFlowTTL)
	w.refused(b.back(address), "oauth_expired")

	address = begun()
	w.refused(b.back(strings.Replace(address, "/corp?", "/other?", 1)), "oauth_expired")
	w.refused(b.back(w.http.URL+oauthCallbackPath+"corp"), "oauth_expired")
}

func TestOAuthCodeOfAnotherFlowIsRejected(t *testing.T) {
	t.Parallel()
	w := newOAuthWorld(t)
	w.idp.set("1", "ada", "ada@example.com", true)
	w.idp.set("2", "eve", "eve@example.com", true)
	eve, ada := &browser{w: w.world}, &browser{w: w.world}
	stolen, _ := url.Parse(w.idp.fillIn(eve.start("corp", ""), "2"))
	own, _ := url.Parse(w.idp.fillIn(ada.start("corp", ""), "1"))
	q := own.Query()
	q.Set("code", stolen.Query().Get("code"))
	own.RawQuery = q.Encode()
	w.refused(ada.back(own.String()), "oauth_failed") // another PKCE verifier
}

func TestDeniedConsentIsReported(t *testing.T) {
	t.Parallel()
	w := newOAuthWorld(t)
	for sent, code := range map[string]string{
		"error=access_denied": "oauth_denied", "error=server_error": "oauth_failed", "x=y": "oauth_failed",
	} {
		b := &browser{w: w.world}
		address, _ := url.Parse(b.start("corp", ""))
		w.refused(b.back(w.http.URL+oauthCallbackPath+"corp?state="+address.Query().Get("state")+"&"+sent), code)
	}
}

func TestWrongIssuerIsRejected(t *testing.T) {
	t.Parallel()
	w := newOAuthWorld(t)
	w.idp.set("1", "ada", "ada@example.com", true)
	b := &browser{w: w.world}
	w.refused(b.back(w.idp.fillIn(b.start("corp", ""), "1")+"&iss=https://evil.example"), "oauth_failed")
}

func TestProviderOutageIsRetried(t *testing.T) {
	t.Parallel()
	w := newOAuthWorld(t)
	w.idp.set("1", "ada", "ada@example.com", true)
	const discovery = "/.well-known/openid-configuration"
	w.idp.setAway(discovery, true)
	w.anonymous().do("GET", "/api/v1/auth/oauth/start/corp", nil).want(503, "unavailable")
	w.anonymous().do("GET", "/api/v1/auth/options", nil).want(200, "")
	w.idp.setAway(discovery, false)
	w.anonymous().do("GET", "/api/v1/auth/oauth/start/corp", nil).want(503, "unavailable") // the pause after a failure
	w.clock.Advance(5 * time.Second)
	w.in(w.signInAs("1", ""), "/")
	for _, path := range []string{"/oauth/token", "/userinfo"} {
		w.idp.setAway(path, true)
		w.refused(w.signInAs("1", ""), "oauth_failed")
		w.idp.setAway(path, false)
	}
	if logs := w.logs.String(); strings.Contains(logs, clientSecret) || !strings.Contains(logs, "level=WARN") {
		t.Error("the log lacks the cause or contains secrets")
	}
	w.in(w.signInAs("1", ""), "/")
}
