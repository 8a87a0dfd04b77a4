package audio

import (
	"slices"
	"sort"

	"roughcut/media"
)

// Kinds of a Sound. Evidence of earlier versions has music, applause and laughter too.
const (
	SoundBreath     = "breath"     // drawn before speech
	SoundBackground = "background" // even or lasting: a fan, a hum, a music bed
	SoundNoise      = "noise"      // keys, knocks, doors
	SoundFaint      = "faint"      // voice too quiet to hear
)

// Sound is sound in a recording that is not speech. One as loud as speech is part of a voiced span
// too, because it may be laughter, applause or music that is played.
type Sound struct {
	media.Span
	Kind    string  `json:"kind"`
	LevelDB float64 `json:"level_db"` // of its loud parts, in dBFS
}

const (
	soundGap        = 3    // longest silence within a sound, in frames
	shortestSound   = 6    // frames
	longestBreath   = 90   // frames
	shortestBreath  = 15   // frames
	breathBelowDB   = 9    // a breath is this far below loud voice
	breathBefore    = 400  // longest time from a breath to speech, in milliseconds
	evenFrames      = 5    // of the means that tell even sound: 50 ms
	evenDB          = 5    // most that even sound varies
	shortestEven    = 40   // frames
	lastingFrames   = 100  // of sound that is background however it varies
	touchingFrames  = 30   // longest time between sounds of quiet speech
	longestPart     = 150  // frames of quiet speech that the network misses at an end
	mostParts       = 20   // sounds that fit into these frames, at most
	risesDB         = 6    // least that such a sound is louder than what is away from the speech
	awayShare       = 0.65 // quantile of frames that tells the level there
	noiseGapMS      = 300  // noises that follow each other this closely are one
	faintShare      = 0.2  // most of faint voice that is audible
	shortestFaintMS = 200  // of voice
	asideMS         = 600  // shortest sound that counts as quiet speech
	asideBelowDB    = 24   // least that it is quieter than loud voice
	asideVoice      = 20   // of 255: probability of voice that quiet speech has
	asideWindows    = 9    // least windows with it
	asideFaintly    = 12   // or least windows with faint voice
	faintPart       = 4    // of which there must be a quarter
	asideGap        = 20   // longest silence within it, in frames
	loudShare       = 0.9  // quantile of a sound's frames that tells its level
	hissShare       = 0.25 // least part of a breath's power above 1 kHz
)

// sounds returns the sounds that are not voice, sorted. audible are the frames above the noise
// floor without voice, spans the voice, and loud the sounds that are part of it.
func (h *hearing) sounds(audible []bool, spans []media.Span, loud []frames) []Sound {
	var out []Sound
	for _, l := range loud {
		out = append(out, h.soundOf(l, h.kindOf(l, false)))
	}
	for _, v := range h.voiced {
		faint := spanOfFrames(v).Duration() >= shortestFaintMS && shareTrue(h.active, v) <= faintShare
		if faint || h.isQuiet(v) {
			out = append(out, h.soundOf(v, SoundFaint))
		}
	}

	asides := h.asides(audible)
	speech := slices.Clone(spans)
	for _, a := range asides {
		out = append(out, h.soundOf(a, SoundFaint))
		speech = append(speech, spanOfFrames(a))
	}

	runs := slices.DeleteFunc(runsOf(audible, soundGap), func(r frames) bool {
		within := func(a frames) bool { return a.from <= r.from && r.to <= a.to }
		return r.to-r.from < shortestSound || slices.ContainsFunc(asides, within)
	})
	faint := h.partsOfSpeech(runs, media.MergeSpans(speech))
	for i, r := range runs {
		kind := SoundFaint
		if !faint[i] {
			kind = h.kindOf(r, isBeforeVoice(spanOfFrames(r), spans))
		}
		out = append(out, h.soundOf(r, kind))
	}

	slices.SortStableFunc(out, func(a, b Sound) int { return int(a.StartMS - b.StartMS) })
	return joinNoises(out)
}

// kindOf returns the kind of a sound that is not voice.
func (h *hearing) kindOf(r frames, beforeVoice bool) string {
	length := r.to - r.from
	switch {
	case beforeVoice && length >= shortestBreath && length <= longestBreath && h.isHiss(r) &&
		h.loudPartDB(r) <= h.loudDB-breathBelowDB:
		return SoundBreath
	case length >= lastingFrames, h.isBed(r):
		return SoundBackground
	}

	return SoundNoise
}

// isBeforeVoice reports whether a voiced span follows a sound as closely as it follows a breath.
func isBeforeVoice(s media.Span, spans []media.Span) bool {
	byStart := func(v media.Span, ms int64) int { return int(v.StartMS - ms) }
	next, _ := slices.BinarySearchFunc(spans, s.EndMS, byStart)
	return next < len(spans) && spans[next].StartMS-s.EndMS <= breathBefore
}

// partsOfSpeech marks the sounds that are the start or the end of quiet speech.
func (h *hearing) partsOfSpeech(runs []frames, speech []media.Span) []bool {
	parts := make([]bool, len(runs))
	for _, v := range speech {
		span := frames{int(v.StartMS / VoiceFrameMS), min(int(v.EndMS/VoiceFrameMS), len(h.levels))}
		level := h.loudPartDB(span)
		if level > h.loudDB-breathBelowDB {
			continue
		}
		before := firstRun(runs, func(r frames) bool { return r.to > span.from })
		head := slices.Clone(runs[max(before-mostParts, 0):before])
		slices.Reverse(head)
		for i := range h.reach(head, span, level) {
			parts[before-1-i] = true
		}

		after := firstRun(runs, func(r frames) bool { return r.from >= span.to })
		for i := range h.reach(runs[after:min(after+mostParts, len(runs))], span, level) {
			parts[after+i] = true
		}
	}

	return parts
}

// firstRun returns the index of the first run that meets a condition, which later runs meet too.
func firstRun(runs []frames, meets func(frames) bool) int {
	return sort.Search(len(runs), func(i int) bool { return meets(runs[i]) })
}

// reach returns how many sounds belong to quiet speech of a level, given the sounds on one side of
// it from the nearest on. Each touches the one before and is about as loud, and the last one is
// louder than the sound beyond it. A breath is quieter than the speech after it.
func (h *hearing) reach(runs []frames, speech frames, level float64) (n int) {
	near := speech
	for i, r := range runs {
		touches := max(r.from-near.to, near.from-r.to) <= touchingFrames
		own := h.loudPartDB(r)
		if !touches || own < level-breathBelowDB || h.isBed(r) || !h.isCloseTo(speech, r) {
			break
		}
		away := frames{r.to, min(r.to+backgroundFrames, len(h.levels))}
		if r.to <= speech.from {
			away = frames{max(r.from-backgroundFrames, 0), r.from}
		}
		rises := percentileDB(h.levels[away.from:away.to], awayShare) <= own-risesDB
		if near = r; rises && r.to-r.from >= shortestBreath {
			n = i + 1
		}
	}

	return n
}

// isCloseTo reports whether a short sound is next to speech, or the network hears voice in most
// windows from the sound to the speech.
func (h *hearing) isCloseTo(speech, r frames) bool {
	until := frames{min(r.from, speech.to), max(r.to, speech.from)}
	if until.to-until.from > longestPart {
		return false
	}
	heard, all := h.windowsWith(until, asideVoice)
	isNext := max(r.from-speech.to, speech.from-r.to) <= touchingFrames && r.to-r.from < lastingFrames
	return isNext || 2*heard >= all
}

// asides returns the sounds that are speech far from the microphone, such as a person in another
// room. The network hears such speech only now and then.
func (h *hearing) asides(audible []bool) []frames {
	return slices.DeleteFunc(runsOf(audible, asideGap), func(r frames) bool {
		heard, _ := h.windowsWith(r, asideVoice)
		faintly, all := h.windowsWith(r, faintVoice)
		isVoice := heard >= asideWindows || (faintly >= asideFaintly && faintPart*faintly >= all)
		return !isVoice || !h.isQuiet(r) || h.neverFalls(r)
	})
}

// windowsWith counts the windows of a sound with a least probability of voice, and all of them.
func (h *hearing) windowsWith(r frames, least byte) (n, all int) {
	first := r.from * VoiceFrameMS / VoiceWindowMS
	end := (r.to*VoiceFrameMS + VoiceWindowMS - 1) / VoiceWindowMS
	for _, p := range h.probability[min(first, len(h.probability)):min(end, len(h.probability))] {
		if p >= least {
			n++
		}
	}

	return n, end - first
}

// isQuiet reports whether a sound is as long as a phrase and much quieter than loud voice.
func (h *hearing) isQuiet(r frames) bool {
	return (r.to-r.from)*VoiceFrameMS >= asideMS && h.loudPartDB(r) <= h.loudDB-asideBelowDB
}

// isHiss reports whether a good part of a sound is above 1 kHz, as in turbulent air.
func (h *hearing) isHiss(r frames) bool {
	low, high := 0.0, 0.0
	for f := r.from; f < r.to; f++ {
		low += powerOf(h.bands[lowBand][f])
		high += powerOf(h.bands[midBand][f]) + powerOf(h.bands[highBand][f])
	}

	return high >= hissShare*(low+high)
}

// isBed reports whether a sound is even, or lasts and never falls.
func (h *hearing) isBed(r frames) bool {
	length := r.to - r.from
	return (length >= shortestEven && h.isEven(r)) || (length >= lastingFrames && h.neverFalls(r))
}

// isEven reports whether the mean level of a sound varies little. The ends do not count.
func (h *hearing) isEven(r frames) bool {
	means := h.means(r)
	return len(means) == 0 || slices.Max(means)-slices.Min(means) <= evenDB
}

// means returns the mean level of each evenFrames of a sound without its ends, in dBFS.
func (h *hearing) means(r frames) (out []float64) {
	for f := r.from + evenFrames; f+2*evenFrames <= r.to; f += evenFrames {
		power := 0.0
		for _, l := range h.levels[f : f+evenFrames] {
			power += powerOf(l)
		}
		out = append(out, decibels(quantize(power/evenFrames)))
	}

	return out
}

func (h *hearing) soundOf(r frames, kind string) Sound {
	return Sound{Span: spanOfFrames(r), Kind: kind, LevelDB: h.loudPartDB(r)}
}

func (h *hearing) loudPartDB(r frames) float64 { return percentileDB(h.levels[r.from:r.to], loudShare) }

// runsOf returns the runs of set frames, joined over gaps of that many frames.
func runsOf(set []bool, gap int) []frames {
	var out []frames
	for f, on := range set {
		if !on {
			continue
		}
		if n := len(out); n > 0 && f-out[n-1].to <= gap {
			out[n-1].to = f + 1
			continue
		}

		out = append(out, frames{f, f + 1})
	}

	return out
}

// joinNoises joins noises that follow each other closely, such as keystrokes.
func joinNoises(sounds []Sound) []Sound {
	var out []Sound
	for _, s := range sounds {
		n := len(out)
		if n > 0 && s.Kind == SoundNoise && out[n-1].Kind == SoundNoise && s.StartMS-out[n-1].EndMS <= noiseGapMS {
			out[n-1].EndMS = max(out[n-1].EndMS, s.EndMS)
			out[n-1].LevelDB = max(out[n-1].LevelDB, s.LevelDB)
			continue
		}

		out = append(out, s)
	}

	return out
}

func spanOfFrames(r frames) media.Span {
	return media.Span{StartMS: int64(r.from) * VoiceFrameMS, EndMS: int64(r.to) * VoiceFrameMS}
}

// shareTrue returns the part of a range that is set.
func shareTrue(set []bool, r frames) float64 {
	return float64(countTrue(set, r)) / float64(r.to-r.from)
}
