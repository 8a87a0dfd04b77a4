package store

import (
	"errors"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"roughcut/store/account"
)

func TestChangePassword(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	must(t, w.CreateSession(account.Session{Hash: "one", UserUUID: u.UUID, ExpiresAt: w.Now().Add(time.Hour)}, 0))
	get(w.CreateAccessToken(account.AccessToken{UserUUID: u.UUID, Hash: "two"}, 0))(t)
	must(t, w.ChangePassword(u.UUID, "hash", "new"))
	// the second of two concurrent changes is refused
	wantCode(t, w.ChangePassword(u.UUID, "hash", "newer"), Invalid, "wrong_password")
	if got := get(w.User(u.UUID))(t); got.PasswordHash != "new" || got.Epoch != u.Epoch+1 {
		t.Errorf("user %+v", got)
	}
	if _, _, err := w.Session("one", time.Hour); !IsKind(err, NotFound) {
		t.Errorf("a session is left: %v", err)
	}
	if _, _, err := w.UseAccessToken("two"); !IsKind(err, NotFound) {
		t.Errorf("a token is left: %v", err)
	}
	_, err := w.CreateAccessToken(account.AccessToken{UserUUID: u.UUID, Hash: "late"}, 0)
	wantCode(t, err, Unauthenticated, "not_authenticated")
	get(w.CreateAccessToken(account.AccessToken{UserUUID: u.UUID, Hash: "three"}, 1))(t)
	must(t, w.ResetPassword("reset", w.Now().Add(time.Hour), u.UUID, "newest"))
	if _, _, err := w.UseAccessToken("three"); !IsKind(err, NotFound) {
		t.Errorf("a token outlives a reset: %v", err)
	}
	w.clean()
}

func TestEmailChangeRules(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, other := w.user("ada"), w.user("eve")
	change := account.EmailChange{
		TokenID:  "t",
		Expires:  w.Now().Add(time.Hour),
		UserUUID: u.UUID,
		Epoch:    u.Epoch,
		OldEmail: u.Email,
		NewEmail: "Eve@example.org",
	}
	wantCode(t, w.ConfirmEmailChange(change), Conflict, "email_taken")
	change.NewEmail = "new@example.org"
	for name, spoil := range map[string]func(*account.EmailChange){
		"epoch":   func(c *account.EmailChange) { c.Epoch++ },
		"address": func(c *account.EmailChange) { c.OldEmail = other.Email },
		"user":    func(c *account.EmailChange) { c.UserUUID = "none" },
		"expired": func(c *account.EmailChange) { c.Expires = w.Now() },
	} {
		t.Run(name, func(t *testing.T) {
			void := change
			spoil(&void)
			wantCode(t, w.ConfirmEmailChange(void), Invalid, "invalid_token")
		})
	}
	must(t, w.ConfirmEmailChange(change)) // a refusal does not redeem the token
	wantCode(t, w.ConfirmEmailChange(change), Invalid, "invalid_token")
	if got := get(w.UserByEmail("NEW@example.org"))(t); got.UUID != u.UUID {
		t.Errorf("user %+v", got)
	}
	if _, err := w.UserByEmail(u.Email); !IsKind(err, NotFound) {
		t.Errorf("the former address is still in use: %v", err)
	}
	w.clean()
}

func TestAccessTokens(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	end := w.Now().Add(time.Hour)
	token := account.AccessToken{UserUUID: u.UUID, Name: "first", Hash: "1", ExpiresAt: &end}
	first := get(w.CreateAccessToken(token, 0))(t)
	get(w.CreateAccessToken(account.AccessToken{UserUUID: stranger.UUID, Name: "other", Hash: "2"}, 0))(t)
	if token, owner, err := w.UseAccessToken(
		"1",
	); err != nil || owner.UUID != u.UUID || token.UUID != first.UUID ||
		!token.LastUsedAt.Equal(w.Now()) {
		t.Errorf("token %+v %v", token, err)
	}
	_, err := w.RevokeAccessToken(stranger.UUID, first.UUID)
	wantCode(t, err, Forbidden, "forbidden")
	for i := range account.MaxAccessTokens - 1 {
		get(w.CreateAccessToken(account.AccessToken{UserUUID: u.UUID, Hash: "many" + string(rune('A'+i))}, 0))(t)
	}
	_, err = w.CreateAccessToken(account.AccessToken{UserUUID: u.UUID, Hash: "too many"}, 0)
	wantCode(t, err, Conflict, "conflict")
	w.clock.Advance(time.Hour)
	if list := get(w.AccessTokens(u.UUID))(t); len(list) != account.MaxAccessTokens-1 {
		t.Errorf("%d tokens are listed", len(list))
	}
	get(w.SweepExpired())(t)
	get(w.CreateAccessToken(account.AccessToken{UserUUID: u.UUID, Hash: "room again"}, 0))(t)
	_, err = w.RevokeAccessToken(u.UUID, first.UUID)
	wantCode(t, err, NotFound, "not_found")
	w.clean()
}

func TestParallelChangesOfCredentialsCountOnce(t *testing.T) {
	t.Parallel()
	w := open(t)
	ada, eve := w.user("ada"), w.user("eve")
	var n atomic.Int64
	confirm := func() error {
		u, id := ada, n.Add(1)
		if id%2 == 0 {
			u = eve
		}
		return w.ConfirmEmailChange(
			account.EmailChange{
				TokenID:  strconv.FormatInt(id, 10),
				Expires:  w.Now().Add(time.Hour),
				UserUUID: u.UUID,
				Epoch:    u.Epoch,
				OldEmail: u.Email,
				NewEmail: "new@example.org",
			},
		)
	}
	if ok := atOnce(50, confirm); ok != 1 {
		t.Errorf("%d accounts got the one address", ok)
	}
	if ok := atOnce(50, func() error { return w.ChangePassword(ada.UUID, "hash", "new") }); ok != 1 {
		t.Errorf("the password was changed %d times", ok)
	}
	if ok := atOnce(50, func() error { return w.DeleteUser(ada.UUID, "new") }); ok != 1 {
		t.Errorf("the account was deleted %d times", ok)
	}
	w.clean()
}

func TestDeletedUserGetsNoNewData(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	made := func() error {
		_, err := w.CreateProject(u.UUID, "Talk", nil)
		_, tokenErr := w.CreateAccessToken(account.AccessToken{UserUUID: u.UUID, Hash: w.NewID()}, 0)
		_, clipErr := w.PresignClip(u.UUID, p.UUID, "talk.mp4", "video/mp4", 1)
		return errors.Join(
			err,
			tokenErr,
			clipErr,
			w.CreateSession(account.Session{Hash: w.NewID(), UserUUID: u.UUID, ExpiresAt: w.Now().Add(time.Hour)}, 0),
		)
	}
	var calls atomic.Int64
	atOnce(8, func() error {
		if calls.Add(1) == 4 {
			return w.DeleteUser(u.UUID, "hash")
		}
		return made()
	})
	if err := made(); err == nil || len(w.bucketsNaming(p.UUID)) > 1 {
		t.Errorf("a deleted account got new data: %v", err)
	}
	w.settled()
	w.clean()
}
