package detect

import (
	"fmt"
	"math"
	"slices"

	"roughcut/media"
)

// PauseThreshold returns how long a pause may be, in milliseconds, at a pacing of 0-100: 2500 to 150.
func PauseThreshold(pacing int) int64 { return geometric(2500, 150, pacing) }

// PausePadding returns how much of a cut pause stays on each side, in milliseconds, at a pacing of 0-100:
// 400 to 40.
func PausePadding(pacing int) int64 { return geometric(400, 40, pacing) }

func geometric(from, to float64, percent int) int64 {
	return int64(math.Round(from * math.Pow(to/from, float64(clampPercent(percent))/100)))
}

const (
	// words end in s, f and t more quietly than can be heard over the floor: what is taken to
	// follow a sound's end
	endingMS    = 40
	lookMS      = 40  // at most this far from its place an edge looks for the quietest spot
	spareMS     = 20  // what must stay between the air that is left and the threshold: two frames
	shortestCut = 30  // shorter cuts are not worth a join
	resumeMS    = 300 // at most so much earlier than it might a cut pause ends, to end at a keyframe
)

// talk is a clip's evidence made ready for finding edits.
type talk struct {
	Evidence
	language             string // whose fillers are known
	threshold, air, look int64
	speech               []media.Span // where sound or a word is: sorted, disjoint
	crumbs               []media.Span // sound that no word belongs to and that is no speech by itself
	pauses               []media.Span // what is between speech, from 0 to the end of the clip; never empty spans
}

func newTalk(e Evidence, k Knobs) *talk {
	t := &talk{Evidence: e, language: k.Language, threshold: PauseThreshold(k.Pacing), air: PausePadding(k.Pacing)}
	t.look = min(max((t.threshold-2*t.air-endingMS-spareMS)/2, 0), lookMS)
	whole := media.Span{EndMS: e.DurationMS}
	var sound []media.Span
	for _, s := range e.Voice.Spans {
		if s = s.Intersect(whole); len(e.Words) > 0 && t.isCrumb(s) {
			t.crumbs = append(t.crumbs, s)
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
	crumbMS      = 120 // shorter sound without a word is a click or a smack
	softerDB     = 28  // sound this much below loud speech, without a word, is breath
	longBreathMS = 800
)

// isCrumb reports whether a sound is no speech, going by the words: none lies on it, and it is
// short or soft. Loud sound without words may be a word that the model left out, and stays.
func (t *talk) isCrumb(s media.Span) bool {
	i, _ := slices.BinarySearchFunc(t.Words, s.StartMS, func(w media.Word, ms int64) int { return int(w.EndMS - ms) })
	if i < len(t.Words) && t.Words[i].StartMS <= s.EndMS {
		return false
	}
	if s.Duration() < crumbMS {
		return true
	}
	loudest := math.Inf(-1)
	for ms := s.StartMS; ms < s.EndMS; ms += media.VoiceFrameMS {
		loudest = max(loudest, t.Voice.Level(ms))
	}
	return s.Duration() <= longBreathMS && loudest < t.Voice.SpeechDB-softerDB
}

// afterSpeech returns where a cut begins that follows speech ending at ms, and is to stay within
// limit.
func (t *talk) afterSpeech(ms, limit int64) int64 {
	at := ms + t.air + endingMS
	return t.quiet(media.Span{StartMS: min(at, limit), EndMS: min(at+t.look, limit)}, at)
}

// beforeSpeech returns where a cut ends that comes before speech beginning at ms, and is not to
// reach below limit.
func (t *talk) beforeSpeech(ms, limit int64) int64 {
	at := ms - t.air
	return t.quiet(media.Span{StartMS: max(at-t.look, limit), EndMS: max(at, limit)}, at)
}

// quiet returns the quietest spot of a span, or the place nearest to prefer where the span is too
// short for a choice.
func (t *talk) quiet(s media.Span, prefer int64) int64 {
	if s.EndMS <= s.StartMS {
		return s.StartMS
	}
	return t.Voice.Quietest(s, prefer)
}

// cutOf returns what a silence edit removes of a pause; it is too short to be worth it where the
// pause is.
func (t *talk) cutOf(p media.Span) media.Span {
	cut := p
	if p.StartMS > 0 {
		cut.StartMS = t.afterSpeech(p.StartMS, p.EndMS)
	}
	if p.EndMS < t.DurationMS {
		cut.EndMS = t.beforeSpeech(p.EndMS, p.StartMS)
		cut.EndMS = t.resume(p, cut)
	}
	return cut
}

// resume returns where the footage goes on after the cut of a pause: at the last keyframe shortly
// before its end, from which on an export copies what follows as it is. There is none where more of
// the pause would be left than its threshold allows, or in the middle of a breath.
func (t *talk) resume(pause, cut media.Span) int64 {
	spare := t.threshold - (pause.Duration() - cut.Duration())
	earliest := cut.EndMS - min(resumeMS, spare, cut.Duration()-shortestCut)
	n, found := slices.BinarySearch(t.Keyframes, cut.EndMS)
	if !found {
		n--
	}
	for ; n >= 0 && t.Keyframes[n] >= earliest; n-- {
		at := t.Keyframes[n]
		if !slices.ContainsFunc(t.crumbs, func(s media.Span) bool { return s.StartMS < at && at < s.EndMS }) {
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
		if cut := t.cutOf(p); cut.Duration() >= shortestCut {
			c := t.silenceConfidence(p)
			out = append(
				out,
				Edit{Type: Silence, Span: cut, Active: c >= activeFrom, Reason: t.silenceReason(p), Confidence: c},
			)
		}
	}
	return out
}

// silenceConfidence tells how sure a pause is: long ones, clear of noise, on which words and sound
// agree.
func (t *talk) silenceConfidence(p media.Span) float64 {
	if len(t.speech) == 0 {
		return 0.3 // nothing was said at all: this may be footage without talk
	}
	c := 0.78 + 0.1*min(float64(p.Duration()-t.threshold)/float64(t.threshold), 1)
	if len(t.Words) > 0 {
		c += 0.1
	}
	for _, s := range t.crumbs {
		if s.Intersect(p).Duration() > 0 {
			c -= 0.12
			break
		}
	}
	clear := t.Voice.SpeechDB - t.Voice.FloorDB
	return round2(c * min(max(clear/20, 0.4), 1))
}

// silenceReason says how long a pause is and where.
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

// wordBefore returns the last word that begins before ms, empty without one.
func (t *talk) wordBefore(ms int64) string {
	i, _ := slices.BinarySearchFunc(t.Words, ms, func(w media.Word, at int64) int { return int(w.StartMS - at) })
	if i == 0 {
		return ""
	}
	return bare(t.Words[i-1].Text)
}

// wordAfter returns the first word that begins at ms or later, empty without one.
func (t *talk) wordAfter(ms int64) string {
	i, _ := slices.BinarySearchFunc(t.Words, ms, func(w media.Word, at int64) int { return int(w.StartMS - at) })
	if i == len(t.Words) {
		return ""
	}
	return bare(t.Words[i].Text)
}

// seconds writes a duration as "1.8 s".
func seconds(ms int64) string { return fmt.Sprintf("%.1f s", float64(ms)/1000) }

func round2(x float64) float64 { return math.Round(100*x) / 100 }
