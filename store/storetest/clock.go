// Package storetest has a clock for tests of the store and of the packages that use it.
package storetest

import (
	"sync"
	"time"
)

// Clock is a clock that advances only when a test advances it. Several goroutines may use it at
// once.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows noon in UTC on the last day of a month.
func NewClock() *Clock { return &Clock{now: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)} }

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock by d, which may be negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
