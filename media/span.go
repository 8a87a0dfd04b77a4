package media

import "slices"

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
