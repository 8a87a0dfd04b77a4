package libav

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// meter reports the progress of a call, which never decreases, detects a stall, and ends a call
// that exceeds its CPU time. close ends it.
type meter struct {
	report func(float64)
	cancel context.CancelCauseFunc
	after  time.Duration
	cpu    *cpuShare // nil without a limit
	calls  atomic.Int64
	checks int64 // signs of activity between two looks at the CPU time

	mu    sync.Mutex
	last  float64
	timer *time.Timer
}

// smallestStep is the smallest progress that is reported.
const smallestStep = 0.002

// newMeter returns a context that is cancelled with a stallError when neither beat nor alive is
// called for the given time.
func newMeter(ctx context.Context, report func(float64), stall time.Duration) (context.Context, *meter) {
	ctx, cancel := context.WithCancelCause(ctx)
	m := &meter{report: report, cancel: cancel, after: stall, checks: meterChecks}
	m.timer = time.AfterFunc(stall, func() { cancel(stallError{stall}) })
	return ctx, m
}

// limitCPU limits the CPU time of the call from now on. The context ends with the fault if the call
// exceeds the limit. It replaces an earlier limit, and is called before other goroutines use m.
func (m *meter) limitCPU(c *cpuClock, limit time.Duration, fault error) {
	if m.cpu != nil {
		m.cpu.end()
	}
	m.cpu = c.start(limit, fault)
}

// meterChecks is the usual number of signs of activity between two looks at the CPU time.
const meterChecks = 64

// charge ends the call if it has exceeded its CPU time.
func (m *meter) charge() {
	if m.cpu != nil && m.calls.Add(1)%m.checks == 0 && m.cpu.exceeded() {
		m.cancel(m.cpu.fault)
	}
}

// beat reports activity and the progress, 0 to 1.
func (m *meter) beat(fraction float64) {
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

// alive reports activity.
func (m *meter) alive() {
	m.timer.Reset(m.after)
	m.charge()
}

func (m *meter) close() {
	m.timer.Stop()
	if m.cpu != nil {
		m.cpu.end()
	}
	m.cancel(nil)
}
