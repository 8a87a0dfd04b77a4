package server

import (
	"time"

	"github.com/labstack/echo/v4"
)

// rate is how many requests a client address may make in a sliding window.
type rate struct {
	requests int
	window   time.Duration
}

// rates holds the limited operations. They count every request that is let through, right or wrong.
var rates = map[string]rate{
	"signup":               {5, 10 * time.Minute},
	"sendVerification":     {3, 5 * time.Minute},
	"requestPasswordReset": {3, 5 * time.Minute},
}

func (s *Server) limit(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		op := operationOf(c)
		if op == nil {
			return next(c)
		}
		if r, ok := rates[op.id]; ok {
			key := op.id + ":" + factsOf(c.Request().Context()).ip
			if err := s.Store.Allow(key, r.requests, r.window); err != nil {
				return err
			}
		}
		return next(c)
	}
}
