package server

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"roughcut/server/auth"
	"roughcut/store"
)

const (
	sessionCookie = "roughcut_session"
	csrfHeader    = "X-CSRF-Token"
)

// caller is who a request acts for. The zero caller is nobody.
type caller struct {
	user    store.User
	session store.Session
}

var errNotSignedIn = refuse(store.Unauthenticated, "not_authenticated", "Sign in first: there is no valid session.")

// authenticate finds the session of a request, and refuses where the operation needs one and there is none.
func (s *Server) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		op := operationOf(c)
		if op == nil || op.access == anybody {
			return next(c)
		}
		found, err := s.findCaller(c)
		if err != nil && !store.IsKind(err, store.Unauthenticated) {
			return err
		}
		if err != nil && op.access == signedIn {
			return err
		}
		factsOf(c.Request().Context()).caller = found
		return next(c)
	}
}

func (s *Server) findCaller(c echo.Context) (caller, error) {
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
		c.SetCookie(s.cookie(factsOf(c.Request().Context()), cookie.Value, s.Settings.SessionTTL))
	}
	return caller{user: user, session: session}, nil
}

// checkCSRF asks unsafe requests that a cookie authorises for the token that only our own pages know. Those that need no session,
// such as login, are refused when a browser says that another site's page sent them. Signed addresses carry their own proof.
func (s *Server) checkCSRF(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		op, r := operationOf(c), c.Request()
		if op == nil || !isUnsafe(r.Method) {
			return next(c)
		}
		if op.access == anybody {
			if !op.plain && s.origins.Check(r) != nil {
				return refuse(store.Forbidden, "csrf_failed", "This request came from a page of another site.")
			}
			return next(c)
		}
		if !auth.EqualTokens(factsOf(r.Context()).caller.session.CSRF, r.Header.Get(csrfHeader)) {
			return refuse(store.Forbidden, "csrf_failed", "The header X-CSRF-Token is missing or wrong; load the page again.")
		}
		return next(c)
	}
}

// cookie makes the session cookie; a negative ttl clears it.
func (s *Server) cookie(f *facts, value string, ttl time.Duration) *http.Cookie {
	age := int(ttl.Seconds())
	if ttl < 0 {
		age = -1
	}
	return &http.Cookie{Name: sessionCookie, Value: value, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: f.secure}
}

// startSession begins a session and returns the values of the Set-Cookie header and of the CSRF token.
func (s *Server) startSession(f *facts, userUUID string) (setCookie, csrf string, err error) {
	session, value, err := auth.NewSession(userUUID, s.Store.Now(), s.Settings.SessionTTL)
	if err != nil {
		return "", "", err
	}
	if err := s.Store.CreateSession(session); err != nil {
		return "", "", err
	}
	return s.cookie(f, value, s.Settings.SessionTTL).String(), session.CSRF, nil
}
