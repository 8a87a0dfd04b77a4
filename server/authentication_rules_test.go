package server

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"roughcut/server/contract"
	"roughcut/store"
	"roughcut/store/account"
)

// promise is a rule of the API with the test that checks it.
type promise struct {
	row   string
	prove func(*testing.T)
}

func provePromises(t *testing.T, promises []promise) {
	for _, p := range promises {
		t.Run(p.row, p.prove)
	}
}

func TestAuthenticationRules(t *testing.T) {
	t.Parallel()
	provePromises(t, []promise{
		{"login sets an HTTP-only cookie and returns a CSRF token", loginSetsCookieAndCSRFToken},
		{"only listed operations are public", onlyNamedOperationsArePublic},
		{"login needs a verified address", noLoginBeforeVerification},
		{"links carry signed tokens and reset links expire after one hour", linksCarrySignedTokens},
		{"lockout counts per IP", lockoutCountsPerIP},
		{"lockout counts per username", lockoutCountsPerUsername},
		{"lockout doubles up to its cap", lockoutDoublesUpToItsCap},
		{"change-password and reset-password end all sessions", newPasswordsEndSessions},
		{"another user's project is forbidden", anotherUsersProjectIsForbidden},
		{"event stream uses the session cookie", eventStreamUsesTheCookie},
		{"email change needs the password, its confirmation no session", emailChangeNeedsThePassword},
		{"CSRF token belongs into the header X-CSRF-Token", csrfTokenGoesIntoTheHeader},
		{"admin operations are forbidden to others", adminOperationsAreForAdmins},
	})
}

func loginSetsCookieAndCSRFToken(t *testing.T) {
	w := newWorld(t)
	w.withPassword("ada")
	in := login(w.anonymous(), "ada@example.com", goodPassword).want(200, "")
	if c := sessionOf(t, in); !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || len(c.Value) != 43 {
		t.Errorf("cookie %v", c)
	}
	if len(in.value().(map[string]any)) != 1 || in.text("csrf_token") == "" {
		t.Errorf("body %s", in.body)
	}
}

func onlyNamedOperationsArePublic(t *testing.T) {
	w := newWorld(t)
	named := []string{
		"signup",
		"login",
		"requestPasswordReset",
		"resetPassword",
		"verifyEmail",
		"sendVerification",
		"startOAuth",
		"finishOAuth",
		"confirmEmailChange",
		"getContract",
		"getDocs",
		"getHealth",
		"getReadiness",
		"launch",
		"getSignInOptions",
		"checkInvitation",
		"upload",
		"uploadOptions",
		"uploadState",
		"resumeUpload", // signed addresses
		"getMedia",
		"headMedia",
		"download",
		"headDownload",
		"getAssetFile",
		"headAssetFile",
		"stripeWebhook",   // signed body
		"checkAuth",       // reports whether the caller has a session
		"reportPageError", // a page that does not start has no session; only on the machine of the window
	}
	for _, op := range sortedOperations(w) {
		if public := op.Access != contract.SignedIn; public != slices.Contains(named, op.ID) {
			t.Errorf("%s is public: %v", op.ID, public)
		}
	}
	w.anonymous().do("GET", "/api/v1/projects/", nil).want(401, "not_authenticated")
}

func noLoginBeforeVerification(t *testing.T) {
	w := newWorld(t)
	signup(w.anonymous(), "ada").want(201, "")
	login(w.anonymous(), "ada@example.com", goodPassword).want(403, "email_not_verified")
	// without the password the response reveals nothing
	login(w.anonymous(), "ada@example.com", "wrong password").want(401, "invalid_credentials")
	w.anonymous().do(
		"POST",
		"/api/v1/auth/verify-email",
		map[string]any{"token": w.mailTo("ada@", "Confirm").token(t, "verify-email")},
	).want(200, "")
	login(w.anonymous(), "ada@example.com", goodPassword).want(200, "")
}

func linksCarrySignedTokens(t *testing.T) {
	w := newWorld(t)
	w.withPassword("ada")
	ask := func() string {
		t.Helper()
		before := len(w.mails())
		w.anonymous().do(
			"POST",
			"/api/v1/auth/request-password-reset",
			map[string]any{"email": "ada@example.com"},
		).want(200, "")
		w.eventually("the mail arrives", func() bool { return len(w.mails()) > before })
		all := w.mails()
		return all[len(all)-1].token(t, "reset-password")
	}
	reset := func(token string) *reply {
		return w.anonymous().do(
			"POST",
			"/api/v1/auth/reset-password",
			map[string]any{"token": token, "new_password": "a new passphrase"},
		)
	}
	token := ask()
	if parts := strings.Split(token, "."); len(parts) != 3 {
		t.Fatalf("token %s", token)
	}
	w.clock.Advance(time.Hour)
	reset(token).want(400, "invalid_token")
	token = ask()
	w.clock.Advance(time.Hour - time.Second)
	reset(tampered(token)).want(400, "invalid_token")
	reset(token).want(200, "")
}

// behindProxy returns a server that trusts forwarded client addresses and locks at the third
// failure.
func behindProxy(t *testing.T) *world {
	t.Helper()
	return newWorld(t, func(o *Options, _ *store.Options) {
		o.Settings.TrustedProxies, o.Settings.Lockout.MaxAttempts = cidrs(t, "127.0.0.0/8"), 2
	})
}

// from sends a request from a client address through the proxy.
func (w *world) from(ip, method, path string, body any) *reply {
	w.t.Helper()
	r := w.anonymous().request(method, path, body)
	r.Header.Set("X-Forwarded-For", ip)
	return w.send(r)
}

func (w *world) loginFrom(ip, email, password string) *reply {
	w.t.Helper()
	return w.from(ip, "POST", "/api/v1/auth/login", url.Values{"username": {email}, "password": {password}})
}

func lockoutCountsPerIP(t *testing.T) {
	w := behindProxy(t)
	w.withPassword("ada")
	for i := range 2 {
		w.loginFrom("203.0.113.1", "name"+strconv.Itoa(i)+"@example.com", "wrong").want(401, "invalid_credentials")
	}
	w.loginFrom("203.0.113.1", "another@example.com", "wrong").want(429, "locked_out")
	w.loginFrom("203.0.113.1", "ada@example.com", goodPassword).want(429, "locked_out")
	// entries from the client itself do not count
	w.loginFrom("198.51.100.7, 203.0.113.1", "ada@example.com", goodPassword).want(429, "locked_out")
	w.loginFrom("203.0.113.2", "ada@example.com", goodPassword).want(200, "")
	w.clock.Advance(60 * time.Second)
	w.loginFrom("203.0.113.1", "ada@example.com", goodPassword).want(200, "")
}

func lockoutCountsPerUsername(t *testing.T) {
	w := behindProxy(t)
	w.withPassword("ada")
	for i := range 2 {
		w.loginFrom("203.0.113."+strconv.Itoa(i), "ADA@example.com", "wrong").want(401, "invalid_credentials")
	}
	w.loginFrom("203.0.113.20", " ada@example.com", "wrong").want(429, "locked_out")
	w.loginFrom("203.0.113.21", "ada@example.com", goodPassword).want(429, "locked_out")
	// the third address is not locked
	w.loginFrom("203.0.113.20", "eve@example.com", "wrong").want(401, "invalid_credentials")
	w.clock.Advance(60 * time.Second)
	w.loginFrom("203.0.113.21", "ada@example.com", goodPassword).want(200, "")
}

func lockoutDoublesUpToItsCap(t *testing.T) {
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.Settings.Lockout = account.Lockout{
			MaxAttempts: 1,
			Window:      15 * time.Minute,
			Base:        time.Minute,
			Max:         3 * time.Minute,
		}
	})
	fail := func() *reply { return login(w.anonymous(), "ada@example.com", "wrong") }
	for round, seconds := range []int{60, 120, 180, 180} {
		fail().want(401, "invalid_credentials")
		locked := fail().want(429, "locked_out")
		if got := locked.header.Get("Retry-After"); got != strconv.Itoa(seconds) {
			t.Errorf("round %d: Retry-After %s s, want %d", round, got, seconds)
		}
		w.clock.Advance(time.Duration(seconds) * time.Second)
	}
	fail().want(401, "invalid_credentials")
	w.clock.Advance(15 * time.Minute) // the failure is outside the window, and the rounds are reset
	fail().want(401, "invalid_credentials")
	if got := fail().want(429, "locked_out").header.Get("Retry-After"); got != "60" {
		t.Errorf("after a quiet period: Retry-After %s s", got)
	}
}

func newPasswordsEndSessions(t *testing.T) {
	w := newWorld(t)
	ada := w.withPassword("ada")
	desk := w.signIn(ada.user)
	ada.do(
		"POST",
		"/api/v1/auth/change-password",
		map[string]any{"current_password": goodPassword, "new_password": "a new passphrase"},
	).want(204, "")
	for _, p := range []*person{ada, desk} {
		p.do("GET", "/api/v1/users/me", nil).want(401, "not_authenticated")
	}
	phone, desk := w.signIn(ada.user), w.signIn(ada.user)
	w.anonymous().do(
		"POST",
		"/api/v1/auth/request-password-reset",
		map[string]any{"email": "ada@example.com"},
	).want(200, "")
	var m *letter
	w.eventually("the mail arrives", func() bool { m = w.mailTo("ada@", "Reset"); return m != nil })
	w.anonymous().do(
		"POST",
		"/api/v1/auth/reset-password",
		map[string]any{"token": m.token(t, "reset-password"), "new_password": goodPassword},
	).want(200, "")
	for _, p := range []*person{phone, desk} {
		p.do("GET", "/api/v1/users/me", nil).want(401, "not_authenticated")
	}
}

func anotherUsersProjectIsForbidden(t *testing.T) {
	w := newWorld(t)
	project := w.person("ada").project("mine")
	w.person("eve").do("GET", "/api/v1/projects/"+project, nil).want(403, "forbidden")
}

func eventStreamUsesTheCookie(t *testing.T) {
	w := newWorld(t)
	ada := w.person("ada")
	path := "/api/v1/projects/" + ada.project("mine") + "/events"
	w.anonymous().do("GET", path, nil).want(401, "not_authenticated")
	r := ada.request("GET", path, nil)
	r.Header.Del(csrfHeader)
	response, err := w.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("the stream responds with %d %v", response.StatusCode, response.Header)
	}
}

func emailChangeNeedsThePassword(t *testing.T) {
	w := newWorld(t)
	ada := w.withPassword("ada")
	for code, body := range map[string]map[string]any{
		"unprocessable":  {"new_email": "new@example.com"},
		"wrong_password": {"new_email": "new@example.com", "password": "wrong"},
	} {
		status := map[string]int{"unprocessable": 422, "wrong_password": 400}[code]
		ada.do("POST", "/api/v1/auth/request-email-change", body).want(status, code)
	}
	confirmEmail(w, ada.askForEmail("new@example.com")).want(200, "")
}

func csrfTokenGoesIntoTheHeader(t *testing.T) {
	w := newWorld(t)
	ada := w.person("ada")
	(&person{w: w, cookie: ada.cookie}).do("POST", "/api/v1/projects/", map[string]any{"name": "x"}).want(
		403,
		"csrf_failed",
	)
	(&person{w: w, cookie: ada.cookie}).do(
		"POST",
		"/api/v1/projects/",
		map[string]any{"name": "x", "csrf_token": ada.csrf},
	).want(403, "csrf_failed")
	(&person{w: w, cookie: ada.cookie}).do("GET", "/api/v1/projects/", nil).want(200, "")
	ada.do("POST", "/api/v1/projects/", map[string]any{"name": "x"}).want(201, "")
}

func adminOperationsAreForAdmins(t *testing.T) {
	w := newWorld(t)
	w.person("admin")
	ada := w.person("ada")
	checked := 0
	for _, op := range sortedOperations(w) {
		if op.AdminOnly && len(op.Resources) == 0 {
			checked++
			ada.do(op.Route.Method, op.Route.Path, []byte("{")).want(403, "forbidden")
		}
	}
	if checked < 2 {
		t.Errorf("only %d operations are for admins", checked)
	}
}
