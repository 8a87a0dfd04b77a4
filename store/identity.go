package store

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Identity is an account at another service, a provider, that signs a user in here. Issuer and
// subject name it for good; the name of the provider is the operator's and may change.
type Identity struct {
	Issuer, Subject string
	Provider        string // its name in the settings when it was last used
	LinkedAt        time.Time
}

// Vouched is what a provider says of a person whom it has signed in.
type ProviderProfile struct {
	Issuer, Subject, Provider string
	Email                     string
	EmailVerified             bool
	Name, Username            string // what the person is called there; may be empty
}

var usersByIdentity = &index[userRow]{name: "users.by_identity", unique: true, keys: func(r *userRow) [][]byte {
	var keys [][]byte
	for _, i := range r.Identities {
		keys = append(keys, key(i.Issuer, i.Subject))
	}
	return keys
}}

// SignInVouched returns the account of a person for whom a provider vouches: the one that the
// identity is linked to; else the one with the address, which is then linked and told so with the
// mail that notice writes; else a new one, as SIGNUP and the invitation allow. Only an address that
// the provider has verified counts. An account that never verified it loses its password, sessions
// and tokens first: whoever made it has not proven to own the address. Errors: Forbidden
// oauth_email_unverified, signup_closed; Conflict email_taken where the account is linked to
// another person at the same provider; Invalid invitation_invalid.
func (s *Store) SignInWithProvider(v ProviderProfile, by InvitationProof, notice func(User) Mail) (User, error) {
	var row *userRow
	err := s.update(func(t *txn) (err error) {
		if row, err = users.lookup(t, usersByIdentity, string(key(v.Issuer, v.Subject))); err != nil {
			return err
		}
		if row != nil {
			return t.renameProvider(row, v)
		}
		if !v.EmailVerified || v.Email == "" {
			return fail(
				Forbidden,
				"oauth_email_unverified",
				"%s does not say that your email address is verified. Verify it there, then try again.",
				v.Provider,
			)
		}
		if row, err = users.lookup(t, usersByEmail, fold(v.Email)); err != nil {
			return err
		}
		if row == nil {
			row, err = t.addVouched(v, by)
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

// renameProvider notes what the provider of a linked identity is called now.
func (t *txn) renameProvider(row *userRow, v ProviderProfile) error {
	for i := range row.Identities {
		id := &row.Identities[i]
		if id.Issuer == v.Issuer && id.Subject == v.Subject && id.Provider != v.Provider {
			id.Provider = v.Provider
			return users.put(t, row)
		}
	}
	return nil
}

// linkIdentity links an identity to the account with its address.
func (t *txn) linkIdentity(row *userRow, v ProviderProfile) (*userRow, error) {
	if slices.ContainsFunc(row.Identities, func(i Identity) bool { return i.Issuer == v.Issuer }) {
		return nil, fail(
			Conflict,
			"email_taken",
			"The account with this email address belongs to another person at %s.",
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
			r.Identities,
			Identity{Issuer: v.Issuer, Subject: v.Subject, Provider: v.Provider, LinkedAt: t.now},
		)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return row, t.grantWelcome(row)
}

// addVouched makes the account of a person who signs in for the first time. An invitation to the
// address counts without its link.
func (t *txn) addVouched(v ProviderProfile, by InvitationProof) (*userRow, error) {
	if by.UUID == "" && t.s.o.Signup == SignupInvite {
		open, err := invitations.list(t, invitationsByEmail, fold(v.Email))
		if err != nil {
			return nil, err
		}
		for _, row := range open {
			if !row.expired(t.now) {
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
		Identities:    []Identity{{Issuer: v.Issuer, Subject: v.Subject, Provider: v.Provider, LinkedAt: t.now}},
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
	return row, t.grantWelcome(row)
}

// Bounds of a username, and what it may not hold.
const (
	minUsername = 3
	maxUsername = 40
)

var notInUsername = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// freeUsername derives a username that nobody has from the first of the wishes that allows it. Of
// an address only the part before the @ counts.
func (t *txn) freeUsername(wishes ...string) (string, error) {
	base := "user"
	for _, wish := range wishes {
		wish, _, _ = strings.Cut(wish, "@")
		if wish = strings.Trim(notInUsername.ReplaceAllString(wish, "-"), "-."); len(wish) >= minUsername {
			base = wish
			break
		}
	}
	const suffix = 5 // a dash and up to four digits
	base = base[:min(len(base), maxUsername-suffix)]
	for n := 1; n < 10_000; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		other, err := users.lookup(t, usersByUsername, fold(name))
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
		"No username is free for %q; ask the operator of this server for an account.",
		base,
	)
}
