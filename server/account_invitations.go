package server

import (
	"context"
	"errors"
	"time"

	"roughcut/server/api"
	"roughcut/server/auth"
	"roughcut/server/mail"
	"roughcut/server/problem"
	"roughcut/store"
	"roughcut/store/account"
)

// invitationDays is the default lifetime of an invitation in days.
const invitationDays = 7

// setupLinkShownFor is the lifetime that the page reports for the setup link. The link has no
// expiry: it is valid until the server stops or has its first account.
const setupLinkShownFor = 24 * time.Hour

func invitationRecord(i account.Invitation) api.Invitation {
	return api.Invitation{
		UUID:      i.UUID,
		Email:     orNull(i.Email),
		CreatedAt: timestamp(i.CreatedAt),
		ExpiresAt: timestamp(i.ExpiresAt),
	}
}

// ListInvitations returns the open invitations.
func (s handlers) ListInvitations(
	_ context.Context,
	_ api.ListInvitationsRequestObject,
) (api.ListInvitationsResponseObject, error) {
	list, err := s.Store.Invitations()
	return api.ListInvitations200JSONResponse(wholePage(list, invitationRecord)), err
}

// CreateInvitation creates an invitation and mails it if it names an address, which the invitation
// then verifies.
func (s handlers) CreateInvitation(
	ctx context.Context,
	request api.CreateInvitationRequestObject,
) (api.CreateInvitationResponseObject, error) {
	f := infoOf(ctx)
	ttl := time.Duration(valueOr(request.Body.ExpiresInDays, invitationDays)) * 24 * time.Hour
	row := account.Invitation{
		UUID:      s.Store.NewID(),
		InvitedBy: userOf(ctx),
		ExpiresAt: s.Store.Now().Add(ttl),
	}
	shown, err := s.invitationLink(f.baseURL, row)
	if err != nil {
		return nil, err
	}
	var letters []store.Mail
	if request.Body.Email != nil {
		if f.mailURL == "" {
			return nil, errUnknownHost
		}
		if row.Email, err = emailAddress("email", *request.Body.Email); err != nil {
			return nil, err
		}
		mailed, err := s.invitationLink(f.mailURL, row)
		if err != nil {
			return nil, err
		}
		letters = append(letters, envelope(row.Email, mail.Invitation(row.Email, f.caller.user.Name, mailed, ttl)))
	}

	if row, err = s.Store.CreateInvitation(row, letters...); err != nil {
		return nil, err
	}
	response := api.CreateInvitation201JSONResponse{URL: shown}
	recode(invitationRecord(row), &response)
	return response, nil
}

// invitationLink returns the address of the page that uses an invitation.
func (s *Server) invitationLink(baseURL string, row account.Invitation) (string, error) {
	token, err := s.signer.Sign(
		auth.Claims{ID: s.Store.NewID(), Purpose: auth.Invite, User: row.UUID, Expires: row.ExpiresAt},
	)
	return baseURL + "/sign-up?invitation=" + token, err
}

// RevokeInvitation deletes an invitation.
func (s handlers) RevokeInvitation(
	_ context.Context,
	request api.RevokeInvitationRequestObject,
) (api.RevokeInvitationResponseObject, error) {
	err := s.Store.RevokeInvitation(request.InvitationUUID)
	return api.RevokeInvitation204Response{}, err
}

// CheckInvitation returns the terms of an invitation.
func (s handlers) CheckInvitation(
	_ context.Context,
	request api.CheckInvitationRequestObject,
) (api.CheckInvitationResponseObject, error) {
	by, err := s.invitationProof(request.Body.Token)
	if err != nil {
		return nil, err
	}
	if by.Operator {
		return api.CheckInvitation200JSONResponse{ExpiresAt: timestamp(s.Store.Now().Add(setupLinkShownFor))}, nil
	}
	row, err := s.Store.Invitation(by.UUID)
	return api.CheckInvitation200JSONResponse{Email: orNull(row.Email), ExpiresAt: timestamp(row.ExpiresAt)}, err
}

// invitationProof parses the token of an invitation. An empty token means no invitation. The store
// checks whether the invitation is still open.
func (s *Server) invitationProof(token string) (account.InvitationProof, error) {
	if token == "" {
		return account.InvitationProof{}, nil
	}
	if s.setups.Valid(token) {
		return account.InvitationProof{Operator: true}, nil
	}
	claims, err := s.signer.Verify(token, auth.Invite)
	if errors.Is(err, auth.ErrToken) {
		return account.InvitationProof{}, problem.Errorf(
			store.Invalid,
			"invitation_invalid",
			"This invitation has expired or its link is incomplete. Open the complete link, or ask the operator of "+
				"this server for a new one.",
		)
	}

	return account.InvitationProof{UUID: claims.User}, err
}
