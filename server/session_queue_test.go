package server

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	"roughcut/store"
)

// holdHash occupies the only password hash until the returned function is called.
func (w *world) holdHash() (release func()) {
	w.t.Helper()
	held, done := make(chan struct{}), make(chan struct{})
	var holder sync.WaitGroup
	holder.Go(func() {
		_, err := w.server.passwords.Verify(w.t.Context(), "holder", "", "x", func() error {
			close(held)
			<-done
			return nil
		})
		if err != nil {
			w.t.Error(err)
		}
	})
	<-held
	return func() {
		close(done)
		holder.Wait()
	}
}

// Guesses that wait for a hash fill a short queue. Everybody behind it gets a response at once, and
// one client cannot fill the queue alone.
func TestPasswordQueueIsShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.Settings.HashConcurrency, o.Settings.TrustedProxies = 1, cidrs(t, "127.0.0.0/8")
		o.Settings.Lockout.MaxAttempts = 1000
	})
	w.withPassword("ada")
	w.anonymous().do("POST", "/api/v1/auth/request-password-reset", map[string]any{"email": "ada@example.com"})
	var m *letter
	w.eventually("the mail arrives", func() bool { m = w.mailTo("ada@", "Reset"); return m != nil })
	reset := map[string]any{"token": m.token(t, "reset-password"), "new_password": goodPassword}
	release := w.holdHash()
	var waiting sync.WaitGroup
	guess := func(ip string, i int) {
		waiting.Go(func() {
			if r := w.loginFrom(ip, fmt.Sprintf("name%d@example.com", i), "wrong"); r.status != 401 {
				t.Errorf("a guess that waited: response %d %s", r.status, r.body)
			}
		})
		w.eventually("the guess waits", func() bool { return w.server.passwords.Waiting() == i })
	}
	for i := range 10 {
		guess("203.0.113.1", i+1)
	}
	// the queue has room, but not for this client
	busy := w.loginFrom("203.0.113.1", "name@example.com", "wrong").want(429, "rate_limited")
	if wait, err := strconv.Atoi(busy.header.Get("Retry-After")); err != nil || wait < 1 || wait > 60 {
		t.Errorf("Retry-After %q", busy.header.Get("Retry-After"))
	}
	for i := 10; i < 20; i++ {
		guess(fmt.Sprintf("203.0.113.%d", 20+i), i+1)
	}
	w.loginFrom("203.0.113.99", "ada@example.com", goodPassword).want(429, "rate_limited")
	w.from("203.0.113.99", "POST", "/api/v1/users/", map[string]any{
		"name": "Eve", "username": "eve", "email": "eve@example.com", "password": goodPassword,
	}).want(429, "rate_limited")
	w.from("203.0.113.99", "POST", "/api/v1/auth/reset-password", reset).want(429, "rate_limited")
	release()
	waiting.Wait()
	w.from("203.0.113.99", "POST", "/api/v1/auth/reset-password", reset).want(200, "")
	w.loginFrom("203.0.113.99", "ada@example.com", goodPassword).want(200, "")
}
