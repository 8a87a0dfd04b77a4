package store

// SignupMode says who may make an account.
type SignupMode string

// The values of SIGNUP. Whatever it says, the first account of a data directory can be made.
const (
	SignupOpen   SignupMode = "open"   // everybody
	SignupInvite SignupMode = "invite" // whoever an admin has invited
	SignupClosed SignupMode = "closed" // nobody
)

// Invited is what somebody shows who was invited. The zero value is nobody's invitation.
type InvitationProof struct {
	UUID string // of the invitation
	// the address to which the link was mailed, which it so proves; empty for a link that was
	// handed over otherwise
	MailedTo string
}

// Signup returns who may make an account now, and whether that would be the first one.
func (s *Store) Signup() (mode SignupMode, first bool, err error) {
	mode = s.o.Signup
	err = s.view(func(t *txn) error {
		if first = t.noUserYet(); first {
			mode = SignupOpen
		}
		return nil
	})
	return mode, first, err
}

// MaySignUp says whether an account with an address could be made. Errors: Forbidden signup_closed;
// Invalid invitation_invalid.
func (s *Store) CheckSignUp(email string, by InvitationProof) error {
	return s.view(func(t *txn) error {
		_, err := t.admission(email, by)
		return err
	})
}

// SignUp makes an account as SIGNUP allows and uses the invitation up. It queues confirm, or
// welcome where the invitation has proven the address. Errors: as MaySignUp and CreateUser.
func (s *Store) SignUp(u User, by InvitationProof, confirm, welcome Mail) (User, error) {
	var row *userRow
	err := s.update(func(t *txn) error {
		invitation, err := t.admission(u.Email, by)
		if err != nil {
			return err
		}
		u.EmailVerified = invitation != nil && fold(by.MailedTo) == fold(u.Email)
		if row, err = t.addUser(u); err != nil {
			return err
		}
		if err := t.useInvitation(invitation); err != nil {
			return err
		}
		if !u.EmailVerified {
			return t.queueMails([]Mail{confirm})
		}
		if err := t.grantWelcome(row); err != nil {
			return err
		}
		return t.queueMails([]Mail{welcome})
	})
	if err != nil {
		return User{}, err
	}
	return row.user(), nil
}

// admission returns the invitation by which an account with an address may be made, or nil where
// none is needed.
func (t *txn) admission(email string, by InvitationProof) (*Invitation, error) {
	mode := t.s.o.Signup
	switch {
	case t.noUserYet():
		return nil, nil
	case mode == SignupClosed:
		return nil, fail(
			Forbidden,
			"signup_closed",
			"Nobody can make an account on this server; ask its operator for one.",
		)
	case by.UUID == "" && mode == SignupInvite:
		return nil, fail(
			Forbidden,
			"signup_closed",
			"This server takes new accounts by invitation only; ask its operator for one.",
		)
	case by.UUID == "":
		return nil, nil
	}
	row, err := t.openInvitation(by.UUID)
	if err == nil && row.Email != "" && fold(row.Email) != fold(email) {
		err = fail(
			Invalid,
			"invitation_invalid",
			"This invitation is for another email address; use the one that it was sent to.",
		)
	}
	return row, err
}

// useInvitation deletes an invitation, if there is one.
func (t *txn) useInvitation(row *Invitation) error {
	if row == nil {
		return nil
	}
	return invitations.delete(t, row.UUID)
}

// noUserYet says whether no account was ever made in this data directory.
func (t *txn) noUserYet() bool { return t.Bucket([]byte(users.name)).Sequence() == 0 }
