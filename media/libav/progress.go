package libav

import (
	"context"
	"sync"
	"time"
)

// meter reports how far a call has come, never backwards, and notices when nothing moves. close
// ends it.
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

// newMeter returns a context that is cancelled with a stallError when neither beat nor alive is
// called for a time.
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

// tally adds up how far the parts of a render have come: listening to what is measured of the sound
// before it is written, and writing pictures and sound.
type tally struct {
	meter *meter

	mu       sync.Mutex
	share    float64 // of the whole that listening is
	base     float64 // what the passes that have ended are of listening
	width    float64 // what the present pass is of it
	expected int     // passes that are still to come
	measured float64
	video    float64
	audio    float64
	tracks   float64 // that are written: 1 or 2
}

// encodeCost is about how many times as long as reading the sound of an export once the encoding of
// its pictures takes.
const encodeCost = 20

// newTally returns the tally of a render in which so many passes over the sound are expected and
// this share of the pictures is encoded.
func newTally(m *meter, passes int, encoded float64, tracks int) *tally {
	passesShare := float64(passes)
	return &tally{
		meter:    m,
		share:    passesShare / (passesShare + 1 + encodeCost*encoded),
		expected: passes,
		tracks:   float64(max(1, tracks)),
	}
}

// pass begins another pass over the sound. It returns what is to be told how much of it is done, 0
// to 1. How many there will be is not known: one takes no more than half of what is left.
func (t *tally) pass() func(done float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.base += t.width
	t.width = (1 - t.base) / float64(max(2, t.expected))
	t.expected--
	return func(done float64) { t.add(func() { t.measured = t.base + t.width*min(1, done) }) }
}

// measured says that there is nothing more to listen to.
func (t *tally) measuringDone() { t.add(func() { t.measured = 1 }) }

// wrote says how much of the pictures is written, heard how much of the sound; 0 to 1.
func (t *tally) videoDone(fraction float64) { t.add(func() { t.video = fraction }) }
func (t *tally) audioDone(fraction float64) { t.add(func() { t.audio = fraction }) }

func (t *tally) add(change func()) {
	t.mu.Lock()
	change()
	fraction := t.share*t.measured + (1-t.share)*(t.video+t.audio)/t.tracks
	t.mu.Unlock()
	t.meter.beat(min(0.99, fraction))
}

// alive says that work goes on.
func (m *meter) alive() { m.timer.Reset(m.after) }

func (m *meter) close() {
	m.timer.Stop()
	m.cancel(nil)
}
