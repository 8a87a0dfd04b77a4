package detect

import (
	"fmt"
	"math"
	"slices"

	"roughcut/media"
	"roughcut/media/audio"
)

// PauseThreshold returns the longest pause that is not cut at a pacing of 0-100, in milliseconds:
// from 2500 down to 150.
func PauseThreshold(pacing int) int64 { return interpolateLog(2500, 150, pacing) }

// PausePadding returns how much of a cut pause stays on each side at a pacing of 0-100, in
// milliseconds: from 400 down to 40.
func PausePadding(pacing int) int64 { return interpolateLog(400, 40, pacing) }

// interpolateLog interpolates between two values on a logarithmic scale.
func interpolateLog(from, to float64, percent int) int64 {
	return int64(math.Round(from * math.Pow(to/from, float64(clampPercent(percent))/100)))
}

const (
	longestEndingMS = 20 // what noise may hide of the end of speech
	endingMSPerDB   = 2  // of noise below clearDB
	clearDB         = 42 // speech this far above the noise floor has an exact end
	searchMS        = 20 // how far the edge of a cut may move to a quieter time, away from speech
	quieterDB       = 6  // that is at least this much quieter
	evenDB          = 3  // greatest difference of equally quiet frames
	spareMS         = 20 // two frames: distance of the remaining pause from the threshold
	shortestCut     = 30 // shorter cuts are not worth a join
	snapMS          = 80 // how far the end of a cut may move back to a keyframe

	demonstrationConfidence = 0.4 // that a user who keeps demonstrations cuts a silence with motion
)

// ending returns what noise may hide of the end of speech before a pause. Without narrow bands, it
// depends on the noise: a measurement of energy alone misses final s, f and t.
func (t *talk) ending(pause media.Span) int64 {
	if !t.Voice.Refined {
		hidden := max(clearDB-(t.Voice.SpeechDB-t.Voice.FloorDB), 0)
		return int64(min(hidden*endingMSPerDB, longestEndingMS))
	}

	i, found := slices.BinarySearchFunc(t.Voice.Hidden, pause.StartMS, func(h media.Span, ms int64) int {
		return int(h.StartMS - ms)
	})
	if !found {
		i--
	}
	if pause.StartMS <= 0 || i < 0 {
		return 0
	}
	return min(max(t.Voice.Hidden[i].EndMS-pause.StartMS, 0), t.spare(2*spareMS)/2)
}

// spare returns how much of a pause may remain beyond the air on both sides and the ending.
func (t *talk) spare(ending int64) int64 { return max(t.threshold-2*t.padding-ending-spareMS, 0) }

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
	for ms := s.StartMS; ms < s.EndMS; ms += audio.VoiceFrameMS {
		loudest = max(loudest, t.Voice.Level(ms))
	}
	return s.Duration() <= maxBreathMS && loudest < t.Voice.SpeechDB-breathDB
}

// afterSpeech returns the start of the cut of a pause after speech.
func (t *talk) afterSpeech(pause media.Span) int64 {
	ending := t.ending(pause)
	at, limit, search := pause.StartMS+t.padding+ending, pause.EndMS, min(t.spare(ending)/2, searchMS)
	return t.quiet(media.Span{StartMS: min(at, limit), EndMS: min(at+search, limit)}, at)
}

// beforeSpeech returns the end of the cut of a pause before speech.
func (t *talk) beforeSpeech(pause media.Span) int64 {
	at, limit, search := pause.EndMS-t.padding, pause.StartMS, min(t.spare(t.ending(pause))/2, searchMS)
	return t.quiet(media.Span{StartMS: max(at-search, limit), EndMS: max(at, limit)}, at)
}

// quiet returns the time of a span nearest to prefer that is about as quiet as its quietest one. It
// returns prefer if nothing is much quieter, and the start of an empty span.
func (t *talk) quiet(s media.Span, prefer int64) int64 {
	if s.EndMS <= s.StartMS {
		return s.StartMS
	}
	prefer = min(max(prefer, s.StartMS), s.EndMS)
	best := t.Voice.Quietest(s, prefer)
	if t.Voice.Level(best) > t.Voice.Level(prefer)-quieterDB {
		return prefer
	}
	step := int64(audio.VoiceFrameMS)
	if best < prefer {
		step = -step
	}
	for at := best - (best-prefer)/step*step; at != best; at += step {
		if t.Voice.Level(at) <= t.Voice.Level(best)+evenDB {
			return at
		}
	}

	return best
}

// pauseCut returns the span of a pause that a silence edit removes. The span is shorter than
// shortestCut if the pause is too short to cut. If the end moves back to a keyframe, the start
// moves back as well, so that the same length of pause remains. The start moves by at most half the
// air and not past the keyframe before it, so that the previous GOP stays whole.
func (t *talk) pauseCut(p media.Span) media.Span {
	cut := p
	if p.StartMS > 0 {
		cut.StartMS = t.afterSpeech(p)
	}
	if p.EndMS < t.DurationMS {
		cut.EndMS = t.beforeSpeech(p)
		end := t.snapToKeyframe(p, cut)
		if p.StartMS > 0 {
			earliest := cut.StartMS - min(cut.EndMS-end, t.padding/2)
			cut.StartMS = max(earliest, t.keyframeBefore(cut.StartMS))
		}

		cut.EndMS = end
	}

	return cut
}

// snapToKeyframe returns the end of a pause's cut. It moves the end back to the last keyframe
// within snapMS or the air before speech, whichever is less, because exports can copy the video
// from there without re-encoding. It does not move the end if nothing is copied, if more of the
// pause than the threshold would remain, or if the keyframe is inside a noise.
func (t *talk) snapToKeyframe(pause, cut media.Span) int64 {
	if t.settings.ExactEdges {
		return cut.EndMS
	}
	spare := t.threshold - (pause.Duration() - cut.Duration())
	earliest := cut.EndMS - min(snapMS, t.padding, spare, cut.Duration()-shortestCut)
	n, found := slices.BinarySearch(t.Keyframes, cut.EndMS)
	if !found {
		n--
	}
	for ; n >= 0 && t.Keyframes[n] >= earliest; n-- {
		at := t.Keyframes[n]
		inside := func(s audio.Sound) bool { return s.StartMS < at && at < s.EndMS }
		if t.copiesFrom(n, pause.EndMS) && !slices.ContainsFunc(t.noises, inside) {
			return at
		}
	}

	return cut.EndMS
}

// keyframeBefore returns the last keyframe at ms or before, or 0.
func (t *talk) keyframeBefore(ms int64) int64 {
	n, found := slices.BinarySearch(t.Keyframes, ms)
	switch {
	case found:
		return ms
	case n == 0:
		return 0
	}

	return t.Keyframes[n-1]
}

// copiesFrom reports whether an export copies video from keyframe n. It copies whole GOPs, so the
// next keyframe must come before the next pause that is cut. The last GOP ends with the clip.
func (t *talk) copiesFrom(n int, speechMS int64) bool {
	next := t.DurationMS
	if n+1 < len(t.Keyframes) {
		next = t.Keyframes[n+1]
	}
	i, _ := slices.BinarySearchFunc(
		t.pauses,
		speechMS,
		func(p media.Span, ms int64) int { return int(p.StartMS - ms) },
	)
	for ; i < len(t.pauses) && t.pauses[i].StartMS < next; i++ {
		if t.pauses[i].Duration() > t.threshold && t.pauses[i].StartMS+t.padding+t.ending(t.pauses[i]) < next {
			return false
		}
	}

	return true
}

// silences proposes a cut in each pause that is longer than the threshold, and an inactive one for
// each loud sound without voice.
func (t *talk) silences() []Edit {
	out := t.loudSounds()
	for _, p := range t.pauses {
		if p.Duration() <= t.threshold {
			continue
		}
		if cut := t.pauseCut(p); cut.Duration() >= shortestCut {
			out = append(out, t.silence(p, cut))
		}
	}

	return out
}

// silence returns the edit of a pause.
func (t *talk) silence(p, cut media.Span) Edit {
	c := t.silenceConfidence(p)
	e := Edit{Type: media.EditSilence, Span: cut, Active: c >= activeFrom, Confidence: c}
	e.Reason = t.silenceReason(p) + t.soundReason(cut)
	if ms, moves := t.motionIn(cut); moves && t.settings.KeepDemonstrations {
		e.Active, e.Reason = false, fmt.Sprintf("%s: something moves here for %s", e.Reason, seconds(ms))
		e.Confidence = min(e.Confidence, demonstrationConfidence)
	}

	return e
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

// seconds formats a duration as "1.8 s", as "11 s" from ten seconds on, or as "20 min" or
// "20 min 5 s" from a minute on.
func seconds(ms int64) string {
	whole := (ms + 500) / 1000
	switch {
	case whole >= 60 && whole%60 == 0:
		return fmt.Sprintf("%d min", whole/60)
	case whole >= 60:
		return fmt.Sprintf("%d min %d s", whole/60, whole%60)
	case ms >= 9950:
		return fmt.Sprintf("%d s", whole)
	}

	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}

// round2 rounds to two decimals.
func round2(x float64) float64 { return math.Round(100*x) / 100 }
