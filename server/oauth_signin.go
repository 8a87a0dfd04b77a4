package server

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"roughcut/server/api"
	"roughcut/server/auth"
	"roughcut/server/mail"
	"roughcut/server/problem"
	"roughcut/store"
	"roughcut/store/account"
)

const (
	oauthCookie       = "roughcut_oauth"
	oauthCallbackPath = "/api/v1/auth/oauth/callback/"
	oauthTime         = 45 * time.Second // for all requests of a callback to the provider
)

var errNoProvider = problem.NotFoundf("This server has no sign-in provider of this name.")

// GetSignInOptions returns the available ways to sign in and sign up.
func (s handlers) GetSignInOptions(
	_ context.Context,
	_ api.GetSignInOptionsRequestObject,
) (api.GetSignInOptionsResponseObject, error) {
	mode, first, err := s.Store.Signup()
	if err != nil {
		return nil, err
	}
	passwords := true
	if s.Settings.Owner { // it has few accounts to look through
		if passwords, err = s.Store.HasPasswords(); err != nil {
			return nil, err
		}
	}

	return api.GetSignInOptions200JSONResponse{
		Signup:     api.SignInOptionsSignup(mode),
		First:      first,
		Mail:       s.sendsMail(),
		SingleUser: s.Settings.Owner,
		Passwords:  passwords,
		Providers: mapSlice(s.oauth.Names(), func(name string) api.SignInProvider {
			return api.SignInProvider{Name: name}
		}),
	}, nil
}

// StartOAuth starts a sign-in at a provider.
func (s handlers) StartOAuth(
	ctx context.Context,
	request api.StartOAuthRequestObject,
) (api.StartOAuthResponseObject, error) {
	f := infoOf(ctx)
	invited, err := s.invitationProof(valueOr(request.Params.Invitation, ""))
	if err != nil {
		return nil, err
	}
	started, err := s.oauth.Start(ctx, request.Provider, f.baseURL+oauthCallbackPath+request.Provider, s.Store.Now())
	if errors.Is(err, auth.ErrProvider) {
		return nil, errNoProvider
	}
	if err != nil {
		s.Log.Warn("sign-in provider does not answer", "provider", request.Provider, "error", err, "request_id", f.id)
		return nil, problem.Errorf(
			store.Unavailable,
			"unavailable",
			"%s does not answer. Try again in a moment, or sign in with your password.",
			request.Provider,
		)
	}

	started.Flow.Next, started.Flow.Invitation = valueOr(request.Params.Next, "/"), invited
	if err := s.Store.BeginOAuth(started.Flow); err != nil {
		return nil, err
	}
	return api.StartOAuth200JSONResponse{
		Body: api.OAuthStart{URL: started.URL},
		Headers: api.StartOAuth200ResponseHeaders{
			SetCookie: oauthFlowCookie(f, started.Cookie, auth.OAuthFlowTTL).String(),
		},
	}, nil
}

// oauthFlowCookie returns the cookie that ties a sign-in to the browser. A negative ttl clears it.
// It is SameSite=Lax, because the provider's redirect is a navigation from another site.
func oauthFlowCookie(f *requestInfo, value string, ttl time.Duration) *http.Cookie {
	return &http.Cookie{
		Name:     oauthCookie,
		Value:    value,
		Path:     f.cookiePath,
		MaxAge:   cookieAge(ttl),
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
		Secure:   f.secure,
	}
}

// finishOAuth handles a browser that returns from a provider. It always redirects to the UI.
func (s *Server) finishOAuth(c echo.Context) error {
	f := infoOf(c.Request().Context())
	c.SetCookie(oauthFlowCookie(f, "", -1))
	next, err := s.signInVouched(c)
	if err != nil {
		code := s.oauthErrorCode(err, f)
		return c.Redirect(http.StatusSeeOther, f.baseURL+"/sign-in?error="+url.QueryEscape(code))
	}

	return c.Redirect(http.StatusSeeOther, f.baseURL+next)
}

// signInVouched starts a session for the user that the provider identified. It returns the page to
// open next.
func (s *Server) signInVouched(c echo.Context) (next string, err error) {
	ctx, cancel := context.WithTimeout(c.Request().Context(), oauthTime)
	defer cancel()
	f, query := infoOf(ctx), c.QueryParams()
	var browser string
	if cookie, err := c.Cookie(oauthCookie); err == nil {
		browser = cookie.Value
	}
	flow, err := s.Store.FinishOAuth(auth.HashToken(query.Get("state")), auth.HashToken(browser), c.Param("provider"))
	if err != nil {
		return "", err
	}
	who, err := s.oauth.Finish(
		ctx,
		flow,
		auth.Callback{Code: query.Get("code"), Error: query.Get("error"), Issuer: query.Get("iss")},
	)
	if err != nil {
		return "", oauthFault{err}
	}
	who.Name = strings.TrimSpace(who.Name)
	address, ok := mail.ParseAddress(who.Email)
	who.Email, who.EmailVerified = address, who.EmailVerified && ok
	user, err := s.Store.SignInWithProvider(who, flow.Invitation, func(u account.User) store.Mail {
		return envelope(u.Email, mail.ProviderLinked(u.Name, who.Provider, f.mailURL+"/"))
	})
	if err != nil {
		return "", err
	}
	cookie, _, err := s.startSession(f, user, false)
	if err != nil {
		return "", err
	}
	c.Response().Header().Add(echo.HeaderSetCookie, cookie)
	return flow.Next, nil
}

// oauthFault is a failure of the provider.
type oauthFault struct{ error }

func (e oauthFault) Unwrap() error { return e.error }

// oauthErrorCode returns the error code for the UI and logs the cause for the operator.
func (s *Server) oauthErrorCode(err error, f *requestInfo) string {
	var refusal *store.Error
	switch {
	case errors.As(err, &refusal):
		return refusal.Code
	case errors.Is(err, auth.ErrProvider):
		return errNoProvider.Code
	case errors.Is(err, auth.ErrDenied):
		return "oauth_denied"
	case errors.As(err, new(oauthFault)):
		s.Log.Warn("sign-in at provider failed", "error", err, "request_id", f.id)
		return "oauth_failed"
	}

	s.Log.Error("request failed", "error", err, "method", http.MethodGet, "route", f.route, "request_id", f.id)
	return problem.Internal().Code
}
