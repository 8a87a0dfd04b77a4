package server

import (
	"context"
	"errors"
	"net/url"

	"roughcut/server/api"
	"roughcut/server/auth"
	"roughcut/server/mail"
	"roughcut/server/problem"
	"roughcut/store"
	"roughcut/store/account"
)

func userRecord(u account.User) api.User {
	providers := []string{}
	for _, i := range u.Identities {
		providers = append(providers, i.Provider)
	}
	return api.User{
		UUID:             u.UUID,
		Name:             u.Name,
		Username:         u.Username,
		Email:            u.Email,
		EmailVerified:    u.EmailVerified,
		IsAdmin:          u.IsAdmin,
		HasPassword:      u.PasswordHash != "",
		OauthProviders:   providers,
		StorageUsedBytes: u.StorageUsedBytes,
		AIDirector:       !u.DirectorOff,
		CreatedAt:        timestamp(u.CreatedAt),
		UpdatedAt:        timestamp(u.UpdatedAt),
	}
}

// Signup creates an account and queues its verification mail. If an invitation has already verified
// the address, Signup queues the welcome mail instead.
func (s handlers) Signup(ctx context.Context, request api.SignupRequestObject) (api.SignupResponseObject, error) {
	email, err := emailAddress("email", request.Body.Email)
	if err != nil {
		return nil, err
	}
	name, err := store.ValidName("name", request.Body.Name)
	if err != nil {
		return nil, err
	}
	invited, err := s.invitationProof(valueOr(request.Body.Invitation, ""))
	if err != nil {
		return nil, err
	}
	f := infoOf(ctx)
	mailURL := f.mailURL
	if invited.Operator {
		mailURL = f.baseURL // the person with the link of the operator chose this address
	}
	if mailURL == "" {
		return nil, errUnknownHost
	}
	if err := s.Store.CheckSignUp(email, invited); err != nil { // hashing is expensive, so check first
		return nil, err
	}
	hash, err := s.passwords.Hash(ctx, f.network, request.Body.Password)
	if err != nil {
		return nil, err
	}
	confirm, err := s.verificationMail(f, email)
	if err != nil {
		return nil, err
	}
	welcome := envelope(email, mail.Welcome(name, mailURL+"/"))
	user, err := s.Store.SignUp(
		account.User{Name: name, Username: request.Body.Username, Email: email, PasswordHash: hash},
		invited,
		confirm,
		welcome,
	)
	return api.Signup201JSONResponse(userRecord(user)), err
}

// GetMe returns the caller's account.
func (s handlers) GetMe(ctx context.Context, _ api.GetMeRequestObject) (api.GetMeResponseObject, error) {
	return api.GetMe200JSONResponse(userRecord(infoOf(ctx).caller.user)), nil
}

// UpdateMe changes the caller's name or username.
func (s handlers) UpdateMe(
	ctx context.Context,
	request api.UpdateMeRequestObject,
) (api.UpdateMeResponseObject, error) {
	user := infoOf(ctx).caller.user
	name, err := store.ValidName("name", valueOr(request.Body.Name, user.Name))
	if err != nil {
		return nil, err
	}
	user, err = s.Store.UpdateProfile(user.UUID, name, valueOr(request.Body.Username, user.Username))
	if err != nil {
		return nil, err
	}
	if on := request.Body.AIDirector; on != nil {
		if user, err = s.Store.SetDirector(user.UUID, *on); err != nil {
			return nil, err
		}
	}

	return api.UpdateMe200JSONResponse(userRecord(user)), nil
}

// SendVerification mails the verification link again. It writes the mail in the background, so that
// neither the response nor its timing reveals whether the address exists.
func (s handlers) SendVerification(
	ctx context.Context,
	request api.SendVerificationRequestObject,
) (api.SendVerificationResponseObject, error) {
	email, f := request.Body.Email, infoOf(ctx)
	if err := s.allowMail(email); err != nil {
		return nil, err
	}
	s.runInBackground("sending verification mail failed", func() error {
		user, err := s.Store.UserByEmail(email)
		if store.IsKind(err, store.NotFound) || user.EmailVerified {
			return nil
		}
		if err != nil {
			return err
		}
		letter, err := s.verificationMail(f, user.Email)
		if err != nil {
			return err
		}
		return s.Store.QueueMails(letter)
	})
	return api.SendVerification200JSONResponse{MessageJSONResponse: api.MessageJSONResponse{
		Message: "If the address belongs to an unverified account, a mail with a link is on its way.",
	}}, nil
}

// VerifyEmail verifies an address with the token from a mail.
func (s handlers) VerifyEmail(
	ctx context.Context,
	request api.VerifyEmailRequestObject,
) (api.VerifyEmailResponseObject, error) {
	byEmail := func(c auth.Claims) (account.User, error) { return s.Store.UserByEmail(c.Object) }
	claims, user, err := s.linkUser(request.Body.Token, auth.VerifyEmail, byEmail)
	if err != nil {
		return nil, err
	}
	letter := mail.Welcome(user.Name, infoOf(ctx).mailURL+"/")
	err = s.Store.VerifyEmail(claims.ID, user.UUID, claims.Expires, envelope(user.Email, letter))
	var refusal *store.Error
	if user.EmailVerified && errors.As(err, &refusal) && refusal.Code == errInvalidToken.Code {
		return nil, errAlreadyVerified
	}
	if err != nil {
		return nil, err
	}
	return api.VerifyEmail200JSONResponse{
		MessageJSONResponse: api.MessageJSONResponse{Message: "Your address is verified. You can sign in now."},
	}, nil
}

// RequestPasswordReset mails a link for resetting the password, in the background like
// SendVerification.
func (s handlers) RequestPasswordReset(
	ctx context.Context,
	request api.RequestPasswordResetRequestObject,
) (api.RequestPasswordResetResponseObject, error) {
	email, f := request.Body.Email, infoOf(ctx)
	if err := s.allowMail(email); err != nil {
		return nil, err
	}
	s.runInBackground("sending password reset mail failed", func() error {
		user, err := s.Store.UserByEmail(email)
		if store.IsKind(err, store.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		token, err := s.signer.Sign(auth.Claims{
			ID:      s.Store.NewID(),
			Purpose: auth.ResetPassword,
			User:    user.UUID,
			Object:  user.Email,
			Epoch:   user.Epoch,
			Expires: s.Store.Now().Add(s.Settings.ResetTokenTTL),
		})
		if err != nil {
			return err
		}
		name := user.Name
		if !user.EmailVerified {
			name = ""
		}
		return s.Store.QueueMails(
			envelope(
				user.Email,
				mail.PasswordReset(name, pageLink(f, "/reset-password", token), s.Settings.ResetTokenTTL),
			),
		)
	})
	return api.RequestPasswordReset200JSONResponse{MessageJSONResponse: api.MessageJSONResponse{
		Message: "If the address belongs to an account, a mail with a link is on its way.",
	}}, nil
}

// ResetPassword sets a new password with the token from a mail, ends all sessions and lifts a
// lockout. A later change of password or address invalidates the token.
func (s handlers) ResetPassword(
	ctx context.Context,
	request api.ResetPasswordRequestObject,
) (api.ResetPasswordResponseObject, error) {
	claims, user, err := s.linkUser(request.Body.Token, auth.ResetPassword, s.claimedUser)
	if err == nil && (user.Epoch != claims.Epoch || user.Email != claims.Object) {
		err = errInvalidToken
	}
	if err != nil {
		return nil, err
	}
	hash, err := s.passwords.Hash(ctx, infoOf(ctx).network, request.Body.NewPassword)
	if err != nil {
		return nil, err
	}
	notice := s.notice(user, mail.PasswordChanged(user.Name, mailedPage(infoOf(ctx), "/forgot-password")))
	if err := s.Store.ResetPassword(claims.ID, claims.Expires, user.UUID, hash, notice...); err != nil {
		return nil, err
	}
	s.transfers.endUser(user.UUID)
	// the message of a lockout recommends a reset
	if err := s.Store.LoginSucceeded(networkKey(infoOf(ctx)), accountKey(user.Email)); err != nil {
		return nil, err
	}
	return api.ResetPassword200JSONResponse{
		MessageJSONResponse: api.MessageJSONResponse{Message: "Your password is changed. Sign in with the new one."},
	}, nil
}

var errInvalidToken = problem.Errorf(
	store.Invalid,
	"invalid_token",
	"The link is invalid: it has expired, was already used, or is incomplete. Request a new one.",
)

var errAlreadyVerified = problem.Errorf(
	store.Invalid,
	errInvalidToken.Code,
	"Your address is already verified. Sign in.",
)

// linkUser checks the token from a mailed link and returns the user that find gets for it.
func (s *Server) linkUser(
	token string, purpose auth.Purpose, find func(auth.Claims) (account.User, error),
) (claims auth.Claims, user account.User, err error) {
	if claims, err = s.signer.Verify(token, purpose); err == nil {
		user, err = find(claims)
	}
	if errors.Is(err, auth.ErrToken) || store.IsKind(err, store.NotFound) {
		err = errInvalidToken
	}
	return claims, user, err
}

// claimedUser returns the user that a token names.
func (s *Server) claimedUser(c auth.Claims) (account.User, error) { return s.Store.User(c.User) }

// verificationMail returns the mail with the verification link. The token names the address, so it
// cannot verify another one.
func (s *Server) verificationMail(f *requestInfo, email string) (store.Mail, error) {
	token, err := s.signer.Sign(auth.Claims{
		ID:      s.Store.NewID(),
		Purpose: auth.VerifyEmail,
		User:    email,
		Object:  email,
		Expires: s.Store.Now().Add(s.Settings.VerifyTokenTTL),
	})
	if err != nil {
		return store.Mail{}, err
	}
	return envelope(
		email,
		mail.Verification(pageLink(f, "/verify-email", token), s.Settings.VerifyTokenTTL),
	), nil
}

func envelope(to string, l mail.Content) store.Mail {
	return store.Mail{To: to, Subject: l.Subject, Text: l.Text, HTML: l.HTML}
}

// notice returns the mail that tells a user about a change of the account, and none in owner mode.
func (s *Server) notice(user account.User, l mail.Content) []store.Mail {
	if user.UUID == s.ownerUUID {
		return nil
	}
	return []store.Mail{envelope(user.Email, l)}
}

func pageLink(f *requestInfo, page, token string) string {
	return f.mailURL + page + "?token=" + url.QueryEscape(token)
}

// mailedPage returns the address of a page for a mail, empty if the server does not know its own.
func mailedPage(f *requestInfo, page string) string {
	if f.mailURL == "" {
		return ""
	}
	return f.mailURL + page
}

// emailAddress returns the address in a field without surrounding spaces. Its check is stricter
// than the pattern of the contract.
func emailAddress(field, text string) (string, error) {
	address, ok := mail.ParseAddress(text)
	if !ok {
		return "", problem.FieldError(field, "is not an email address")
	}
	return address, nil
}
