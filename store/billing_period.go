package store

import "time"

// day is what the unused part of a period is counted in.
const day = 24 * time.Hour

// addMonths returns the same time of day n months after anchor: on the same day of the month, or on
// the last where the month is shorter.
func addMonths(anchor time.Time, n int) time.Time {
	year, month, of := anchor.Date()
	last := time.Date(year, month+time.Month(n)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	h, m, s := anchor.Clock()
	return time.Date(year, month+time.Month(n), min(of, last), h, m, s, anchor.Nanosecond(), time.UTC)
}

// monthsLater returns what lies n months after at, which is a whole number of months after anchor,
// or after the last such time before it. Counting from the anchor lets a period that began on the
// 31st end on the last of February, and the next one on the 31st again.
func monthsLater(anchor, at time.Time, n int) time.Time {
	k := max(0, (at.Year()-anchor.Year())*12+int(at.Month())-int(anchor.Month())-1)
	for !addMonths(anchor, k+1).After(at) {
		k++
	}
	return addMonths(anchor, k+n)
}

// monthsOf returns how many months an interval has.
func monthsOf(interval string) int {
	if interval == Year {
		return 12
	}
	return 1
}

// unusedCents returns what of a price belongs to the days of a period that have not begun or begin
// now, to the nearest cent.
func unusedCents(cents int64, start, end, now time.Time) int64 {
	if !end.After(now) || !end.After(start) {
		return 0
	}
	days := func(d time.Duration) int64 { return int64((d + day - 1) / day) }
	all := days(end.Sub(start))
	return (cents*min(days(end.Sub(now)), all) + all/2) / all
}
