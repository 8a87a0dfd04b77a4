package pipeline

import (
	"testing"
	"time"
)

func TestProgressIsToldAtMostFourTimesASecond(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	p := pacer{now: func() time.Time { return now }}
	told := 0
	for percent := range 100 { // one percent in 10 ms, a second in all
		if p.ready("render", percent) {
			told++
		}
		now = now.Add(10 * time.Millisecond)
	}
	if told != 4 {
		t.Errorf("progress was told %d times in a second", told)
	}
	if now = now.Add(time.Second); p.ready("render", p.shown) {
		t.Error("a figure that has not moved was told again")
	}
	if !p.ready("finalize", p.shown) {
		t.Error("a new step was not told at once")
	}
}
