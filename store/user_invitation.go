package store

import (
	"slices"
	"time"

	"roughcut/store/table"
)

// Invitation lets one person create an account while sign-up is restricted. Using it deletes it.
type Invitation struct {
	UUID                 string
	InvitedBy            string // uuid of the admin who created it; it is deleted with that account
	Email                string // of the invited person; empty: any person with the link
	CreatedAt, ExpiresAt time.Time
}

// maxInvitations is the maximum number of open invitations.
const maxInvitations = 1000

var (
	invitationsByUser = &table.Index[Invitation]{
		Name: "invitations.by_user",
		Keys: func(r *Invitation) [][]byte { return table.Entry(r.InvitedBy) },
	}
	invitationsByEmail = &table.Index[Invitation]{Name: "invitations.by_email", Keys: func(r *Invitation) [][]byte {
		if r.Email == "" {
			return nil
		}
		return table.Entry(fold(r.Email))
	}}
	invitations = &table.Table[Invitation]{
		Name:    "invitations",
		Noun:    "invitation",
		Key:     func(r *Invitation) []byte { return []byte(r.UUID) },
		Indexes: []*table.Index[Invitation]{invitationsByUser, invitationsByEmail},
	}
)

func (r *Invitation) expired(now time.Time) bool { return !r.ExpiresAt.After(now) }

// CreateInvitation stores an invitation and queues its mails. It sets CreatedAt. The caller sets
// the UUID, because the link contains it. Errors: Forbidden unless the inviter is an admin;
// Conflict email_taken for the address of an account; Conflict conflict for too many open
// invitations.
func (s *Store) CreateInvitation(row Invitation, mails ...Mail) (Invitation, error) {
	err := s.update(func(t *txn) error {
		if err := t.needAdmin(row.InvitedBy); err != nil {
			return err
		}
		if row.Email != "" {
			if other, err := users.Lookup(t, usersByEmail, fold(row.Email)); err != nil {
				return err
			} else if other != nil {
				return fail(Conflict, "email_taken", "An account with this email address already exists.")
			}
		}

		if invitations.Len(t) >= maxInvitations {
			return fail(
				Conflict,
				"conflict",
				"There are already %d open invitations. Revoke some that are no longer needed.",
				maxInvitations,
			)
		}

		row.CreatedAt = t.Now
		if err := invitations.Put(t, &row); err != nil {
			return err
		}
		return t.queueMails(mails)
	})
	return row, err
}

// Invitations returns the open invitations, newest first.
func (s *Store) Invitations() ([]Invitation, error) {
	var list []Invitation
	err := s.view(func(t *txn) error {
		return invitations.Each(t, func(r *Invitation) error {
			if !r.expired(t.Now) {
				list = append(list, *r)
			}
			return nil
		})
	})
	slices.SortFunc(list, func(a, b Invitation) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return list, err
}

// Invitation returns an open invitation. Errors: Invalid invitation_invalid for an invitation that
// was used or revoked, or has expired.
func (s *Store) Invitation(uuid string) (Invitation, error) {
	var found Invitation
	err := s.view(func(t *txn) error {
		row, err := t.openInvitation(uuid)
		if err == nil {
			found = *row
		}
		return err
	})
	return found, err
}

func (t *txn) openInvitation(uuid string) (*Invitation, error) {
	row, err := invitations.Find(t, uuid)
	if err == nil && (row == nil || row.expired(t.Now)) {
		err = errInvitation()
	}
	return row, err
}

func errInvitation() error {
	return fail(
		Invalid,
		"invitation_invalid",
		"This invitation was already used or revoked, or has expired. Ask the operator of this server for a new one.",
	)
}

// RevokeInvitation deletes an invitation, so that its link stops working. Errors: NotFound.
func (s *Store) RevokeInvitation(uuid string) error {
	return s.free(func(t *txn) error {
		if _, err := invitations.Get(t, uuid); err != nil {
			return err
		}
		return invitations.Delete(t, uuid)
	})
}

// accessInvitation allows admins to access invitations. Errors: NotFound, then Forbidden.
func (t *txn) accessInvitation(userUUID, uuid string) error {
	if _, err := invitations.Get(t, uuid); err != nil {
		return err
	}
	return t.needAdmin(userUUID)
}

// needAdmin refuses users who are not admins. Errors: Forbidden.
func (t *txn) needAdmin(userUUID string) error {
	row, err := users.Get(t, userUUID)
	if err == nil && !row.IsAdmin {
		err = fail(Forbidden, "forbidden", "Only admins of this server can do this.")
	}
	return err
}
