package account

import (
	"time"

	"roughcut/store/fault"
	"roughcut/store/table"
)

// ChangePassword replaces the password whose stored hash is oldHash. It ends all sessions and
// revokes all personal access tokens of the user. Errors: Invalid wrong_password when the stored
// hash is no longer oldHash.
func (r Registry) ChangePassword(userUUID, oldHash, newHash string) error {
	if err := r.CheckHash(userUUID, oldHash); err != nil {
		return err
	}
	return r.SetPassword(userUUID, newHash)
}

// CheckHash refuses an operation that was allowed with a password that has changed since. Errors:
// Invalid wrong_password.
func (r Registry) CheckHash(userUUID, hash string) error {
	row, err := users.Get(r, userUUID)
	if err != nil {
		return err
	}
	if row.Hash != hash {
		return fault.New(fault.Invalid, "wrong_password", "The password has changed. Use the new one.")
	}
	return nil
}

// SetPassword writes a password hash. It ends the sessions, signed addresses and personal access
// tokens that the old password allowed.
func (r Registry) SetPassword(userUUID, hash string) error {
	if _, err := r.changeUser(userUUID, func(row *userRow) error { row.Hash = hash; return nil }); err != nil {
		return err
	}
	if err := accessTokens.DeleteAll(r, accessTokensByUser, userUUID); err != nil {
		return err
	}
	_, err := r.EndSessions(userUUID)
	return err
}

// Free reports whether a user can have an address: that no other account has it.
func (r Registry) Free(email, userUUID string) (bool, error) {
	other, err := users.Lookup(r, usersByEmail, table.Fold(email))
	return other == nil || other.UUID == userUUID, err
}

// EmailChange is the content of the link that confirms a new address.
type EmailChange struct {
	TokenID            string
	Expires            time.Time
	UserUUID           string
	Epoch              int64 // of the user when the link was requested
	OldEmail, NewEmail string
}

// ConfirmEmailChange redeems the token and sets the new address as verified. Errors: Invalid
// invalid_token, also when the password or the address changed after the request; Conflict
// email_taken, which leaves the token unused.
func (r Registry) ConfirmEmailChange(c EmailChange) (User, error) {
	if err := r.UseToken(c.TokenID, c.Expires); err != nil {
		return User{}, err
	}
	row, err := users.Find(r, c.UserUUID)
	if err != nil {
		return User{}, err
	}
	if row == nil || row.Epoch != c.Epoch || table.Fold(row.Email) != table.Fold(c.OldEmail) {
		return User{}, fault.New(
			fault.Invalid,
			"invalid_token",
			"This link is no longer valid because the account has changed. Request a new one.",
		)
	}

	return r.changeUser(c.UserUUID, func(row *userRow) error {
		row.Email, row.EmailVerified = c.NewEmail, true
		return r.checkNames(row)
	})
}
