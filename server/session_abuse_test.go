package server

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"roughcut/server/auth"
	"roughcut/store"
)

// A provider assigns whole /64 networks to its customers, so addresses of one network share a
// limit.
func TestLimitsCountNetworksOfIPv6(t *testing.T) {
	t.Parallel()
	w := behindProxy(t)
	for i := range 3 {
		w.loginFrom(fmt.Sprintf("2001:db8:1:2:%x::9", i), fmt.Sprintf("n%d@example.com", i), "wrong")
	}
	w.loginFrom("2001:db8:1:2:ffff::1", "another@example.com", "wrong").want(429, "locked_out")
	w.loginFrom("2001:db8:1:3::1", "another@example.com", "wrong").want(401, "invalid_credentials")
	reset := func(ip string, i int) *reply {
		return w.from(ip, "POST", "/api/v1/auth/request-password-reset",
			map[string]any{"email": fmt.Sprintf("n%d@example.com", i)})
	}
	for i := range 3 {
		reset(fmt.Sprintf("2001:db8:1:4::%x", i+1), i).want(200, "")
	}
	reset("2001:db8:1:4::ff", 4).want(429, "rate_limited")
	reset("2001:db8:1:5::ff", 4).want(200, "")
	// an IPv4 address in IPv6 notation is one client
	for i := range 3 {
		reset(fmt.Sprintf("::ffff:203.0.113.%d", i+1), 10+i).want(200, "")
	}
	reset("::ffff:203.0.113.9", 20).want(200, "")
}

// No address gets more than a few mails, no matter how many clients request them.
func TestMailsToOneAddressAreLimited(t *testing.T) {
	t.Parallel()
	w := behindProxy(t)
	ada := w.withPassword("ada")
	asks := 0
	ask := func(path, email string) *reply {
		asks++
		return w.from(fmt.Sprintf("203.0.113.%d", asks), "POST", path, map[string]any{"email": email})
	}
	const reset, verify = "/api/v1/auth/request-password-reset", "/api/v1/auth/send-verification"
	for range 5 {
		ask(reset, "ada@example.com").want(200, "")
	}
	ask(reset, "ADA@example.com").want(429, "rate_limited")
	ask(verify, "ada@example.com").want(429, "rate_limited")
	// the limit does not reveal which addresses have accounts
	for range 5 {
		ask(verify, "nobody@example.com").want(200, "")
	}
	ask(verify, "nobody@example.com").want(429, "rate_limited")
	change := map[string]any{"new_email": "nobody@example.com", "password": goodPassword}
	ada.do("POST", "/api/v1/auth/request-email-change", change).want(429, "rate_limited")
	w.clock.Advance(time.Hour)
	ask(reset, "ada@example.com").want(200, "")
}

// A person who resets the password because of a lockout can sign in at once.
func TestPasswordResetLiftsTheLockout(t *testing.T) {
	t.Parallel()
	w := behindProxy(t)
	w.withPassword("ada")
	const ip = "203.0.113.1"
	for range 3 {
		w.loginFrom(ip, "ada@example.com", "wrong")
	}
	w.loginFrom(ip, "ada@example.com", goodPassword).want(429, "locked_out")
	w.from(ip, "POST", "/api/v1/auth/request-password-reset", map[string]any{"email": "ada@example.com"}).want(200, "")
	var m *letter
	w.eventually("the mail arrives", func() bool { m = w.mailTo("ada@", "Reset"); return m != nil })
	w.from(ip, "POST", "/api/v1/auth/reset-password", map[string]any{
		"token": m.token(t, "reset-password"), "new_password": "a new passphrase",
	}).want(200, "")
	w.loginFrom(ip, "ada@example.com", "a new passphrase").want(200, "")
}

// A session that was left open somewhere cannot give an account without a password its first one.
func TestFirstPasswordNeedsARecentSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada")
	token := ada.do("POST", "/api/v1/users/me/tokens", map[string]any{"name": "t"}).want(201, "").text("token")
	body := map[string]any{"new_password": goodPassword}
	const change = "/api/v1/auth/change-password"
	(&person{w: w, bearer: token}).do("POST", change, body).want(403, "sign_in_again")
	w.clock.Advance(recentSignIn + time.Second)
	ada.do("POST", change, body).want(403, "sign_in_again")
	w.signIn(ada.user).do("POST", change, body).want(204, "")
}

// An attacker's own account gives no more guesses at other accounts.
func TestSignInKeepsFailuresOfItsNetwork(t *testing.T) {
	t.Parallel()
	w := behindProxy(t) // locks at the third failure
	w.withPassword("ada")
	w.withPassword("eve")
	for _, name := range []string{"a", "b"} {
		w.loginFrom("192.0.2.7", name+"@example.com", "a wrong guess").want(401, "invalid_credentials")
	}
	w.loginFrom("192.0.2.7", "eve@example.com", goodPassword).want(200, "")
	w.loginFrom("192.0.2.7", "ada@example.com", "a wrong guess").want(429, "locked_out")
}

// A login to an unknown account, or to one without a password, computes a hash like a login with a
// wrong password. A hash allocates the memory of its cost.
func TestLoginHashesForEveryAccount(t *testing.T) {
	const memoryKiB = 32 * 1024
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.Settings.HashCost = auth.HashCost{MemoryKiB: memoryKiB, Passes: 1, Threads: 1}
	})
	w.withPassword("ada")
	w.person("without") // an account without a password, as from a provider
	for _, email := range []string{"ada@example.com", "nobody@example.com", "without@example.com"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		login(w.anonymous(), email, "wrong password").want(401, "invalid_credentials")
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got < memoryKiB<<10 {
			t.Errorf("a login to %s allocates %d KB, a hash %d KB", email, got>>10, memoryKiB)
		}
	}
}
