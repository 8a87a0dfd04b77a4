package media

// The values of AudioSettings.Censor.
const (
	CensorNone  = "none"
	CensorMute  = "mute"
	CensorBleep = "bleep"
)

// CensorMarginMS is the time before and after a censored word that is silenced too.
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
// fields.
type AudioPlan struct {
	Denoise    float64       // noise reduction in dB; 0 for none
	Bleep      bool          // play a tone over Silenced
	Silenced   []SampleRange // of the output, sorted and disjoint
	Assets     []AssetAudio  // mixed in
	Normalize  bool
	TargetLUFS float64
}

// SampleRange is the samples [From, To) at SampleRate.
type SampleRange struct{ From, To int64 }

// planAudio plans the audio processing. The plan in line must have all its segments.
func planAudio(s AudioSettings, line timeline) AudioPlan {
	plan := AudioPlan{Bleep: s.Censor == CensorBleep, Normalize: s.Normalize, TargetLUFS: s.TargetLUFS}
	if s.Denoise {
		plan.Denoise = max(0, -s.NoiseFloorDB)
	}
	if s.Censor == CensorMute || s.Censor == CensorBleep {
		plan.Silenced = line.sampleRanges(s.Censored)
	}
	return plan
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

// sampleRanges returns the output samples of spans of project time, with CensorMarginMS around
// each. Margins stop at joins.
func (l timeline) sampleRanges(spans []Span) []SampleRange {
	var out []SampleRange
	widened := make([]Span, len(spans))
	for i, s := range spans {
		widened[i] = Span{s.StartMS - CensorMarginMS, s.EndMS + CensorMarginMS}
	}
	for _, s := range l.plan.Segments {
		project := l.projectSpan(s)
		_, at, n := l.plan.Samples(s)
		for _, w := range MergeSpans(widened) {
			part := w.Intersect(project)
			if part.Duration() <= 0 {
				continue
			}
			from := at + (part.StartMS-project.StartMS)*SampleRate/1000
			to := min(at+n, from+part.Duration()*SampleRate/1000)
			if last := len(out) - 1; last >= 0 && from <= out[last].To {
				out[last].To = to
			} else if to > from {
				out = append(out, SampleRange{from, to})
			}
		}
	}
	return out
}
