package voices

import (
	"math"
	"testing"

	"roughcut/media"
)

// Kinds of the events of Audience. Other sounds are machines and nature.
const (
	EventMusic    = "music"
	EventApplause = "applause"
	EventLaughter = "laughter"
	EventOther    = "other"
)

// Audience returns a talk of about four minutes whose pauses hold sounds about as loud as the
// speech, of 1.5 to 4 seconds: pieces of music, applause, laughter and other sounds. Laughter is
// synthesized from vowels of the voice; the others are recordings. Events has the places and kinds.
// Equal arguments give equal recordings.
func Audience(t testing.TB, seed uint64, voice string) Recording {
	t.Helper()
	s := newStage(t, seed, voice, "audience")
	order := s.sentences(800)
	held := s.heldVowels()
	s.pause(800)
	var sounds [][]float64
	var places []Event
	kinds := []string{EventMusic, EventApplause, EventLaughter, EventOther}
	for i := 0; len(s.voice) < 240*rate && i < len(order); i++ {
		s.say(order[i])
		s.pause(400 + s.Int64N(300))
		kind := kinds[i%len(kinds)]
		sound := s.lasting(t, kind, held)
		from := s.now()
		s.pause(int64(len(sound)) * 1000 / rate)
		sounds = append(sounds, sound)
		places = append(places, Event{media.Span{StartMS: from, EndMS: s.now()}, kind})
		s.pause(400 + s.Int64N(300))
	}

	return s.record(t, []step{hiss(48), addSounds(places, sounds)})
}

// Encores returns a talk of about four minutes whose pauses hold sounds about as loud as the speech
// that are played twice: pieces of music, loops of music, and sounds of machines and nature. Events
// has the places of both. Every proposal of a retake in it is false. Equal arguments give equal
// recordings.
func Encores(t testing.TB, seed uint64, voice string) Recording {
	t.Helper()
	s := newStage(t, seed, voice, "encores")
	order := s.sentences(800)
	s.pause(800)
	var sounds [][]float64
	var places []Event
	for i := 0; len(s.voice) < 240*rate && i < len(order); i++ {
		s.say(order[i])
		kind := []string{EventMusic, EventOther, EventMusic}[i%3]
		sound := s.lasting(t, kind, nil)
		if i%3 == 2 {
			sound = repeatedTo(sound, 3*len(sound))
		}
		for range 2 {
			s.pause(400 + s.Int64N(1400))
			from := s.now()
			s.pause(int64(len(sound)) * 1000 / rate)
			sounds = append(sounds, sound)
			places = append(places, Event{media.Span{StartMS: from, EndMS: s.now()}, kind})
		}

		s.pause(400 + s.Int64N(300))
	}

	return s.record(t, []step{hiss(48), addSounds(places, sounds)})
}

// addSounds adds sounds at their places, about as loud as the speech.
func addSounds(places []Event, sounds [][]float64) step {
	return func(_ testing.TB, s *stage) {
		for i, p := range places {
			s.event(p.Kind, p.Span, p.StartMS, sounds[i][:len(sounds[i])-rate/500], speechDB+s.between(-3, 2))
		}
	}
}

// lasting returns a sound of a kind that lasts 1.5 to 4 seconds.
func (s *stage) lasting(t testing.TB, kind string, held [][]float64) []float64 {
	n := int(s.between(1.5, 4) * rate)
	switch kind {
	case EventMusic:
		pieces := loadMusic(t)
		return s.excerpt(pieces[s.IntN(len(pieces))], n)
	case EventApplause:
		return s.excerpt(resample(repeatedTo(loadLasting(t, applauseName), n*5/4), s.between(0.8, 1.25)), n)
	case EventLaughter:
		return s.laughter(held, n)
	}

	names := lastingNames()
	return s.excerpt(repeatedTo(loadLasting(t, names[s.IntN(len(names))]), n), n)
}

// repeatedTo returns a sound that repeats until it has n samples.
func repeatedTo(x []float64, n int) (out []float64) {
	for len(out) < n {
		out = append(out, x...)
	}
	return out
}

// excerpt returns n samples from a random place, faded in and out.
func (s *stage) excerpt(x []float64, n int) []float64 {
	n = min(n, len(x))
	from := s.IntN(len(x) - n + 1)
	out := append([]float64(nil), x[from:from+n]...)
	fade := rate / 20
	for i := range min(fade, n/2) {
		out[i] *= float64(i) / float64(fade)
		out[n-1-i] *= float64(i) / float64(fade)
	}

	return out
}

// laughter returns bursts of a vowel, each after a breath, four to six a second, which become
// weaker and lower.
func (s *stage) laughter(held [][]float64, n int) []float64 {
	out := make([]float64, n)
	vowel := held[s.IntN(len(held))]
	every := rate / s.between(4, 6)
	left := 0
	start := 0
	pitch := 1.0
	for at := 0.0; int(at) < n; at += every * s.between(0.92, 1.08) {
		if left == 0 { // the next series of bursts, after drawing breath
			left, pitch = 5+s.IntN(5), s.between(1.1, 1.6)
			if at > 0 {
				at += every * s.between(0.5, 1.5)
			}
			start = left
		}

		loud := 0.4 + 0.6*float64(left)/float64(start)
		left--
		pitch *= 0.97
		s.ha(out, int(at), resample(vowel, pitch), loud)
	}

	return out
}

// ha adds one burst of laughter: breath, then the vowel.
func (s *stage) ha(out []float64, at int, vowel []float64, loud float64) {
	breath := s.white(rate * 60 / 1000)
	peaking(1300, 8, 1).apply(breath)
	lowPass(4000).apply(breath)
	scale := 0.15 * rms(vowel) / rms(breath)
	for i, x := range breath {
		if at+i < len(out) {
			out[at+i] += loud * scale * x * math.Sin(math.Pi*float64(i)/float64(len(breath)))
		}
	}

	at += len(breath) * 3 / 4
	for i, x := range vowel {
		if at+i < len(out) {
			out[at+i] += loud * x * math.Sin(math.Pi*(float64(i)+0.5)/float64(len(vowel)))
		}
	}
}
