package server

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"roughcut/server/mail"
	"roughcut/store"
	"roughcut/store/account"
)

func signupMode(mode account.SignupMode) func(*Options, *store.Options) {
	return func(_ *Options, so *store.Options) { so.Signup = mode }
}

// invite creates an invitation and returns its UUID and the token from the link in the response.
func (p *person) invite(body map[string]any) (uuid, token string) {
	p.w.t.Helper()
	r := p.do("POST", "/api/v1/admin/invitations", body).want(201, "")
	link, err := url.Parse(r.text("url"))
	if err != nil || !strings.HasSuffix(link.Path, "/sign-up") {
		p.w.t.Fatalf("link %s", r.text("url"))
	}
	return r.text("uuid"), link.Query().Get("invitation")
}

// accept signs up with an invitation.
func accept(w *world, name, token string) *reply {
	return w.anonymous().do(
		"POST",
		"/api/v1/users/",
		map[string]any{
			"name":       name,
			"username":   name,
			"email":      name + "@example.com",
			"password":   goodPassword,
			"invitation": token,
		},
	)
}

func invitationState(w *world, token string) *reply {
	return w.anonymous().do("POST", "/api/v1/auth/check-invitation", map[string]any{"token": token})
}

// setupToken returns the token of a link that the server prints at its start.
func (w *world) setupToken() string {
	w.t.Helper()
	link, err := w.server.LaunchAddress("")
	token, found := strings.CutPrefix(link, "/sign-up?invitation=")
	if err != nil || !found {
		w.t.Fatalf("link %q: %v", link, err)
	}
	return token
}

// mailedInvitation returns the token from the link in the mail to an address.
func (w *world) mailedInvitation(email string) string {
	w.t.Helper()
	m := w.mailTo(email, "You are invited")
	if m == nil {
		w.t.Fatalf("no invitation was mailed to %s", email)
	}
	_, token, found := strings.Cut(m.text, "/sign-up?invitation=")
	if !found {
		w.t.Fatalf("the mail has no link: %s", m.text)
	}
	token = strings.Fields(token)[0]
	if !strings.Contains(m.html, token+`"`) {
		w.t.Errorf("the HTML part has another link: %s", m.html)
	}
	return token
}

func TestSignupModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []account.SignupMode{account.SignupOpen, account.SignupInvite, account.SignupClosed} {
		t.Run(string(mode), func(t *testing.T) {
			w := newWorld(t, signupMode(mode))
			options := func() string {
				return w.anonymous().do("GET", "/api/v1/auth/options", nil).want(200, "").text("signup")
			}
			first := func() string { return w.anonymous().do("GET", "/api/v1/auth/options", nil).text("first") }
			if options() != string(mode) || first() != "true" {
				t.Errorf("before the first account: %s, first %s", options(), first())
			}
			made := signup(w.anonymous(), "first")
			if mode != account.SignupOpen {
				made.want(403, "signup_closed")
				made = accept(w, "first", w.setupToken())
			}
			if made.want(201, "").text("is_admin") != "true" {
				t.Errorf("first account: %s", made.body)
			}
			if options() != string(mode) || first() != "false" {
				t.Errorf("after the first account: %s", options())
			}
			if mode == account.SignupOpen {
				signup(w.anonymous(), "ada").want(201, "")
				return
			}
			signup(w.anonymous(), "ada").want(403, "signup_closed")
			if w.mailTo("ada@", "") != nil {
				t.Error("a rejected sign-up sent a mail")
			}
		})
	}
}

func TestMailedInvitationCreatesVerifiedAccountOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signupMode(account.SignupInvite))
	admin := w.person("admin")
	_, shown := admin.invite(map[string]any{"email": "Ada@example.com"})
	token := w.mailedInvitation("Ada@example.com")
	if got := invitationState(w, token).want(200, ""); got.text("email") != "Ada@example.com" {
		t.Errorf("invitation %s", got.body)
	}
	accept(w, "eve", token).want(400, "invitation_invalid") // another address
	made := accept(w, "ada", token).want(201, "")
	if made.text("email_verified") != "true" || made.text("is_admin") != "false" {
		t.Errorf("account %s", made.body)
	}
	if w.mailTo("ada@example.com", "Confirm") != nil || w.mailTo("ada@example.com", "Welcome") == nil {
		t.Error("a verified account got a verification mail or no welcome")
	}
	in := login(w.anonymous(), "ada@example.com", goodPassword).want(200, "")
	ada := &person{w: w, cookie: sessionOf(t, in).Value, csrf: in.text("csrf_token")}
	if got := ada.do("GET", "/api/v1/payments/subscription/status", nil).want(
		200,
		"",
	); got.text("subscription_status") != "trialing" {
		t.Errorf("tier %s", got.body)
	}
	for _, used := range []string{token, shown} {
		accept(w, "bob", used).want(400, "invitation_invalid")
		invitationState(w, used).want(400, "invitation_invalid")
	}
	w.sound()
}

// An invitation that names an address verifies it, however its link arrives.
func TestLinkOfAddressedInvitationVerifiesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signupMode(account.SignupInvite))
	_, token := w.person("admin").invite(map[string]any{"email": "Bob@example.com"})
	if made := accept(w, "bob", token).want(201, ""); made.text("email_verified") != "true" {
		t.Errorf("account %s", made.body)
	}
	login(w.anonymous(), "bob@example.com", goodPassword).want(200, "")
}

// Without mail, an admin sees who came by a link for anyone, and lets them in.
func TestAdminLetsPeopleInWithoutMail(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signupMode(account.SignupInvite))
	if w.anonymous().do("GET", "/api/v1/auth/options", nil).want(200, "").text("mail") != "false" {
		t.Error("the server claims to send mail")
	}
	admin := w.person("admin")
	_, token := admin.invite(map[string]any{})
	if got := invitationState(w, token).want(200, ""); got.value("email") != nil {
		t.Errorf("invitation %s", got.body)
	}
	ada := accept(w, "ada", token).want(201, "")
	if ada.text("email_verified") != "false" {
		t.Errorf("account %s", ada.body)
	}
	enter := func() *reply { return login(w.anonymous(), "ada@example.com", goodPassword) }
	refused := enter().want(403, "email_not_verified")
	if !strings.Contains(refused.text("detail"), "admin has to let you in") {
		t.Errorf("the refusal says %s", refused.body)
	}
	waiting := func() *reply {
		return admin.do("GET", "/api/v1/admin/users?email_verified=false", nil).want(200, "")
	}
	if got := waiting(); got.text("total") != "1" || got.text("items", 0, "user", "uuid") != ada.text("uuid") {
		t.Errorf("waiting are %s", got.body)
	}
	path := "/api/v1/admin/users/" + ada.text("uuid")
	admin.do("PATCH", path, map[string]any{"email_verified": false}).want(422, "unprocessable")
	letIn := admin.do("PATCH", path, map[string]any{"email_verified": true}).want(200, "")
	if letIn.text("user", "email_verified") != "true" || letIn.text("subscription_status") != "trialing" {
		t.Errorf("account %s", letIn.body)
	}
	enter().want(200, "")
	if got := waiting(); got.text("total") != "0" {
		t.Errorf("still waiting: %s", got.body)
	}
	w.sound()
}

// With mail, the refused sign-in names the mail.
func TestUnverifiedPersonIsToldWhatToDo(t *testing.T) {
	t.Parallel()
	sends := func(o *Options, _ *store.Options) { o.Mail = &flakySender{sent: make(chan mail.Message, 4)} }
	for want, options := range map[string][]func(*Options, *store.Options){
		"link in your verification mail": {sends}, "outbox folder": nil,
	} {
		w := newWorld(t, options...)
		signup(w.anonymous(), "ada").want(201, "")
		got := login(w.anonymous(), "ada@example.com", goodPassword).want(403, "email_not_verified")
		if !strings.Contains(got.text("detail"), want) {
			t.Errorf("the refusal says %s, want %q", got.body, want)
		}
	}
}

func TestInvitationsListRevokeExpire(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signupMode(account.SignupInvite))
	admin := w.person("admin")
	revoked, first := admin.invite(map[string]any{})
	w.clock.Advance(time.Minute)
	_, second := admin.invite(map[string]any{"email": "ada@example.com", "expires_in_days": 2})
	list := func() *reply { return admin.do("GET", "/api/v1/admin/invitations", nil).want(200, "") }
	if got := list(); got.text("total") != "2" || got.text("items", 0, "email") != "ada@example.com" ||
		got.text("items", 1, "uuid") != revoked ||
		strings.Contains(string(got.body), first) {
		t.Errorf("list %s", got.body)
	}
	admin.do("DELETE", "/api/v1/admin/invitations/"+revoked, nil).want(204, "")
	admin.do("DELETE", "/api/v1/admin/invitations/"+revoked, nil).want(404, "not_found")
	accept(w, "bob", first).want(400, "invitation_invalid")
	w.clock.Advance(2 * 24 * time.Hour)
	if got := list(); got.text("total") != "0" {
		t.Errorf("the list contains an expired invitation: %s", got.body)
	}
	for _, token := range []string{second, w.mailedInvitation("ada@example.com"), "forged"} {
		accept(w, "ada", token).want(400, "invitation_invalid")
		invitationState(w, token).want(400, "invitation_invalid")
	}
	if _, err := w.store.SweepExpired(); err != nil {
		t.Fatal(err)
	}
	w.sound()
}

func TestOnlyAdminsInvite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("admin")
	ada := w.person("ada")
	ada.do("POST", "/api/v1/admin/invitations", []byte("{")).want(403, "forbidden") // before the validation of the body
	ada.do("GET", "/api/v1/admin/invitations", nil).want(403, "forbidden")
}

func TestInvitationOfExistingAccountIsRejected(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.person("admin")
	w.person("ada")
	admin.do("POST", "/api/v1/admin/invitations", map[string]any{"email": "ADA@example.com"}).want(409, "email_taken")
	admin.do("POST", "/api/v1/admin/invitations", map[string]any{"email": "no address@"}).want(422, "unprocessable")
	admin.do("POST", "/api/v1/admin/invitations", map[string]any{"expires_in_days": 0}).want(422, "unprocessable")
	if len(w.mails()) != 0 {
		t.Error("a rejected invitation was mailed")
	}
}

func TestClosedSignupRejectsInvitations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signupMode(account.SignupClosed))
	_, token := w.person("admin").invite(map[string]any{})
	accept(w, "ada", token).want(403, "signup_closed")
}

func TestConcurrentUsesOfInvitationSucceedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signupMode(account.SignupInvite))
	_, token := w.person("admin").invite(map[string]any{})
	by, err := w.server.invitationProof(token)
	if err != nil {
		t.Fatal(err)
	}
	made := make(chan bool, 8)
	for i := range cap(made) {
		name := "user" + string(rune('a'+i))
		go func() {
			_, err := w.store.SignUp(
				account.User{Name: name, Username: name, Email: name + "@example.com"},
				by,
				store.Mail{To: "a"},
				store.Mail{To: "b"},
			)
			made <- err == nil
		}()
	}
	count := 0
	for range cap(made) {
		if <-made {
			count++
		}
	}
	if count != 1 {
		t.Errorf("%d accounts were created", count)
	}
	w.sound()
}
