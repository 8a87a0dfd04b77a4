package audio

import "slices"

// Automatic gain control raises the gain in pauses and lowers it in speech. Noise then swells after
// each phrase until it may be as loud as the speech. Unlike laughter, applause and music that is
// played, it swells alike in most pauses, and falls only when speech starts.

const (
	shortestSwell = 30  // frames between the end and the start of speech
	leastSwells   = 4   // pauses that tell how far noise swells
	swellShare    = 0.5 // least part of the time in pauses that swells
	swellPeak     = 0.9 // quantile of the swells, because one may be another sound
	overSwellDB   = 2   // above the level of noise, to include its scatter
)

// measureSwell returns the level in dBFS that noise reaches in most pauses, or minLevelDB if sound
// falls in most of them.
func (h *hearing) measureSwell() float64 {
	var peaks []float64
	from, swelling, all := 0, 0, 0
	for i := range len(h.voiced) + 1 {
		gap := frames{from + trailingFrames, len(h.levels)}
		if i < len(h.voiced) {
			gap.to, from = h.voiced[i].from-leadingFrames, h.voiced[i].to
		}
		length := gap.to - gap.from
		if length < shortestSwell {
			continue
		}
		all += length
		if h.neverFalls(gap) {
			peaks = append(peaks, percentileDB(h.levels[gap.from:gap.to], 0.95))
			swelling += length
		}
	}

	if len(peaks) < leastSwells || float64(swelling) < swellShare*float64(all) {
		return minLevelDB
	}
	slices.Sort(peaks)
	return peaks[int(swellPeak*float64(len(peaks)-1))] + overSwellDB
}

// neverFalls reports whether the mean level of a sound rises or stays even, unlike speech. The ends
// do not count.
func (h *hearing) neverFalls(r frames) bool {
	loudest := float64(minLevelDB)
	return !slices.ContainsFunc(h.means(r), func(level float64) bool {
		loudest = max(loudest, level)
		return loudest-level > evenDB
	})
}

// isLoud reports whether a frame is at most db quieter than loud voice, and louder than noise that
// swells in pauses.
func (h *hearing) isLoud(f int, db float64) bool {
	level := decibels(h.levels[f])
	return level >= h.loudDB-db && level > h.swellDB
}
