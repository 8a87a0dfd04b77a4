package media

// Ways of dealing with words that shall not be heard.
const (
	CensorNone  = "none"
	CensorMute  = "mute"
	CensorBleep = "bleep"
)

// CensorMarginMS is how much before and after a word is silenced with it.
const CensorMarginMS = 40

// SoundSettings is what a person chose for the sound of an export, after its volume. The zero value
// changes nothing.
type AudioSettings struct {
	Denoise bool
	// what background noise is brought down by, as a negative number of dB: lower is more
	// aggressive
	NoiseFloorDB float64
	Censor       string // CensorNone (or empty), CensorMute or CensorBleep
	Censored     []Span // project time: the words that Censor is about
	Normalize    bool
	TargetLUFS   float64 // integrated loudness of the whole output
}

// SoundPlan is what happens to the sound of a plan, in the order of its fields, after the volume.
type AudioPlan struct {
	Denoise    float64       // dB by which background noise is brought down; 0 leaves it
	Bleep      bool          // a tone is heard where sound is taken out
	Silenced   []SampleRange // of the output, sorted and disjoint
	Assets     []AssetAudio  // mixed in
	Normalize  bool
	TargetLUFS float64
}

// SampleSpan is a stretch of samples [From, To) at SampleRate.
type SampleRange struct{ From, To int64 }

// planSound plans the sound; line is complete.
func planSound(s AudioSettings, line timeline) AudioPlan {
	plan := AudioPlan{Bleep: s.Censor == CensorBleep, Normalize: s.Normalize, TargetLUFS: s.TargetLUFS}
	if s.Denoise {
		plan.Denoise = max(0, -s.NoiseFloorDB)
	}
	if s.Censor == CensorMute || s.Censor == CensorBleep {
		plan.Silenced = line.samples(s.Censored)
	}
	return plan
}

// outline knows where the footage of a plan lies on the project.
type timeline struct {
	plan   RenderPlan
	starts []int64 // of the inputs, project milliseconds
}

// project returns the project time of a segment.
func (o timeline) project(s Segment) Span {
	start := o.starts[s.Input]
	return Span{start + o.plan.Rate.MS(s.In), start + o.plan.Rate.MS(s.Out)}
}

// output returns where a span of project time is shown: what the cuts leave of it lies together.
// False where nothing is left.
func (o timeline) output(span Span) (Span, bool) {
	var out Span
	found := false
	for _, s := range o.plan.Segments {
		where := o.project(s)
		part := span.Intersect(where)
		if part.Duration() <= 0 {
			continue
		}
		start := o.plan.Rate.MS(s.Start)
		if !found {
			out.StartMS = start + part.StartMS - where.StartMS
		}
		out.EndMS = start + part.EndMS - where.StartMS
		found = true
	}
	return out, found
}

// samples returns the output samples of spans of project time with their margins; a margin does not
// reach over a join.
func (o timeline) samples(spans []Span) []SampleRange {
	var out []SampleRange
	wide := make([]Span, len(spans))
	for i, s := range spans {
		wide[i] = Span{s.StartMS - CensorMarginMS, s.EndMS + CensorMarginMS}
	}
	for _, s := range o.plan.Segments {
		where := o.project(s)
		_, at, n := o.plan.Samples(s)
		for _, w := range MergeSpans(wide) {
			part := w.Intersect(where)
			if part.Duration() <= 0 {
				continue
			}
			from := at + (part.StartMS-where.StartMS)*SampleRate/1000
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
