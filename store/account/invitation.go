package account

import (
	"slices"
	"time"

	"roughcut/store/fault"
	"roughcut/store/table"
)

// Invitation lets one person create an account while sign-up is restricted. Using it deletes it.
type Invitation struct {
	UUID                 string
	InvitedBy            string // uuid of the admin who created it; it is deleted with that account
	Email                string // of the invited person; empty: any person with the link
	CreatedAt, ExpiresAt time.Time
}

// MaxInvitations is the maximum number of open invitations.
const MaxInvitations = 1000

var (
	invitationsByUser = &table.Index[Invitation]{
		Name: "invitations.by_user",
		Keys: func(r *Invitation) [][]byte { return table.Entry(r.InvitedBy) },
	}
	invitationsByEmail = &table.Index[Invitation]{Name: "invitations.by_email", Keys: func(r *Invitation) [][]byte {
		if r.Email == "" {
			return nil
		}
		return table.Entry(table.Fold(r.Email))
	}}
	invitations = &table.Table[Invitation]{
		Name:    "invitations",
		Noun:    "invitation",
		Key:     func(r *Invitation) []byte { return []byte(r.UUID) },
		Indexes: []*table.Index[Invitation]{invitationsByUser, invitationsByEmail},
		Stale:   (*Invitation).expired,
	}
)

func (r *Invitation) expired(now time.Time) bool { return !r.ExpiresAt.After(now) }

// CreateInvitation stores an invitation and sets CreatedAt. The caller sets the UUID, because the
// link contains it. Errors: Forbidden unless the inviter is an admin; Conflict email_taken for the
// address of an account; Conflict conflict for too many open invitations.
func (r Registry) CreateInvitation(row Invitation) (Invitation, error) {
	if err := r.needAdmin(row.InvitedBy); err != nil {
		return Invitation{}, err
	}
	if row.Email != "" {
		if free, err := r.Free(row.Email, ""); err != nil {
			return Invitation{}, err
		} else if !free {
			return Invitation{}, fault.New(
				fault.Conflict,
				"email_taken",
				"An account with this email address already exists.",
			)
		}
	}

	if invitations.Len(r) >= MaxInvitations {
		return Invitation{}, fault.New(
			fault.Conflict,
			"conflict",
			"There are already %d open invitations. Revoke some that are no longer needed.",
			MaxInvitations,
		)
	}

	row.CreatedAt = r.Now
	return row, invitations.Put(r, &row)
}

// Invitations returns the open invitations, newest first.
func (r Registry) Invitations() ([]Invitation, error) {
	var list []Invitation
	err := invitations.Each(r, func(row *Invitation) error {
		if !row.expired(r.Now) {
			list = append(list, *row)
		}
		return nil
	})
	slices.SortFunc(list, func(a, b Invitation) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return list, err
}

// Invitation returns an open invitation. Errors: Invalid invitation_invalid for an invitation that
// was used or revoked, or has expired.
func (r Registry) Invitation(uuid string) (Invitation, error) {
	row, err := r.openInvitation(uuid)
	if err != nil {
		return Invitation{}, err
	}
	return *row, nil
}

func (r Registry) openInvitation(uuid string) (*Invitation, error) {
	row, err := invitations.Find(r, uuid)
	if err != nil {
		return nil, err
	}
	if row == nil || row.expired(r.Now) {
		return nil, errInvitation()
	}
	return row, nil
}

func errInvitation() error {
	return fault.New(
		fault.Invalid,
		"invitation_invalid",
		"This invitation was already used or revoked, or has expired. Ask the operator of this server for a new one.",
	)
}

// RevokeInvitation deletes an invitation, so that its link stops working. Errors: NotFound.
func (r Registry) RevokeInvitation(uuid string) error {
	if _, err := invitations.Get(r, uuid); err != nil {
		return err
	}
	return invitations.Delete(r, uuid)
}

// AccessInvitation allows admins to access invitations. Errors: NotFound, then Forbidden.
func (r Registry) AccessInvitation(userUUID, uuid string) error {
	if _, err := invitations.Get(r, uuid); err != nil {
		return err
	}
	return r.needAdmin(userUUID)
}

// needAdmin refuses users who are not admins. Errors: Forbidden.
func (r Registry) needAdmin(userUUID string) error {
	row, err := users.Get(r, userUUID)
	if err == nil && !row.IsAdmin {
		err = fault.New(fault.Forbidden, "forbidden", "Only admins of this server can do this.")
	}
	return err
}
