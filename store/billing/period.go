package billing

import "time"

// day is the unit for unused parts of a period.
const day = 24 * time.Hour

// addMonths returns the same time of day n months after anchor, on the same day of the month. In a
// shorter month it uses the last day.
func addMonths(anchor time.Time, n int) time.Time {
	year, month, of := anchor.Date()
	last := time.Date(year, month+time.Month(n)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	h, m, s := anchor.Clock()
	return time.Date(year, month+time.Month(n), min(of, last), h, m, s, anchor.Nanosecond(), time.UTC)
}

// monthsLater returns the time n months after at. When at is not a whole number of months after
// anchor, it counts from the last such time before at. Counting from the anchor keeps the day of
// the month: a period that began on the 31st can end on February 28, and the next one on March 31.
func monthsLater(anchor, at time.Time, n int) time.Time {
	k := max(0, (at.Year()-anchor.Year())*12+int(at.Month())-int(anchor.Month())-1)
	for !addMonths(anchor, k+1).After(at) {
		k++
	}
	return addMonths(anchor, k+n)
}

// monthsOf returns the length of an interval in months.
func monthsOf(interval string) int {
	if interval == Year {
		return 12
	}
	return 1
}

// unusedCents returns the part of a price that belongs to the days of a period after now, rounded
// to the nearest cent. A day that starts now counts as unused.
func unusedCents(cents int64, start, end, now time.Time) int64 {
	if !end.After(now) || !end.After(start) {
		return 0
	}
	days := func(d time.Duration) int64 { return int64((d + day - 1) / day) }
	all := days(end.Sub(start))
	return (cents*min(days(end.Sub(now)), all) + all/2) / all
}
