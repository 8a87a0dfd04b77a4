package voices

import (
	"fmt"
	"slices"

	"roughcut/media"
)

// Pace is what a pacing asks for, in milliseconds.
type Pace struct {
	LongestMS int64 // longer pauses are cut
	AirMS     int64 // stays on each side of a cut pause that has speech there
}

// Score counts how cuts treat the pauses and the speech of recordings.
type Score struct {
	SpeechMS      int64
	DueMS         int64   // of pauses to cut, without the air that stays
	DoneMS        int64   // of DueMS that is cut
	CutMS         int64   // all cut time
	PauseMS       int64   // of CutMS that is pause
	Pauses        int     // pauses to cut
	Untouched     int     // of Pauses, those without any cut
	Over20        int     // cuts that remove more than 20 ms of speech
	Over50        int     // cuts that remove more than 50 ms of speech
	AirErrors     []int64 // for each cut pause: air left minus air meant, in milliseconds, sorted
	Lead, Trail   []int64 // the same before and after the cut, sorted
	worst, missed []string
}

// Add scores the cuts of a recording, which are sorted and disjoint.
func (s *Score) Add(r Recording, cuts []media.Span, pace Pace) {
	for _, span := range r.Speech {
		s.SpeechMS += span.Duration()
	}
	for _, c := range cuts {
		s.addCut(r, c)
	}
	for _, p := range r.Pauses {
		if p.Duration() > pace.LongestMS {
			s.addPause(r, p, cuts, pace.AirMS)
		}
	}

	slices.Sort(s.AirErrors)
	slices.Sort(s.Lead)
	slices.Sort(s.Trail)
}

func (s *Score) addCut(r Recording, c media.Span) {
	pause := Within(c, r.Pauses)
	lost := Within(c, r.Speech)
	s.CutMS += c.Duration()
	s.PauseMS += pause
	if lost > 20 {
		s.Over20++
	}
	if lost > 50 {
		s.Over50++
		s.worst = append(s.worst, fmt.Sprintf(
			"%s %s, seed %d: the cut at %d-%d ms removes %d ms of speech",
			r.Voice, r.Condition, r.Seed, c.StartMS, c.EndMS, lost,
		))
	}
}

func (s *Score) addPause(r Recording, p media.Span, cuts []media.Span, air int64) {
	before, after := air, air
	if p.StartMS == 0 {
		before = 0
	}
	if p.EndMS == r.DurationMS {
		after = 0
	}
	due := p.Duration() - before - after
	if due <= 0 {
		return
	}
	done := Within(p, cuts)
	s.Pauses++
	s.DueMS += due
	s.DoneMS += min(done, due)
	if done == 0 {
		s.Untouched++
	}
	if done*2 < due {
		s.missed = append(s.missed, fmt.Sprintf(
			"%s %s, seed %d: %d of %d ms of the pause at %d-%d ms stay",
			r.Voice, r.Condition, r.Seed, p.Duration()-done, p.Duration(), p.StartMS, p.EndMS,
		))
	}

	if done > 0 {
		s.addAir(p, cuts, before, after)
	}
}

// addAir measures the air at both sides of the cuts in a pause.
func (s *Score) addAir(p media.Span, cuts []media.Span, before, after int64) {
	first, last := int64(-1), int64(0)
	for _, c := range cuts {
		if c = c.Intersect(p); c.Duration() > 0 {
			if first < 0 {
				first = c.StartMS
			}
			last = c.EndMS
		}
	}

	s.AirErrors = append(s.AirErrors, p.Duration()-Within(p, cuts)-before-after)
	s.Lead = append(s.Lead, first-p.StartMS-before)
	s.Trail = append(s.Trail, p.EndMS-last-after)
}

// Sum returns the sum of two scores.
func (s Score) Sum(o Score) Score {
	s.SpeechMS += o.SpeechMS
	s.DueMS += o.DueMS
	s.DoneMS += o.DoneMS
	s.CutMS += o.CutMS
	s.PauseMS += o.PauseMS
	s.Pauses += o.Pauses
	s.Untouched += o.Untouched
	s.Over20 += o.Over20
	s.Over50 += o.Over50
	s.AirErrors = mergeSorted(s.AirErrors, o.AirErrors)
	s.Lead, s.Trail = mergeSorted(s.Lead, o.Lead), mergeSorted(s.Trail, o.Trail)
	s.worst = append(slices.Clone(s.worst), o.worst...)
	s.missed = append(slices.Clone(s.missed), o.missed...)
	return s
}

func mergeSorted(a, b []int64) []int64 {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return all
}

// Recall returns the share of the time to cut that is cut.
func (s Score) Recall() float64 { return ratio(s.DoneMS, s.DueMS) }

// Precision returns the share of cut time that is pause. Without a cut it is 1.
func (s Score) Precision() float64 { return ratio(s.PauseMS, s.CutMS) }

// AirWithin returns the share of cut pauses whose air is at most ms from the air that was meant.
func (s Score) AirWithin(ms int64) float64 {
	n := 0
	for _, e := range s.AirErrors {
		if max(e, -e) <= ms {
			n++
		}
	}

	return ratio(int64(n), int64(len(s.AirErrors)))
}

// Remarks describe the cuts that remove speech and the pauses that mostly stay, at most n of each.
func (s Score) Remarks(n int) []string {
	return slices.Concat(s.worst[:min(n, len(s.worst))], s.missed[:min(n, len(s.missed))])
}

func ratio(n, of int64) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

// Within returns how much of a span other spans cover, in milliseconds. The others are disjoint.
func Within(span media.Span, others []media.Span) (ms int64) {
	for _, o := range others {
		ms += max(0, o.Intersect(span).Duration())
	}
	return ms
}
