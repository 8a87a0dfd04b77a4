package voices

import (
	"fmt"

	"roughcut/media"
)

// FillerScore counts how proposals treat the fillers of recordings.
type FillerScore struct {
	Fillers  int
	Found    int // of Fillers, mostly covered by proposals
	Proposed int
	Right    int // of Proposed, those whose speech is mostly filler
	remarks  []string
}

// foundShare is the part of a filler that a proposal must cover, and of a proposal that must be
// filler.
const foundShare = 0.7

// Add scores the proposals for a recording of Fillers.
func (s *FillerScore) Add(r Recording, proposals []media.Span) {
	all := media.MergeSpans(proposals)
	for _, f := range r.Fillers {
		s.Fillers++
		if float64(Within(f, all)) >= foundShare*float64(f.Duration()) {
			s.Found++
		} else {
			s.remark(r, "the filler at %d-%d ms is not found", f)
		}
	}

	for _, p := range proposals {
		s.Proposed++
		if IsFiller(r, p) {
			s.Right++
		} else {
			s.remark(r, "the proposal at %d-%d ms takes speech", p)
		}
	}
}

// IsFiller reports whether most of the speech in a span is filler.
func IsFiller(r Recording, span media.Span) bool {
	filler := Within(span, r.Fillers)
	return filler > 0 && float64(filler) >= foundShare*float64(Within(span, r.Speech))
}

func (s *FillerScore) remark(r Recording, format string, at media.Span) {
	place := fmt.Sprintf("%s %s, seed %d: ", r.Voice, r.Condition, r.Seed)
	s.remarks = append(s.remarks, place+fmt.Sprintf(format, at.StartMS, at.EndMS))
}

// Sum returns the sum of two scores.
func (s FillerScore) Sum(o FillerScore) FillerScore {
	return FillerScore{
		s.Fillers + o.Fillers, s.Found + o.Found, s.Proposed + o.Proposed, s.Right + o.Right,
		append(append([]string(nil), s.remarks...), o.remarks...),
	}
}

// Remarks describe at most n mistakes.
func (s FillerScore) Remarks(n int) []string { return s.remarks[:min(n, len(s.remarks))] }
