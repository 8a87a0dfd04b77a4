package audio

import (
	"math"
	"slices"

	"roughcut/media"
)

// RoomToneSamples is the length of room tone that Near returns at most, at SampleRate.
const RoomToneSamples = 2 * media.SampleRate

// Limits of room tone, in steps of EnergyMS or in decibels.
const (
	toneLoudShare    = 0.95 // steps at or below the level of loud audio
	toneLowShare     = 0.01 // steps at or below the lowest background
	toneQuietDB      = -50  // K-weighted level that counts as background whatever is around it
	toneRiseDB       = 8    // of background over the lowest background, unless it is even for long
	toneContextSteps = 600  // before and after a range: the audio that tells loud from quiet
	toneEdgeSamples  = media.SampleRate / 50
)

// toneSearch is one attempt to find room tone.
type toneSearch struct {
	reach        int     // steps before and after the range
	run          int     // consecutive quiet steps, at least
	share        float64 // of the steps that are at or below the floor
	below, above float64 // distance of quiet steps from the floor
	under        float64 // distance of the floor from loud audio, at least
	risen        bool    // the floor may be far above the lowest background
}

// toneSearches returns the attempts in their order. Background next to a range sounds most like
// the range's own. An even second is background, such as a fan, even if the recording is quieter
// elsewhere. Shorter runs could be quiet speech, unless they are near the lowest background. The
// last attempt accepts the quietest gaps between words.
func toneSearches() []toneSearch {
	return []toneSearch{
		{reach: 80, run: 10, share: 0.05, below: 2, above: 3, under: 10, risen: true},
		{reach: 80, run: 3, share: 0.05, below: 3, above: 4, under: 20},
		{reach: 600, run: 3, share: 0.05, below: 6, above: 4, under: 20},
		{reach: 6000, run: 3, share: 0.05, below: 6, above: 4, under: 20},
		{reach: 600, run: 1, below: 6, above: 3, under: 10},
	}
}

// RoomTones finds room tone in one recording: background without voice. Create it with
// NewRoomTones.
type RoomTones struct {
	energies []media.Energy
	levels   []float64
	usable   []float64 // levels, with NaN for steps to avoid
}

// NewRoomTones prepares a search in a recording with the given energies. It avoids room tone from
// the given ranges.
func NewRoomTones(energies []media.Energy, avoid []media.SampleRange) RoomTones {
	levels := toneLevels(energies)
	return RoomTones{energies, levels, withoutRanges(levels, avoid)}
}

// Near returns the room tone for a range of the recording, nearest first, RoomToneSamples at most
// in total. The result is empty if the recording never becomes quiet, such as one held tone.
func (t RoomTones) Near(near media.SampleRange) []media.SampleRange {
	around := toneWindow(t.levels, near, toneContextSteps)
	loud, low := levelAt(around, toneLoudShare), levelAt(around, toneLowShare)
	for _, search := range toneSearches() {
		most := max(loud-search.under, toneQuietDB)
		if !search.risen {
			most = min(most, max(low+toneRiseDB, toneQuietDB))
		}
		if found := search.find(t.usable, near, most); len(found) > 0 {
			return found
		}
	}

	return nil
}

// toneLevels returns the level of each step in decibels, -Inf for digital silence.
func toneLevels(energies []media.Energy) []float64 {
	levels := make([]float64, len(energies))
	for i, e := range energies {
		levels[i] = 10 * math.Log10(e.Power)
	}
	return levels
}

// withoutRanges returns the levels with NaN for the steps that ranges touch, and for the last step,
// which may be incomplete.
func withoutRanges(levels []float64, avoid []media.SampleRange) []float64 {
	out := slices.Clone(levels)
	if len(out) > 0 {
		out[len(out)-1] = math.NaN()
	}
	for _, a := range avoid {
		last := min((a.To+stepSamples-1)/stepSamples, int64(len(out)))
		for i := max(a.From/stepSamples, 0); i < last; i++ {
			out[i] = math.NaN()
		}
	}

	return out
}

// toneWindow returns the levels up to reach steps before and after a range.
func toneWindow(levels []float64, near media.SampleRange, reach int) []float64 {
	from, to := toneBounds(len(levels), near, reach)
	return levels[from:to]
}

func toneBounds(steps int, near media.SampleRange, reach int) (from, to int) {
	from = min(max(int(near.From/stepSamples)-reach, 0), steps)
	return from, max(from, min(int(near.To/stepSamples)+1+reach, steps))
}

// levelAt returns the level that a share of the levels stays at or below, +Inf without levels. It
// ignores NaN.
func levelAt(levels []float64, share float64) float64 {
	known := slices.DeleteFunc(slices.Clone(levels), math.IsNaN)
	if len(known) == 0 {
		return math.Inf(1)
	}
	slices.Sort(known)
	return known[int(share*float64(len(known)-1))]
}

// find returns runs of quiet steps, nearest first. Their floor must not exceed mostDB.
func (s toneSearch) find(levels []float64, near media.SampleRange, mostDB float64) (found []media.SampleRange) {
	from, to := toneBounds(len(levels), near, s.reach)
	floor := levelAt(levels[from:to], s.share)
	if s.run == 1 && math.IsInf(floor, -1) { // gaps of digital silence are not background
		audible := slices.DeleteFunc(slices.Clone(levels[from:to]), func(db float64) bool { return math.IsInf(db, -1) })
		floor = levelAt(audible, s.share)
	}

	if floor > mostDB {
		return nil
	}
	quiet := func(i int) bool { return levels[i] <= floor+s.above && levels[i] >= floor-s.below }
	for i := from; i < to; {
		end := i
		for end < to && quiet(end) {
			end++
		}
		if end-i >= s.run {
			found = append(found, toneRun(i, end))
		}
		i = max(end, i+1)
	}

	return nearestTone(found, near)
}

// toneRun returns the samples of the steps [from, to), without their edges: a voice may begin or
// end there.
func toneRun(from, to int) media.SampleRange {
	return media.SampleRange{
		From: int64(from)*stepSamples + toneEdgeSamples,
		To:   int64(to)*stepSamples - toneEdgeSamples,
	}
}

// nearestTone returns the runs in the order of their distance to a range, until they are long
// enough together.
func nearestTone(runs []media.SampleRange, near media.SampleRange) (out []media.SampleRange) {
	distance := func(r media.SampleRange) int64 { return max(near.From-r.To, r.From-near.To) }
	slices.SortStableFunc(runs, func(a, b media.SampleRange) int { return int(distance(a) - distance(b)) })
	left := int64(RoomToneSamples)
	for _, r := range runs {
		if left <= 0 {
			break
		}
		if n := r.To - r.From; n > left && r.To <= near.From {
			r.From = r.To - left
		} else if n > left {
			r.To = r.From + left
		}

		out = append(out, r)
		left -= r.To - r.From
	}

	return out
}

// Energy returns the mean power and the highest peak of all ranges of the recording together.
// Without ranges, both are zero.
func (t RoomTones) Energy(ranges []media.SampleRange) (mean media.Energy) {
	samples, steps := 0.0, int64(len(t.energies))
	for _, r := range ranges {
		for i := max(r.From, 0) / stepSamples; i*stepSamples < r.To && i < steps; i++ {
			n := float64(min(r.To, (i+1)*stepSamples) - max(r.From, i*stepSamples))
			mean.Power += t.energies[i].Power * n
			mean.Peak = max(mean.Peak, t.energies[i].Peak)
			samples += n
		}
	}

	mean.Power /= max(samples, 1)
	return mean
}
