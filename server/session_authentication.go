package server

import (
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"roughcut/server/auth"
	"roughcut/server/contract"
	"roughcut/server/problem"
	"roughcut/store"
	"roughcut/store/account"
)

const (
	sessionCookie = "roughcut_session"
	csrfHeader    = "X-CSRF-Token"
)

// caller is the user of a request. The zero value is an anonymous caller.
type caller struct {
	user    account.User
	session account.Session // personal access tokens set only the hash
	byToken bool            // authenticated by a personal access token instead of the cookie
	token   account.AccessToken
}

var errNotSignedIn = problem.Errorf(
	store.Unauthenticated,
	"not_authenticated",
	"Your session is missing or has expired. Sign in first.",
)

// authenticate finds the caller of a request. It returns an error if the operation needs a session
// and the request has none.
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
		if err := s.checkScope(c, op, found); err != nil {
			return err
		}
		return next(c)
	}
}

// checkScope refuses what the access token of a caller does not allow. A token for a project allows
// the operations whose path names the project or a part of it. Errors: Forbidden forbidden.
func (s *Server) checkScope(c echo.Context, op *contract.Operation, who caller) error {
	if !who.byToken || op.Access == contract.OptionalSession {
		return nil
	}
	if who.token.ReadOnly && contract.IsUnsafe(c.Request().Method) {
		return problem.Errorf(
			store.Forbidden, "forbidden", "This access token can only read. Create one that can also write.",
		)
	}

	if who.token.ProjectUUID == "" {
		return nil
	}
	if len(op.Resources) > 0 {
		name := op.Resources[0]
		in, err := s.Store.InProject(who.token.ProjectUUID, strings.TrimSuffix(name, "_uuid"), c.Param(name))
		if in || err != nil {
			return err
		}
	}

	return problem.Errorf(
		store.Forbidden, "forbidden", "This access token works for one project only. Create one for the whole account.",
	)
}

// findCaller returns the user of a personal access token or of the cookie. It ignores other
// Authorization headers, which proxies may use.
func (s *Server) findCaller(c echo.Context) (caller, error) {
	if token, ok := bearerToken(c.Request()); ok {
		return s.tokenCaller(auth.HashToken(token))
	}
	cookie, session, user, err := s.cookieSession(c.Request())
	if err != nil {
		return caller{}, err
	}
	if slid := session.ExpiresAt.Sub(s.Store.Now()) > s.Settings.SessionTTL-time.Second; slid {
		fresh := s.cookie(infoOf(c.Request().Context()), cookie.Value, s.Settings.SessionTTL)
		c.SetCookie(fresh)
		c.SetCookie(s.instanceCopy(fresh))
	}

	return caller{user: user, session: session}, nil
}

// cookieSession returns the session of a request. Browsers share cookies among all ports of a host,
// so another server there may have replaced the cookie sessionCookie. The one that is named after
// this server remains.
func (s *Server) cookieSession(r *http.Request) (*http.Cookie, account.Session, account.User, error) {
	for _, name := range []string{s.instanceCookie, sessionCookie} {
		cookie, err := r.Cookie(name)
		if err != nil || cookie.Value == "" {
			continue
		}
		session, user, err := s.Store.Session(auth.HashToken(cookie.Value), s.Settings.SessionTTL)
		if !store.IsKind(err, store.NotFound) {
			return cookie, session, user, err
		}
	}

	return nil, account.Session{}, account.User{}, errNotSignedIn
}

// instanceCopy returns a copy of the session cookie under the name of this server.
func (s *Server) instanceCopy(cookie *http.Cookie) *http.Cookie {
	repeated := *cookie
	repeated.Name = s.instanceCookie
	return &repeated
}

// repeatCookie adds the copy of the session cookie to responses that lack it.
func (s *Server) repeatCookie(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Before(func() {
			cookies := (&http.Response{Header: c.Response().Header()}).Cookies()
			has := func(name string) func(*http.Cookie) bool {
				return func(cookie *http.Cookie) bool { return cookie.Name == name }
			}
			at := slices.IndexFunc(cookies, has(sessionCookie))
			if at >= 0 && !slices.ContainsFunc(cookies, has(s.instanceCookie)) {
				c.SetCookie(s.instanceCopy(cookies[at]))
			}
		})
		return next(c)
	}
}

// newInstanceCookie returns the name of the session cookie of a data directory.
func newInstanceCookie(data *store.Store) (string, error) {
	secret, err := data.Secret("session cookie name")
	if err != nil {
		return "", err
	}
	return sessionCookie + "_" + hex.EncodeToString(secret[:4]), nil
}

// bearerToken returns the personal access token of a request.
func bearerToken(r *http.Request) (string, bool) {
	scheme, token, _ := strings.Cut(r.Header.Get(echo.HeaderAuthorization), " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "Bearer") && strings.HasPrefix(token, auth.AccessTokenPrefix)
}

func (s *Server) tokenCaller(hash string) (caller, error) {
	token, user, err := s.Store.UseAccessToken(hash)
	if store.IsKind(err, store.NotFound) {
		return caller{}, problem.Errorf(
			store.Unauthenticated,
			"not_authenticated",
			"The personal access token is invalid: it has expired, was revoked, or the password was changed. Create "+
				"a new one.",
		)
	}

	if err != nil {
		return caller{}, err
	}
	session := account.Session{Hash: hash, UserUUID: user.UUID}
	return caller{user: user, session: session, byToken: true, token: token}, nil
}

// stillThere reports whether the credentials of a caller are still valid, and extends a session.
func (s *Server) stillThere(who caller) bool {
	var err error
	if who.byToken {
		_, err = s.tokenCaller(who.session.Hash)
	} else {
		_, _, err = s.Store.Session(who.session.Hash, s.Settings.SessionTTL)
	}

	return err == nil
}

// checkCSRF requires the CSRF token for unsafe requests with a cookie. Requests with a personal
// access token are exempt, because a page cannot make a browser send one. Unsafe requests without a
// session, such as login, are rejected if the browser reports another site as their origin. Signed
// addresses carry their own proof.
func (s *Server) checkCSRF(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		op, r := operationOf(c), c.Request()
		if op == nil || !contract.IsUnsafe(r.Method) {
			return next(c)
		}
		if op.Access == contract.Public {
			if !op.Streams && s.origins.Check(r) != nil {
				return problem.Errorf(
					store.Forbidden,
					"csrf_failed",
					"A page of another site sent this request. Open Roughcut itself and try again.",
				)
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
				"The header X-CSRF-Token is missing or wrong. Reload the page.",
			)
		}

		return next(c)
	}
}

// cookie returns the session cookie. A negative ttl clears it.
func (s *Server) cookie(f *requestInfo, value string, ttl time.Duration) *http.Cookie {
	return &http.Cookie{
		Name:     sessionCookie,
		Value:    value,
		Path:     f.cookiePath,
		MaxAge:   cookieAge(ttl),
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
		Secure:   f.secure,
	}
}

// cookieAge returns the MaxAge of a cookie for a ttl; negative ones clear the cookie.
func cookieAge(ttl time.Duration) int {
	if ttl < 0 {
		return -1
	}
	return int(ttl.Seconds())
}

// startSession starts a session for a user and returns the values of the Set-Cookie header and of
// the CSRF token. Read the user before checking the credentials. launched marks a session from a
// launch token.
func (s *Server) startSession(f *requestInfo, user account.User, launched bool) (setCookie, csrf string, err error) {
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
