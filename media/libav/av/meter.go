package av

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Meter reports the progress of a call, which never decreases, detects a stall, and ends a call
// that exceeds its CPU time. Close ends it.
type Meter struct {
	report func(float64)
	cancel context.CancelCauseFunc
	after  time.Duration
	cpu    *cpuShare // nil without a limit
	calls  atomic.Int64
	Checks int64 // signs of activity between two looks at the CPU time

	mu    sync.Mutex
	last  float64
	timer *time.Timer
}

// smallestStep is the smallest progress that is reported.
const smallestStep = 0.002

// NewMeter returns a context that is cancelled with a stallError when neither Beat nor Alive is
// called for the given time.
func NewMeter(ctx context.Context, report func(float64), stall time.Duration) (context.Context, *Meter) {
	ctx, cancel := context.WithCancelCause(ctx)
	m := &Meter{report: report, cancel: cancel, after: stall, Checks: meterChecks}
	m.timer = time.AfterFunc(stall, func() { cancel(stallError{stall}) })
	return ctx, m
}

// LimitCPU limits the CPU time of the call from now on. The context ends with the fault if the call
// exceeds the limit. It replaces an earlier limit, and is called before other goroutines use m.
func (m *Meter) LimitCPU(c *CPUClock, limit time.Duration, fault error) {
	if m.cpu != nil {
		m.cpu.end()
	}
	m.cpu = c.start(limit, fault)
}

// meterChecks is the usual number of signs of activity between two looks at the CPU time.
const meterChecks = 64

// charge ends the call if it has exceeded its CPU time.
func (m *Meter) charge() {
	if m.cpu != nil && m.calls.Add(1)%m.Checks == 0 && m.cpu.exceeded() {
		m.cancel(m.cpu.fault)
	}
}

// Beat reports activity and the progress, 0 to 1.
func (m *Meter) Beat(fraction float64) {
	m.charge()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.timer.Reset(m.after)
	if fraction = min(fraction, 1); fraction >= m.last+smallestStep || (fraction == 1 && m.last < 1) {
		m.last = fraction
		if m.report != nil {
			m.report(fraction)
		}
	}
}

// Alive reports activity.
func (m *Meter) Alive() {
	m.timer.Reset(m.after)
	m.charge()
}

// Close ends the meter and its context.
func (m *Meter) Close() {
	m.timer.Stop()
	if m.cpu != nil {
		m.cpu.end()
	}
	m.cancel(nil)
}
