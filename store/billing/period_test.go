package billing

import (
	"testing"
	"time"
)

func at(year int, month time.Month, dayOfMonth int) time.Time {
	return time.Date(year, month, dayOfMonth, 12, 0, 0, 0, time.UTC)
}

func TestPeriodsKeepTheDayOfTheMonth(t *testing.T) {
	t.Parallel()
	anchor := at(2026, 1, 31)
	for n, want := range []time.Time{anchor, at(2026, 2, 28), at(2026, 3, 31), at(2026, 4, 30)} {
		if got := addMonths(anchor, n); !got.Equal(want) {
			t.Errorf("%d months: got %v, want %v", n, got, want)
		}
	}
	if got := monthsLater(anchor, at(2026, 2, 28), 1); !got.Equal(at(2026, 3, 31)) {
		t.Errorf("the month after the end of February ends at %v", got)
	}
	if got := monthsLater(anchor, at(2026, 4, 30), 12); !got.Equal(at(2027, 4, 30)) {
		t.Errorf("a year after the end of April is %v", got)
	}
	if got := addMonths(at(2024, 2, 29), 12); !got.Equal(at(2025, 2, 28)) {
		t.Errorf("a year after a leap day is %v", got)
	}
}
