package voices

import (
	"fmt"

	"roughcut/media"
)

// Proposal is a proposed cut of a take.
type Proposal struct {
	media.Span
	Active bool
}

// RetakeScore counts how proposals treat the takes of recordings.
type RetakeScore struct {
	Takes     int // that an editor cuts: all of a group except the best one
	Found     int // of Takes, covered by proposals
	FoundOn   int // of Takes, covered by active proposals
	Proposed  int
	Right     int // of Proposed, those that cover only takes to cut
	On        int // active proposals
	RightOn   int // of On, those that cover only takes to cut
	Groups    int // with a covered take
	BestStays int // of Groups, those whose best take stays whole
	DurationS int64
	remarks   []string
}

// covered is the share of a take that a proposal must cover to count as found. The rest is the
// pause inside a take that a silence cuts.
const covered = 0.8

// Add scores the proposals for a recording. They may overlap.
func (s *RetakeScore) Add(r Recording, proposals []Proposal) {
	s.DurationS += r.DurationMS / 1000
	var toCut, all, on []media.Span
	for _, g := range r.Groups {
		for i, t := range g.Takes {
			if i != g.Best() {
				toCut = append(toCut, t.Span)
			}
		}
	}

	for _, p := range proposals {
		all = append(all, p.Span)
		if p.Active {
			on = append(on, p.Span)
		}
	}

	all, on = media.MergeSpans(all), media.MergeSpans(on)
	for _, g := range r.Groups {
		s.addGroup(r, g, all, on)
	}
	for _, p := range proposals {
		s.addProposal(r, p, toCut)
	}
}

func (s *RetakeScore) addGroup(r Recording, g Group, all, on []media.Span) {
	found := false
	isCut := func(t Take, by []media.Span) bool {
		return float64(Within(t.Span, by)) >= covered*float64(t.Duration())
	}
	for i, t := range g.Takes {
		if i == g.Best() {
			continue
		}
		s.Takes++
		if isCut(t, on) {
			s.FoundOn++
		}
		if isCut(t, all) {
			s.Found++
			found = true
			continue
		}

		s.remark(
			r, "take %d of %d (complete: %t) at %d-%d ms is not found",
			i+1, len(g.Takes), t.Complete, t.StartMS, t.EndMS,
		)
	}

	if !found {
		return
	}
	s.Groups++
	best := g.Takes[g.Best()]
	if Within(best.Span, all)*10 <= best.Duration() {
		s.BestStays++
	} else {
		s.remark(r, "the best take at %d-%d ms is cut", best.StartMS, best.EndMS)
	}
}

func (s *RetakeScore) addProposal(r Recording, p Proposal, toCut []media.Span) {
	s.Proposed++
	right := IsRetake(r, p.Span)
	if right {
		s.Right++
	} else {
		kept := Within(p.Span, r.Speech) - Within(p.Span, toCut)
		s.remark(r, "the proposal at %d-%d ms takes %d ms of speech that stays", p.StartMS, p.EndMS, kept)
	}

	if p.Active {
		s.On++
		if right {
			s.RightOn++
		}
	}
}

// IsRetake reports whether nine tenths of the speech in a span belong to takes that an editor cuts.
func IsRetake(r Recording, span media.Span) bool {
	speech, repeated := Within(span, r.Speech), int64(0)
	for _, g := range r.Groups {
		for i, t := range g.Takes {
			if i != g.Best() {
				repeated += max(0, span.Intersect(t.Span).Duration())
			}
		}
	}

	return speech > 0 && repeated*10 >= speech*9
}

func (s *RetakeScore) remark(r Recording, format string, args ...any) {
	place := fmt.Sprintf("%s %s, seed %d: ", r.Voice, r.Condition, r.Seed)
	s.remarks = append(s.remarks, place+fmt.Sprintf(format, args...))
}

// Sum returns the sum of two scores.
func (s RetakeScore) Sum(o RetakeScore) RetakeScore {
	return RetakeScore{
		Takes: s.Takes + o.Takes, Found: s.Found + o.Found, FoundOn: s.FoundOn + o.FoundOn,
		Proposed: s.Proposed + o.Proposed, Right: s.Right + o.Right, On: s.On + o.On, RightOn: s.RightOn + o.RightOn,
		Groups: s.Groups + o.Groups, BestStays: s.BestStays + o.BestStays, DurationS: s.DurationS + o.DurationS,
		remarks: append(append([]string(nil), s.remarks...), o.remarks...),
	}
}

// Remarks describe at most n mistakes.
func (s RetakeScore) Remarks(n int) []string { return s.remarks[:min(n, len(s.remarks))] }
