package store

// SignupMode says who may create an account.
type SignupMode string

// Values of SIGNUP. The link of the operator's terminal creates the first account in every mode.
const (
	SignupOpen   SignupMode = "open"   // everyone
	SignupInvite SignupMode = "invite" // people with an invitation
	SignupClosed SignupMode = "closed" // no one
)

// InvitationProof shows that a person was invited. The zero value shows no invitation.
type InvitationProof struct {
	UUID string // of the invitation
	// Operator marks the link of the operator's terminal, which verifies the first account.
	Operator bool
}

// Signup returns who may create an account, and whether it would be the first one.
func (s *Store) Signup() (mode SignupMode, first bool, err error) {
	err = s.view(func(t *txn) error {
		first = t.noUserYet()
		return nil
	})
	return s.o.Signup, first, err
}

// CheckSignUp refuses an address that no account can be created for. Errors: Forbidden
// signup_closed; Invalid invitation_invalid.
func (s *Store) CheckSignUp(email string, by InvitationProof) error {
	return s.view(func(t *txn) error {
		_, err := t.admission(email, by)
		return err
	})
}

// SignUp creates an account as SIGNUP allows and uses up the invitation. It queues the mail
// confirm, or the mail welcome when the invitation names the address. Errors: those of CheckSignUp
// and CreateUser.
func (s *Store) SignUp(u User, by InvitationProof, confirm, welcome Mail) (User, error) {
	var row *userRow
	err := s.update(func(t *txn) error {
		invitation, err := t.admission(u.Email, by)
		if err != nil {
			return err
		}
		if by.Operator && !t.noUserYet() {
			return fail(Invalid, "invitation_invalid", "This server already has its first account. Sign in instead.")
		}
		u.EmailVerified = by.Operator || (invitation != nil && invitation.Email != "")
		if row, err = t.addUser(u); err != nil {
			return err
		}
		if err := t.useInvitation(invitation); err != nil {
			return err
		}
		if !u.EmailVerified {
			return t.queueMails([]Mail{confirm})
		}
		if err := t.welcome(row); err != nil {
			return err
		}
		return t.queueMails([]Mail{welcome})
	})
	if err != nil {
		return User{}, err
	}
	return row.user(), nil
}

// admission returns the invitation that allows an account with an address, or nil when none is
// needed. Errors: Forbidden signup_closed; Invalid invitation_invalid.
func (t *txn) admission(email string, by InvitationProof) (*Invitation, error) {
	mode := t.s.o.Signup
	switch {
	case t.noUserYet() && (by.Operator || mode == SignupOpen):
		return nil, nil
	case t.noUserYet():
		return nil, fail(
			Forbidden,
			"signup_closed",
			"Only the link that the server printed at its start creates the first account. \"roughcut open\" prints "+
				"another one.",
		)
	case mode == SignupClosed:
		return nil, fail(
			Forbidden,
			"signup_closed",
			"Sign-up is closed on this server. Ask its operator for an account.",
		)
	case by.UUID == "" && mode == SignupInvite:
		return nil, fail(
			Forbidden,
			"signup_closed",
			"Sign-up on this server requires an invitation. Ask its operator for one.",
		)
	case by.UUID == "":
		return nil, nil
	}

	row, err := t.openInvitation(by.UUID)
	if err == nil && row.Email != "" && fold(row.Email) != fold(email) {
		err = fail(
			Invalid,
			"invitation_invalid",
			"This invitation is for another email address. Use the address that it was sent to.",
		)
	}

	return row, err
}

// useInvitation deletes an invitation. It does nothing for nil.
func (t *txn) useInvitation(row *Invitation) error {
	if row == nil {
		return nil
	}
	return invitations.Delete(t, row.UUID)
}

// noUserYet reports whether no account was ever created in this data directory.
func (t *txn) noUserYet() bool { return users.LastSeq(t) == 0 }
