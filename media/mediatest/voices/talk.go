package voices

import (
	"cmp"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"roughcut/media"
)

// Recording is a talk with its exact truth. Times are in milliseconds of the recording.
type Recording struct {
	Voice, Condition string
	Seed             uint64
	PCM              []int16 // mono at media.SpeechSampleRate
	DurationMS       int64
	Speech           []media.Span // one for each phrase, sorted, disjoint, exact to 5 ms
	Pauses           []media.Span // all time without speech, with the time before the first and after the last phrase
	Events           []Event      // sounds in the pauses, sorted
	Words            []media.Word // invented texts with true places, as a perfect transcript would have them
	Groups           []Group      // the takes of repeated sentences
	Fillers          []media.Span // the fillers of Fillers, which are part of Speech
}

// Event is an unwanted sound in a pause.
type Event struct {
	media.Span
	Kind string // "breath", "key" or "object"
}

// Raw returns the audio as ingest writes it: signed 16-bit little-endian samples.
func (r Recording) Raw() []byte { return rawBytes(r.PCM) }

// Options change a talk. The zero value means the defaults.
type Options struct {
	Seconds       int   // the least duration, 60 by default
	ShortestPause int64 // milliseconds, 200 by default
	LongestPause  int64 // milliseconds, 6000 by default
}

// speechDB is the mean level of the speech in dBFS before a condition changes it.
const speechDB = -23

// Talk returns a talk of random phrases of one voice, with pauses of random durations in between,
// recorded in a condition. Half of the pauses are shorter than a quarter of the range. No phrase
// comes twice within ten minutes. Equal arguments give equal recordings. Talk fails the test if the
// voice or the condition does not exist.
func Talk(t testing.TB, seed uint64, voice, condition string, o Options) Recording {
	t.Helper()
	s := newStage(t, seed, voice, condition)
	o = o.withDefaults()
	s.pause(300 + s.Int64N(1500))
	order := s.sentences(500)
	for i := 0; len(s.voice) < o.Seconds*rate; i++ {
		s.say(order[i%len(order)])
		s.pause(s.pauseMS(o))
	}

	return s.record(t, stepsOf(t, condition))
}

func (o Options) withDefaults() Options {
	o.Seconds = cmp.Or(o.Seconds, 60)
	o.ShortestPause = cmp.Or(o.ShortestPause, 200)
	o.LongestPause = cmp.Or(o.LongestPause, 6000)
	return o
}

// stage lays out a recording.
type stage struct {
	*rand.Rand
	rec     Recording
	phrases []Utterance
	voice   []float64 // the dry voice
	sounds  []float64 // everything else, of the same length once the layout is complete
}

func newStage(t testing.TB, seed uint64, voice, condition string) *stage {
	t.Helper()
	s := &stage{rec: Recording{Voice: voice, Condition: condition, Seed: seed}}
	for _, u := range libraryOf(t, voice) {
		if u.Voice == voice {
			s.phrases = append(s.phrases, u)
		}
	}

	if len(s.phrases) == 0 {
		t.Fatalf("no voice has the name %q; use one of %q", voice, Names())
	}
	name := fnv.New64()
	name.Write([]byte(voice + "/" + condition))
	s.Rand = rand.New(rand.NewPCG(seed, name.Sum64()))
	return s
}

// libraryOf returns the phrases of a voice and of others.
func libraryOf(t testing.TB, voice string) []Utterance {
	t.Helper()
	if _, isActed := actedFiles()[voice]; isActed {
		return loadActed(t)
	}
	if slices.Contains(heldOut(), voice) {
		return loadHeldOut(t)
	}
	return Load(t)
}

// pauseMS returns the duration of a pause. The square makes short pauses more frequent.
func (s *stage) pauseMS(o Options) int64 {
	x := s.Float64()
	return o.ShortestPause + int64(x*x*float64(o.LongestPause-o.ShortestPause))
}

func (s *stage) now() int64 { return int64(len(s.voice)) * 1000 / rate }

// pause adds silence.
func (s *stage) pause(ms int64) { s.voice = append(s.voice, make([]float64, ms*rate/1000)...) }

// say adds a phrase at its normal level, with its words.
func (s *stage) say(u Utterance) { s.sayPCM(leveled(u.PCM), wordsOf(u)) }

// sayPCM adds speech and its words, whose times count from its start.
func (s *stage) sayPCM(pcm []float64, words []media.Word) media.Span {
	from := s.now()
	s.voice = append(s.voice, pcm...)
	s.voice = s.voice[:len(s.voice)/(rate/1000)*(rate/1000)]
	span := media.Span{StartMS: from, EndMS: s.now()}
	s.rec.Speech = append(s.rec.Speech, span)
	for _, w := range words {
		w.StartMS, w.EndMS = w.StartMS+from, min(w.EndMS+from, span.EndMS)
		s.rec.Words = append(s.rec.Words, w)
	}

	return span
}

// leveled returns audio at speechDB, full scale being 1.
func leveled(pcm []int16) []float64 {
	out := make([]float64, len(pcm))
	for i, x := range pcm {
		out[i] = float64(x) / 32768
	}
	factor := gain(speechDB) / rms(out)
	for i := range out {
		out[i] *= factor
	}
	return out
}

// stepsOf returns the steps of a condition. It fails the test if the condition does not exist.
func stepsOf(t testing.TB, condition string) []step {
	t.Helper()
	steps, ok := conditions()[condition]
	if !ok {
		t.Fatalf("no condition has the name %q; use one of %q", condition, Conditions())
	}
	return steps
}

// record applies the steps of a condition and returns the recording.
func (s *stage) record(t testing.TB, steps []step) Recording {
	t.Helper()
	r := &s.rec
	r.DurationMS = s.now()
	r.Speech = media.MergeSpans(r.Speech)
	r.Pauses = media.KeptSpans(r.DurationMS, r.Speech)
	s.sounds = make([]float64, len(s.voice))
	for _, step := range steps {
		step(t, s)
	}
	s.mix()
	r.PCM = make([]int16, len(s.voice))
	for i, x := range s.voice {
		r.PCM[i] = int16(math.Round(min(max(x, -1), 1) * 32767))
	}
	slices.SortFunc(r.Events, func(a, b Event) int { return int(a.StartMS - b.StartMS) })
	return *r
}

// mix moves all sounds into the voice, before a step that works on both.
func (s *stage) mix() {
	for i, x := range s.sounds {
		s.voice[i] += x
	}
	clear(s.sounds)
}
