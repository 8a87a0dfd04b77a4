package e2e

import (
	"fmt"
	"strings"

	"roughcut/media"
	"roughcut/media/mediatest"
	"roughcut/media/mediatest/voices"
	"roughcut/pipeline/detect"
	"roughcut/store"
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
		for _, e := range detect.Edits(evidence, detect.Settings{Pacing: 50, FalseStarts: 50, Language: "en"}) {
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

// reasonWords are what the reason of a cut says about a kind of sound.
func reasonWords() map[string]string {
	return map[string]string{
		voices.EventMusic: "music", voices.EventApplause: "applause", voices.EventLaughter: "laughter",
	}
}

// scoreAudience measures whether sounds as loud as speech stay, and whether the reasons name them.
func (c *voiceCard) scoreAudience() {
	c.t.Helper()
	events, heard, named := map[string]int{}, map[string]int{}, map[string]int{}
	cut, total, wrong, others := int64(0), int64(0), 0, 0
	for i, voice := range voices.Names() {
		h := c.hear(voices.Audience(c.t, uint64(600+i), voice))
		silences, cuts := h.edits(detect.Silence, 50), h.cuts(50)
		for _, event := range h.Events {
			events[event.Kind]++
			if event.Kind != voices.EventOther {
				total += event.Duration()
				cut += voices.Within(event.Span, cuts)
			}
			reason, found := reasonOf(silences, event.Span)
			if !found {
				continue
			}
			heard[event.Kind]++
			if word := reasonWords()[event.Kind]; word != "" && strings.Contains(reason, word) {
				named[event.Kind]++
			}
			others++
			for kind, word := range reasonWords() {
				if kind != event.Kind && strings.Contains(reason, word) {
					wrong++
					c.t.Logf("%s, %v: %s is called %q", voice, event.Span, event.Kind, reason)
				}
			}
		}
	}
	c.share("music, applause and laughter as loud as speech: time that stays", int(total-cut), int(total), 95)
	for _, kind := range []string{voices.EventMusic, voices.EventApplause, voices.EventLaughter} {
		what := fmt.Sprintf("%s: named, where the network hears no voice (%d of %d)", kind, heard[kind], events[kind])
		if heard[kind] > 0 { // otherwise all of it is taken for voice and needs no reason
			c.share(what, named[kind], heard[kind], 80)
		}
	}
	c.share("sounds as loud as speech: not called another kind", others-wrong, others, 95)
}

// anyKind ends the reason of a sound whose kind is unknown.
const anyKind = "laughter, applause and music stay"

// reasonOf returns the reason of the edits that cover most of a span, in lower case and without
// anyKind.
func reasonOf(edits []store.DetectedEdit, span media.Span) (reason string, found bool) {
	covered := int64(0)
	for _, e := range edits {
		if on := e.Span.Intersect(span).Duration(); on > 0 && !e.Active {
			covered += on
			reason += strings.ReplaceAll(strings.ToLower(e.Reason), anyKind, "") + "\n"
		}
	}
	return reason, covered*2 >= span.Duration()
}
