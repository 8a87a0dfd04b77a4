package server

import (
	"context"
	"net/http"
	"strings"

	"roughcut/server/api"
	"roughcut/server/problem"
	"roughcut/store"
	"roughcut/store/account"
)

// Login checks address and password and starts a session. Failures count against the client network
// and the account name, and take the same time whether or not the account exists.
func (s handlers) Login(ctx context.Context, request api.LoginRequestObject) (api.LoginResponseObject, error) {
	f, name := infoOf(ctx), strings.ToLower(strings.TrimSpace(request.Body.Username))
	keys := []string{networkKey(f), accountKey(name)}
	allowed := func() error { return s.Store.LoginAttempt(s.Settings.Lockout, keys...) }
	if err := allowed(); err != nil {
		return nil, err
	}
	user, err := s.Store.UserByEmail(name)
	if err != nil && !store.IsKind(err, store.NotFound) {
		return nil, err
	}
	ok, err := s.passwords.Verify(ctx, f.network, user.PasswordHash, request.Body.Password, allowed)
	if err != nil {
		return nil, err
	}
	if !ok {
		if err := s.Store.LoginFailed(s.Settings.Lockout, keys...); err != nil {
			return nil, err
		}
		return nil, problem.Errorf(
			store.Unauthenticated,
			"invalid_credentials",
			"The email address or the password is wrong.",
		)
	}

	if !user.EmailVerified {
		return nil, s.notVerified(user)
	}
	if err := s.Store.LoginSucceeded(keys...); err != nil {
		return nil, err
	}
	response, err := s.signIn(f, user, false)
	return api.Login200JSONResponse{SignedInJSONResponse: response}, err
}

// notVerified returns the error of a sign-in before the address is verified.
func (s *Server) notVerified(user account.User) error {
	text := "Confirm your email address first: open the link in your verification mail, or request a new one."
	switch {
	case s.sendsMail():
	case user.IsAdmin:
		text = "Confirm your email address first: open the link in the mail that the server wrote to the outbox " +
			"folder of its data directory."
	default:
		text = "An admin has to let you in first. Ask an admin of this server to open Settings, People."
	}

	return problem.Errorf(store.Forbidden, "email_not_verified", "%s", text)
}

// Launch signs the owner in with a launch token.
func (s handlers) Launch(ctx context.Context, request api.LaunchRequestObject) (api.LaunchResponseObject, error) {
	if s.ownerUUID == "" || !s.launches.Valid(request.Body.Token) {
		return nil, problem.Errorf(
			store.Invalid,
			"invalid_token",
			"This launch link is from an earlier start of Roughcut. Run \"roughcut open\" for a new one.",
		)
	}

	owner, err := s.Store.User(s.ownerUUID)
	if err != nil {
		return nil, err
	}
	response, err := s.signIn(infoOf(ctx), owner, true)
	return api.Launch200JSONResponse{SignedInJSONResponse: response}, err
}

func (s *Server) signIn(f *requestInfo, user account.User, launched bool) (api.SignedInJSONResponse, error) {
	cookie, csrf, err := s.startSession(f, user, launched)
	return api.SignedInJSONResponse{
		Body:    api.SignedIn{CSRFToken: csrf},
		Headers: api.SignedInResponseHeaders{SetCookie: cookie},
	}, err
}

// Logout ends the caller's session and its streams.
func (s handlers) Logout(ctx context.Context, _ api.LogoutRequestObject) (api.LogoutResponseObject, error) {
	f := infoOf(ctx)
	if err := s.Store.DeleteSession(f.caller.session.Hash); err != nil {
		return nil, err
	}
	s.transfers.endSession(f.caller.session.Hash)
	return api.Logout204Response{Headers: api.Logout204ResponseHeaders{SetCookie: s.cookie(f, "", -1).String()}}, nil
}

// LogoutAll ends all sessions of the caller with their streams and media addresses.
func (s handlers) LogoutAll(ctx context.Context, _ api.LogoutAllRequestObject) (api.LogoutAllResponseObject, error) {
	f := infoOf(ctx)
	count, err := s.Store.DeleteSessions(f.caller.user.UUID)
	if err != nil {
		return nil, err
	}
	s.transfers.endUser(f.caller.user.UUID)
	return api.LogoutAll200JSONResponse{
		Body:    api.TerminatedSessions{TerminatedCount: count},
		Headers: api.LogoutAll200ResponseHeaders{SetCookie: s.cookie(f, "", -1).String()},
	}, nil
}

// CheckAuth reports whether the caller has a session, and returns the CSRF token for a reloaded
// page.
func (s handlers) CheckAuth(ctx context.Context, _ api.CheckAuthRequestObject) (api.CheckAuthResponseObject, error) {
	found := infoOf(ctx).caller
	if found.user.UUID == "" {
		return api.CheckAuth401ApplicationProblemPlusJSONResponse{
			Body: api.NoAuthProblem{
				Type: "about:blank", Title: http.StatusText(http.StatusUnauthorized), Status: http.StatusUnauthorized,
				Code: api.ErrorCode(errNotSignedIn.Code), Detail: errNotSignedIn.Message, Authenticated: false,
			},
			Headers: api.CheckAuth401ResponseHeaders{WWWAuthenticate: problem.Challenge},
		}, nil
	}

	return api.CheckAuth200JSONResponse{
		Authenticated: true,
		User:          userRecord(found.user),
		CSRFToken:     found.session.CSRF,
	}, nil
}
