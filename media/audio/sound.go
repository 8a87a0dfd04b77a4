package audio

import (
	"slices"

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
	touchingMS      = 300  // longest time from a sound to the quiet speech that it belongs to
	risesDB         = 6    // least that such a sound is louder than what is away from the speech
	awayShare       = 0.65 // quantile of frames that tells the level there
	noiseGapMS      = 300  // noises that follow each other this closely are one
	faintShare      = 0.2  // most of faint voice that is audible
	shortestFaintMS = 200  // of voice
	asideMS         = 600  // shortest sound that counts as quiet speech
	asideBelowDB    = 24   // least that it is quieter than loud voice
	asideVoice      = 20   // of 255: probability of voice that quiet speech has
	asideWindows    = 9    // least windows with it
	asideFaintly    = 12   // or least windows with faint voice, a quarter of all
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
	for _, a := range asides {
		out = append(out, h.soundOf(a, SoundFaint))
	}
	for _, r := range runsOf(audible, soundGap) {
		s := spanOfFrames(r)
		within := func(a frames) bool { return a.from <= r.from && r.to <= a.to }
		if r.to-r.from < shortestSound || slices.ContainsFunc(asides, within) {
			continue
		}
		byStart := func(v media.Span, ms int64) int { return int(v.StartMS - ms) }
		next, _ := slices.BinarySearchFunc(spans, s.EndMS, byStart)
		beforeVoice := next < len(spans) && spans[next].StartMS-s.EndMS <= breathBefore
		kind := h.kindOf(r, beforeVoice)
		around := spans[max(next-1, 0):min(next+1, len(spans))]
		if kind != SoundBackground && r.to-r.from >= shortestBreath && h.belongsTo(r, around) {
			kind = SoundFaint
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
	case length >= lastingFrames, length >= shortestEven && h.isEven(r):
		return SoundBackground
	}

	return SoundNoise
}

// belongsTo reports whether a sound is the start or the end of quiet speech, given the voiced spans
// around it: it touches one, and is about as loud. A breath is quieter than the speech after it.
func (h *hearing) belongsTo(r frames, spans []media.Span) bool {
	s := spanOfFrames(r)
	return slices.ContainsFunc(spans, func(v media.Span) bool {
		gap := max(v.StartMS-s.EndMS, s.StartMS-v.EndMS)
		if gap > touchingMS {
			return false
		}
		speech := h.loudPartDB(frames{int(v.StartMS / VoiceFrameMS), min(int(v.EndMS/VoiceFrameMS), len(h.levels))})
		away := frames{r.to, min(r.to+backgroundFrames, len(h.levels))}
		if v.StartMS >= s.EndMS {
			away = frames{max(r.from-backgroundFrames, 0), r.from}
		}
		level := h.loudPartDB(r)
		return speech <= h.loudDB-breathBelowDB && level >= speech-breathBelowDB &&
			percentileDB(h.levels[away.from:away.to], awayShare) <= level-risesDB
	})
}

// asides returns the sounds that are speech far from the microphone, such as a person in another
// room. The network hears such speech only now and then.
func (h *hearing) asides(audible []bool) []frames {
	return slices.DeleteFunc(runsOf(audible, asideGap), func(r frames) bool {
		heard, faintly := 0, 0
		first := r.from * VoiceFrameMS / VoiceWindowMS
		end := (r.to*VoiceFrameMS + VoiceWindowMS - 1) / VoiceWindowMS
		for w := first; w < min(end, len(h.probability)); w++ {
			if h.probability[w] >= asideVoice {
				heard++
			}
			if h.probability[w] >= faintVoice {
				faintly++
			}
		}

		isVoice := heard >= asideWindows || (faintly >= asideFaintly && 4*faintly >= end-first)
		return !isVoice || !h.isQuiet(r) || h.neverFalls(r)
	})
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
