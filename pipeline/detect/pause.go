package detect

import (
	"fmt"
	"math"
	"slices"

	"roughcut/media"
)

// PauseThreshold returns the longest pause that is not cut at a pacing of 0-100, in milliseconds:
// from 2500 down to 150.
func PauseThreshold(pacing int) int64 { return geometric(2500, 150, pacing) }

// PausePadding returns how much of a cut pause stays on each side at a pacing of 0-100, in
// milliseconds: from 400 down to 40.
func PausePadding(pacing int) int64 { return geometric(400, 40, pacing) }

// geometric interpolates between two values on a logarithmic scale.
func geometric(from, to float64, percent int) int64 {
	return int64(math.Round(from * math.Pow(to/from, float64(clampPercent(percent))/100)))
}

const (
	// endingMS is added to the end of speech: final s, f and t can be too quiet to detect.
	endingMS    = 40
	searchMS    = 40  // how far the edge of a cut may move to a quieter time
	spareMS     = 20  // two frames: distance of the remaining pause from the threshold
	shortestCut = 30  // shorter cuts are not worth a join
	snapMS      = 300 // how far the end of a cut may move back to a keyframe
)

// talk is the evidence of a clip, prepared for detection.
type talk struct {
	Evidence
	language                   string // of the fillers
	threshold, padding, search int64
	speech                     []media.Span // voice activity and words: sorted, disjoint
	noises                     []media.Span // voice activity that is neither a word nor likely speech
	pauses                     []media.Span // the gaps in speech from 0 to the end of the clip, never empty
}

func newTalk(e Evidence, k Settings) *talk {
	t := &talk{Evidence: e, language: k.Language, threshold: PauseThreshold(k.Pacing), padding: PausePadding(k.Pacing)}
	t.search = min(max((t.threshold-2*t.padding-endingMS-spareMS)/2, 0), searchMS)
	whole := media.Span{EndMS: e.DurationMS}
	var sound []media.Span
	for _, s := range e.Voice.Spans {
		if s = s.Intersect(whole); len(e.Words) > 0 && t.isNoise(s) {
			t.noises = append(t.noises, s)
			continue
		}
		sound = append(sound, s)
	}
	for _, w := range e.Words {
		sound = append(sound, media.Span{StartMS: w.StartMS, EndMS: w.EndMS}.Intersect(whole))
	}
	t.speech = media.MergeSpans(sound)
	t.pauses = media.KeptSpans(e.DurationMS, t.speech)
	return t
}

const (
	noiseMS     = 120 // shorter sounds without a word are clicks or lip smacks
	breathDB    = 28  // sounds without a word this far below loud speech are breaths
	maxBreathMS = 800 // of a breath
)

// isNoise reports whether a span of voice activity is not speech: it overlaps no word and is short
// or quiet. A loud sound without a word may be a word that the speech model missed, so it counts as
// speech.
func (t *talk) isNoise(s media.Span) bool {
	i, _ := slices.BinarySearchFunc(t.Words, s.StartMS, func(w media.Word, ms int64) int { return int(w.EndMS - ms) })
	if i < len(t.Words) && t.Words[i].StartMS <= s.EndMS {
		return false
	}
	if s.Duration() < noiseMS {
		return true
	}
	loudest := math.Inf(-1)
	for ms := s.StartMS; ms < s.EndMS; ms += media.VoiceFrameMS {
		loudest = max(loudest, t.Voice.Level(ms))
	}
	return s.Duration() <= maxBreathMS && loudest < t.Voice.SpeechDB-breathDB
}

// afterSpeech returns the start of a cut after speech that ends at ms. The start is at most limit.
func (t *talk) afterSpeech(ms, limit int64) int64 {
	at := ms + t.padding + endingMS
	return t.quiet(media.Span{StartMS: min(at, limit), EndMS: min(at+t.search, limit)}, at)
}

// beforeSpeech returns the end of a cut before speech that starts at ms. The end is at least limit.
func (t *talk) beforeSpeech(ms, limit int64) int64 {
	at := ms - t.padding
	return t.quiet(media.Span{StartMS: max(at-t.search, limit), EndMS: max(at, limit)}, at)
}

// quiet returns the quietest time of a span, the one nearest to prefer if there are several. It
// returns the start of an empty span.
func (t *talk) quiet(s media.Span, prefer int64) int64 {
	if s.EndMS <= s.StartMS {
		return s.StartMS
	}
	return t.Voice.Quietest(s, prefer)
}

// pauseCut returns the span of a pause that a silence edit removes. The span is shorter than
// shortestCut if the pause is too short to cut.
func (t *talk) pauseCut(p media.Span) media.Span {
	cut := p
	if p.StartMS > 0 {
		cut.StartMS = t.afterSpeech(p.StartMS, p.EndMS)
	}
	if p.EndMS < t.DurationMS {
		cut.EndMS = t.beforeSpeech(p.EndMS, p.StartMS)
		cut.EndMS = t.snapToKeyframe(p, cut)
	}
	return cut
}

// snapToKeyframe returns the end of a pause's cut. It moves the end back to the last keyframe
// within snapMS, because exports can copy the video from there without re-encoding. It does not
// move the end if more of the pause than the threshold would remain, or if the keyframe is inside a
// noise.
func (t *talk) snapToKeyframe(pause, cut media.Span) int64 {
	spare := t.threshold - (pause.Duration() - cut.Duration())
	earliest := cut.EndMS - min(snapMS, spare, cut.Duration()-shortestCut)
	n, found := slices.BinarySearch(t.Keyframes, cut.EndMS)
	if !found {
		n--
	}
	for ; n >= 0 && t.Keyframes[n] >= earliest; n-- {
		at := t.Keyframes[n]
		if !slices.ContainsFunc(t.noises, func(s media.Span) bool { return s.StartMS < at && at < s.EndMS }) {
			return at
		}
	}
	return cut.EndMS
}

// silences proposes a cut in each pause that is longer than the threshold.
func (t *talk) silences() []Edit {
	var out []Edit
	for _, p := range t.pauses {
		if p.Duration() <= t.threshold {
			continue
		}
		if cut := t.pauseCut(p); cut.Duration() >= shortestCut {
			c := t.silenceConfidence(p)
			out = append(
				out,
				Edit{Type: Silence, Span: cut, Active: c >= activeFrom, Reason: t.silenceReason(p), Confidence: c},
			)
		}
	}
	return out
}

// silenceConfidence returns the confidence of a pause. It is higher for long pauses without noise,
// for transcribed recordings and for a low noise floor.
func (t *talk) silenceConfidence(p media.Span) float64 {
	if len(t.speech) == 0 {
		return 0.3 // a recording without speech may be meant to be silent
	}
	c := 0.78 + 0.1*min(float64(p.Duration()-t.threshold)/float64(t.threshold), 1)
	if len(t.Words) > 0 {
		c += 0.1
	}
	for _, s := range t.noises {
		if s.Intersect(p).Duration() > 0 {
			c -= 0.12
			break
		}
	}
	clear := t.Voice.SpeechDB - t.Voice.FloorDB
	return round2(c * min(max(clear/20, 0.4), 1))
}

// silenceReason describes the duration and place of a pause.
func (t *talk) silenceReason(p media.Span) string {
	length := seconds(p.Duration())
	before, after := t.wordBefore(p.StartMS), t.wordAfter(p.EndMS)
	switch {
	case len(t.speech) == 0:
		return fmt.Sprintf("No speech in this recording (%s)", length)
	case p.StartMS <= 0 && after != "":
		return fmt.Sprintf("Silence of %s before the first word, %s", length, quoted(after))
	case p.StartMS <= 0:
		return fmt.Sprintf("Silence of %s at the start", length)
	case p.EndMS >= t.DurationMS && before != "":
		return fmt.Sprintf("Silence of %s after the last word, %s", length, quoted(before))
	case p.EndMS >= t.DurationMS:
		return fmt.Sprintf("Silence of %s at the end", length)
	case before != "":
		return fmt.Sprintf("Pause of %s after %s", length, quoted(before))
	}
	return fmt.Sprintf("Pause of %s", length)
}

// wordBefore returns the last word that starts before ms, or an empty text.
func (t *talk) wordBefore(ms int64) string {
	i, _ := slices.BinarySearchFunc(t.Words, ms, func(w media.Word, at int64) int { return int(w.StartMS - at) })
	if i == 0 {
		return ""
	}
	return bare(t.Words[i-1].Text)
}

// wordAfter returns the first word that starts at ms or later, or an empty text.
func (t *talk) wordAfter(ms int64) string {
	i, _ := slices.BinarySearchFunc(t.Words, ms, func(w media.Word, at int64) int { return int(w.StartMS - at) })
	if i == len(t.Words) {
		return ""
	}
	return bare(t.Words[i].Text)
}

// seconds formats a duration as "1.8 s".
func seconds(ms int64) string { return fmt.Sprintf("%.1f s", float64(ms)/1000) }

// round2 rounds to two decimals.
func round2(x float64) float64 { return math.Round(100*x) / 100 }
