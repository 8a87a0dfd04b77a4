// Package account has the users of a server: their sessions, passwords, tokens and identities at
// providers, invitations, and the limits on failed sign-ins and requests. [Registry] is the entry.
package account

import (
	"slices"
	"strings"
	"time"

	"roughcut/store/fault"
	"roughcut/store/table"
)

// Registry is the data of accounts in one transaction.
type Registry struct {
	*table.Tx
	Signup SignupMode
}

// Tables returns the tables of this package.
func Tables() []table.Any {
	return []table.Any{users, sessions, accessTokens, lockouts, windows, tokens, invitations, oauthFlows}
}

// User is an account. Emails and usernames are unique without regard to case.
type User struct {
	UUID, Name, Username, Email string
	PasswordHash                string `json:"-"` // argon2id; empty without a password; never sent to clients
	EmailVerified, IsAdmin      bool
	DirectorOff                 bool       `json:",omitempty"` // analyses do not search for assets
	StorageUsedBytes            int64      // sizes of confirmed uploads
	GeneratedBytes              int64      // sizes of derived files and exports
	Epoch                       int64      // grows when all sessions and signed addresses of the user end
	Identities                  []Identity `json:",omitempty"` // at most one for each issuer
	CreatedAt, UpdatedAt        time.Time
}

// userRow is the stored form of a User. It adds the password hash, which User excludes from JSON.
type userRow struct {
	User
	Hash string
}

func (r *userRow) user() User {
	u := r.User
	u.PasswordHash = r.Hash
	return u
}

var (
	usersByEmail = &table.Index[userRow]{
		Name:   "users.by_email",
		Unique: true,
		Keys:   func(r *userRow) [][]byte { return table.Entry(table.Fold(r.Email)) },
	}
	usersByUsername = &table.Index[userRow]{
		Name:   "users.by_username",
		Unique: true,
		Keys:   func(r *userRow) [][]byte { return table.Entry(table.Fold(r.Username)) },
	}
	users = &table.Table[userRow]{
		Name:       "users",
		Noun:       "user",
		Key:        func(r *userRow) []byte { return []byte(r.UUID) },
		CachedRows: 256,
		Clone: func(r userRow) userRow {
			r.Identities = slices.Clone(r.Identities)
			return r
		},
		Indexes: []*table.Index[userRow]{usersByEmail, usersByUsername, usersByIdentity},
	}
)

// Add creates an account and sets its UUID and times. The first account of a data directory becomes
// an admin. Errors: Conflict email_taken, username_taken.
func (r Registry) Add(u User) (User, error) {
	row := &userRow{User: u, Hash: u.PasswordHash}
	row.UUID, row.CreatedAt, row.UpdatedAt = r.NewID(), r.Now, r.Now
	row.StorageUsedBytes, row.GeneratedBytes, row.Epoch = 0, 0, 0
	// NextSeq counts all accounts ever created: a person who signs up after all others have left is
	// not the operator.
	count, err := users.NextSeq(r)
	if err != nil {
		return User{}, err
	}
	if count == 1 && users.Len(r) == 0 {
		row.IsAdmin = true
	}
	if err := r.checkNames(row); err != nil {
		return User{}, err
	}
	return row.user(), users.Put(r, row)
}

// checkNames refuses an email or username that belongs to another account. Errors: Conflict
// email_taken, username_taken.
func (r Registry) checkNames(row *userRow) error {
	other, err := users.Lookup(r, usersByEmail, table.Fold(row.Email))
	if err != nil {
		return err
	}
	if other != nil && other.UUID != row.UUID {
		return fault.New(
			fault.Conflict,
			"email_taken",
			"An account with this email address already exists. Sign in, or reset the password.",
		)
	}

	other, err = users.Lookup(r, usersByUsername, table.Fold(row.Username))
	if err != nil {
		return err
	}
	if other != nil && other.UUID != row.UUID {
		return fault.New(fault.Conflict, "username_taken", "This username is taken. Choose another one.")
	}
	return nil
}

// User returns the account with an id. Errors: NotFound.
func (r Registry) User(uuid string) (User, error) {
	row, err := users.Get(r, uuid)
	if err != nil {
		return User{}, err
	}
	return row.user(), nil
}

// Known reports whether an account exists.
func (r Registry) Known(uuid string) (bool, error) {
	row, err := users.Find(r, uuid)
	return row != nil, err
}

// UserByEmail returns the account with an address, ignoring case. Errors: NotFound.
func (r Registry) UserByEmail(email string) (User, error) {
	row, err := users.Lookup(r, usersByEmail, table.Fold(email))
	if err != nil {
		return User{}, err
	}
	if row == nil {
		return User{}, fault.Missing(users.Noun)
	}
	return row.user(), nil
}

// EachUser calls fn with each account.
func (r Registry) EachUser(fn func(User) error) error {
	return users.Each(r, func(row *userRow) error { return fn(row.user()) })
}

// Len returns the number of accounts.
func (r Registry) Len() int { return users.Len(r) }

// UserFilter selects accounts. The zero value selects all.
type UserFilter struct {
	Query         string // text in the name, username or address, without regard to case
	EmailVerified *bool
}

// Users returns the accounts that a filter selects, newest first.
func (r Registry) Users(filter UserFilter) ([]User, error) {
	var list []User
	err := r.EachUser(func(u User) error {
		if filter.selects(u) {
			list = append(list, u)
		}
		return nil
	})
	slices.SortFunc(list, func(a, b User) int {
		if order := b.CreatedAt.Compare(a.CreatedAt); order != 0 {
			return order
		}
		return strings.Compare(a.UUID, b.UUID)
	})
	return list, err
}

func (f UserFilter) selects(u User) bool {
	if f.EmailVerified != nil && *f.EmailVerified != u.EmailVerified {
		return false
	}
	folded := table.Fold(f.Query)
	return slices.ContainsFunc([]string{u.Email, u.Username, u.Name}, func(name string) bool {
		return strings.Contains(table.Fold(name), folded)
	})
}

// changeUser reads an account, calls fn to change it, and writes it.
func (r Registry) changeUser(uuid string, fn func(*userRow) error) (User, error) {
	row, err := users.Get(r, uuid)
	if err != nil {
		return User{}, err
	}
	if err := fn(row); err != nil {
		return User{}, err
	}
	row.UpdatedAt = r.Now
	return row.user(), users.Put(r, row)
}

// AddStorage adds bytes, which may be negative, to the storage of a user: of confirmed uploads, and
// of generated files. It ignores a deleted account.
func (r Registry) AddStorage(userUUID string, uploaded, generated int64) error {
	if uploaded == 0 && generated == 0 {
		return nil
	}
	if known, err := r.Known(userUUID); err != nil || !known {
		return err
	}
	_, err := r.changeUser(userUUID, func(row *userRow) error {
		row.StorageUsedBytes += uploaded
		row.GeneratedBytes += generated
		return nil
	})
	return err
}

// UpdateProfile changes the name and the username of an account. Errors: NotFound; Conflict
// username_taken.
func (r Registry) UpdateProfile(uuid, name, username string) (User, error) {
	return r.changeUser(uuid, func(row *userRow) error {
		row.Name, row.Username = name, username
		return r.checkNames(row)
	})
}

// SetDirector switches the AI Director of an account on or off. Errors: NotFound.
func (r Registry) SetDirector(uuid string, on bool) (User, error) {
	return r.changeUser(uuid, func(row *userRow) error { row.DirectorOff = !on; return nil })
}

// SetAdmin makes an account an admin, or no longer one. Errors: NotFound; Conflict last_admin.
func (r Registry) SetAdmin(uuid string, admin bool) error {
	if !admin {
		if err := r.KeepAdmin(uuid); err != nil {
			return err
		}
	}

	_, err := r.changeUser(uuid, func(row *userRow) error { row.IsAdmin = admin; return nil })
	return err
}

// KeepAdmin refuses to remove the last admin. Errors: NotFound; Conflict last_admin.
func (r Registry) KeepAdmin(userUUID string) error {
	row, err := users.Get(r, userUUID)
	if err != nil || !row.IsAdmin {
		return err
	}
	others := false
	err = users.Each(r, func(other *userRow) error {
		others = others || (other.IsAdmin && other.UUID != userUUID)
		return nil
	})
	if err == nil && !others {
		return fault.New(
			fault.Conflict,
			"last_admin",
			"This account is the only admin. Make another account an admin first.",
		)
	}

	return err
}

// AccessUser allows admins to access accounts. Errors: Forbidden, NotFound.
func (r Registry) AccessUser(adminUUID, uuid string) error {
	admin, err := users.Get(r, adminUUID)
	if err != nil {
		return err
	}
	if !admin.IsAdmin {
		return fault.New(fault.Forbidden, "forbidden", "Only admins can do this.")
	}
	_, err = users.Get(r, uuid)
	return err
}

// VerifyEmail marks the address of an account as verified. Fresh says that it was not verified
// before. Errors: NotFound.
func (r Registry) VerifyEmail(userUUID string) (u User, fresh bool, err error) {
	u, err = r.changeUser(userUUID, func(row *userRow) error {
		fresh, row.EmailVerified = !row.EmailVerified, true
		return nil
	})
	return u, fresh, err
}

// Delete deletes an account with its sessions and access tokens, and the invitations that the user
// created.
func (r Registry) Delete(userUUID string) error {
	if err := sessions.DeleteAll(r, sessionsByUser, userUUID); err != nil {
		return err
	}
	if err := accessTokens.DeleteAll(r, accessTokensByUser, userUUID); err != nil {
		return err
	}
	if err := invitations.DeleteAll(r, invitationsByUser, userUUID); err != nil {
		return err
	}
	return users.Delete(r, userUUID)
}

// EachOwner calls fn with each row of a user: its kind in words, its id, and the user.
func (r Registry) EachOwner(fn func(kind, id, userUUID string) error) error {
	if err := sessions.Each(r, func(row *Session) error { return fn("session", row.Hash, row.UserUUID) }); err != nil {
		return err
	}
	err := accessTokens.Each(r, func(row *accessTokenRow) error { return fn("token", row.UUID, row.UserUUID) })
	if err != nil {
		return err
	}
	return invitations.Each(r, func(row *Invitation) error { return fn("invitation", row.UUID, row.InvitedBy) })
}
