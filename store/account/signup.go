package account

import (
	"roughcut/store/fault"
	"roughcut/store/table"
)

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

// First reports whether no account was ever created in this data directory.
func (r Registry) First() bool { return users.LastSeq(r) == 0 }

// HasPasswords reports whether some account has a password.
func (r Registry) HasPasswords() (found bool, err error) {
	err = users.Each(r, func(u *userRow) error {
		found = found || u.Hash != ""
		return nil
	})
	return found, err
}

// SignUp creates an account as SIGNUP allows and uses up the invitation. The address is verified
// when the invitation names it. Errors: see Admission and Add.
func (r Registry) SignUp(u User, by InvitationProof) (User, error) {
	invitation, err := r.Admission(u.Email, by)
	if err != nil {
		return User{}, err
	}
	if by.Operator && !r.First() {
		return User{}, fault.New(
			fault.Invalid,
			"invitation_invalid",
			"This server already has its first account. Sign in instead.",
		)
	}

	u.EmailVerified = by.Operator || (invitation != nil && invitation.Email != "")
	if u, err = r.Add(u); err != nil {
		return User{}, err
	}
	return u, r.useInvitation(invitation)
}

// Admission returns the invitation that allows an account with an address, or nil when none is
// needed. Errors: Forbidden signup_closed; Invalid invitation_invalid.
func (r Registry) Admission(email string, by InvitationProof) (*Invitation, error) {
	mode := r.Signup
	switch {
	case r.First() && (by.Operator || mode == SignupOpen):
		return nil, nil
	case r.First():
		return nil, fault.New(
			fault.Forbidden,
			"signup_closed",
			"Only the link that the server printed at its start creates the first account. \"roughcut open\" prints "+
				"another one.",
		)
	case mode == SignupClosed:
		return nil, fault.New(
			fault.Forbidden,
			"signup_closed",
			"Sign-up is closed on this server. Ask its operator for an account.",
		)
	case by.UUID == "" && mode == SignupInvite:
		return nil, fault.New(
			fault.Forbidden,
			"signup_closed",
			"Sign-up on this server requires an invitation. Ask its operator for one.",
		)
	case by.UUID == "":
		return nil, nil
	}

	row, err := r.openInvitation(by.UUID)
	if err == nil && row.Email != "" && table.Fold(row.Email) != table.Fold(email) {
		err = fault.New(
			fault.Invalid,
			"invitation_invalid",
			"This invitation is for another email address. Use the address that it was sent to.",
		)
	}

	return row, err
}

// useInvitation deletes an invitation. It does nothing for nil.
func (r Registry) useInvitation(row *Invitation) error {
	if row == nil {
		return nil
	}
	return invitations.Delete(r, row.UUID)
}
