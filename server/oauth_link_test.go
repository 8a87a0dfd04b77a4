package server

import (
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"roughcut/store"
	"roughcut/store/account"
)

func TestVerifiedAccountIsLinkedAndNotified(t *testing.T) {
	t.Parallel()
	w := newOAuthWorld(t)
	ada := w.withPassword("ada")
	w.idp.set("1", "lovelace", "ADA@example.com", true)
	linked := w.in(w.signInAs("1", ""), "/")
	if linked.user.UUID != ada.user.UUID || linked.user.Username != "ada" || linked.user.Email != "ada@example.com" {
		t.Errorf("signed in as %+v", linked.user)
	}
	if me := ada.do("GET", "/api/v1/users/me", nil).want(200, ""); me.text("oauth_providers", 0) != "corp" ||
		me.text("has_password") != "true" {
		t.Errorf("account %s", me.body)
	}
	login(w.anonymous(), "ada@example.com", goodPassword).want(200, "")
	w.in(w.signInAs("1", ""), "/")
	told := 0
	for _, m := range w.mails() {
		if strings.Contains(m.to, "ada@example.com") && strings.Contains(m.subject, "sign in with corp") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the account was notified %d times", told)
	}
	w.sound()
}

// Someone who enters another person's address must not keep access to the account of its owner.
func TestUnverifiedAccountIsResetBeforeLinking(t *testing.T) {
	t.Parallel()
	w := newOAuthWorld(t)
	signup(w.anonymous(), "ada").want(201, "")
	squatted, err := w.store.UserByEmail("ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	squatter := w.signIn(squatted)
	script := squatter.token("backdoor")
	w.anonymous().do(
		"POST",
		"/api/v1/auth/request-password-reset",
		map[string]any{"email": "ada@example.com"},
	).want(200, "")
	var reset *letter
	w.eventually("the mail arrives", func() bool { reset = w.mailTo("ada@", "Reset"); return reset != nil })

	w.idp.set("1", "ada", "ada@example.com", true)
	ada := w.in(w.signInAs("1", ""), "/")
	if ada.user.UUID != squatted.UUID || ada.user.PasswordHash != "" || !ada.user.EmailVerified {
		t.Errorf("signed in as %+v", ada.user)
	}
	for _, p := range []*person{squatter, script} {
		p.do("GET", "/api/v1/users/me", nil).want(401, "not_authenticated")
	}
	login(w.anonymous(), "ada@example.com", goodPassword).want(401, "invalid_credentials")
	w.anonymous().do(
		"POST",
		"/api/v1/auth/reset-password",
		map[string]any{"token": reset.token(t, "reset-password"), "new_password": goodPassword},
	).want(400, "invalid_token")
	if got := ada.do("GET", "/api/v1/payments/subscription/status", nil).want(
		200,
		"",
	); got.text("subscription_status") != "trialing" {
		t.Errorf("tier %s", got.body)
	}
	w.sound()
}

func TestUnverifiedProviderAddressIsRejected(t *testing.T) {
	t.Parallel()
	w := newOAuthWorld(t)
	ada := w.withPassword("ada")
	for _, email := range []string{"ada@example.com", "new@example.com", ""} {
		w.idp.set("1", "ada", email, false)
		w.refused(w.signInAs("1", ""), "oauth_email_unverified")
	}
	for _, text := range []string{"new", "New <new@example.com>", "new@example.com\r\nBcc: ada@example.com"} {
		w.idp.set("1", "ada", text, true)
		w.refused(w.signInAs("1", ""), "oauth_email_unverified")
	}
	if me := ada.do("GET", "/api/v1/users/me", nil).want(200, ""); strings.Contains(string(me.body), "corp") {
		t.Errorf("account %s", me.body)
	}
	if _, err := w.store.UserByEmail("new@example.com"); !store.IsKind(err, store.NotFound) {
		t.Errorf("an account was created: %v", err)
	}
}

// A provider may reassign an address later. The account stays with the first identity.
func TestLinkedAddressStaysWithFirstIdentity(t *testing.T) {
	t.Parallel()
	w := newOAuthWorld(t)
	w.idp.set("1", "ada", "ada@example.com", true)
	ada := w.in(w.signInAs("1", ""), "/")
	w.idp.set("2", "eve", "ada@example.com", true)
	w.refused(w.signInAs("2", ""), "email_taken")
	if me := ada.do("GET", "/api/v1/users/me", nil).want(200, ""); len(me.value("oauth_providers").([]any)) != 1 {
		t.Errorf("account %s", me.body)
	}
}

func TestOAuthUsernamesAreDerivedAndUnique(t *testing.T) {
	t.Parallel()
	w := newOAuthWorld(t)
	w.person("ada")
	for _, c := range []struct{ id, username, email, want string }{
		{"1", "Ada", "one@example.com", "Ada-2"},
		{"2", "ada@corp.example", "two@example.com", "ada-3"},
		{"3", "Ada Lovelace, née Byron", "three@example.com", "Ada-Lovelace-n-e-Byron"},
		{"4", "愛", "four@example.com", "four"},
		{"5", "愛愛", "x@example.com", "user"},
		{"6", strings.Repeat("long", 20), "six@example.com", strings.Repeat("long", 20)[:35]},
	} {
		w.idp.set(c.id, c.username, c.email, true)
		if got := w.in(w.signInAs(c.id, ""), "/").user.Username; got != c.want {
			t.Errorf("%q %s became %q, want %q", c.username, c.email, got, c.want)
		}
	}
}

func TestConcurrentFirstSignInsCreateOneAccount(t *testing.T) {
	t.Parallel()
	w := newOAuthWorld(t)
	w.idp.set("1", "ada", "ada@example.com", true)
	var group sync.WaitGroup
	found := make([]string, 4)
	for i := range found {
		b := &browser{w: w.world}
		address := w.idp.fillIn(b.start("corp", ""), "1")
		group.Go(func() { found[i] = w.in(b.back(address), "/").user.UUID })
	}
	group.Wait()
	for _, uuid := range found {
		if uuid != found[0] {
			t.Errorf("accounts %v", found)
		}
	}
	w.sound()
}

func TestRecentSignInReplacesPassword(t *testing.T) {
	t.Parallel()
	w := newOAuthWorld(t)
	w.person("admin")
	w.idp.set("1", "ada", "ada@example.com", true)
	ada := w.in(w.signInAs("1", ""), "/")
	script := ada.token("script")
	verify := func(p *person, body map[string]any) *reply {
		return p.do("POST", "/api/v1/auth/verify-password", body)
	}
	change := func(p *person) *reply {
		return p.do("POST", "/api/v1/auth/request-email-change", map[string]any{"new_email": "new@example.com"})
	}
	verify(ada, map[string]any{}).want(200, "")
	verify(ada, map[string]any{"password": "guess"}).want(400, "wrong_password")
	verify(script, map[string]any{}).want(403, "sign_in_again")
	change(ada).want(200, "")
	w.clock.Advance(10*time.Minute + time.Second)
	verify(ada, map[string]any{}).want(403, "sign_in_again")
	change(ada).want(403, "sign_in_again")
	ada.do("DELETE", "/api/v1/users/me", map[string]any{}).want(403, "sign_in_again")
	again := w.in(w.signInAs("1", ""), "/")
	again.do("DELETE", "/api/v1/users/me", map[string]any{}).want(204, "")
	ada.do("GET", "/api/v1/users/me", nil).want(401, "not_authenticated")

	fresh := w.in(w.signInAs("1", ""), "/") // a new account
	if fresh.user.UUID == ada.user.UUID {
		t.Error("a deleted account exists again")
	}
	fresh.do("POST", "/api/v1/auth/change-password", map[string]any{"new_password": goodPassword}).want(204, "")
	in := login(w.anonymous(), "ada@example.com", goodPassword).want(200, "")
	withPassword := &person{w: w.world, cookie: sessionOf(t, in).Value, csrf: in.text("csrf_token")}
	verify(withPassword, map[string]any{}).want(422, "unprocessable")
	verify(withPassword, map[string]any{"password": goodPassword}).want(200, "")
	withPassword.do(
		"POST",
		"/api/v1/auth/change-password",
		map[string]any{"new_password": "another passphrase"},
	).want(422, "unprocessable")
	withPassword.do("DELETE", "/api/v1/users/me", map[string]any{}).want(422, "unprocessable")
	w.sound()
}

func TestFirstOAuthSignInObeysSignupMode(t *testing.T) {
	t.Parallel()
	signedUp := func(t *testing.T, mode account.SignupMode) *oauthWorld {
		t.Helper()
		w := newOAuthWorld(t, func(_ *Options, so *store.Options) { so.Signup = mode })
		w.idp.set("0", "admin", "admin@example.com", true)
		w.refused(w.signInAs("0", ""), "signup_closed") // the first account needs the printed link
		if admin := w.in(w.signInAs("0", "?invitation="+w.setupToken()), "/"); !admin.user.IsAdmin {
			t.Error("the first account is not an admin")
		}
		w.idp.set("1", "ada", "ada@example.com", true)
		return w
	}
	t.Run("closed", func(t *testing.T) {
		w := signedUp(t, account.SignupClosed)
		w.refused(w.signInAs("1", ""), "signup_closed")
		if _, err := w.store.CreateUser(account.User{Username: "ada", Email: "ada@example.com"}); err != nil {
			t.Fatal(err)
		}
		w.in(w.signInAs("1", ""), "/") // existing accounts can be linked
	})
	t.Run("an invitation to the address", func(t *testing.T) {
		w := signedUp(t, account.SignupInvite)
		w.refused(w.signInAs("1", ""), "signup_closed")
		admin := w.in(w.signInAs("0", ""), "/")
		admin.invite(map[string]any{"email": "Ada@example.com"})
		w.in(w.signInAs("1", ""), "/")
		if list := admin.do("GET", "/api/v1/admin/invitations", nil).want(200, ""); list.text("total") != "0" {
			t.Errorf("the unused invitation: %s", list.body)
		}
	})
	t.Run("a link", func(t *testing.T) {
		w := signedUp(t, account.SignupInvite)
		admin := w.in(w.signInAs("0", ""), "/")
		_, token := admin.invite(map[string]any{})
		query := "?invitation=" + url.QueryEscape(token)
		w.in(w.signInAs("1", query), "/")
		w.idp.set("2", "eve", "eve@example.com", true)
		w.refused(w.signInAs("2", query), "invitation_invalid") // already used
		w.anonymous().do("GET", "/api/v1/auth/oauth/start/corp?invitation=forged", nil).want(400, "invitation_invalid")
		_, token = admin.invite(map[string]any{"email": "bob@example.com"})
		w.refused(w.signInAs("2", "?invitation="+url.QueryEscape(token)), "invitation_invalid") // belongs to Bob
		// existing accounts need no invitation
		w.in(w.signInAs("1", query), "/")
	})
}
