package store

import (
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"roughcut/store/account"
)

func TestOAuthFlowIsRedeemedOnce(t *testing.T) {
	t.Parallel()
	w := open(t)
	begin := func() {
		must(
			t,
			w.BeginOAuth(
				account.OAuthFlow{
					StateHash:   "state",
					BrowserHash: "browser",
					Provider:    "corp",
					ExpiresAt:   w.Now().Add(time.Minute),
				},
			),
		)
	}
	begin()
	w.reopen() // survives a restart
	take := func() error { _, err := w.FinishOAuth("state", "browser", "corp"); return err }
	if ok := atOnce(20, take); ok != 1 {
		t.Errorf("the flow was redeemed %d times", ok)
	}
	before := w.writes()
	wantCode(t, take(), Invalid, "oauth_expired")
	if w.writes() != before {
		t.Error("an invented state causes a write")
	}
	begin()
	w.clock.Advance(time.Minute)
	get(w.SweepExpired())(t)
	w.clock.Advance(-time.Minute)
	wantCode(t, take(), Invalid, "oauth_expired") // was swept
}

// writes returns the number of write transactions so far.
func (w *world) writes() (id int) {
	w.t.Helper()
	must(w.t, w.db.View(func(tx *bolt.Tx) error { id = tx.ID(); return nil }))
	return id
}

func TestInvitationsEndWithTheirAdminAndWithTime(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *Options) { o.Signup = account.SignupInvite })
	admin := w.user("admin")
	invite := func() account.InvitationProof {
		row := get(
			w.CreateInvitation(
				account.Invitation{
					UUID:      w.NewID(),
					InvitedBy: admin.UUID,
					Email:     "ada@example.org",
					ExpiresAt: w.Now().Add(time.Hour),
				},
			),
		)(t)
		return account.InvitationProof{UUID: row.UUID}
	}
	late := invite()
	w.clock.Advance(time.Hour)
	wantCode(t, w.CheckSignUp("ada@example.org", late), Invalid, "invitation_invalid")
	get(w.SweepExpired())(t)
	wantCode(t, w.RevokeInvitation(late.UUID), NotFound, "not_found")

	by := invite()
	must(t, w.CheckSignUp("ADA@example.org", by))
	must(t, w.DeleteUser(admin.UUID, "hash"))
	wantCode(t, w.CheckSignUp("ada@example.org", by), Invalid, "invitation_invalid")
	// the first account counts even after its deletion
	wantCode(t, w.CheckSignUp("ada@example.org", account.InvitationProof{}), Forbidden, "signup_closed")
	w.clean()
}

func TestOnlyAdminsCreateInvitations(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.user("admin")
	ada := w.user("ada")
	invitation := account.Invitation{UUID: w.NewID(), InvitedBy: ada.UUID, ExpiresAt: w.Now().Add(time.Hour)}
	_, err := w.CreateInvitation(invitation)
	wantCode(t, err, Forbidden, "forbidden")
}

func TestCheckFindsAnIdentityOfAnUnverifiedAccount(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := get(
		w.SignInWithProvider(
			account.ProviderProfile{
				Issuer:        "https://login.example.org",
				Subject:       "1",
				Provider:      "corp",
				Email:         "ada@example.org",
				EmailVerified: true,
			},
			account.InvitationProof{},
			nil,
		),
	)(t)
	w.clean()
	must(t, w.update(func(tx *txn) error {
		return tx.patch("users", u.UUID, func(row map[string]any) { row["EmailVerified"] = false })
	}))
	found := get(w.Check(t.Context()))(t)
	if len(found) != 1 || found[0].Code != "identity_unverified" {
		t.Errorf("found %+v", found)
	}
}

func TestIdentityWithoutSubjectIsNobody(t *testing.T) {
	t.Parallel()
	w := open(t)
	profile := account.ProviderProfile{
		Issuer:        "https://login.example.org",
		Provider:      "corp",
		Email:         "ada@example.org",
		EmailVerified: true,
	}
	if _, err := w.SignInWithProvider(profile, account.InvitationProof{}, nil); err == nil {
		t.Fatal("a person without a subject signed in")
	}

	ada := w.user("ada")
	// as earlier versions stored it
	stored := account.Identity{Issuer: profile.Issuer, Provider: "corp", LinkedAt: w.Now()}
	must(t, w.update(func(tx *txn) error {
		return tx.patch("users", ada.UUID, func(row map[string]any) {
			row["EmailVerified"], row["Identities"] = true, []account.Identity{stored}
		})
	}))
	if _, err := w.SignInWithProvider(profile, account.InvitationProof{}, nil); err == nil {
		t.Fatal("a person without a subject signed in as another")
	}

	profile.Subject, profile.Email = "1", ada.Email
	notice := func(u account.User) Mail { return Mail{To: u.Email} }
	linked := get(w.SignInWithProvider(profile, account.InvitationProof{}, notice))(t)
	if linked.UUID != ada.UUID || len(linked.Identities) != 1 || linked.Identities[0].Subject != "1" {
		t.Errorf("linked %+v", linked)
	}
	w.clean()
}
