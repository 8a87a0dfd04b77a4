package media

import (
	"slices"
	"sort"
)

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
	// BothEars puts a voice that is on one channel only on both sides, and the louder one of two
	// opposite channels. A meter then reads the loudness of the recording, as ITU-R BS.1770 adds
	// the powers of the channels: a voice of one side has 3 dB less on each of two. Other
	// recordings stay as they are.
	BothEars bool
	// KeepChannels writes all channels as recorded instead of a stereo mix, if the format can and
	// if nothing but cuts and the volume changes the audio.
	KeepChannels bool
}

// AudioPlan lists the audio processing of a RenderPlan after the volume, in the order of its
// fields. Only Muted comes first: everything else processes room tone like recorded audio.
type AudioPlan struct {
	Denoise    float64       // noise reduction in dB; 0 for none
	Bleeped    []SampleRange // of the output, sorted and disjoint: a tone replaces the audio
	Muted      []SampleRange // of the output, sorted and disjoint: main audio that room tone replaces
	Assets     []AssetAudio  // mixed in
	Voice      []SampleRange // of the output, sorted and disjoint: where someone speaks, if that lowers an asset
	NoTone     bool          // muted audio is silent
	Normalize  bool
	TargetLUFS float64
}

// CrossfadeSamples is the length of the crossfade at a join: 10 ms, half before and half after it.
const CrossfadeSamples = SampleRate / 100

// Crossfade is the crossfade at a join: the audio of the next segment starts Lead samples before
// the join, and the audio of the previous segment ends Tail samples after it. The additional
// samples come from the recordings.
type Crossfade struct{ Lead, Tail int64 }

// Len returns the length of the crossfade in samples.
func (c Crossfade) Len() int64 { return c.Lead + c.Tail }

// Crossfades returns the crossfade at the start of each segment. It is empty at the start of the
// output, next to an input without audio, and where muted or bleeped audio touches the join, which
// the crossfade would let through. A short segment or cut shortens it.
func (p RenderPlan) Crossfades() []Crossfade {
	const half = CrossfadeSamples / 2
	fades := make([]Crossfade, len(p.Segments))
	for i := 1; i < len(p.Segments); i++ {
		last, next := p.Segments[i-1], p.Segments[i]
		out, in := p.Inputs[last.Input], p.Inputs[next.Input]
		from, at, n := p.Samples(next)
		lastFrom, _, lastN := p.Samples(last)
		if !out.HasAudio || !in.HasAudio || touches(p.Audio.Muted, at, half) || touches(p.Audio.Bleeped, at, half) {
			continue
		}
		lead := min(half, from, lastN/2)
		tail := min(half, p.Rate.Sample(out.Frames, SampleRate)-lastFrom-lastN, n/2)
		if gap := from - lastFrom - lastN; last.Input == next.Input && gap >= 0 {
			lead, tail = min(lead, gap/2), min(tail, gap/2)
		}
		fades[i] = Crossfade{Lead: max(0, lead), Tail: max(0, tail)}
	}

	return fades
}

// touches reports whether a sorted, disjoint range is nearer to a sample than reach.
func touches(ranges []SampleRange, at, reach int64) bool {
	i := sort.Search(len(ranges), func(i int) bool { return ranges[i].To > at-reach })
	return i < len(ranges) && ranges[i].From < at+reach
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
	segments := l.plan.Segments
	first := sort.Search(len(segments), func(i int) bool { return l.projectSpan(segments[i]).EndMS > span.StartMS })
	for _, s := range segments[first:] {
		project := l.projectSpan(s)
		if project.StartMS >= span.EndMS {
			break
		}
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

// muteJoinMS limits, in milliseconds, how far a muted span extends to reach a join. Cuts are
// rounded to frames, so a fragment of the muted audio could remain between the mute and the cut.
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
