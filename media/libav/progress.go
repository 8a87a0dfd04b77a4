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

// tally adds up the progress of a render: passes that measure the audio before it is written, and
// the writing of video and audio.
type tally struct {
	meter *meter

	mu       sync.Mutex
	share    float64 // of the whole: measuring passes
	base     float64 // share of measuring that finished passes took
	width    float64 // share of measuring that the current pass takes
	expected int     // passes still to come
	measured float64
	video    float64
	audio    float64
	tracks   float64 // written tracks: 1 or 2
}

// encodeCost is roughly how many times as long encoding the video takes as one pass over the audio.
const encodeCost = 20

// newTally returns the tally of a render with the expected number of passes over the audio. encoded
// is the share of frames that are re-encoded.
func newTally(m *meter, passes int, encoded float64, tracks int) *tally {
	passesShare := float64(passes)
	return &tally{
		meter:    m,
		share:    passesShare / (passesShare + 1 + encodeCost*encoded),
		expected: passes,
		tracks:   float64(max(1, tracks)),
	}
}

// pass starts another pass over the audio. It returns a function that takes the progress of the
// pass, 0 to 1. The number of passes is not known in advance, so a pass takes at most half of the
// remaining share.
func (t *tally) pass() func(done float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.base += t.width
	t.width = (1 - t.base) / float64(max(2, t.expected))
	t.expected--
	return func(done float64) { t.add(func() { t.measured = t.base + t.width*min(1, done) }) }
}

// measuringDone says that all measuring passes are done.
func (t *tally) measuringDone() { t.add(func() { t.measured = 1 }) }

// videoDone and audioDone report the share of the video or audio that is written, 0 to 1.
func (t *tally) videoDone(fraction float64) { t.add(func() { t.video = fraction }) }
func (t *tally) audioDone(fraction float64) { t.add(func() { t.audio = fraction }) }

func (t *tally) add(change func()) {
	t.mu.Lock()
	change()
	fraction := t.share*t.measured + (1-t.share)*(t.video+t.audio)/t.tracks
	t.mu.Unlock()
	t.meter.beat(min(0.99, fraction))
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
