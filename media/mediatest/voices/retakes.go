package voices

import (
	"slices"
	"testing"

	"roughcut/media"
)

// Group is a sentence with all its takes, in spoken order.
type Group struct {
	Prompt string
	Takes  []Take
}

// Take is one attempt at a sentence. Its span goes from the first to the last sound.
type Take struct {
	media.Span
	Complete bool // false for an attempt that stops before the end
}

// Best returns the index of the take that an editor keeps: the last complete one.
func (g Group) Best() int {
	for i, t := range slices.Backward(g.Takes) {
		if t.Complete {
			return i
		}
	}

	return len(g.Takes) - 1
}

// difficulty describes how sentences are repeated.
type difficulty struct {
	warp
	condition string
	rt60      float64  // reverberation time of a room around the condition in seconds; 0 for none
	direct    float64  // level of the direct sound over the reverberation in decibels
	gap       [2]int64 // milliseconds between takes, the least and the most
	retold    bool     // a sentence and the next one are both said again
	refrain   bool     // a sentence comes again behind another one, as it should
	spoken    bool     // repeats are other recordings of the same words
	none      bool     // no sentence is repeated
}

// Difficulties returns the names that Retakes accepts, sorted.
func Difficulties() []string { return sortedKeys(difficulties()) }

func difficulties() map[string]difficulty {
	easy := warp{rhythm: 0.08, pitch: 0.02, color: 2, volume: 2}
	hard := warp{rhythm: 0.2, pitch: 0.06, color: 6, volume: 4}
	pauses := [2]int64{400, 1800}
	return map[string]difficulty{
		"easy":     {warp: easy, condition: "booth", gap: pauses},
		"hard":     {warp: hard, condition: "room 35", gap: pauses},
		"music":    {warp: hard, condition: "music 20", gap: pauses},
		"no pause": {warp: hard, condition: "room 45", gap: [2]int64{20, 120}},
		"retold":   {warp: hard, condition: "room 45", gap: pauses, retold: true},
		"refrain":  {warp: hard, condition: "room 45", gap: pauses, refrain: true},
		"ringing":  {warp: hard, condition: "reverberant", gap: pauses},
		"hall":     {warp: hard, condition: "room 45", rt60: 0.8, direct: 2, gap: pauses},
		"church":   {warp: hard, condition: "room 45", rt60: 2, direct: 0, gap: pauses},
		"spoken":   {condition: "room 45", gap: pauses, spoken: true},
		"none":     {condition: "room 45", gap: pauses, none: true},
	}
}

// Retakes returns a talk of about three minutes. Every third sentence has two or three takes. Half
// of the earlier takes are aborted starts of at least 0.8 s. "retold" repeats such a sentence
// together with the next one. "none" repeats nothing: every proposal of a retake in it is false. So
// is every active one in "refrain", where sentences come again behind two others. "spoken" uses
// prompts that were recorded twice with the same words. "hall" and "church" put the whole talk into
// rooms that ring. Equal arguments give equal recordings.
func Retakes(t testing.TB, seed uint64, voice, level string) Recording {
	t.Helper()
	d, ok := difficulties()[level]
	if !ok {
		t.Fatalf("no difficulty has the name %q; use one of %q", level, Difficulties())
	}
	s := newStage(t, seed, voice, d.condition)
	s.rec.Condition = level
	o := Options{ShortestPause: 350, LongestPause: 2500}
	s.pause(800)
	order := s.sentences(1500)
	pairs := s.pairs()
	for i := 0; len(s.voice) < 180*rate && i+1 < len(order); i++ {
		switch {
		case d.none || i%3 != 2:
			s.say(order[i])
		case d.spoken && len(pairs) > 0:
			first, second := pairs[0][0], pairs[0][1]
			again := spoken{leveled(second.PCM), wordsAs(first, second.MS())}
			s.group([]spoken{spokenOf(first), again}, []bool{true, true}, first, d)
			pairs = pairs[1:]
		case d.spoken:
			i = len(order) // no more pairs
		case d.retold:
			s.retell(order[i:i+2], d)
			i++
		case d.refrain:
			again := s.repeated(order[i], d.warp)
			s.sayPCM(again.pcm, again.words)
			for _, u := range slices.Concat(order[i+1:min(i+3, len(order))], order[i:i+1]) {
				s.pause(d.pauseMS(s))
				s.say(u)
			}

			i += 2
		default:
			s.takes(order[i], d)
		}

		s.pause(s.pauseMS(o))
	}

	steps := stepsOf(t, d.condition)
	if d.rt60 > 0 {
		steps = slices.Concat([]step{reverb(d.rt60, d.direct)}, steps)
	}
	return s.record(t, steps)
}

// EverySentence returns a talk in a quiet room. The voice says each of its sentences once, in
// random order. Every proposal of a retake in the talk is false.
func EverySentence(t testing.TB, seed uint64, voice string) Recording {
	t.Helper()
	const condition = "room 45"
	s := newStage(t, seed, voice, condition)
	for _, u := range s.sentences(500) {
		s.pause(s.pauseMS(Options{ShortestPause: 250, LongestPause: 2500}))
		s.say(u)
	}

	return s.record(t, stepsOf(t, condition))
}

// sentences returns the phrases of a least duration in random order. It leaves out the prompts that
// were recorded twice.
func (s *stage) sentences(leastMS int64) (out []Utterance) {
	for _, u := range s.phrases {
		if u.MS() >= leastMS && !isRepeated(u) {
			out = append(out, u)
		}
	}

	s.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func spokenOf(u Utterance) spoken { return spoken{leveled(u.PCM), wordsOf(u)} }

// takes adds a sentence with one or two earlier takes.
func (s *stage) takes(u Utterance, d difficulty) {
	var attempts []spoken
	var complete []bool
	for range 1 + s.IntN(2) {
		attempt, whole := s.repeated(u, d.warp), s.IntN(2) == 0
		if !whole {
			attempt = s.aborted(attempt)
		}
		attempts, complete = append(attempts, attempt), append(complete, whole)
	}

	s.group(append(attempts, spokenOf(u)), append(complete, true), u, d)
}

// retell says phrases, and then all of them again.
func (s *stage) retell(phrases []Utterance, d difficulty) {
	groups := make([]Group, len(phrases))
	for _, version := range []func(Utterance) spoken{
		func(u Utterance) spoken { return s.repeated(u, d.warp) }, spokenOf,
	} {
		for i, u := range phrases {
			if i > 0 || len(groups[i].Takes) > 0 {
				s.pause(d.pauseMS(s))
			}
			take := version(u)
			groups[i].Prompt = u.Prompt
			groups[i].Takes = append(groups[i].Takes, Take{s.sayPCM(take.pcm, take.words), true})
		}
	}

	s.rec.Groups = append(s.rec.Groups, groups...)
}

// pauseMS returns the length of a pause between takes.
func (d difficulty) pauseMS(s *stage) int64 { return d.gap[0] + s.Int64N(d.gap[1]-d.gap[0]) }

// group adds takes and the pauses between them.
func (s *stage) group(takes []spoken, complete []bool, u Utterance, d difficulty) {
	g := Group{Prompt: u.Prompt}
	for i, take := range takes {
		if i > 0 {
			s.pause(d.pauseMS(s))
		}

		g.Takes = append(g.Takes, Take{s.sayPCM(take.pcm, take.words), complete[i]})
	}

	s.rec.Groups = append(s.rec.Groups, g)
}

// aborted returns the start of a phrase: 30-70 % of it, at least 0.8 s. The last word breaks off.
func (s *stage) aborted(whole spoken) spoken {
	n := max(int((0.3+0.4*s.Float64())*float64(len(whole.pcm))), rate*8/10)
	n = min(n, len(whole.pcm))
	pcm := slices.Clone(whole.pcm[:n])
	fade := rate / 50
	for i := range min(fade, n) {
		pcm[n-1-i] *= float64(i) / float64(fade)
	}
	end := int64(n) * 1000 / rate
	var words []media.Word
	for _, w := range whole.words {
		if w.StartMS+60 >= end {
			break
		}
		if w.EndMS > end {
			heard := max(int(int64(len(w.Text))*(end-w.StartMS)/(w.EndMS-w.StartMS)), 1)
			w.Text, w.EndMS = w.Text[:heard], end
		}

		words = append(words, w)
	}

	return spoken{pcm, words}
}
