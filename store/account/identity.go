package account

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"roughcut/store/fault"
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

// Entry says how a person who signed in at a provider came to an account.
type Entry int

// Ways to an account.
const (
	Linked  Entry = iota // the identity was linked to the account before
	Matched              // the account has the same address
	Created              // the account is new
)

// SignIn returns the account of a person who signed in at a provider. That is the account that the
// identity is linked to. Otherwise it is the account with the same address, and the identity is
// linked to it. Otherwise a new account is created, as SIGNUP and the invitation allow.
//
// Only an address that the provider has verified counts. An account whose address was never
// verified loses its password, sessions and tokens first, because its creator has not proved to own
// the address.
//
// Errors: Forbidden oauth_email_unverified, signup_closed; Conflict email_taken for an account that
// is linked to another person at the same provider; Invalid invitation_invalid.
func (r Registry) SignIn(v ProviderProfile, by InvitationProof) (User, Entry, error) {
	row, err := users.Lookup(r, usersByIdentity, string(table.Key(v.Issuer, v.Subject)))
	if err != nil {
		return User{}, 0, err
	}
	if row != nil {
		return row.user(), Linked, r.renameProvider(row, v)
	}
	if !v.EmailVerified || v.Email == "" {
		return User{}, 0, fault.New(
			fault.Forbidden,
			"oauth_email_unverified",
			"%s does not report your email address as verified. Verify it there, then try again.",
			v.Provider,
		)
	}

	if row, err = users.Lookup(r, usersByEmail, table.Fold(v.Email)); err != nil {
		return User{}, 0, err
	}
	if row == nil {
		u, err := r.addFromProvider(v, by)
		return u, Created, err
	}

	u, err := r.linkIdentity(row, v)
	return u, Matched, err
}

// renameProvider stores the current name of the provider of a linked identity.
func (r Registry) renameProvider(row *userRow, v ProviderProfile) error {
	for i := range row.Identities {
		id := &row.Identities[i]
		if id.Issuer == v.Issuer && id.Subject == v.Subject && id.Provider != v.Provider {
			id.Provider = v.Provider
			return users.Put(r, row)
		}
	}

	return nil
}

// linkIdentity links an identity to the account with its address. Errors: Conflict email_taken.
func (r Registry) linkIdentity(row *userRow, v ProviderProfile) (User, error) {
	nobody := func(i Identity) bool { return i.Subject == "" } // earlier versions stored such identities
	other := func(i Identity) bool { return i.Issuer == v.Issuer && !nobody(i) }
	if slices.ContainsFunc(row.Identities, other) {
		return User{}, fault.New(
			fault.Conflict,
			"email_taken",
			"The account with this email address is linked to another account at %s.",
			v.Provider,
		)
	}

	if !row.EmailVerified {
		if err := r.SetPassword(row.UUID, ""); err != nil {
			return User{}, err
		}
	}

	return r.changeUser(row.UUID, func(row *userRow) error {
		row.EmailVerified = true
		row.Identities = append(
			slices.DeleteFunc(slices.Clone(row.Identities), nobody),
			Identity{Issuer: v.Issuer, Subject: v.Subject, Provider: v.Provider, LinkedAt: r.Now},
		)
		return nil
	})
}

// addFromProvider creates the account of a person who signs in for the first time. An invitation to
// the verified address counts even without its link.
func (r Registry) addFromProvider(v ProviderProfile, by InvitationProof) (User, error) {
	if by.UUID == "" && r.Signup == SignupInvite {
		open, err := invitations.List(r, invitationsByEmail, table.Fold(v.Email))
		if err != nil {
			return User{}, err
		}
		for _, row := range open {
			if !row.expired(r.Now) {
				by.UUID = row.UUID
			}
		}
	}

	invitation, err := r.Admission(v.Email, by)
	if err != nil {
		return User{}, err
	}
	username, err := r.freeUsername(v.Username, v.Email)
	if err != nil {
		return User{}, err
	}
	name := []rune(v.Name)
	u := User{
		Name:          string(name[:min(len(name), maxName)]),
		Username:      username,
		Email:         v.Email,
		EmailVerified: true,
		Identities:    []Identity{{Issuer: v.Issuer, Subject: v.Subject, Provider: v.Provider, LinkedAt: r.Now}},
	}
	u.Name = cmp.Or(u.Name, username)
	if u, err = r.Add(u); err != nil {
		return User{}, err
	}
	return u, r.useInvitation(invitation)
}

// Limits on the length of names.
const (
	maxName     = 100 // of a person
	minUsername = 3
	maxUsername = 40
)

var notInUsername = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// freeUsername derives an unused username from the first wish that is usable. Only the part of an
// address before the @ counts.
func (r Registry) freeUsername(wishes ...string) (string, error) {
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
		other, err := users.Lookup(r, usersByUsername, table.Fold(name))
		if err != nil {
			return "", err
		}
		if other == nil {
			return name, nil
		}
	}

	return "", fault.New(
		fault.Conflict,
		"username_taken",
		"No unused username was found for %q. Ask the operator of this server for an account.",
		base,
	)
}
