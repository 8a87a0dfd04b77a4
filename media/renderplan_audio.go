package media

import "slices"

// The values of AudioSettings.Censor.
const (
	CensorNone  = "none"
	CensorMute  = "mute"
	CensorBleep = "bleep"
)

// CensorMarginMS is the time before and after a censored word that is censored too.
const CensorMarginMS = 40

// AudioSettings are a person's choices for the audio of an export, applied after the volume. The
// zero value changes nothing.
type AudioSettings struct {
	Denoise      bool
	NoiseFloorDB float64 // negative; noise is reduced by this many dB, so lower is more aggressive
	Censor       string  // CensorNone (or empty), CensorMute or CensorBleep
	Censored     []Span  // the words that Censor applies to, in project time
	Normalize    bool
	TargetLUFS   float64 // integrated loudness of the whole output
}

// AudioPlan lists the audio processing of a RenderPlan after the volume, in the order of its
// fields. Only Muted comes first: everything else processes room tone like recorded audio.
type AudioPlan struct {
	Denoise    float64       // noise reduction in dB; 0 for none
	Bleeped    []SampleRange // of the output, sorted and disjoint: a tone replaces the audio
	Muted      []SampleRange // of the output, sorted and disjoint: main audio that room tone replaces
	Assets     []AssetAudio  // mixed in
	Normalize  bool
	TargetLUFS float64
}

// SampleRange is the samples [From, To) at SampleRate.
type SampleRange struct{ From, To int64 }

// Samples returns the samples of a span.
func (s Span) Samples() SampleRange {
	return SampleRange{From: s.StartMS * SampleRate / 1000, To: s.EndMS * SampleRate / 1000}
}

// planAudio plans the audio processing. The plan in line must have all its segments.
func planAudio(s AudioSettings, muted []Span, line timeline) AudioPlan {
	plan := AudioPlan{Normalize: s.Normalize, TargetLUFS: s.TargetLUFS}
	if s.Denoise {
		plan.Denoise = max(0, -s.NoiseFloorDB)
	}
	plan.Muted = line.sampleRanges(line.toJoins(muted), 0)
	switch censored := line.sampleRanges(s.Censored, CensorMarginMS); s.Censor {
	case CensorBleep:
		plan.Bleeped = censored
	case CensorMute:
		plan.Muted = mergeRanges(append(plan.Muted, censored...))
	}
	return plan
}

// mergeRanges returns the union of ranges, sorted and disjoint.
func mergeRanges(ranges []SampleRange) (out []SampleRange) {
	slices.SortFunc(ranges, func(a, b SampleRange) int { return int(a.From - b.From) })
	for _, r := range ranges {
		if n := len(out); n > 0 && r.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, r.To)
			continue
		}
		out = append(out, r)
	}
	return out
}

// timeline maps project time to output time.
type timeline struct {
	plan   RenderPlan
	starts []int64 // of the inputs, in project milliseconds
}

// projectSpan returns the project time of a segment.
func (l timeline) projectSpan(s Segment) Span {
	start := l.starts[s.Input]
	return Span{start + l.plan.Rate.MS(s.In), start + l.plan.Rate.MS(s.Out)}
}

// outputSpan returns the output time of a span of project time. The parts that the cuts leave are
// contiguous in the output. ok is false if the cuts leave nothing.
func (l timeline) outputSpan(span Span) (out Span, ok bool) {
	for _, s := range l.plan.Segments {
		project := l.projectSpan(s)
		part := span.Intersect(project)
		if part.Duration() <= 0 {
			continue
		}
		start := l.plan.Rate.MS(s.Start)
		if !ok {
			out.StartMS = start + part.StartMS - project.StartMS
		}
		out.EndMS = start + part.EndMS - project.StartMS
		ok = true
	}
	return out, ok
}

// muteJoinMS is the largest distance in milliseconds between a muted span and a join that is muted
// too. Cuts are rounded to frames, so audio between them would be a fragment of what was muted.
const muteJoinMS = 25

// toJoins returns spans of project time, extended to the boundaries of segments that are nearer
// than muteJoinMS.
func (l timeline) toJoins(spans []Span) []Span {
	spans = MergeSpans(spans)
	for _, s := range l.plan.Segments {
		project := l.projectSpan(s)
		for i, m := range spans {
			if m.Intersect(project).Duration() <= 0 {
				continue
			}
			if gap := m.StartMS - project.StartMS; gap > 0 && gap < muteJoinMS {
				spans[i].StartMS = project.StartMS
			}
			if gap := project.EndMS - m.EndMS; gap > 0 && gap < muteJoinMS {
				spans[i].EndMS = project.EndMS
			}
		}
	}
	return spans
}

// sampleRanges returns the output samples of spans of project time, with a margin around each.
// Margins stop at joins.
func (l timeline) sampleRanges(spans []Span, marginMS int64) []SampleRange {
	var out []SampleRange
	widened := make([]Span, len(spans))
	for i, s := range spans {
		widened[i] = Span{s.StartMS - marginMS, s.EndMS + marginMS}
	}
	widened = MergeSpans(widened)
	for _, s := range l.plan.Segments {
		project := l.projectSpan(s)
		_, at, n := l.plan.Samples(s)
		for _, w := range widened {
			part := w.Intersect(project)
			if part.Duration() <= 0 {
				continue
			}
			from := at + (part.StartMS-project.StartMS)*SampleRate/1000
			to := min(at+n, from+part.Duration()*SampleRate/1000)
			if part.EndMS == project.EndMS {
				to = at + n
			}
			if last := len(out) - 1; last >= 0 && from <= out[last].To {
				out[last].To = to
			} else if to > from {
				out = append(out, SampleRange{from, to})
			}
		}
	}
	return out
}
