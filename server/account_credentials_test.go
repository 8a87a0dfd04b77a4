package server

import (
	"strings"
	"testing"
	"time"

	"roughcut/store"
	"roughcut/store/account"
)

// withPassword returns a person whose password is goodPassword.
func (w *world) withPassword(name string) *person {
	w.t.Helper()
	p := w.person(name)
	hash, err := w.server.passwords.Hash(w.t.Context(), "", goodPassword)
	if err == nil {
		err = w.store.ChangePassword(p.user.UUID, "", hash)
	}
	if err == nil {
		p.user, err = w.store.User(p.user.UUID)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return w.signIn(p.user)
}

// limited checks a 429 response and its Retry-After header.
func limited(t *testing.T, r *reply, seconds string) {
	t.Helper()
	limitedAs(t, r, "rate_limited", seconds)
}

func TestVerifyPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, without := w.withPassword("ada"), w.person("eve")
	verify := func(p *person, password string) *reply {
		return p.do("POST", "/api/v1/auth/verify-password", map[string]any{"password": password})
	}
	if got := verify(ada, goodPassword).want(200, ""); got.text("valid") != "true" {
		t.Errorf("response %s", got.body)
	}
	verify(ada, goodPassword+"!").want(400, "wrong_password")
	verify(without, goodPassword).want(400, "wrong_password")
	for range 18 {
		verify(ada, "x").want(400, "wrong_password")
	}
	limited(t, verify(ada, goodPassword), "300")
	// wrong passwords with a session do not lock the account
	login(w.anonymous(), "ada@example.com", goodPassword).want(200, "")
}

func TestChangePasswordEndsEverySessionAndToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	phone := w.withPassword("ada")
	desk := w.signIn(phone.user)
	script := phone.token("backup")
	clip := phone.readyClip(phone.project("p"))
	media := phone.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).want(200, "").text("url")
	change := func(p *person, body map[string]any) *reply {
		return p.do("POST", "/api/v1/auth/change-password", body)
	}
	change(phone, map[string]any{"new_password": "a new passphrase"}).want(422, "unprocessable")
	change(phone, map[string]any{"current_password": "wrong", "new_password": "a new passphrase"}).want(
		400,
		"wrong_password",
	)
	change(phone, map[string]any{"current_password": goodPassword, "new_password": "short"}).want(422, "unprocessable")
	desk.do("GET", "/api/v1/users/me", nil).want(200, "")
	out := change(
		phone,
		map[string]any{"current_password": goodPassword, "new_password": "a new passphrase"},
	).want(204, "")
	if cleared := sessionOf(t, out); cleared.MaxAge >= 0 || cleared.Value != "" {
		t.Errorf("cookie after the change: %v", cleared)
	}
	for _, p := range []*person{phone, desk, script} {
		p.do("GET", "/api/v1/users/me", nil).want(401, "not_authenticated")
	}
	w.anonymous().do("GET", media, nil).want(401, "not_authenticated")
	login(w.anonymous(), "ada@example.com", goodPassword).want(401, "invalid_credentials")
	login(w.anonymous(), "ada@example.com", "a new passphrase").want(200, "")
	for _, subject := range []string{"A new access token", "Your password was changed"} {
		if w.mailTo("ada@", subject) == nil {
			t.Errorf("no mail says: %s", subject)
		}
	}
}

func TestFirstPasswordNeedsNoCurrentOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	p.do("POST", "/api/v1/auth/change-password", map[string]any{"new_password": goodPassword}).want(204, "")
	p.do("GET", "/api/v1/users/me", nil).want(401, "not_authenticated")
	login(w.anonymous(), "ada@example.com", goodPassword).want(200, "")
}

// askForEmail requests another address and returns the token from the mail.
func (p *person) askForEmail(email string) string {
	p.w.t.Helper()
	p.do(
		"POST",
		"/api/v1/auth/request-email-change",
		map[string]any{"new_email": email, "password": goodPassword},
	).want(200, "")
	link := p.w.mailTo(email, "Confirm your new")
	if link == nil {
		p.w.t.Fatalf("no link was mailed to %s", email)
	}
	return link.token(p.w.t, "confirm-email")
}

func confirmEmail(w *world, token string) *reply {
	return w.anonymous().do("POST", "/api/v1/auth/confirm-email-change", map[string]any{"token": token})
}

func TestEmailChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.withPassword("ada")
	ask := func(body map[string]any) *reply {
		return ada.do("POST", "/api/v1/auth/request-email-change", body)
	}
	ask(map[string]any{"new_email": "new@example.com", "password": "wrong"}).want(400, "wrong_password")
	if len(w.mails()) != 0 {
		t.Error("a request with a wrong password sent a mail")
	}
	token := ada.askForEmail("new@example.com")
	notice := w.mailTo("ada@example.com", "about to change")
	if notice == nil || strings.Contains(notice.text, token) || strings.Contains(notice.text, "new@example.com") {
		t.Fatalf("notice to the current address: %+v", notice)
	}
	login(w.anonymous(), "new@example.com", goodPassword).want(401, "invalid_credentials")
	w.anonymous().do("POST", "/api/v1/auth/verify-email", map[string]any{"token": token}).want(400, "invalid_token")
	confirmEmail(w, token+"x").want(400, "invalid_token")
	if w.mailTo("ada@example.com", "was changed") != nil {
		t.Error("the former address was told before the change")
	}
	confirmEmail(w, token).want(200, "")
	told := w.mailTo("ada@example.com", "was changed")
	if told == nil || strings.Contains(told.text, "new@example.com") ||
		!strings.Contains(told.text, "roughcut@localhost") {
		t.Errorf("mail to the former address: %+v", told)
	}
	confirmEmail(w, token).want(400, "invalid_token")
	if got := ada.do("GET", "/api/v1/users/me", nil).want(200, ""); got.text("email") != "new@example.com" ||
		got.text("email_verified") != "true" {
		t.Errorf("account %s", got.body)
	}
	login(w.anonymous(), "ada@example.com", goodPassword).want(401, "invalid_credentials")
	login(w.anonymous(), "new@example.com", goodPassword).want(200, "")
}

func TestEmailChangeDoesNotRevealTakenAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.withPassword("ada")
	w.person("eve")
	ask := func(email string) *reply {
		return ada.do(
			"POST",
			"/api/v1/auth/request-email-change",
			map[string]any{"new_email": email, "password": goodPassword},
		)
	}
	free, taken := ask("free@example.com").want(200, ""), ask("EVE@example.com").want(200, "")
	if string(free.body) != string(taken.body) {
		t.Errorf("%s is distinguishable from %s", free.body, taken.body)
	}
	if w.mailTo("EVE@", "") != nil {
		t.Error("a link was sent to a taken address")
	}
	if all := w.mails(); len(all) != 3 { // two notices and one link
		t.Errorf("got %d mails", len(all))
	}
	ask("ada@example.com").want(422, "unprocessable") // counts, because it was permitted
	limited(t, ask("more@example.com"), "300")
}

func TestConfirmEmailChangeRechecksAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.withPassword("ada")
	token := ada.askForEmail("new@example.com")
	if _, err := w.store.CreateUser(account.User{Name: "n", Username: "new", Email: "NEW@example.com"}); err != nil {
		t.Fatal(err)
	}
	confirmEmail(w, token).want(409, "email_taken")
	ada.do("GET", "/api/v1/users/me", nil).want(200, "")
}

func TestEmailChangeLinkExpiresAfterOtherChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.withPassword("ada")
	first, second := ada.askForEmail("first@example.com"), ada.askForEmail("second@example.com")
	confirmEmail(w, first).want(200, "")
	confirmEmail(w, second).want(400, "invalid_token")

	late := ada.askForEmail("late@example.com")
	w.clock.Advance(24 * time.Hour)
	confirmEmail(w, late).want(400, "invalid_token")

	stolen := ada.askForEmail("thief@example.com")
	ada.do(
		"POST",
		"/api/v1/auth/change-password",
		map[string]any{"current_password": goodPassword, "new_password": "a new passphrase"},
	).want(204, "")
	confirmEmail(w, stolen).want(400, "invalid_token")
}

func TestResetLinkOfOldAddressIsInvalid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.withPassword("ada")
	w.anonymous().do(
		"POST",
		"/api/v1/auth/request-password-reset",
		map[string]any{"email": "ada@example.com"},
	).want(200, "")
	var reset *letter
	w.eventually("the mail arrives", func() bool { reset = w.mailTo("ada@", "Reset"); return reset != nil })
	confirmEmail(w, ada.askForEmail("new@example.com")).want(200, "")
	w.anonymous().do(
		"POST",
		"/api/v1/auth/reset-password",
		map[string]any{"token": reset.token(t, "reset-password"), "new_password": "a new passphrase"},
	).want(400, "invalid_token")
	login(w.anonymous(), "new@example.com", goodPassword).want(200, "")
}

func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("first")
	ada := w.withPassword("ada")
	script := ada.token("backup")
	project := ada.project("p")
	clip := ada.readyClip(project)
	media := ada.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).want(200, "").text("url")
	ada.do("POST", "/api/v1/projects/"+project+"/analyze", map[string]any{}).want(202, "")
	running := w.claim(store.JobAnalysis)
	remove := func(password string) *reply {
		return ada.do("DELETE", "/api/v1/users/me", map[string]any{"password": password})
	}
	remove("wrong").want(400, "wrong_password")
	ada.do("GET", "/api/v1/users/me", nil).want(200, "")
	out := remove(goodPassword).want(204, "")
	if cleared := sessionOf(t, out); cleared.MaxAge >= 0 || cleared.Value != "" {
		t.Errorf("cookie after the deletion: %v", cleared)
	}
	for _, p := range []*person{ada, script} {
		p.do("GET", "/api/v1/users/me", nil).want(401, "not_authenticated")
	}
	w.anonymous().do("GET", media, nil).want(401, "not_authenticated")
	login(w.anonymous(), "ada@example.com", goodPassword).want(401, "invalid_credentials")
	if gone, err := w.store.JobCancelled(running); err != nil || !gone {
		t.Errorf("the analysis still runs: %v %v", gone, err)
	}
	if id := <-w.store.Cancellations(); id != running.UUID {
		t.Errorf("cancelled %s", id)
	}
	found, err := w.store.Check(t.Context())
	if err != nil || len(found) != 0 {
		t.Errorf("after the deletion: %v %v", found, err)
	}

	signup(w.anonymous(), "ada").want(201, "")
	w.anonymous().do(
		"POST",
		"/api/v1/auth/verify-email",
		map[string]any{"token": w.mailTo("ada@", "Confirm").token(t, "verify-email")},
	).want(200, "")
	again, err := w.store.UserByEmail("ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if got := w.signIn(again).do(
		"GET",
		"/api/v1/payments/subscription/status",
		nil,
	).want(200, ""); got.text("tier") != "free" || got.text("trial_used") != "true" ||
		got.text("project_count") != "0" {
		t.Errorf("the second account of the address has the tier %s", got.body)
	}
}

func TestLocalOwnerAccountCannotBeDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ownerMode)
	user, err := w.store.User(w.server.ownerUUID)
	if err != nil {
		t.Fatal(err)
	}
	owner := w.signIn(user)
	remove := func(p *person) *reply {
		return p.do("DELETE", "/api/v1/users/me", map[string]any{"password": goodPassword})
	}
	remove(owner).want(400, "wrong_password")
	owner.do("POST", "/api/v1/auth/change-password", map[string]any{"new_password": goodPassword}).want(204, "")
	owner = w.signIn(user)
	remove(owner).want(409, "conflict")
	owner.do("GET", "/api/v1/users/me", nil).want(200, "")
}

func TestDeleteAccountRateLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada")
	for range 10 {
		ada.do("DELETE", "/api/v1/users/me", map[string]any{"password": "wrong"}).want(400, "wrong_password")
	}
	limited(t, ada.do("DELETE", "/api/v1/users/me", map[string]any{"password": "wrong"}), "300")
}
