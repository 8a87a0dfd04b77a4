package account

import (
	"fmt"
	"time"

	"roughcut/store/fault"
	"roughcut/store/table"
)

// Lockout holds the rules for failed sign-ins. More than MaxAttempts failures within Window lock a
// key for Base, which doubles with each round up to Max.
type Lockout struct {
	MaxAttempts       int
	Window, Base, Max time.Duration
}

// lockout is the state of one key, which names an address or an account.
type lockout struct {
	Key         string
	Failures    []time.Time // since the last lock, oldest first
	Round       int         // number of locks so far
	LockedUntil time.Time
	LastFailure time.Time
	KeepUntil   time.Time // when the row can be deleted
	// the account of all failures, empty when they are of several
	Account string `json:",omitempty"`
}

// window is the log of one rate limit: the times of the requests that it allowed.
type window struct {
	Key       string
	Times     []time.Time // oldest first
	KeepUntil time.Time
}

var (
	lockouts = &table.Table[lockout]{
		Name:  "lockouts",
		Noun:  "lockout",
		Key:   func(r *lockout) []byte { return []byte(r.Key) },
		Stale: func(r *lockout, now time.Time) bool { return !r.KeepUntil.After(now) && !r.LockedUntil.After(now) },
	}
	windows = &table.Table[window]{
		Name:  "windows",
		Noun:  "limit",
		Key:   func(r *window) []byte { return []byte(r.Key) },
		Stale: func(r *window, now time.Time) bool { return !r.KeepUntil.After(now) },
	}
)

// LoginAttempt refuses a sign-in when one of the keys is locked. Call it before the password is
// checked. Errors: RateLimited locked_out.
func (r Registry) LoginAttempt(keys ...string) error {
	var wait time.Duration
	for _, k := range keys {
		row, err := lockouts.Find(r, k)
		if err != nil {
			return err
		}
		if row != nil {
			wait = max(wait, row.LockedUntil.Sub(r.Now))
		}
	}

	return LockedOut(wait)
}

// LoginFailed counts a failure for each key that is not locked, and returns how long the keys are
// locked now. The last key names the account.
func (r Registry) LoginFailed(l Lockout, keys ...string) (wait time.Duration, err error) {
	account := keys[len(keys)-1]
	for _, k := range keys {
		row, err := lockouts.Find(r, k)
		if err != nil {
			return 0, err
		}
		if row == nil || !row.KeepUntil.After(r.Now) {
			row = &lockout{Key: k, Account: account}
		}
		if row.Account != account {
			row.Account = ""
		}
		row.fail(l, r.Now)
		wait = max(wait, row.LockedUntil.Sub(r.Now))
		if err := lockouts.Put(r, row); err != nil {
			return 0, err
		}
	}

	return wait, nil
}

// fail counts one failure. A lock resets the count but keeps the round. The round resets after
// twice Max without a failure.
func (r *lockout) fail(l Lockout, now time.Time) {
	if r.LockedUntil.After(now) {
		return
	}
	if now.Sub(r.LastFailure) >= 2*l.Max {
		r.Round = 0
	}
	r.Failures = append(since(r.Failures, now.Add(-l.Window)), now)
	r.LastFailure = now
	r.KeepUntil = now.Add(max(2*l.Max, l.Window))
	if len(r.Failures) > l.MaxAttempts {
		r.LockedUntil = now.Add(l.duration(r.Round))
		r.Failures = nil
		r.Round++
	}
}

// duration returns the length of the lock of a round.
func (l Lockout) duration(round int) time.Duration {
	d := l.Base
	for range round {
		if d >= l.Max {
			break
		}
		d *= 2
	}

	return min(d, l.Max)
}

// Forgiven returns the keys whose failures a sign-in deletes: the last key, which names the
// account, and other keys if all their failures were at this account. Otherwise an attacker could
// sign in to an account of their own between guesses at others.
func (r Registry) Forgiven(keys ...string) (list []string, err error) {
	account := keys[len(keys)-1]
	for _, k := range keys {
		row, err := lockouts.Find(r, k)
		if err != nil {
			return nil, err
		}
		if row != nil && (k == account || row.Account == account) {
			list = append(list, k)
		}
	}

	return list, nil
}

// Forgive deletes the failures and rounds of keys.
func (r Registry) Forgive(keys []string) error {
	for _, k := range keys {
		if err := lockouts.Delete(r, k); err != nil {
			return err
		}
	}

	return nil
}

// Allow counts a request against a sliding window of limit requests. Refused requests do not count.
// Errors: RateLimited rate_limited, with the time until the oldest request leaves the window.
func (r Registry) Allow(key string, limit int, span time.Duration) error {
	row, err := windows.Find(r, key)
	if err != nil {
		return err
	}
	if row == nil {
		row = &window{Key: key}
	}
	row.Times = since(row.Times, r.Now.Add(-span))
	if len(row.Times) >= limit {
		wait := span
		if len(row.Times) > 0 {
			wait = row.Times[0].Add(span).Sub(r.Now)
		}
		e := fault.New(fault.RateLimited, "rate_limited", "Too many requests. Try again in %s.", waitText(wait))
		e.RetryAfter = wholeSeconds(wait)
		return e
	}

	row.Times = append(row.Times, r.Now)
	row.KeepUntil = r.Now.Add(span)
	return windows.Put(r, row)
}

// since returns the times after a cutoff.
func since(times []time.Time, border time.Time) []time.Time {
	for len(times) > 0 && !times[0].After(border) {
		times = times[1:]
	}
	return times
}

// LockedOut returns the error of a lock that ends after wait, or nil if wait is over. Errors:
// RateLimited locked_out.
func LockedOut(wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	e := fault.New(
		fault.RateLimited,
		"locked_out",
		"Too many failed attempts to sign in. Try again in %s, or reset your password.",
		waitText(wait),
	)
	e.RetryAfter = wholeSeconds(wait)
	return e
}

// waitText formats a waiting time for people, rounded up.
func waitText(d time.Duration) string {
	n, unit := int((wholeSeconds(d)+time.Minute-1)/time.Minute), "minute"
	if d <= time.Minute {
		n, unit = int(wholeSeconds(d)/time.Second), "second"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}

// wholeSeconds rounds up to whole seconds, at least one, as Retry-After needs.
func wholeSeconds(d time.Duration) time.Duration {
	return max((d + time.Second - 1).Truncate(time.Second), time.Second)
}
