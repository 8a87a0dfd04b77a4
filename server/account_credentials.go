package server

import (
	"context"
	"strings"
	"time"

	"roughcut/server/api"
	"roughcut/server/auth"
	"roughcut/server/mail"
	"roughcut/server/problem"
	"roughcut/store"
	"roughcut/store/account"
)

// recentSignIn is how long a sign-in proves the identity of a user without a password.
const recentSignIn = 10 * time.Minute

// checkOwner returns an error unless the caller proves to own the account. The proof is the
// password, or a recent sign-in if the account has no password.
func (s *Server) checkOwner(ctx context.Context, password *string) error {
	caller := infoOf(ctx).caller
	if password != nil {
		return s.checkPassword(ctx, caller.user, *password)
	}
	if caller.user.PasswordHash != "" {
		return problem.FieldError("password", "is missing")
	}
	if s.Store.Now().Sub(caller.session.CreatedAt) > recentSignIn {
		return problem.Errorf(
			store.Forbidden,
			"sign_in_again",
			"Your account has no password. Sign in again and repeat this within ten minutes.",
		)
	}

	return nil
}

// checkPassword returns an error unless the password is the account's. An account without a
// password rejects every password.
func (s *Server) checkPassword(ctx context.Context, user account.User, password string) error {
	stillWanted := func() error { return ctx.Err() }
	ok, err := s.passwords.Verify(ctx, infoOf(ctx).network, user.PasswordHash, password, stillWanted)
	if err != nil {
		return err
	}
	if !ok && user.PasswordHash == "" {
		return problem.Errorf(
			store.Invalid,
			"wrong_password",
			"This account has no password. Sign in again and leave out the password, or set a password first.",
		)
	}

	if !ok {
		return problem.Errorf(store.Invalid, "wrong_password", "The password is wrong.")
	}
	return nil
}

// VerifyPassword checks the caller's password and changes nothing.
func (s handlers) VerifyPassword(
	ctx context.Context,
	request api.VerifyPasswordRequestObject,
) (api.VerifyPasswordResponseObject, error) {
	if err := s.checkOwner(ctx, request.Body.Password); err != nil {
		return nil, err
	}
	return api.VerifyPassword200JSONResponse{Valid: true}, nil
}

// ChangePassword sets a new password and ends all sessions and access tokens of the caller. The
// first password of an account needs a recent sign-in.
func (s handlers) ChangePassword(
	ctx context.Context,
	request api.ChangePasswordRequestObject,
) (api.ChangePasswordResponseObject, error) {
	f, user := infoOf(ctx), infoOf(ctx).caller.user
	current := request.Body.CurrentPassword
	switch {
	case user.PasswordHash == "":
		current = nil
	case current == nil:
		return nil, problem.FieldError("current_password", "is missing")
	}

	if err := s.checkOwner(ctx, current); err != nil {
		return nil, err
	}
	hash, err := s.passwords.Hash(ctx, f.network, request.Body.NewPassword)
	if err != nil {
		return nil, err
	}
	notice := s.notice(user, mail.PasswordChanged(user.Name, mailedPage(f, "/forgot-password")))
	if err := s.Store.ChangePassword(user.UUID, user.PasswordHash, hash, notice...); err != nil {
		return nil, err
	}
	s.transfers.endUser(user.UUID)
	return api.ChangePassword204Response{
		Headers: api.ChangePassword204ResponseHeaders{SetCookie: s.cookie(f, "", -1).String()},
	}, nil
}

// RequestEmailChange mails a link to the new address and a notice to the current one. Neither the
// response nor its timing reveals whether the new address is taken: the handler writes both mails,
// and one transaction decides which ones to queue.
func (s handlers) RequestEmailChange(
	ctx context.Context,
	request api.RequestEmailChangeRequestObject,
) (api.RequestEmailChangeResponseObject, error) {
	f, user := infoOf(ctx), infoOf(ctx).caller.user
	email, err := emailAddress("new_email", request.Body.NewEmail)
	if err != nil {
		return nil, err
	}
	if email == user.Email {
		return nil, problem.FieldError("new_email", "is already the address of this account")
	}
	if err := s.checkOwner(ctx, request.Body.Password); err != nil {
		return nil, err
	}
	if err := s.allowMail(email); err != nil {
		return nil, err
	}
	token, err := s.signer.Sign(auth.Claims{
		ID:       s.Store.NewID(),
		Purpose:  auth.ChangeEmail,
		User:     user.UUID,
		Object:   user.Email,
		NewEmail: email,
		Epoch:    user.Epoch,
		Expires:  s.Store.Now().Add(s.Settings.EmailChangeTokenTTL),
	})
	if err != nil {
		return nil, err
	}
	notice := envelope(user.Email, mail.EmailChangeNotice(user.Name, f.mailURL+"/"))
	link := envelope(
		email,
		mail.EmailChange(pageLink(f, "/confirm-email", token), s.Settings.EmailChangeTokenTTL),
	)
	if err := s.Store.QueueEmailChange(user.UUID, notice, link); err != nil {
		return nil, err
	}
	return api.RequestEmailChange200JSONResponse{MessageJSONResponse: api.MessageJSONResponse{
		Message: "If this address is available, a mail with a link is on its way. Open the link to change the address.",
	}}, nil
}

// ConfirmEmailChange changes the address of an account with the token from a mail.
func (s handlers) ConfirmEmailChange(
	_ context.Context,
	request api.ConfirmEmailChangeRequestObject,
) (api.ConfirmEmailChangeResponseObject, error) {
	claims, user, err := s.linkUser(request.Body.Token, auth.ChangeEmail, s.claimedUser)
	if err != nil {
		return nil, err
	}
	err = s.Store.ConfirmEmailChange(account.EmailChange{
		TokenID:  claims.ID,
		Expires:  claims.Expires,
		UserUUID: claims.User,
		Epoch:    claims.Epoch,
		OldEmail: claims.Object,
		NewEmail: claims.NewEmail,
	}, envelope(claims.Object, mail.EmailChanged(user.Name, s.Settings.SupportEmail)))
	if err != nil {
		return nil, err
	}
	return api.ConfirmEmailChange200JSONResponse{
		MessageJSONResponse: api.MessageJSONResponse{
			Message: "Your address is changed. Sign in with the new one.",
		},
	}, nil
}

// DeleteMe deletes the caller's account and all its data.
func (s handlers) DeleteMe(
	ctx context.Context,
	request api.DeleteMeRequestObject,
) (api.DeleteMeResponseObject, error) {
	f, user := infoOf(ctx), infoOf(ctx).caller.user
	if err := s.checkOwner(ctx, request.Body.Password); err != nil {
		return nil, err
	}
	if user.UUID == s.ownerUUID {
		return nil, problem.Conflictf(
			"This is the local account of owner mode, which cannot be deleted. To remove its data, stop Roughcut " +
				"and delete the data directory.",
		)
	}

	// the count of failed sign-ins contains the address
	if err := s.Store.LoginSucceeded(accountKey(user.Email)); err != nil {
		return nil, err
	}
	if err := s.Store.DeleteUser(user.UUID, user.PasswordHash); err != nil {
		return nil, err
	}
	s.transfers.endUser(user.UUID)
	return api.DeleteMe204Response{
		Headers: api.DeleteMe204ResponseHeaders{SetCookie: s.cookie(f, "", -1).String()},
	}, nil
}

// networkKey returns the key that counts failed sign-ins of a client.
func networkKey(f *requestInfo) string { return "login:ip:" + f.network }

// accountKey returns the key that counts failed sign-ins to an account.
func accountKey(email string) string {
	return "login:user:" + strings.ToLower(strings.TrimSpace(email))
}
