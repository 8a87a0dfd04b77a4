package av

import (
	"sync"
	"time"
)

// CPUClock divides the CPU time of the process equally among the running calls of an engine. libav
// decodes and encodes in its own threads, whose time cannot be attributed to a call. Two concurrent
// calls therefore each pay half of their total.
type CPUClock struct {
	now func() time.Duration // CPU time of the process

	mu    sync.Mutex
	last  time.Duration // when the time was divided
	calls map[*cpuShare]bool
}

// cpuShare is the CPU time of one call.
type cpuShare struct {
	clock       *CPUClock
	used, limit time.Duration
	fault       error // of a call that exceeds its limit
}

// NewCPUClock returns a clock without calls. now returns the CPU time of the process: see
// ProcessTime.
func NewCPUClock(now func() time.Duration) *CPUClock {
	return &CPUClock{now: now, calls: map[*cpuShare]bool{}}
}

// start returns the share of a call that begins now. Its end method must be called.
func (c *CPUClock) start(limit time.Duration, fault error) *cpuShare {
	s := &cpuShare{clock: c, limit: limit, fault: fault}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.divide()
	c.calls[s] = true
	return s
}

// divide charges the time since the last call of divide.
func (c *CPUClock) divide() {
	now := c.now()
	for s := range c.calls {
		s.used += (now - c.last) / time.Duration(len(c.calls))
	}
	c.last = now
}

// exceeded reports whether the call has used more than its limit.
func (s *cpuShare) exceeded() bool {
	s.clock.mu.Lock()
	defer s.clock.mu.Unlock()
	s.clock.divide()
	return s.used > s.limit
}

func (s *cpuShare) end() {
	s.clock.mu.Lock()
	defer s.clock.mu.Unlock()
	s.clock.divide()
	delete(s.clock.calls, s)
}
