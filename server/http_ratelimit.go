package server

import (
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"roughcut/server/auth"
)

// rateLimit is the number of requests per client network or account in a sliding window.
type rateLimit struct {
	requests   int
	window     time.Duration
	forAccount bool
}

// rateLimits holds the limits by operation ID. They count all permitted requests, successful or
// not.
var rateLimits = map[string]rateLimit{
	"signup":               {requests: 5, window: 10 * time.Minute},
	"sendVerification":     {requests: 3, window: 5 * time.Minute},
	"requestPasswordReset": {requests: 3, window: 5 * time.Minute},
	"changePassword":       {requests: 5, window: 300 * time.Second, forAccount: true},
	"requestEmailChange":   {requests: 3, window: 300 * time.Second, forAccount: true},
	"startOAuth":           {requests: 30, window: 5 * time.Minute},
	"verifyPassword":       {requests: 20, window: 300 * time.Second, forAccount: true},
	"importClip":           {requests: 30, window: 300 * time.Second, forAccount: true},
	"importAsset":          {requests: 30, window: 300 * time.Second, forAccount: true},
	"deleteMe":             {requests: 10, window: 300 * time.Second, forAccount: true},
	"requestSupport":       {requests: 10, window: 10 * time.Minute, forAccount: true},
	"addPaymentMethod":     {requests: 10, window: 300 * time.Second, forAccount: true},
}

func (s *Server) limitRates(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		op := operationOf(c)
		if op == nil {
			return next(c)
		}
		if r, ok := rateLimits[op.ID]; ok {
			f := infoOf(c.Request().Context())
			key := op.ID + ":" + f.network
			if r.forAccount {
				key = op.ID + ":" + f.caller.user.UUID
			}
			if err := s.Store.Allow(key, r.requests, r.window); err != nil {
				return err
			}
		}

		return next(c)
	}
}

// Limits for mails to one address, over all clients.
const (
	mailsPerAddress = 5
	mailsWindow     = time.Hour
)

// allowMail counts a mail that a request sends to an address of its choice. The key of the count is
// a hash, so that the database does not keep addresses of strangers. Errors: RateLimited
// rate_limited.
func (s *Server) allowMail(address string) error {
	key := "mail:" + auth.HashToken(strings.ToLower(strings.TrimSpace(address)))
	return s.Store.Allow(key, mailsPerAddress, mailsWindow)
}
