// Package storetest holds what the tests of the store and of those who use it share.
package storetest

import (
	"sync"
	"time"
)

// Clock is a time that moves only when a test moves it. It may be read from many goroutines at
// once.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that stands on the last day of a month, at noon in UTC.
func NewClock() *Clock { return &Clock{now: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)} }

// Now returns where the clock stands.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock, back where d is negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
