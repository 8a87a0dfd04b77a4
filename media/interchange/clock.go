package interchange

import (
	"slices"
	"sort"

	"roughcut/media"
)

// clock maps project time to the time of a plan.
type clock struct {
	kept   []media.Span // project time of the segments, in order
	starts []int64      // of the segments in the plan, in milliseconds
	total  int64        // length of the plan in milliseconds
}

// newClock returns the clock of a plan of a project.
func newClock(p Project, plan media.RenderPlan) clock {
	starts := make([]int64, len(p.Recordings))
	for i := 1; i < len(starts); i++ {
		starts[i] = starts[i-1] + p.Recordings[i-1].Info.DurationMS
	}
	c := clock{total: plan.DurationMS()}
	for _, s := range plan.Segments {
		c.kept = append(c.kept, media.Span{
			StartMS: starts[s.Input] + plan.Rate.MS(s.In), EndMS: starts[s.Input] + plan.Rate.MS(s.Out),
		})
		c.starts = append(c.starts, plan.Rate.MS(s.Start))
	}

	return c
}

// segment returns the first segment that ends after a time.
func (c clock) segment(ms int64) int {
	return sort.Search(len(c.kept), func(i int) bool { return c.kept[i].EndMS > ms })
}

// output returns the time in the plan of a project time. Cut footage is at its join.
func (c clock) output(ms int64) int64 {
	i := c.segment(ms)
	if i == len(c.kept) {
		return c.total
	}
	return c.starts[i] + max(0, ms-c.kept[i].StartMS)
}

// stays reports whether the footage at a project time stays in the plan.
func (c clock) stays(ms int64) bool {
	i := c.segment(ms)
	return i < len(c.kept) && c.kept[i].StartMS <= ms
}

// words returns the words whose middle stays in the plan, in its time.
func (c clock) words(words []media.Word, muted []media.Span) (kept []media.Word) {
	muted = media.MergeSpans(muted)
	for _, w := range words {
		middle := (w.StartMS + w.EndMS) / 2
		i := sort.Search(len(muted), func(i int) bool { return muted[i].EndMS > middle })
		isMuted := i < len(muted) && muted[i].StartMS <= middle
		if isMuted || !c.stays(middle) {
			continue
		}
		w.StartMS, w.EndMS = c.output(w.StartMS), c.output(w.EndMS)
		kept = append(kept, w)
	}

	return kept
}

// phrases returns the phrases with words that stay in the plan, in its time. A phrase without
// known words stays if its middle stays.
func (c clock) phrases(phrases []media.TimedText, words []media.Word) (kept []media.TimedText) {
	for _, p := range phrases {
		span := media.Span{StartMS: p.StartMS, EndMS: p.EndMS}
		from := sort.Search(len(words), func(i int) bool { return words[i].StartMS+words[i].EndMS >= 2*span.StartMS })
		spoken, left := 0, []string{}
		for _, w := range words[from:] {
			middle := (w.StartMS + w.EndMS) / 2
			if middle >= span.EndMS {
				break
			}
			if spoken++; c.stays(middle) {
				left = append(left, w.Text)
			} else {
				p.Text = ""
			}
		}

		if p.Text == "" {
			p.Text = media.JoinWords(left)
		}
		p.StartMS, p.EndMS = c.output(span.StartMS), c.output(span.EndMS)
		stays := spoken > 0 || c.stays((span.StartMS+span.EndMS)/2)
		if p.Text != "" && p.EndMS > p.StartMS && stays {
			kept = append(kept, p)
		}
	}

	return kept
}

// addWords sets the words and phrases in the time of the timeline.
func (t *Timeline) addWords(p Project) {
	words := slices.Clone(p.Transcript.Words)
	media.SetLineSpeakers(words, p.Captions)
	var muted []media.Span
	if !t.Whole {
		muted = activeSpans(p.Edits, true)
	}
	t.Words = t.clock.words(words, muted)
	t.Phrases = t.clock.phrases(p.Transcript.Segments, p.Transcript.Words)
}
