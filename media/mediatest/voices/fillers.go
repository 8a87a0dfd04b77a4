package voices

import (
	"math"
	"slices"
	"testing"

	"roughcut/media"
)

const (
	heldFrom      = rate * 70 / 1000 // of the vowel that is held
	heldStep      = rate / 100
	mostHeld      = 40
	leastHeld     = 0.9 // correlation of a vowel with itself one period later
	shortestFill  = 220 // milliseconds
	longestFill   = 650
	missedWords   = 25  // one word in this many is missing in the transcript
	lateWordMS    = 80  // the words of a phrase start late and end early by at most this
	mostFallSteps = 4.0 // greatest fall of the pitch of a filler in semitones
)

// Fillers returns a talk of about three minutes with fillers: vowels of the voice that are held,
// some with a closed mouth at the end, as in "um". The pitch falls by up to four semitones. They
// come in pauses and directly before or after a phrase. Fillers of the recording has their places.
// Words is the transcript of a model that leaves out fillers, and now and then another word. Equal
// arguments give equal recordings.
func Fillers(t testing.TB, seed uint64, voice, condition string) Recording {
	t.Helper()
	s := newStage(t, seed, voice, "fillers "+condition)
	s.rec.Condition = condition
	o := Options{ShortestPause: 250, LongestPause: 2500}
	held := s.heldVowels()
	s.pause(800)
	order := s.sentences(800)
	for i := 0; len(s.voice) < 180*rate && i < len(order); i++ {
		attached := s.IntN(3)
		if attached == 1 {
			s.fill(held)
			s.pause(20 + s.Int64N(60))
		}

		s.say(order[i])
		if attached == 2 {
			s.pause(20 + s.Int64N(60))
			s.fill(held)
		}

		s.pause(s.pauseMS(o))
		if s.IntN(3) == 0 {
			s.fill(held)
			s.pause(s.pauseMS(o))
		}
	}

	s.mishear()
	return s.record(t, stepsOf(t, condition))
}

// fill adds one filler.
func (s *stage) fill(held [][]float64) {
	length := int(s.between(shortestFill, longestFill) * rate / 1000)
	vowel := held[s.IntN(len(held))]
	slow := float64(len(vowel)-stretchFrame-2*stretchSearch) / float64(length) * 1.1
	sound, _ := stretch(vowel, []float64{slow, slow})
	sound = fallingPitch(sound, mostFallSteps*s.Float64())
	sound = sound[:min(length, len(sound))]
	if s.IntN(2) == 0 {
		closeMouth(sound[len(sound)*2/5:])
	}
	fade := rate * 25 / 1000
	for i := range min(fade, len(sound)) {
		sound[i] *= float64(i) / float64(fade)
		sound[len(sound)-1-i] *= float64(i) / float64(fade)
	}

	volume := gain(speechDB+s.between(-6, 0)) / rms(sound)
	for i := range sound {
		sound[i] *= volume
	}
	s.rec.Fillers = append(s.rec.Fillers, s.sayPCM(sound, nil))
}

// closeMouth turns a vowel into a hum, softly.
func closeMouth(x []float64) {
	hum := slices.Clone(x)
	for range 2 {
		lowPass(450).apply(hum)
	}
	for i := range x {
		closed := min(float64(i)/(rate*40/1000), 1)
		x[i] = x[i]*(1-closed) + 0.6*hum[i]*closed
	}
}

// fallingPitch returns audio whose pitch falls evenly by semitones.
func fallingPitch(x []float64, semitones float64) []float64 {
	var out []float64
	for at := 0.0; at < float64(len(x)-2); {
		i := int(at)
		f := at - float64(i)
		out = append(out, x[i]*(1-f)+x[i+1]*f)
		at += math.Pow(2, semitones/12*(0.5-at/float64(len(x))))
	}

	return out
}

// heldVowels returns the most periodic loud sounds of some of the voice's phrases, one of each.
func (s *stage) heldVowels() (out [][]float64) {
	for _, u := range s.phrases {
		if u.MS() < 1500 || len(out) == mostHeld {
			continue
		}
		x := leveled(u.PCM)
		best, most := -1, leastHeld
		for from := 0; from+2*heldFrom < len(x); from += heldStep {
			if rms(x[from:from+heldFrom]) < gain(speechDB) {
				continue
			}
			if p := periodicity(x[from : from+heldFrom]); p > most {
				best, most = from, p
			}
		}

		if best >= 0 {
			out = append(out, x[best:best+heldFrom])
		}
	}

	return out
}

// periodicity returns the highest correlation of the first half of a sound with later sound, one
// period of a voice of 80-400 Hz away.
func periodicity(x []float64) (best float64) {
	n := len(x) / 2
	for lag := rate / 400; lag <= rate/80 && n+lag <= len(x); lag++ {
		dot, a, b := 0.0, 1e-9, 1e-9
		for i := 0; i < n; i += 2 {
			dot += x[i] * x[i+lag]
			a += x[i] * x[i]
			b += x[i+lag] * x[i+lag]
		}

		best = max(best, dot/math.Sqrt(a*b))
	}

	return best
}

// mishear makes the transcript resemble the transcript of a model: words are missing, and words at
// the edges of a phrase start late or end early.
func (s *stage) mishear() {
	var words []media.Word
	for _, w := range s.rec.Words {
		if s.IntN(missedWords) == 0 {
			continue
		}
		for _, p := range s.rec.Speech {
			if w.StartMS == p.StartMS {
				w.StartMS += s.Int64N(lateWordMS)
			}
			if w.EndMS == p.EndMS {
				w.EndMS -= s.Int64N(lateWordMS)
			}
		}

		if w.EndMS > w.StartMS {
			words = append(words, w)
		}
	}

	s.rec.Words = words
}
