//go:build unix

package server

import (
	"testing"
	"time"

	"roughcut/media/mediatest"
	"roughcut/server/auth"
	"roughcut/store"
)

// Without a hash, a login to an unknown account would take a hundredth of the processor time.
func TestTimingLoginDoesNotRevealAccounts(t *testing.T) {
	mediatest.NeedsTiming(t)
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.Settings.Lockout.MaxAttempts, o.Settings.HashCost = 1000, auth.DefaultHashCost
	})
	w.withPassword("ada")
	w.person("without") // an account without a password, as from a provider
	fastest := map[string]time.Duration{}
	for range 2 {
		for _, email := range []string{"ada@example.com", "nobody@example.com", "without@example.com"} {
			before := mediatest.CPUTime(t)
			login(w.anonymous(), email, "wrong password").want(401, "invalid_credentials")
			if took := mediatest.CPUTime(t) - before; fastest[email] == 0 || took < fastest[email] {
				fastest[email] = took
			}
		}
	}
	for email, took := range fastest {
		if took < fastest["ada@example.com"]/3 {
			t.Errorf("%s takes %v, a wrong password %v", email, took, fastest["ada@example.com"])
		}
	}
}
