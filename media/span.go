package media

import "slices"

// Span is a stretch of time [StartMS, EndMS) in milliseconds.
type Span struct {
	StartMS int64 `json:"start_ms"`
	EndMS   int64 `json:"end_ms"`
}

// Duration returns the length of the span in milliseconds.
func (s Span) Duration() int64 { return s.EndMS - s.StartMS }

// Intersect returns what two spans share; the result is empty (EndMS <= StartMS) where they share
// nothing.
func (s Span) Intersect(t Span) Span {
	return Span{max(s.StartMS, t.StartMS), min(s.EndMS, t.EndMS)}
}

// Merge returns the union of spans: sorted, disjoint, with touching spans joined and empty ones
// dropped. The input is not changed.
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

// Kept returns what is left of [0, totalMS) when cuts are taken out: sorted and disjoint.
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
