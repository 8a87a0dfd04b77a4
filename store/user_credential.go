package store

import "time"

// ChangePassword replaces the password whose stored hash is oldHash. It ends all sessions and
// revokes all personal access tokens of the user. Errors: Invalid wrong_password when the stored
// hash is no longer oldHash.
func (s *Store) ChangePassword(userUUID, oldHash, newHash string) error {
	return s.update(func(t *txn) error {
		if err := t.checkHash(userUUID, oldHash); err != nil {
			return err
		}
		return t.setPassword(userUUID, newHash)
	})
}

// checkHash refuses an operation that was allowed with a password that has changed since. Errors:
// Invalid wrong_password.
func (t *txn) checkHash(userUUID, hash string) error {
	row, err := users.Get(t, userUUID)
	if err != nil {
		return err
	}
	if row.Hash != hash {
		return fail(Invalid, "wrong_password", "The password has changed. Use the new one.")
	}
	return nil
}

// setPassword writes a password hash. It ends the sessions, signed addresses and personal access
// tokens that the old password allowed.
func (t *txn) setPassword(userUUID, hash string) error {
	if _, err := t.changeUser(userUUID, func(r *userRow) error { r.Hash = hash; return nil }); err != nil {
		return err
	}
	if err := accessTokens.DeleteAll(t, accessTokensByUser, userUUID); err != nil {
		return err
	}
	_, err := t.endSessions(userUUID)
	return err
}

// QueueEmailChange queues a notice to the current address and the mail with the link. It does not
// queue the link when another account has the new address, and does not tell the caller.
func (s *Store) QueueEmailChange(userUUID string, notice, link Mail) error {
	return s.update(func(t *txn) error {
		other, err := users.Lookup(t, usersByEmail, fold(link.To))
		if err != nil {
			return err
		}
		list := []Mail{notice}
		if other == nil || other.UUID == userUUID {
			list = append(list, link)
		}
		return t.queueMails(list)
	})
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
func (s *Store) ConfirmEmailChange(c EmailChange) error {
	return s.update(func(t *txn) error {
		if err := t.useToken(c.TokenID, c.Expires); err != nil {
			return err
		}
		row, err := users.Find(t, c.UserUUID)
		if err != nil {
			return err
		}
		if row == nil || row.Epoch != c.Epoch || fold(row.Email) != fold(c.OldEmail) {
			return fail(
				Invalid,
				"invalid_token",
				"This link is no longer valid because the account has changed. Request a new one.",
			)
		}

		row, err = t.changeUser(c.UserUUID, func(r *userRow) error {
			r.Email, r.EmailVerified = c.NewEmail, true
			return t.checkNames(r)
		})
		if err != nil {
			return err
		}
		return t.welcome(row)
	})
}
