package media

import (
	"cmp"
	"slices"
)

// Span is the time range [StartMS, EndMS) in milliseconds.
type Span struct {
	StartMS int64 `json:"start_ms"`
	EndMS   int64 `json:"end_ms"`
}

// Duration returns the length of the span in milliseconds.
func (s Span) Duration() int64 { return s.EndMS - s.StartMS }

// Intersect returns the intersection of two spans. It is empty (EndMS <= StartMS) if they do not
// overlap.
func (s Span) Intersect(t Span) Span {
	return Span{max(s.StartMS, t.StartMS), min(s.EndMS, t.EndMS)}
}

// MergeSpans returns the union of spans: sorted and disjoint. It joins adjacent spans, drops empty
// ones, and does not change its input.
func MergeSpans(spans []Span) []Span {
	sorted := slices.Clone(spans)
	slices.SortFunc(sorted, func(a, b Span) int { return int(a.StartMS - b.StartMS) })
	var out []Span
	for _, s := range sorted {
		if s.EndMS <= s.StartMS {
			continue
		}
		if n := len(out); n > 0 && s.StartMS <= out[n-1].EndMS {
			out[n-1].EndMS = max(out[n-1].EndMS, s.EndMS)
			continue
		}

		out = append(out, s)
	}

	return out
}

// Outside returns the parts of [0, totalMS) before and after the span. Nothing is outside an empty
// span, which stands for the whole project.
func (s Span) Outside(totalMS int64) []Span {
	if s.EndMS <= s.StartMS {
		return nil
	}
	return KeptSpans(totalMS, []Span{s})
}

// KeptSpans returns [0, totalMS) without the cuts: sorted and disjoint.
func KeptSpans(totalMS int64, cuts []Span) []Span {
	var out []Span
	at := int64(0)
	for _, c := range MergeSpans(cuts) {
		if c.StartMS >= totalMS {
			break
		}
		if c.StartMS > at {
			out = append(out, Span{at, c.StartMS})
		}
		at = max(at, c.EndMS)
	}

	if at < totalMS {
		out = append(out, Span{at, totalMS})
	}
	return out
}

// Stretches returns for each cut the index of the first cut of its stretch: the footage that cuts
// remove without a gap. Cuts overlap or touch in a stretch; two that only touch where a clip starts
// are apart. starts are the starts of the clips. The first cut starts first; of several, it ends
// first, then has the lower index.
func Stretches(cuts []Span, starts []int64) []int {
	order := make([]int, len(cuts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(cuts[a].StartMS, cuts[b].StartMS), cmp.Compare(cuts[a].EndMS, cuts[b].EndMS))
	})

	borders := make(map[int64]bool, len(starts))
	for _, ms := range starts {
		borders[ms] = true
	}

	firsts := make([]int, len(cuts))
	first, end := -1, int64(0)
	for _, i := range order {
		start := cuts[i].StartMS
		if first < 0 || start > end || (start == end && borders[start]) {
			first, end = i, cuts[i].EndMS
		}
		firsts[i], end = first, max(end, cuts[i].EndMS)
	}

	return firsts
}
