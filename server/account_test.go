package server

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	netmail "net/mail"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"roughcut/server/auth"
	"roughcut/store"
)

const goodPassword = "correct horse battery"

func signup(p *person, name string) *reply {
	return p.do(
		"POST",
		"/api/v1/users/",
		map[string]any{"name": name, "username": name, "email": name + "@example.com", "password": goodPassword},
	)
}

func login(p *person, email, password string) *reply {
	return p.do("POST", "/api/v1/auth/login", url.Values{"username": {email}, "password": {password}})
}

// letter is a mail as its recipient reads it.
type letter struct{ to, subject, text, html string }

var linkToken = regexp.MustCompile(`/([a-z-]+)\?token=([A-Za-z0-9._~%-]+)`)

func (l letter) token(t *testing.T, page string) string {
	t.Helper()
	found := linkToken.FindStringSubmatch(l.text)
	if found == nil || found[1] != page || !strings.Contains(l.html, found[0]) {
		t.Fatalf("the mail has no link to %s: %s", page, l.text)
	}
	token, err := url.QueryUnescape(found[2])
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// tampered returns a token with another character in the middle of its signature. All bits of that
// character count, unlike those of the last one.
func tampered(token string) string {
	at, other := len(token)-20, "A"
	if token[at:at+1] == other {
		other = "B"
	}
	return token[:at] + other + token[at+1:]
}

// mails sends the queued mails and reads the outbox.
func (w *world) mails() []letter {
	w.t.Helper()
	if err := w.server.sendMails(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(w.outbox, "*.eml"))
	if err != nil {
		w.t.Fatal(err)
	}
	var all []letter
	for _, name := range names {
		all = append(all, readMail(w.t, name))
	}
	return all
}

func (w *world) mailTo(email, subject string) *letter {
	for _, m := range w.mails() {
		if strings.Contains(m.to, email) && strings.Contains(m.subject, subject) {
			return &m
		}
	}
	return nil
}

func readMail(t *testing.T, name string) letter {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	message, err := netmail.ReadMessage(file)
	if err != nil {
		t.Fatal(err)
	}
	l := letter{to: message.Header.Get("To")}
	if l.subject, err = new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject")); err != nil {
		t.Fatal(err)
	}
	kind, params, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("mail of type %q: %v", kind, err)
	}
	parts := multipart.NewReader(message.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return l
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/plain") {
			l.text = string(body)
		} else {
			l.html = string(body)
		}
	}
}

func TestSignupToLogout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.anonymous()
	made := signup(p, "Ada").want(201, "")
	if made.text("email_verified") != "false" || made.text("is_admin") != "true" ||
		made.text("has_password") != "true" ||
		strings.Contains(string(made.body), "argon2") {
		t.Errorf("account %s", made.body)
	}
	login(p, "ada@example.com", goodPassword).want(403, "email_not_verified")
	mail := w.mailTo("Ada@example.com", "Confirm")
	if mail == nil {
		t.Fatal("no mail with a link was sent")
	}
	token := mail.token(t, "verify-email")
	p.do("POST", "/api/v1/auth/verify-email", map[string]any{"token": token + "x"}).want(400, "invalid_token")
	p.do(
		"POST",
		"/api/v1/auth/reset-password",
		map[string]any{"token": token, "new_password": goodPassword},
	).want(400, "invalid_token")
	p.do("POST", "/api/v1/auth/verify-email", map[string]any{"token": token}).want(200, "")
	again := p.do("POST", "/api/v1/auth/verify-email", map[string]any{"token": token}).want(400, "invalid_token")
	if !strings.Contains(again.text("detail"), "already verified") {
		t.Errorf("the second use of the link: %s", again.body)
	}
	if w.mailTo("Ada@example.com", "Welcome") == nil {
		t.Error("no welcome was sent")
	}
	in := login(p, "ADA@example.com", goodPassword).want(200, "")
	cookie := sessionOf(t, in)
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Secure ||
		cookie.MaxAge != 30*24*3600 {
		t.Errorf("cookie %v", cookie)
	}
	ada := &person{w: w, cookie: cookie.Value, csrf: in.text("csrf_token")}
	check := ada.do("GET", "/api/v1/auth/check", nil).want(200, "")
	if check.text("authenticated") != "true" || check.text("user", "email") != "Ada@example.com" ||
		check.text("csrf_token") != ada.csrf {
		t.Errorf("check responds with %s", check.body)
	}
	if got := ada.do("GET", "/api/v1/payments/subscription/status", nil).want(
		200,
		"",
	); got.text("subscription_status") != "trialing" || got.text("tier") != "creator" ||
		!timestampPattern.MatchString(got.text("trial_ends_at")) {
		t.Errorf("tier %s", got.body)
	}
	out := ada.do("POST", "/api/v1/auth/logout", nil).want(204, "")
	if cleared := sessionOf(t, out); cleared.MaxAge >= 0 || cleared.Value != "" {
		t.Errorf("logout sets %v", cleared)
	}
	if got := ada.do("GET", "/api/v1/auth/check", nil).want(
		401,
		"not_authenticated",
	); got.value("authenticated") != false {
		t.Errorf("check responds with %s", got.body)
	}
	for _, secret := range []string{token, cookie.Value, goodPassword, ada.csrf} {
		if strings.Contains(w.logs.String(), secret) {
			t.Error("the log contains a secret")
		}
	}
}

func sessionOf(t *testing.T, r *reply) *http.Cookie {
	t.Helper()
	for _, c := range (&http.Response{Header: r.header}).Cookies() {
		if c.Name == sessionCookie {
			return c
		}
	}
	t.Fatalf("no session cookie in %v", r.header)
	return nil
}

func TestSignupRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	signup(w.anonymous(), "ada").want(201, "")
	again := func(name, email string) *reply {
		return w.anonymous().do(
			"POST",
			"/api/v1/users/",
			map[string]any{"name": "n", "username": name, "email": email, "password": goodPassword},
		)
	}
	again("other", "ADA@example.com").want(409, "email_taken")
	again("ADA", "other@example.com").want(409, "username_taken")
	again("x", "other@example.com").want(422, "unprocessable")
	again("good", "good@example.com").want(201, "")
	limited := again("more", "more@example.com").want(429, "rate_limited")
	if seconds, err := strconv.Atoi(limited.header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 600 {
		t.Errorf("Retry-After is %q", limited.header.Get("Retry-After"))
	}
	w.clock.Advance(10*time.Minute + time.Second)
	again("more", "more@example.com").want(201, "")
}

func TestLockoutDoublesAndResetsAfterSuccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	signup(w.anonymous(), "ada").want(201, "")
	w.anonymous().do(
		"POST",
		"/api/v1/auth/verify-email",
		map[string]any{"token": w.mailTo("ada@", "Confirm").token(t, "verify-email")},
	).want(200, "")
	fail := func() *reply { return login(w.anonymous(), "ada@example.com", "wrong password") }
	for range 5 {
		fail().want(401, "invalid_credentials")
	}
	if got := fail().want(429, "locked_out").header.Get("Retry-After"); got != "60" {
		t.Errorf("first lock: Retry-After %s s", got)
	}
	login(w.anonymous(), "ada@example.com", goodPassword).want(429, "locked_out")
	w.clock.Advance(59 * time.Second)
	if got := fail().want(429, "locked_out").header.Get("Retry-After"); got != "1" {
		t.Errorf("one second before the end: Retry-After %s s", got)
	}
	w.clock.Advance(time.Second)
	for range 5 {
		fail().want(401, "invalid_credentials")
	}
	if got := fail().want(429, "locked_out").header.Get("Retry-After"); got != "120" {
		t.Errorf("second lock: Retry-After %s s", got)
	}
	w.clock.Advance(120 * time.Second)
	login(w.anonymous(), "ada@example.com", goodPassword).want(200, "")
	for range 5 {
		fail().want(401, "invalid_credentials")
	}
	if got := fail().want(429, "locked_out").header.Get("Retry-After"); got != "60" {
		t.Errorf("after a success: Retry-After %s s", got)
	}
}

func TestUnknownAddressLocksLikeKnownOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 5 {
		login(w.anonymous(), "nobody@example.com", "wrong password").want(401, "invalid_credentials")
	}
	login(w.anonymous(), "nobody@example.com", "wrong password").want(429, "locked_out")
}

func TestMailRequestsDoNotRevealAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	signup(w.anonymous(), "ada").want(201, "")
	w.mails()
	for _, path := range []string{"send-verification", "request-password-reset"} {
		known := w.anonymous().
			do("POST", "/api/v1/auth/"+path, map[string]any{"email": "ada@example.com"}).
			want(200, "")
		unknown := w.anonymous().do(
			"POST",
			"/api/v1/auth/"+path,
			map[string]any{"email": "nobody@example.com"},
		).want(200, "")
		if string(known.body) != string(unknown.body) {
			t.Errorf("%s distinguishes %s from %s", path, known.body, unknown.body)
		}
		w.anonymous().do("POST", "/api/v1/auth/"+path, map[string]any{"email": "no address"}).want(422, "unprocessable")
		w.anonymous().do("POST", "/api/v1/auth/"+path, map[string]any{"email": "ada@example.com"}).want(
			429,
			"rate_limited",
		)
	}
	w.eventually("both mails arrive", func() bool { return len(w.mails()) == 3 })
	if w.mailTo("nobody@", "") != nil {
		t.Error("a mail was sent to an address without an account")
	}
}

func TestPasswordReset(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada")
	project := ada.project("p")
	clip := ada.readyClip(project)
	media := ada.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).want(200, "").text("url")
	w.anonymous().do("GET", media, nil).want(200, "")
	ask := func() string {
		before := len(w.mails())
		w.clock.Advance(5 * time.Minute)
		w.anonymous().do(
			"POST",
			"/api/v1/auth/request-password-reset",
			map[string]any{"email": "ADA@example.com"},
		).want(200, "")
		w.eventually("the mail arrives", func() bool { return len(w.mails()) == before+1 })
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
	late := ask()
	w.clock.Advance(time.Hour)
	reset(late).want(400, "invalid_token")
	first, second := ask(), ask()
	media = ada.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).want(200, "").text("url")
	w.anonymous().do("GET", media, nil).want(200, "")
	reset(first).want(200, "")
	reset(first).want(400, "invalid_token")
	reset(second).want(400, "invalid_token")
	ada.do("GET", "/api/v1/users/me", nil).want(401, "not_authenticated")
	w.anonymous().do("GET", media, nil).want(401, "not_authenticated")
	login(w.anonymous(), "ada@example.com", "a new passphrase").want(200, "")
}

func TestLogoutAllEndsEverySession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	phone := w.person("ada")
	desk := w.signIn(phone.user)
	if got := desk.do("POST", "/api/v1/auth/logout-all", nil).want(200, "").text("terminated_count"); got != "2" {
		t.Errorf("%s sessions ended", got)
	}
	for _, p := range []*person{phone, desk} {
		p.do("GET", "/api/v1/users/me", nil).want(401, "not_authenticated")
	}
}

func TestSessionsSlideAndExpire(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options, _ *store.Options) { o.Settings.SessionTTL = 24 * time.Hour })
	p := w.person("p")
	for range 3 {
		w.clock.Advance(20 * time.Hour)
		r := p.do("GET", "/api/v1/users/me", nil).want(200, "")
		if c := sessionOf(t, r); c.Value != p.cookie || c.MaxAge != 24*3600 {
			t.Errorf("the renewed cookie is %v", c)
		}
	}
	w.clock.Advance(24*time.Hour + time.Second)
	p.do("GET", "/api/v1/users/me", nil).want(401, "not_authenticated")
}

func TestProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("taken")
	p := w.person("ada")
	if got := p.do("PATCH", "/api/v1/users/me", map[string]any{"name": "Ada L."}).want(
		200,
		"",
	); got.text("name") != "Ada L." ||
		got.text("username") != "ada" {
		t.Errorf("profile %s", got.body)
	}
	p.do("PATCH", "/api/v1/users/me", map[string]any{"username": "TAKEN"}).want(409, "username_taken")
	p.do("PATCH", "/api/v1/users/me", map[string]any{"is_admin": true, "email_verified": false}).want(200, "")
	if got := p.do("GET", "/api/v1/users/me", nil).want(200, ""); got.text("is_admin") != "false" ||
		got.text("email_verified") != "true" {
		t.Errorf("an unrelated field changed: %s", got.body)
	}
}

func TestLaunch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ownerMode)
	token, err := w.server.LaunchToken()
	if err != nil {
		t.Fatal(err)
	}
	launch := func() *reply { return w.anonymous().do("POST", "/api/v1/auth/launch", map[string]any{"token": token}) }
	in := launch().want(200, "")
	owner := &person{w: w, cookie: sessionOf(t, in).Value, csrf: in.text("csrf_token")}
	owner.do("POST", "/api/v1/projects/", map[string]any{"name": "mine"}).want(201, "")
	launch().want(200, "") // the link works until the server stops
	w.restart(func(*store.Options) {})
	launch().want(400, "invalid_token")

	for host, status := range map[string]int{
		"localhost:8420": 200, "127.0.0.1": 200, "[::1]:8420": 200, "evil.example": 403,
		"localhost.evil.example": 403,
	} {
		r := owner.request("GET", "/api/v1/users/me", nil)
		r.Host = host
		response, err := w.http.Client().Do(r) // the contract does not cover the host check
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != status {
			t.Errorf("host %s: %d, want %d", host, response.StatusCode, status)
		}
	}
}

func TestLaunchOutsideOwnerMode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.server.LaunchToken(); err == nil {
		t.Error("a launch token was created")
	}
	w.anonymous().do("POST", "/api/v1/auth/launch", map[string]any{"token": "x"}).want(400, "invalid_token")
}

func TestForwardedHeadersCountOnlyBehindTrustedProxies(t *testing.T) {
	t.Parallel()
	forwarded := func(p *person) *reply {
		r := p.request("POST", "/api/v1/auth/launch", map[string]any{"token": "x"})
		r.Header.Set("X-Forwarded-For", "203.0.113.9")
		r.Header.Set("X-Forwarded-Proto", "https")
		return p.w.send(r)
	}
	for _, trusted := range []string{"", "127.0.0.0/8"} {
		w := newWorld(t, func(o *Options, _ *store.Options) {
			if trusted != "" {
				o.Settings.TrustedProxies = cidrs(t, trusted)
			}
		})
		forwarded(w.anonymous())
		if got := strings.Contains(w.logs.String(), "ip=203.0.113.9"); got != (trusted != "") {
			t.Errorf("trusted proxies %q: forwarded address believed: %v", trusted, got)
		}
		ada := w.person("ada")
		r := ada.request("GET", "/api/v1/users/me", nil)
		r.Header.Set("X-Forwarded-Proto", "https")
		if got := sessionOf(t, w.send(r)).Secure; got != (trusted != "") {
			t.Errorf("trusted proxies %q: secure cookie: %v", trusted, got)
		}
	}
}

func TestStoredSessionsContainOnlyHashes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	if _, _, err := w.store.Session(p.cookie, time.Hour); !store.IsKind(err, store.NotFound) {
		t.Errorf("the store contains the cookie itself: %v", err)
	}
	if _, _, err := w.store.Session(auth.HashToken(p.cookie), time.Hour); err != nil {
		t.Error(err)
	}
}
