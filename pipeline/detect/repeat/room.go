package repeat

import (
	"math"
	"slices"

	"roughcut/media"
	"roughcut/pipeline/detect/spectrum"
)

// A room that rings fills the pauses between phrases. In such a room, phrases also end where the
// level stays far below that of speech, although it is still far above the noise. All levels count
// in decibels below the level that the loudest 5 % of the speech exceed.
const (
	ringStartDB = 12  // a decay starts at this level
	ringEndDB   = 28  // and ends at this one
	ringMS      = 120 // least median decay of a room that rings; 40-60 in a booth, 200-500 in rooms
	leastDecays = 5   // decays that are needed to tell
	tailDB      = 12  // level of the pauses
	tailMS      = 150 // least length of such a pause
)

const (
	roomPhrasesBack = 10  // phrases between two takes: pauses inside a sentence also end phrases
	roomLeastMS     = 800 // least length of a repeat that only these phrases show
	roomSharePct    = 30  // least part of a known repeat that makes a repeat the same one
)

// level returns the level of each frame in decibels.
func (m sound) level() []float64 {
	out := make([]float64, 0, len(m.levels)/bands)
	for frame := range slices.Chunk(m.levels, bands) {
		power := float32(0)
		for _, l := range frame {
			power += levelPower[l]
		}
		out = append(out, 10*math.Log10(float64(power)))
	}

	return out
}

// roomPhrases returns the spans without the pauses that only a ringing room fills. ok is false if
// the room does not ring.
func (m sound) roomPhrases(spans []media.Span) (phrases []media.Span, ok bool) {
	level := m.level()
	var heard []float64
	for _, s := range spans {
		first, end := m.framesOf(s)
		heard = append(heard, level[first:end]...)
	}

	if len(heard) == 0 {
		return nil, false
	}
	slices.Sort(heard)
	loud := heard[len(heard)*95/100]
	if medianDecayMS(level, loud) < ringMS {
		return nil, false
	}
	for _, s := range spans {
		phrases = append(phrases, m.withoutTails(s, level, loud-tailDB)...)
	}
	return phrases, true
}

// framesOf returns the frames [first, end) of a span.
func (m sound) framesOf(s media.Span) (first, end int) {
	n := len(m.levels) / bands
	first = min(max(frameAt(s.StartMS), 0), n)
	return first, min(max(frameAt(s.EndMS)+1, first), n)
}

// medianDecayMS returns the median time in which the level falls from ringStartDB to ringEndDB, or
// 0 if it rarely does.
func medianDecayMS(level []float64, loud float64) int {
	var all []int
	start := -1
	for i, l := range level {
		switch {
		case l >= loud-ringStartDB:
			start = i
		case l <= loud-ringEndDB && start >= 0:
			all = append(all, (i-start)*frameMS)
			start = -1
		}
	}

	if len(all) < leastDecays {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// withoutTails returns the parts of a span between its pauses: where the level stays below the
// limit for tailMS, or up to a border of the span.
func (m sound) withoutTails(s media.Span, level []float64, limit float64) (parts []media.Span) {
	first, end := m.framesOf(s)
	start, quietFrom := s.StartMS, first
	for i := first; i <= end; i++ {
		if i < end && level[i] < limit {
			continue
		}
		isPause := (i-quietFrom)*frameMS >= tailMS || quietFrom == first || i == end
		if quietFrom < i && isPause {
			if from := min(centerMS(quietFrom), s.EndMS); quietFrom > first && from > start {
				parts = append(parts, media.Span{StartMS: start, EndMS: from})
			}

			start = centerMS(i)
			if i == end {
				return parts
			}
		}

		quietFrom = i + 1
	}

	if start < s.EndMS {
		parts = append(parts, media.Span{StartMS: start, EndMS: s.EndMS})
	}
	return parts
}

// centerMS returns the time of the center of a frame.
func centerMS(frame int) int64 { return int64(frame)*frameMS + spectrum.WindowMS/2 }

// withRoom adds repeats of the phrases in a ringing room to the known ones. It adds none that
// shares much of both takes with a known one.
func withRoom(known, more []Repeat) []Repeat {
	n := len(known)
	for _, r := range more {
		if r.Earlier.Duration() >= roomLeastMS && !slices.ContainsFunc(known[:n], r.isLike) {
			known = append(known, r)
		}
	}

	return known
}

// isLike reports whether two repeats share much of both takes.
func (r Repeat) isLike(o Repeat) bool {
	return sharesMuch(r.Earlier, o.Earlier) && sharesMuch(r.Later, o.Later)
}

func sharesMuch(a, b media.Span) bool {
	return 100*a.Intersect(b).Duration() > roomSharePct*min(a.Duration(), b.Duration())
}
