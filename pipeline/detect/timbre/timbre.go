// Package timbre tells music, applause and laughter from other sound by how its spectrum changes.
package timbre

import (
	"math"
	"slices"
	"sync"

	"roughcut/media"
	"roughcut/pipeline/detect/spectrum"
)

const (
	shortestMS = 1000 // sound that is told apart
	longestMS  = 20_000
	bands      = spectrum.Bands
)

// Name gives the lasting sounds of a recording the kind that their spectrum shows: music, applause
// or laughter. Sounds that are none of these, or too short to tell, keep their kind. Music,
// applause and laughter as loud as speech grow by the quieter sound that touches them: how they
// begin and fade. m and pitch are the spectrum and the pitch of the recording.
func Name(v *media.VoiceActivity, m *spectrum.Meter, pitch []byte) {
	for i, s := range v.Sounds {
		if s.Kind == media.SoundFaint || s.Kind == media.SoundBreath || s.Duration() < shortestMS {
			continue
		}
		if kind := kindOf(figuresOf(s.Span, m.Levels(), pitch)); kind != "" {
			v.Sounds[i].Kind = kind
		}
	}
	grow(v)
}

const (
	touchMS = 50   // longest silence within a sound
	grownMS = 1500 // that a sound grows at each end
)

// grow joins the sounds that are named and as loud as speech with the sounds that touch them, and
// adds them to the voice activity.
func grow(v *media.VoiceActivity) {
	loud := make([]bool, len(v.Sounds))
	for i, s := range v.Sounds {
		named := s.Kind == media.SoundMusic || s.Kind == media.SoundApplause || s.Kind == media.SoundLaughter
		within := func(span media.Span) bool { return s.Intersect(span).Duration() > 0 }
		loud[i] = named && slices.ContainsFunc(v.Spans, within)
	}
	var out []media.Sound
	for i := 0; i < len(v.Sounds); i++ {
		if !loud[i] {
			out = append(out, v.Sounds[i])
			continue
		}
		s := v.Sounds[i]
		last := s.EndMS // of what is as loud
		joins := func(o media.Sound, named bool) bool {
			return o.Kind == s.Kind || o.Kind != media.SoundFaint && !named
		}
		for n := len(out) - 1; n >= 0 && joins(out[n], false) && s.StartMS-out[n].EndMS <= touchMS &&
			v.Sounds[i].StartMS-out[n].StartMS <= grownMS; n-- {
			s = joined(s, out[n])
			out = out[:n]
		}
		for ; i+1 < len(v.Sounds); i++ {
			next := v.Sounds[i+1]
			if !joins(next, loud[i+1]) || next.StartMS-s.EndMS > touchMS || next.EndMS-last > grownMS && !loud[i+1] {
				break
			}
			if s = joined(s, next); loud[i+1] {
				last = s.EndMS
			}
		}
		out = append(out, s)
		v.Spans = append(v.Spans, s.Span)
	}
	v.Sounds, v.Spans = out, media.MergeSpans(v.Spans)
}

// joined returns a sound with the span of another one.
func joined(s, with media.Sound) media.Sound {
	s.StartMS, s.EndMS = min(s.StartMS, with.StartMS), max(s.EndMS, with.EndMS)
	s.LevelDB = max(s.LevelDB, with.LevelDB)
	return s
}

// figures describe a sound.
type figures struct {
	quickDB    float64 // mean change of a band within 30 ms
	slowDB     float64 // and within 300 ms
	brightDB   float64 // level above 1 kHz over the level below
	contrastDB float64 // mean power of the bands over their mean level
	variesDB   float64 // deviation of the level within half a second
	beat       float64 // correlation of the level with itself one burst of laughter later
	pitched    float64 // share of the time with a pitch
	held       float64 // share of the time with a pitch that stays for 100 ms
}

const (
	quickFrames = 3
	slowFrames  = 30
	edgeFrames  = 5  // at each end, which do not count
	audibleDB   = 25 // below the loudest band; quieter ends do not count
	brightBand  = 9  // the first above 1 kHz
	loudBandDB  = 25
	slowReach   = 25 // frames on each side that tell the slow changes of a level
	quickReach  = 2
	fastestBeat = 14 // frames from burst to burst
	slowestBeat = 29
	heldFrames  = 5 // of the pitch
	heldSteps   = 2
)

// figuresOf measures a sound.
func figuresOf(s media.Span, levels []byte, pitch []byte) (f figures) {
	const frame = spectrum.FrameMS
	from := int(s.StartMS/frame) + edgeFrames
	to := min(int(min(s.EndMS, s.StartMS+longestMS)/frame)-edgeFrames, len(levels)/bands)
	if to-from < slowFrames*2 {
		return figures{}
	}
	at := func(i int) []byte { return levels[i*bands : (i+1)*bands] }
	top := byte(0)
	for i := from; i < to; i++ {
		top = max(top, slices.Max(at(i)))
	}
	audible := func(i int) bool { return int(slices.Max(at(i))) >= int(top)-2*audibleDB }
	for from < to && !audible(from) {
		from++
	}
	for to > from && !audible(to-1) {
		to--
	}
	if to-from < slowFrames*2 {
		return figures{}
	}
	f.quickDB = change(at, from, to, quickFrames, top)
	f.slowDB = change(at, from, to, slowFrames, top)
	level := f.balance(at, from, to)
	f.variesDB, f.beat = pulse(level)
	f.pitched, f.held = voicedShare(s, pitch)
	return f
}

// balance measures how the power is divided among the bands. It returns the level of each frame.
func (f *figures) balance(at func(int) []byte, from, to int) (level []float64) {
	low, high, contrast := 1.0, 1.0, 0.0
	powers := levelPowers()
	for i := from; i < to; i++ {
		sum, logs := 0.0, 0.0
		for b, l := range at(i) {
			power := powers[l]
			sum += power
			logs += float64(l) / 2
			if b < brightBand {
				low += power
			} else {
				high += power
			}
		}
		contrast += 10*math.Log10(sum/bands) - logs/bands
		level = append(level, 10*math.Log10(sum))
	}
	f.contrastDB = contrast / float64(to-from)
	f.brightDB = 10 * math.Log10(high/low)
	return level
}

// levelPowers returns the power of each level in half decibels.
var levelPowers = sync.OnceValue(func() *[256]float64 {
	var powers [256]float64
	for l := range powers {
		powers[l] = math.Pow(10, float64(l)/20)
	}
	return &powers
})

// change returns the mean change of the louder bands within a number of frames, in decibels.
func change(at func(int) []byte, from, to, frames int, top byte) float64 {
	sum, n := 0.0, 0
	for i := from; i+frames < to; i++ {
		a, b := at(i), at(i+frames)
		for k := range a {
			if x := max(a[k], b[k]); int(x) >= int(top)-2*loudBandDB {
				sum += math.Abs(float64(a[k])-float64(b[k])) / 2
				n++
			}
		}
	}
	return sum / float64(max(n, 1))
}

// pulse returns the deviation of the level without its slow changes, and its best correlation with
// itself at the distance of bursts of laughter.
func pulse(level []float64) (deviation, beat float64) {
	x := make([]float64, len(level))
	for i := range level {
		x[i] = around(level, i, quickReach) - around(level, i, slowReach)
		deviation += x[i] * x[i]
	}
	for lag := fastestBeat; lag <= slowestBeat && lag < len(x)/2; lag++ {
		dot := 0.0
		for i := lag; i < len(x); i++ {
			dot += x[i] * x[i-lag]
		}
		beat = max(beat, dot/(deviation+1e-9))
	}
	return math.Sqrt(deviation / float64(len(x))), beat
}

// around returns the mean of the values up to reach before and after i.
func around(x []float64, i, reach int) (sum float64) {
	part := x[max(i-reach, 0):min(i+reach+1, len(x))]
	for _, v := range part {
		sum += v / float64(len(part))
	}
	return sum
}

// voicedShare returns the shares of a span with a pitch, and with one that stays.
func voicedShare(s media.Span, pitch []byte) (pitched, held float64) {
	from, to := int(s.StartMS/media.PitchFrameMS), min(int(s.EndMS/media.PitchFrameMS), len(pitch))
	if to <= from {
		return 0, 0
	}
	run := 0
	for i := from; i < to; i++ {
		if pitch[i] == 0 {
			run = 0
			continue
		}
		pitched++
		if i > from && pitch[i-1] > 0 && max(pitch[i], pitch[i-1])-min(pitch[i], pitch[i-1]) <= heldSteps {
			run++
		} else {
			run = 1
		}
		if run >= heldFrames {
			held++
		}
	}
	return pitched / float64(to-from), held / float64(to-from)
}

// kindOf returns the kind of a sound, or an empty text if its figures are those of another one.
// Notes have a pitch and change more slowly than speech. Clapping hands are noise whose level
// hardly changes. Laughter is a row of bursts with a pitch.
func kindOf(f figures) string {
	switch {
	case f.beat >= 0.4 && f.variesDB >= 6 && within(f.pitched, 0.2, 0.7):
		return media.SoundLaughter
	case f.isMusic():
		return media.SoundMusic
	case f.pitched <= 0.2 && within(f.quickDB, 2.7, 3.6) && within(f.brightDB, -6, 8) &&
		within(f.contrastDB, 5.2, 8) && within(f.variesDB, 0.8, 3):
		return media.SoundApplause
	}
	return ""
}

// isMusic reports whether a sound has the figures of music. Speech has more pitch, or changes more
// quickly, and a hum changes less.
func (f figures) isMusic() bool {
	slow := f.quickDB >= 1.7 && (f.quickDB <= 6.3 || f.quickDB <= 9 && f.pitched <= 0.65)
	return slow && f.slowDB >= 1.4*f.quickDB && within(f.pitched, 0.28, 0.93) && f.held <= 0.7 &&
		f.brightDB <= 4 && f.contrastDB >= 6.5
}

func within(x, low, high float64) bool { return x >= low && x <= high }
