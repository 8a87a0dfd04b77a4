package server

import (
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"roughcut/server/auth"
	"roughcut/server/contract"
	"roughcut/server/problem"
	"roughcut/store"
)

const (
	sessionCookie = "roughcut_session"
	csrfHeader    = "X-CSRF-Token"
)

// caller is who a request acts for. The zero caller is nobody.
type caller struct {
	user    store.User
	session store.Session // for a personal access token only the hash, the token's
	byToken bool          // by a personal access token instead of the cookie
}

var errNotSignedIn = problem.Errorf(store.Unauthenticated, "not_authenticated", "Sign in first: there is no valid session.")

// authenticate finds the session of a request, and refuses where the operation needs one and there
// is none.
func (s *Server) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		op := operationOf(c)
		if op == nil || op.Access == contract.Public {
			return next(c)
		}
		found, err := s.findCaller(c)
		if err != nil && !store.IsKind(err, store.Unauthenticated) {
			return err
		}
		if err != nil && op.Access == contract.SignedIn {
			return err
		}
		infoOf(c.Request().Context()).caller = found
		return next(c)
	}
}

// findCaller returns whom a personal access token or else the cookie stands for. Authorization
// headers of other kinds are left to the proxies that ask for them.
func (s *Server) findCaller(c echo.Context) (caller, error) {
	if token, ok := bearerToken(c.Request()); ok {
		return s.tokenCaller(auth.HashToken(token))
	}
	cookie, err := c.Cookie(sessionCookie)
	if err != nil || cookie.Value == "" {
		return caller{}, errNotSignedIn
	}
	session, user, err := s.Store.Session(auth.HashToken(cookie.Value), s.Settings.SessionTTL)
	if store.IsKind(err, store.NotFound) {
		return caller{}, errNotSignedIn
	}
	if err != nil {
		return caller{}, err
	}
	if slid := session.ExpiresAt.Sub(s.Store.Now()) > s.Settings.SessionTTL-time.Second; slid {
		c.SetCookie(s.cookie(infoOf(c.Request().Context()), cookie.Value, s.Settings.SessionTTL))
	}
	return caller{user: user, session: session}, nil
}

// bearerToken returns the personal access token of a request.
func bearerToken(r *http.Request) (string, bool) {
	scheme, token, _ := strings.Cut(r.Header.Get(echo.HeaderAuthorization), " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "Bearer") && strings.HasPrefix(token, auth.AccessTokenPrefix)
}

func (s *Server) tokenCaller(hash string) (caller, error) {
	_, user, err := s.Store.UseAccessToken(hash)
	if store.IsKind(err, store.NotFound) {
		return caller{}, problem.Errorf(
			store.Unauthenticated,
			"not_authenticated",
			"The personal access token is not valid: it has expired, was revoked, or the password was changed. Make a new one.",
		)
	}
	if err != nil {
		return caller{}, err
	}
	return caller{user: user, session: store.Session{Hash: hash, UserUUID: user.UUID}, byToken: true}, nil
}

// stillThere says whether what a caller came with holds still, and keeps a session alive.
func (s *Server) stillThere(who caller) bool {
	var err error
	if who.byToken {
		_, err = s.tokenCaller(who.session.Hash)
	} else {
		_, _, err = s.Store.Session(who.session.Hash, s.Settings.SessionTTL)
	}
	return err == nil
}

// checkCSRF asks unsafe requests that a cookie authorises for the token that only our own pages
// know. A personal access token is no cookie: no page can make a browser send it. Requests that
// need no session, such as login, are refused when a browser says that another site's page sent
// them. Signed addresses carry their own proof.
func (s *Server) checkCSRF(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		op, r := operationOf(c), c.Request()
		if op == nil || !contract.IsUnsafe(r.Method) {
			return next(c)
		}
		if op.Access == contract.Public {
			if !op.Streams && s.origins.Check(r) != nil {
				return problem.Errorf(store.Forbidden, "csrf_failed", "This request came from a page of another site.")
			}
			return next(c)
		}
		if infoOf(r.Context()).caller.byToken {
			return next(c)
		}
		if !auth.EqualTokens(infoOf(r.Context()).caller.session.CSRF, r.Header.Get(csrfHeader)) {
			return problem.Errorf(
				store.Forbidden,
				"csrf_failed",
				"The header X-CSRF-Token is missing or wrong; load the page again.",
			)
		}
		return next(c)
	}
}

// cookie makes the session cookie; a negative ttl clears it.
func (s *Server) cookie(f *requestInfo, value string, ttl time.Duration) *http.Cookie {
	return &http.Cookie{
		Name:     sessionCookie,
		Value:    value,
		Path:     "/",
		MaxAge:   cookieAge(ttl),
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
		Secure:   f.secure,
	}
}

// cookieAge is the MaxAge of a cookie that lives for ttl, or of one that is cleared.
func cookieAge(ttl time.Duration) int {
	if ttl < 0 {
		return -1
	}
	return int(ttl.Seconds())
}

// startSession begins a session for a user, as read before the right to it was checked, and returns
// the values of the Set-Cookie header and of the CSRF token. A launched one was begun with a launch
// token.
func (s *Server) startSession(f *requestInfo, user store.User, launched bool) (setCookie, csrf string, err error) {
	session, value, err := auth.NewSession(user.UUID, s.Store.Now(), s.Settings.SessionTTL)
	if err != nil {
		return "", "", err
	}
	session.Launched = launched
	if err := s.Store.CreateSession(session, user.Epoch); err != nil {
		return "", "", err
	}
	return s.cookie(f, value, s.Settings.SessionTTL).String(), session.CSRF, nil
}
