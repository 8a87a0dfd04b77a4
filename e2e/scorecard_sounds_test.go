package e2e

import (
	"fmt"

	"roughcut/media"
	"roughcut/media/mediatest"
	"roughcut/media/mediatest/voices"
	"roughcut/pipeline/detect"
)

// scoreFillers measures the suspected fillers of recorded voices, whose transcript lacks them.
func (c *voiceCard) scoreFillers() {
	c.t.Helper()
	var all graded[voices.FillerScore]
	for _, condition := range []string{"booth", "room 35", "street", "music 25"} {
		all = all.plus(grade(c, func(names []string) voices.FillerScore {
			return c.scoreFillersIn(condition, names)
		}, func(row string, s voices.FillerScore) {
			fmt.Printf(
				"FILLERS, %s, %s: %d of %d found, %d of %d right\n",
				condition, row, s.Found, s.Fillers, s.Right, s.Proposed,
			)
			for _, remark := range s.Remarks(2) {
				c.t.Log("fillers: ", remark)
			}
		}))
	}
	judge(c, all, func(c *card, s voices.FillerScore) {
		c.share("fillers that the transcript lacks, voices: found", s.Found, s.Fillers, 80)
		c.share("fillers that the transcript lacks, voices: right proposals", s.Right, s.Proposed, 90)
	})
}

// scoreFillersIn measures the suspected fillers of voices in a condition.
func (c *voiceCard) scoreFillersIn(condition string, names []string) (s voices.FillerScore) {
	for i, voice := range names {
		h := c.hear(voices.Fillers(c.t, uint64(500+i), voice, condition))
		h.found.Clips[0].Evidence.Words = h.Words
		var proposed []media.Span
		for _, e := range h.edits(media.EditFiller, 50) {
			proposed = append(proposed, e.Span)
			c.curveOf(voice).add(e, voices.IsFiller(h.Recording, e.Span))
		}
		s.Add(h.Recording, proposed)
	}
	return s
}

// shortestFillerMS is the shortest filler that a transcript may lack and that should be found.
const shortestFillerMS = 150

// scoreHiddenFillers measures the suspected fillers of generated talks, with the true words without
// the fillers as the transcript.
func (c *card) scoreHiddenFillers(talks []scoredTalk) {
	c.t.Helper()
	var s voices.FillerScore
	for _, talk := range talks {
		r := voices.Recording{Condition: "generated"}
		var words []media.Word
		for i, w := range talk.said() {
			span := media.Span{StartMS: w.StartMS, EndMS: w.EndMS}
			r.Speech = append(r.Speech, span)
			switch {
			case talk.roles[i] != mediatest.Filler:
				words = append(words, w)
			case span.Duration() >= shortestFillerMS:
				r.Fillers = append(r.Fillers, span)
			}
		}
		r.Speech = media.MergeSpans(r.Speech)
		evidence := *talk.found.Clips[0].Evidence
		evidence.Words = words
		var proposed []media.Span
		settings := detect.Settings{CutOptions: media.DefaultCutOptions(), Language: "en"}
		for _, e := range detect.Edits(evidence, settings) {
			if e.Type == media.EditFiller {
				proposed = append(proposed, e.Span)
			}
		}
		s.Add(r, proposed)
	}
	for _, remark := range s.Remarks(3) {
		c.t.Log("hidden fillers: ", remark)
	}
	c.share("fillers that the transcript lacks, generated: found", s.Found, s.Fillers, 80)
	c.share("fillers that the transcript lacks, generated: right proposals", s.Right, s.Proposed, 90)
}

// audienceScore is how much of sounds as loud as speech is cut, in milliseconds.
type audienceScore struct{ cut, total int64 }

// Sum adds the scores of other recordings.
func (s audienceScore) Sum(o audienceScore) audienceScore {
	return audienceScore{s.cut + o.cut, s.total + o.total}
}

// scoreAudience measures whether sounds as loud as speech stay.
func (c *voiceCard) scoreAudience() {
	c.t.Helper()
	g := grade(c, func(names []string) (s audienceScore) {
		for i, voice := range names {
			h := c.hear(voices.Audience(c.t, uint64(600+i), voice))
			cuts := h.cuts(50)
			for _, event := range h.Events {
				if event.Kind != voices.EventOther {
					s.total += event.Duration()
					s.cut += voices.Within(event.Span, cuts)
				}
			}
		}
		return s
	}, func(row string, s audienceScore) {
		fmt.Printf("MUSIC, APPLAUSE AND LAUGHTER, %s: %d of %d ms stay\n", row, s.total-s.cut, s.total)
	})
	judge(c, g, func(c *card, s audienceScore) {
		what := "music, applause and laughter as loud as speech: time that stays"
		c.share(what, int(s.total-s.cut), int(s.total), 95)
	})
}
