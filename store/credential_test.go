package store

import (
	"testing"
	"time"
)

func TestChangePassword(t *testing.T) {
	w := open(t)
	u := w.user("ada")
	must(t, w.CreateSession(Session{Hash: "one", UserUUID: u.UUID, ExpiresAt: w.Now().Add(time.Hour)}))
	get(w.CreateAccessToken(AccessToken{UserUUID: u.UUID, Hash: "two"}))(t)
	must(t, w.ChangePassword(u.UUID, "hash", "new"))
	wantCode(t, w.ChangePassword(u.UUID, "hash", "newer"), Invalid, "wrong_password") // of two at once the second is refused
	if got := get(w.User(u.UUID))(t); got.PasswordHash != "new" || got.Epoch != u.Epoch+1 {
		t.Errorf("user %+v", got)
	}
	if _, _, err := w.Session("one", time.Hour); !IsKind(err, NotFound) {
		t.Errorf("a session is left: %v", err)
	}
	if _, _, err := w.UseAccessToken("two"); !IsKind(err, NotFound) {
		t.Errorf("a token is left: %v", err)
	}
	get(w.CreateAccessToken(AccessToken{UserUUID: u.UUID, Hash: "three"}))(t)
	must(t, w.ResetPassword("reset", w.Now().Add(time.Hour), u.UUID, "newest"))
	if _, _, err := w.UseAccessToken("three"); !IsKind(err, NotFound) {
		t.Errorf("a token outlives a reset: %v", err)
	}
	w.clean()
}

func TestEmailChangeRules(t *testing.T) {
	w := open(t)
	u, other := w.user("ada"), w.user("eve")
	change := EmailChange{TokenID: "t", Expires: w.Now().Add(time.Hour), UserUUID: u.UUID, Epoch: u.Epoch, OldEmail: u.Email, NewEmail: "Eve@example.org"}
	wantCode(t, w.ConfirmEmailChange(change), Conflict, "email_taken")
	change.NewEmail = "new@example.org"
	for name, spoil := range map[string]func(*EmailChange){
		"epoch":   func(c *EmailChange) { c.Epoch++ },
		"address": func(c *EmailChange) { c.OldEmail = other.Email },
		"user":    func(c *EmailChange) { c.UserUUID = "none" },
		"expired": func(c *EmailChange) { c.Expires = w.Now() },
	} {
		t.Run(name, func(t *testing.T) {
			void := change
			spoil(&void)
			wantCode(t, w.ConfirmEmailChange(void), Invalid, "invalid_token")
		})
	}
	must(t, w.ConfirmEmailChange(change)) // a refusal leaves the token unused
	wantCode(t, w.ConfirmEmailChange(change), Invalid, "invalid_token")
	if got := get(w.UserByEmail("NEW@example.org"))(t); got.UUID != u.UUID {
		t.Errorf("user %+v", got)
	}
	if _, err := w.UserByEmail(u.Email); !IsKind(err, NotFound) {
		t.Errorf("the former address is still taken: %v", err)
	}
	w.clean()
}

func TestAccessTokens(t *testing.T) {
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	end := w.Now().Add(time.Hour)
	first := get(w.CreateAccessToken(AccessToken{UserUUID: u.UUID, Name: "first", Hash: "1", ExpiresAt: &end}))(t)
	get(w.CreateAccessToken(AccessToken{UserUUID: stranger.UUID, Name: "other", Hash: "2"}))(t)
	if token, owner, err := w.UseAccessToken("1"); err != nil || owner.UUID != u.UUID || token.UUID != first.UUID || !token.LastUsedAt.Equal(w.Now()) {
		t.Errorf("token %+v %v", token, err)
	}
	_, err := w.RevokeAccessToken(stranger.UUID, first.UUID)
	wantCode(t, err, Forbidden, "forbidden")
	for i := range maxAccessTokens - 1 {
		get(w.CreateAccessToken(AccessToken{UserUUID: u.UUID, Hash: "many" + string(rune('A'+i))}))(t)
	}
	_, err = w.CreateAccessToken(AccessToken{UserUUID: u.UUID, Hash: "too many"})
	wantCode(t, err, Conflict, "conflict")
	w.clock.add(time.Hour)
	if list := get(w.AccessTokens(u.UUID))(t); len(list) != maxAccessTokens-1 {
		t.Errorf("%d tokens are listed", len(list))
	}
	get(w.ExpireExports())(t)
	get(w.CreateAccessToken(AccessToken{UserUUID: u.UUID, Hash: "room again"}))(t)
	_, err = w.RevokeAccessToken(u.UUID, first.UUID)
	wantCode(t, err, NotFound, "not_found")
	w.clean()
}
