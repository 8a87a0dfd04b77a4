package pipeline

import (
	"testing"
	"time"
)

func TestProgressIsReportedAtMostFourTimesASecond(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	p := pacer{now: func() time.Time { return now }}
	reported := 0
	for percent := range 100 { // one percent every 10 ms
		if p.ready("render", percent) {
			reported++
		}
		now = now.Add(10 * time.Millisecond)
	}
	if reported != 4 {
		t.Errorf("the progress was reported %d times in a second, want 4", reported)
	}
	if now = now.Add(time.Second); p.ready("render", p.shown) {
		t.Error("an unchanged percentage was reported again")
	}
	if !p.ready("finalize", p.shown) {
		t.Error("a new step was not reported immediately")
	}
}
