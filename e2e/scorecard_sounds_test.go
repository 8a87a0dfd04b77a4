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
	var all voices.FillerScore
	for _, condition := range []string{"booth", "room 35", "street", "music 25"} {
		var s voices.FillerScore
		for i, voice := range voices.Names() {
			h := c.hear(voices.Fillers(c.t, uint64(500+i), voice, condition))
			h.found.Clips[0].Evidence.Words = h.Words
			var proposed []media.Span
			for _, e := range h.edits(detect.Filler, 50) {
				proposed = append(proposed, e.Span)
				c.curve.add(e, voices.IsFiller(h.Recording, e.Span))
			}
			s.Add(h.Recording, proposed)
		}
		fmt.Printf("FILLERS, %s: %d of %d found, %d of %d right\n", condition, s.Found, s.Fillers, s.Right, s.Proposed)
		for _, remark := range s.Remarks(2) {
			c.t.Log("fillers: ", remark)
		}
		all = all.Sum(s)
	}
	c.share("fillers that the transcript lacks, voices: found", all.Found, all.Fillers, 80)
	c.share("fillers that the transcript lacks, voices: right proposals", all.Right, all.Proposed, 90)
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
		for _, e := range detect.Edits(evidence, detect.Settings{CutOptions: media.DefaultCutOptions(), Language: "en"}) {
			if e.Type == detect.Filler {
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

// scoreAudience measures whether sounds as loud as speech stay.
func (c *voiceCard) scoreAudience() {
	c.t.Helper()
	cut, total := int64(0), int64(0)
	for i, voice := range voices.Names() {
		h := c.hear(voices.Audience(c.t, uint64(600+i), voice))
		cuts := h.cuts(50)
		for _, event := range h.Events {
			if event.Kind != voices.EventOther {
				total += event.Duration()
				cut += voices.Within(event.Span, cuts)
			}
		}
	}
	c.share("music, applause and laughter as loud as speech: time that stays", int(total-cut), int(total), 95)
}
