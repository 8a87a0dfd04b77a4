package store

import (
	"strings"
	"time"

	"roughcut/store/table"
)

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
		Keys:   func(r *userRow) [][]byte { return table.Entry(fold(r.Email)) },
	}
	usersByUsername = &table.Index[userRow]{
		Name:   "users.by_username",
		Unique: true,
		Keys:   func(r *userRow) [][]byte { return table.Entry(fold(r.Username)) },
	}
	users = &table.Table[userRow]{
		Name:       "users",
		Noun:       "user",
		Key:        func(r *userRow) []byte { return []byte(r.UUID) },
		CachedRows: 256,
		Indexes:    []*table.Index[userRow]{usersByEmail, usersByUsername, usersByIdentity},
	}
)

// fold returns the form of a name in which names that differ only in case are equal.
func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// CreateUser creates an account and queues mails in the same transaction. It sets UUID and times.
// The first account becomes an admin. Errors: Conflict email_taken, username_taken.
func (s *Store) CreateUser(u User, mails ...Mail) (User, error) {
	var row *userRow
	err := s.update(func(t *txn) (err error) {
		if row, err = t.addUser(u); err != nil {
			return err
		}
		return t.queueMails(mails)
	})
	if err != nil {
		return User{}, err
	}
	return row.user(), nil
}

// AddAccount creates an account with a verified address and its first credits. Operators use it.
// The first account of a data directory always becomes an admin. Errors: Conflict email_taken,
// username_taken.
func (s *Store) AddAccount(u User) (User, error) {
	var row *userRow
	err := s.update(func(t *txn) (err error) {
		u.EmailVerified = true
		if row, err = t.addUser(u); err != nil {
			return err
		}
		return t.welcome(row)
	})
	if err != nil {
		return User{}, err
	}
	return row.user(), nil
}

func (t *txn) addUser(u User) (*userRow, error) {
	row := &userRow{User: u, Hash: u.PasswordHash}
	row.UUID, row.CreatedAt, row.UpdatedAt = t.NewID(), t.Now, t.Now
	row.StorageUsedBytes, row.GeneratedBytes, row.Epoch = 0, 0, 0
	// NextSeq counts all accounts ever created: a person who signs up after all others have left is
	// not the operator.
	count, err := users.NextSeq(t)
	if err != nil {
		return nil, err
	}
	if count == 1 && users.Len(t) == 0 {
		row.IsAdmin = true
	}
	if err := t.checkNames(row); err != nil {
		return nil, err
	}
	if err := users.Put(t, row); err != nil {
		return nil, err
	}
	return row, t.books().Open(row.UUID)
}

// checkNames refuses an email or username that belongs to another account. Errors: Conflict
// email_taken, username_taken.
func (t *txn) checkNames(row *userRow) error {
	other, err := users.Lookup(t, usersByEmail, fold(row.Email))
	if err != nil {
		return err
	}
	if other != nil && other.UUID != row.UUID {
		return fail(
			Conflict,
			"email_taken",
			"An account with this email address already exists. Sign in, or reset the password.",
		)
	}

	other, err = users.Lookup(t, usersByUsername, fold(row.Username))
	if err != nil {
		return err
	}
	if other != nil && other.UUID != row.UUID {
		return fail(Conflict, "username_taken", "This username is taken. Choose another one.")
	}
	return nil
}

// User returns the account with an id. Errors: NotFound.
func (s *Store) User(uuid string) (User, error) {
	var u User
	err := s.view(func(t *txn) error {
		row, err := users.Get(t, uuid)
		if err == nil {
			u = row.user()
		}
		return err
	})
	return u, err
}

// UserByEmail returns the account with an address, ignoring case. Errors: NotFound.
func (s *Store) UserByEmail(email string) (User, error) {
	var u User
	err := s.view(func(t *txn) error {
		row, err := t.userByEmail(email)
		if err == nil {
			u = row.user()
		}
		return err
	})
	return u, err
}

// changeUser reads an account, calls fn to change it, and writes it.
func (t *txn) changeUser(uuid string, fn func(*userRow) error) (*userRow, error) {
	row, err := users.Get(t, uuid)
	if err != nil {
		return nil, err
	}
	if err := fn(row); err != nil {
		return nil, err
	}
	row.UpdatedAt = t.Now
	return row, users.Put(t, row)
}

// storageChange is what a transaction adds to the storage of a user, in bytes. It may be negative.
type storageChange struct{ counted, generated int64 }

// addStorage changes the storage of a user.
func (t *txn) addStorage(userUUID string, change storageChange) error {
	if change == (storageChange{}) {
		return nil
	}
	if user, err := users.Find(t, userUUID); err != nil || user == nil { // the account is deleted
		return err
	}
	_, err := t.changeUser(userUUID, func(r *userRow) error {
		r.StorageUsedBytes += change.counted
		r.GeneratedBytes += change.generated
		return nil
	})
	return err
}

// UpdateProfile changes the name and the username of an account. Errors: Conflict username_taken.
func (s *Store) UpdateProfile(uuid, name, username string) (User, error) {
	var row *userRow
	err := s.update(func(t *txn) (err error) {
		row, err = t.changeUser(uuid, func(r *userRow) error {
			r.Name, r.Username = name, username
			return t.checkNames(r)
		})
		return err
	})
	if err != nil {
		return User{}, err
	}
	return row.user(), nil
}

// SetDirector switches the AI Director of an account on or off. It holds for analyses without a
// choice of their own.
func (s *Store) SetDirector(uuid string, on bool) (User, error) {
	var row *userRow
	err := s.update(func(t *txn) (err error) {
		row, err = t.changeUser(uuid, func(r *userRow) error {
			r.DirectorOff = !on
			return nil
		})
		return err
	})
	if err != nil {
		return User{}, err
	}
	return row.user(), nil
}

// VerifyEmail redeems a verification token and marks the address as verified. If the address was
// not verified before, it grants the first credits and queues mails. Errors: Invalid invalid_token.
func (s *Store) VerifyEmail(tokenID, userUUID string, expires time.Time, mails ...Mail) error {
	return s.update(func(t *txn) error {
		if err := t.useToken(tokenID, expires); err != nil {
			return err
		}
		fresh, err := t.verifyEmail(userUUID)
		if err != nil || !fresh {
			return err
		}
		return t.queueMails(mails)
	})
}

// verifyEmail marks the address of an account as verified. If it was not verified before,
// verifyEmail grants the first credits, and fresh is true. Errors: NotFound.
func (t *txn) verifyEmail(userUUID string) (fresh bool, err error) {
	row, err := t.changeUser(userUUID, func(r *userRow) error {
		fresh, r.EmailVerified = !r.EmailVerified, true
		return nil
	})
	if err != nil || !fresh {
		return false, err
	}
	return true, t.welcome(row)
}

// ResetPassword redeems a reset token and sets the password. It ends all sessions and revokes all
// personal access tokens of the user. Errors: Invalid invalid_token.
func (s *Store) ResetPassword(tokenID string, expires time.Time, userUUID, newHash string) error {
	return s.update(func(t *txn) error {
		if err := t.useToken(tokenID, expires); err != nil {
			return err
		}
		return t.setPassword(userUUID, newHash)
	})
}

// Owner returns the local account of owner mode. The first call creates it from newOwner.
func (s *Store) Owner(newOwner func() User) (User, error) {
	var row *userRow
	find := func(t *txn) (err error) {
		if id := t.Bucket([]byte(bucketMeta)).Get([]byte(metaOwner)); id != nil {
			row, err = users.Get(t, string(id))
		}
		return err
	}
	err := s.view(find)
	if err == nil && row == nil {
		err = s.update(func(t *txn) (err error) {
			if err := find(t); err != nil || row != nil {
				return err
			}
			if row, err = t.addUser(newOwner()); err != nil {
				return err
			}
			return t.Bucket([]byte(bucketMeta)).Put([]byte(metaOwner), []byte(row.UUID))
		})
	}

	if err != nil {
		return User{}, err
	}
	return row.user(), nil
}

// userByEmail returns the account with an address, ignoring case. Errors: NotFound.
func (t *txn) userByEmail(email string) (*userRow, error) {
	row, err := users.Lookup(t, usersByEmail, fold(email))
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, notFound(users.Noun)
	}
	return row, nil
}
