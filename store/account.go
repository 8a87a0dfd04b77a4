package store

import (
	"fmt"
	"time"

	"roughcut/store/account"
)

// registry returns the accounts of a transaction.
func (t *txn) registry() account.Registry {
	return account.Registry{Tx: &t.Tx, Signup: t.s.o.Signup}
}

// addUser creates an account with its billing account.
func (t *txn) addUser(u account.User) (account.User, error) {
	u, err := t.registry().Add(u)
	if err != nil {
		return u, err
	}
	return u, t.books().Open(u.UUID)
}

// CreateUser creates an account and queues mails in the same transaction. It sets UUID and times.
// The first account becomes an admin. Errors: Conflict email_taken, username_taken.
func (s *Store) CreateUser(u account.User, mails ...Mail) (account.User, error) {
	return updated(s, func(t *txn) (account.User, error) {
		u, err := t.addUser(u)
		if err != nil {
			return u, err
		}
		return u, t.queueMails(mails)
	})
}

// AddAccount creates an account with a verified address and its first credits. Operators use it.
// The first account of a data directory always becomes an admin. Errors: Conflict email_taken,
// username_taken.
func (s *Store) AddAccount(u account.User) (account.User, error) {
	u.EmailVerified = true
	return updated(s, func(t *txn) (account.User, error) {
		u, err := t.addUser(u)
		if err != nil {
			return u, err
		}
		return u, t.welcome(u)
	})
}

// User returns the account with an id. Errors: NotFound.
func (s *Store) User(uuid string) (account.User, error) {
	return viewed(s, func(t *txn) (account.User, error) { return t.registry().User(uuid) })
}

// UserByEmail returns the account with an address, ignoring case. Errors: NotFound.
func (s *Store) UserByEmail(email string) (account.User, error) {
	return viewed(s, func(t *txn) (account.User, error) { return t.registry().UserByEmail(email) })
}

// UpdateProfile changes the name and the username of an account. Errors: Conflict username_taken.
func (s *Store) UpdateProfile(uuid, name, username string) (account.User, error) {
	return updated(s, func(t *txn) (account.User, error) { return t.registry().UpdateProfile(uuid, name, username) })
}

// SetDirector switches the AI Director of an account on or off. It holds for analyses without a
// choice of their own.
func (s *Store) SetDirector(uuid string, on bool) (account.User, error) {
	return updated(s, func(t *txn) (account.User, error) { return t.registry().SetDirector(uuid, on) })
}

// Owner returns the local account of owner mode. The first call creates it from newOwner.
func (s *Store) Owner(newOwner func() account.User) (account.User, error) {
	find := func(t *txn) (u account.User, err error) {
		if id := t.Bucket([]byte(bucketMeta)).Get([]byte(metaOwner)); id != nil {
			u, err = t.registry().User(string(id))
		}
		return u, err
	}
	u, err := viewed(s, find)
	if err != nil || u.UUID != "" {
		return u, err
	}
	return updated(s, func(t *txn) (account.User, error) {
		u, err := find(t)
		if err != nil || u.UUID != "" {
			return u, err
		}
		if u, err = t.addUser(newOwner()); err != nil {
			return u, err
		}
		return u, t.Bucket([]byte(bucketMeta)).Put([]byte(metaOwner), []byte(u.UUID))
	})
}

// Signup returns who may create an account, and whether it would be the first one.
func (s *Store) Signup() (mode account.SignupMode, first bool, err error) {
	first, err = viewed(s, func(t *txn) (bool, error) { return t.registry().First(), nil })
	return s.o.Signup, first, err
}

// HasPasswords reports whether some account has a password.
func (s *Store) HasPasswords() (bool, error) {
	return viewed(s, func(t *txn) (bool, error) { return t.registry().HasPasswords() })
}

// CheckSignUp refuses an address that no account can be created for. Errors: Forbidden
// signup_closed; Invalid invitation_invalid.
func (s *Store) CheckSignUp(email string, by account.InvitationProof) error {
	return s.view(func(t *txn) error {
		_, err := t.registry().Admission(email, by)
		return err
	})
}

// SignUp creates an account as SIGNUP allows and uses up the invitation. It queues the mail
// confirm, or the mail welcome when the invitation names the address. Errors: see CheckSignUp and
// CreateUser.
func (s *Store) SignUp(u account.User, by account.InvitationProof, confirm, welcome Mail) (account.User, error) {
	return updated(s, func(t *txn) (account.User, error) {
		u, err := t.registry().SignUp(u, by)
		if err == nil {
			err = t.books().Open(u.UUID)
		}
		if err != nil {
			return u, err
		}

		if !u.EmailVerified {
			return u, t.queueMails([]Mail{confirm})
		}
		if err := t.welcome(u); err != nil {
			return u, err
		}
		return u, t.queueMails([]Mail{welcome})
	})
}

// SignInWithProvider returns the account of a person who signed in at a provider, see
// [account.Registry.SignIn]. It queues the mail that notice writes when the identity is linked to
// an account with the same address. Errors: see [account.Registry.SignIn].
func (s *Store) SignInWithProvider(
	v account.ProviderProfile, by account.InvitationProof, notice func(account.User) Mail,
) (account.User, error) {
	if v.Issuer == "" || v.Subject == "" {
		return account.User{}, fmt.Errorf("sign in at %s: the identity has no issuer or no subject", v.Provider)
	}

	v.Name = oneLine(v.Name)
	return updated(s, func(t *txn) (account.User, error) {
		u, how, err := t.registry().SignIn(v, by)
		if err != nil || how == account.Linked {
			return u, err
		}
		if how == account.Created {
			if err := t.books().Open(u.UUID); err != nil {
				return u, err
			}
			return u, t.welcome(u)
		}

		if err := t.welcome(u); err != nil {
			return u, err
		}
		return u, t.queueMails([]Mail{notice(u)})
	})
}

// VerifyEmail redeems a verification token and marks the address as verified. If the address was
// not verified before, it grants the first credits and queues mails. Errors: Invalid invalid_token.
func (s *Store) VerifyEmail(tokenID, userUUID string, expires time.Time, mails ...Mail) error {
	return s.update(func(t *txn) error {
		if err := t.registry().UseToken(tokenID, expires); err != nil {
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
	u, fresh, err := t.registry().VerifyEmail(userUUID)
	if err != nil || !fresh {
		return false, err
	}
	return true, t.welcome(u)
}

// ChangePassword replaces a password, see [account.Registry.ChangePassword], and queues mails.
// Errors: Invalid wrong_password.
func (s *Store) ChangePassword(userUUID, oldHash, newHash string, mails ...Mail) error {
	return s.update(func(t *txn) error {
		if err := t.registry().ChangePassword(userUUID, oldHash, newHash); err != nil {
			return err
		}
		return t.queueMails(mails)
	})
}

// ResetPassword redeems a reset token, sets the password and queues mails. It ends all sessions and
// revokes all personal access tokens of the user. Errors: Invalid invalid_token.
func (s *Store) ResetPassword(tokenID string, expires time.Time, userUUID, newHash string, mails ...Mail) error {
	return s.update(func(t *txn) error {
		if err := t.registry().UseToken(tokenID, expires); err != nil {
			return err
		}
		if err := t.registry().SetPassword(userUUID, newHash); err != nil {
			return err
		}
		return t.queueMails(mails)
	})
}

// QueueEmailChange queues a notice to the current address and the mail with the link. It does not
// queue the link when another account has the new address, and does not tell the caller.
func (s *Store) QueueEmailChange(userUUID string, notice, link Mail) error {
	return s.update(func(t *txn) error {
		free, err := t.registry().Free(link.To, userUUID)
		if err != nil {
			return err
		}
		list := []Mail{notice}
		if free {
			list = append(list, link)
		}
		return t.queueMails(list)
	})
}

// ConfirmEmailChange redeems the token, sets the new address as verified and queues mails. Errors:
// see [account.Registry.ConfirmEmailChange].
func (s *Store) ConfirmEmailChange(c account.EmailChange, mails ...Mail) error {
	return s.update(func(t *txn) error {
		u, err := t.registry().ConfirmEmailChange(c)
		if err != nil {
			return err
		}
		if err := t.queueMails(mails); err != nil {
			return err
		}
		return t.welcome(u)
	})
}
