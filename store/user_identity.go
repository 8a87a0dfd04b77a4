package store

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"roughcut/store/table"
)

// Identity is an account at an OAuth provider that signs a user in. Issuer and Subject identify it
// permanently. The name of the provider comes from the settings and may change.
type Identity struct {
	Issuer, Subject string
	Provider        string // its name in the settings at the last sign-in
	LinkedAt        time.Time
}

// ProviderProfile is what a provider reports about a person who signed in there.
type ProviderProfile struct {
	Issuer, Subject, Provider string
	Email                     string
	EmailVerified             bool
	Name, Username            string // at the provider; may be empty
}

var usersByIdentity = &table.Index[userRow]{Name: "users.by_identity", Unique: true, Keys: func(r *userRow) [][]byte {
	var keys [][]byte
	for _, i := range r.Identities {
		keys = append(keys, table.Key(i.Issuer, i.Subject))
	}
	return keys
}}

// SignInWithProvider returns the account of a person who signed in at a provider. That is the
// account that the identity is linked to. Otherwise it is the account with the same address: the
// identity is linked to it, and the mail that notice writes is queued. Otherwise a new account is
// created, as SIGNUP and the invitation allow.
//
// Only an address that the provider has verified counts. An account whose address was never
// verified loses its password, sessions and tokens first, because its creator has not proved to own
// the address.
//
// Errors: Forbidden oauth_email_unverified, signup_closed; Conflict email_taken for an account that
// is linked to another person at the same provider; Invalid invitation_invalid.
func (s *Store) SignInWithProvider(v ProviderProfile, by InvitationProof, notice func(User) Mail) (User, error) {
	if v.Issuer == "" || v.Subject == "" {
		return User{}, fmt.Errorf("sign in at %s: the identity has no issuer or no subject", v.Provider)
	}

	var row *userRow
	err := s.update(func(t *txn) (err error) {
		if row, err = users.Lookup(t, usersByIdentity, string(table.Key(v.Issuer, v.Subject))); err != nil {
			return err
		}
		if row != nil {
			return t.renameProvider(row, v)
		}
		if !v.EmailVerified || v.Email == "" {
			return fail(
				Forbidden,
				"oauth_email_unverified",
				"%s does not report your email address as verified. Verify it there, then try again.",
				v.Provider,
			)
		}

		if row, err = users.Lookup(t, usersByEmail, fold(v.Email)); err != nil {
			return err
		}
		if row == nil {
			row, err = t.addFromProvider(v, by)
			return err
		}

		if row, err = t.linkIdentity(row, v); err != nil {
			return err
		}
		return t.queueMails([]Mail{notice(row.user())})
	})
	if err != nil {
		return User{}, err
	}
	return row.user(), nil
}

// renameProvider stores the current name of the provider of a linked identity.
func (t *txn) renameProvider(row *userRow, v ProviderProfile) error {
	for i := range row.Identities {
		id := &row.Identities[i]
		if id.Issuer == v.Issuer && id.Subject == v.Subject && id.Provider != v.Provider {
			id.Provider = v.Provider
			return users.Put(t, row)
		}
	}

	return nil
}

// linkIdentity links an identity to the account with its address. Errors: Conflict email_taken.
func (t *txn) linkIdentity(row *userRow, v ProviderProfile) (*userRow, error) {
	nobody := func(i Identity) bool { return i.Subject == "" } // earlier versions stored such identities
	other := func(i Identity) bool { return i.Issuer == v.Issuer && !nobody(i) }
	if slices.ContainsFunc(row.Identities, other) {
		return nil, fail(
			Conflict,
			"email_taken",
			"The account with this email address is linked to another account at %s.",
			v.Provider,
		)
	}

	if !row.EmailVerified {
		if err := t.setPassword(row.UUID, ""); err != nil {
			return nil, err
		}
	}

	row, err := t.changeUser(row.UUID, func(r *userRow) error {
		r.EmailVerified = true
		r.Identities = append(
			slices.DeleteFunc(slices.Clone(r.Identities), nobody),
			Identity{Issuer: v.Issuer, Subject: v.Subject, Provider: v.Provider, LinkedAt: t.Now},
		)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return row, t.welcome(row)
}

// addFromProvider creates the account of a person who signs in for the first time. An invitation to
// the verified address counts even without its link.
func (t *txn) addFromProvider(v ProviderProfile, by InvitationProof) (*userRow, error) {
	if by.UUID == "" && t.s.o.Signup == SignupInvite {
		open, err := invitations.List(t, invitationsByEmail, fold(v.Email))
		if err != nil {
			return nil, err
		}
		for _, row := range open {
			if !row.expired(t.Now) {
				by.UUID = row.UUID
			}
		}
	}

	invitation, err := t.admission(v.Email, by)
	if err != nil {
		return nil, err
	}
	username, err := t.freeUsername(v.Username, v.Email)
	if err != nil {
		return nil, err
	}
	name := []rune(oneLine(v.Name))
	u := User{
		Name:          string(name[:min(len(name), maxPersonName)]),
		Username:      username,
		Email:         v.Email,
		EmailVerified: true,
		Identities:    []Identity{{Issuer: v.Issuer, Subject: v.Subject, Provider: v.Provider, LinkedAt: t.Now}},
	}
	if u.Name == "" {
		u.Name = username
	}
	row, err := t.addUser(u)
	if err != nil {
		return nil, err
	}
	if err := t.useInvitation(invitation); err != nil {
		return nil, err
	}
	return row, t.welcome(row)
}

// Limits on the length of a username.
const (
	minUsername = 3
	maxUsername = 40
)

var notInUsername = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// freeUsername derives an unused username from the first wish that is usable. Only the part of an
// address before the @ counts.
func (t *txn) freeUsername(wishes ...string) (string, error) {
	base := "user"
	for _, wish := range wishes {
		wish, _, _ = strings.Cut(wish, "@")
		if wish = strings.Trim(notInUsername.ReplaceAllString(wish, "-"), "-."); len(wish) >= minUsername {
			base = wish
			break
		}
	}

	const suffix = 5 // a hyphen and up to four digits
	base = base[:min(len(base), maxUsername-suffix)]
	for n := 1; n < 10_000; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		other, err := users.Lookup(t, usersByUsername, fold(name))
		if err != nil {
			return "", err
		}
		if other == nil {
			return name, nil
		}
	}

	return "", fail(
		Conflict,
		"username_taken",
		"No unused username was found for %q. Ask the operator of this server for an account.",
		base,
	)
}
