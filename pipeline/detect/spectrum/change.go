package spectrum

import "slices"

const (
	// ChangeFrameMS is the distance of two values of Changes in milliseconds.
	ChangeFrameMS = 20
	// ChangesPerDB is the number of steps of Changes in a decibel.
	ChangesPerDB = 8

	changeEvery = ChangeFrameMS / FrameMS
	changeReach = 2  // frames before and after that are compared
	changeRange = 50 // half decibels below the loudest band: quieter bands do not count
)

// Changes returns how much the shape of the spectrum changes within 40 ms around each
// ChangeFrameMS: the mean change of the louder bands, minus the change of the level, in steps of
// 1/ChangesPerDB dB. A held vowel has low values, running speech has high ones.
func (m *Meter) Changes() []byte {
	n := len(m.levels) / Bands
	out := make([]byte, 0, n/changeEvery+1)
	for i := 0; i < n; i += changeEvery {
		// The window of frame i starts at its time, so that frame i-1 is centered there.
		before, after := max(i-1-changeReach, 0), min(i-1+changeReach, n-1)
		out = append(out, m.spectralChange(before, max(after, 0)))
	}

	return out
}

func (m *Meter) spectralChange(before, after int) byte {
	a, b := m.levels[before*Bands:][:Bands], m.levels[after*Bands:][:Bands]
	least := int(max(slices.Max(a), slices.Max(b))) - changeRange
	var differences [Bands]int
	sum, count := 0, 0
	for k := range Bands {
		if int(max(a[k], b[k])) >= least {
			differences[count] = int(b[k]) - int(a[k])
			sum += differences[count]
			count++
		}
	}

	total := 0
	for _, d := range differences[:count] {
		total += max(d*count-sum, sum-d*count)
	}
	return byte(min(total*ChangesPerDB/2/(count*count), 255))
}
