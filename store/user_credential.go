package store

import "time"

// ChangePassword sets a new password where oldHash still is the stored hash, ends every session and
// revokes every personal access token of the user. Errors: Invalid wrong_password when the password
// was changed meanwhile.
func (s *Store) ChangePassword(userUUID, oldHash, newHash string) error {
	return s.update(func(t *txn) error {
		if err := t.checkHash(userUUID, oldHash); err != nil {
			return err
		}
		return t.setPassword(userUUID, newHash)
	})
}

// checkHash refuses what was allowed on the ground of a password that is no longer the user's.
func (t *txn) checkHash(userUUID, hash string) error {
	row, err := users.Get(t, userUUID)
	if err != nil {
		return err
	}
	if row.Hash != hash {
		return fail(Invalid, "wrong_password", "The password was changed meanwhile; use the new one.")
	}
	return nil
}

// setPassword writes a password hash and ends all that the old password stood for: sessions, signed
// addresses and personal access tokens.
func (t *txn) setPassword(userUUID, hash string) error {
	if _, err := t.changeUser(userUUID, func(r *userRow) error { r.Hash = hash; return nil }); err != nil {
		return err
	}
	if err := deleteRows(t, accessTokens, accessTokensByUser, userUUID); err != nil {
		return err
	}
	_, err := t.endSessions(userUUID)
	return err
}

// QueueEmailChange queues a notice to the present address, and the mail with the link unless
// another account has its address. That it has is not told.
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

// EmailChange is what the link in the mail to a new address stands for.
type EmailChange struct {
	TokenID            string
	Expires            time.Time
	UserUUID           string
	Epoch              int64 // of the user when the link was asked for
	OldEmail, NewEmail string
}

// ConfirmEmailChange uses the token up and gives the user the new address, which counts as
// verified. Errors: Invalid invalid_token, also when password or address have changed since;
// Conflict email_taken, which leaves the token unused.
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
				"This link is void, since the account has changed after it was asked for; ask for a new one.",
			)
		}
		row, err = t.changeUser(c.UserUUID, func(r *userRow) error {
			r.Email, r.EmailVerified = c.NewEmail, true
			return t.checkNames(r)
		})
		if err != nil {
			return err
		}
		return t.grantWelcome(row)
	})
}
