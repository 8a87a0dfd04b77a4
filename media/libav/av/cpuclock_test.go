package av

import (
	"testing"
	"time"
)

// Calls at the same time share the time of the process, so that one does not pay for the other.
func TestCallsShareTheProcessorTime(t *testing.T) {
	now := time.Duration(0)
	c := NewCPUClock(func() time.Duration { return now })
	now = time.Hour // before the first call
	first := c.start(50*time.Minute, nil)
	now += 10 * time.Minute
	second := c.start(50*time.Minute, nil)
	now += 20 * time.Minute
	if first.exceeded() || second.exceeded() {
		t.Error("a call has exceeded its time")
	}
	second.end()
	now += 10 * time.Minute
	if first.exceeded() || first.used != 30*time.Minute || second.used != 10*time.Minute {
		t.Errorf("the calls used %v and %v, want 30 and 10 minutes", first.used, second.used)
	}
	now += 21 * time.Minute
	if !first.exceeded() {
		t.Errorf("a call of %v may continue", first.used)
	}
}
