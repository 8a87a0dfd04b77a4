package libav

import (
	"context"
	"sync"
	"time"
)

// meter reports how far a call has come, never backwards, and notices when nothing moves. close ends it.
type meter struct {
	report func(float64)
	cancel context.CancelCauseFunc
	after  time.Duration

	mu    sync.Mutex
	last  float64
	timer *time.Timer
}

// smallestStep is the progress that is worth a report.
const smallestStep = 0.002

// newMeter returns a context that is cancelled with a stallError when neither beat nor alive is called for a time.
func newMeter(ctx context.Context, report func(float64), stall time.Duration) (context.Context, *meter) {
	ctx, cancel := context.WithCancelCause(ctx)
	m := &meter{report: report, cancel: cancel, after: stall}
	m.timer = time.AfterFunc(stall, func() { cancel(stallError{stall}) })
	return ctx, m
}

// beat says that work goes on and how far it has come, 0 to 1.
func (m *meter) beat(fraction float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.timer.Reset(m.after)
	if fraction = min(fraction, 1); fraction >= m.last+smallestStep || fraction == 1 && m.last < 1 {
		m.last = fraction
		if m.report != nil {
			m.report(fraction)
		}
	}
}

// alive says that work goes on.
func (m *meter) alive() { m.timer.Reset(m.after) }

func (m *meter) close() {
	m.timer.Stop()
	m.cancel(nil)
}
