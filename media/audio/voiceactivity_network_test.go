package audio_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
)

// scene is audio with the probabilities of a voice network.
type scene struct {
	samples     []int16
	probability []byte
}

// newScene returns faint noise of a number of seconds. The network hears no voice in it.
func newScene(seconds int) *scene {
	r := rand.New(rand.NewPCG(4, 4))
	s := &scene{make([]int16, seconds*media.SpeechSampleRate), make([]byte, seconds*1000/audio.VoiceWindowMS)}
	for i := range s.samples {
		s.samples[i] = int16(math.Round(15 * r.NormFloat64()))
	}
	return s
}

// add adds a sound whose level relative to full scale is db. hz is its frequency, or 0 for noise.
func (s *scene) add(startMS, endMS int, hz, db float64) {
	r := rand.New(rand.NewPCG(5, uint64(startMS)))
	for i := startMS * 16; i < endMS*16; i++ {
		x := r.NormFloat64()
		if hz > 0 {
			x = math.Sqrt2 * math.Sin(2*math.Pi*hz*float64(i)/media.SpeechSampleRate)
		}
		x = float64(s.samples[i]) + 32767*math.Pow(10, db/20)*x
		s.samples[i] = int16(min(max(x, -32768), 32767))
	}
}

// say adds speech, which the network hears 60 ms late.
func (s *scene) say(startMS, endMS int) {
	s.add(startMS, endMS, 300, -20)
	s.hear(startMS+60, endMS+60)
}

func (s *scene) hear(startMS, endMS int) {
	for w := startMS / audio.VoiceWindowMS; w < min(endMS/audio.VoiceWindowMS, len(s.probability)); w++ {
		s.probability[w] = 240
	}
}

func (s *scene) activity() audio.VoiceActivity {
	d := audio.NewVoiceDetector()
	d.Add(s.samples)
	return d.Activity(s.probability)
}

// wantSpans checks spans to 30 ms.
func wantSpans(t *testing.T, got []media.Span, want ...media.Span) {
	t.Helper()
	near := func(a, b media.Span) bool {
		return max(a.StartMS-b.StartMS, b.StartMS-a.StartMS) <= 30 && max(a.EndMS-b.EndMS, b.EndMS-a.EndMS) <= 30
	}
	if !slices.EqualFunc(got, want, near) {
		t.Errorf("the voice is at %v, want %v", got, want)
	}
}

func TestSoundWithoutVoiceIsNoVoice(t *testing.T) {
	for name, c := range map[string]struct {
		add  func(s *scene)
		kind string
	}{
		"a breath before speech": {func(s *scene) { s.add(3400, 3850, 0, -48) }, audio.SoundBreath},
		"an even hum":            {func(s *scene) { s.add(2500, 3300, 200, -45) }, audio.SoundBackground},
		"a knock":                {func(s *scene) { s.add(3000, 3100, 400, -35) }, audio.SoundNoise},
		"keys": {
			func(s *scene) {
				for ms := 2500; ms < 3300; ms += 200 {
					s.add(ms, ms+70, 0, -40)
				}
			}, audio.SoundNoise,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(7)
			s.say(1000, 2000)
			s.say(4000, 5500)
			c.add(s)
			v := s.activity()
			wantSpans(t, v.Spans, media.Span{StartMS: 1000, EndMS: 2000}, media.Span{StartMS: 4000, EndMS: 5500})
			if len(v.Sounds) != 1 || v.Sounds[0].Kind != c.kind {
				t.Errorf("the sounds are %+v, want one of kind %s", v.Sounds, c.kind)
			}
		})
	}
}

func TestSpeechThatTheNetworkMissesStays(t *testing.T) {
	s := newScene(8)
	s.add(750, 1000, 0, -42) // an s, long before the network hears voice
	s.say(1000, 2000)
	s.add(2090, 2170, 0, -42) // a final t
	s.add(5000, 6200, 500, -22)
	v := s.activity()
	wantSpans(t, v.Spans,
		media.Span{StartMS: 750, EndMS: 2000}, media.Span{StartMS: 2090, EndMS: 2170},
		media.Span{StartMS: 4800, EndMS: 6400},
	)
	if len(v.Sounds) != 1 || v.Sounds[0].LevelDB < -26 || v.Sounds[0].Span != v.Spans[2] {
		t.Errorf("the sounds are %+v, want the one as loud as speech", v.Sounds)
	}
}

// typing adds keys every 200 ms.
func (s *scene) typing(startMS, endMS int) {
	for ms := startMS; ms < endMS; ms += 200 {
		s.add(ms, ms+70, 0, -40)
	}
}

func TestKeysRightAfterSpeechAreNoVoice(t *testing.T) {
	s := newScene(7)
	s.say(1000, 2000)
	s.typing(2090, 3300)
	s.say(4000, 5500)
	wantSpans(t, s.activity().Spans, media.Span{StartMS: 1000, EndMS: 2000}, media.Span{StartMS: 4000, EndMS: 5500})
}

func TestLastSyllableStaysAmongNoise(t *testing.T) {
	s := newScene(7)
	s.say(1000, 2000)
	s.add(2130, 2230, 300, -38)
	s.hear(2180, 2240)
	s.typing(2600, 3300)
	s.say(4000, 5500)
	wantSpans(t, s.activity().Spans,
		media.Span{StartMS: 1000, EndMS: 2000}, media.Span{StartMS: 2130, EndMS: 2230},
		media.Span{StartMS: 4000, EndMS: 5500},
	)
}

func TestClosedMouthBeforeAFinalSoundIsSpeech(t *testing.T) {
	s := newScene(6)
	s.say(1000, 2000)
	s.hear(2060, 2130)
	s.add(2150, 2270, 0, -42)
	wantSpans(t, s.activity().Spans, media.Span{StartMS: 1000, EndMS: 2000}, media.Span{StartMS: 2150, EndMS: 2270})
}

func TestFirstSyllableThatTheNetworkMissesStays(t *testing.T) {
	s := newScene(6)
	s.add(2600, 2750, 300, -18)
	s.say(3000, 4500)
	wantSpans(t, s.activity().Spans, media.Span{StartMS: 2600, EndMS: 2750}, media.Span{StartMS: 3000, EndMS: 4500})
}

func TestNoiseHidesTheEndOfSpeech(t *testing.T) {
	s := newScene(7)
	s.add(0, 7000, 0, -48)
	s.say(1000, 2000)
	s.hear(2060, 2300)
	s.say(4000, 5500)
	wantSpans(t, s.activity().Spans, media.Span{StartMS: 1000, EndMS: 2200}, media.Span{StartMS: 4000, EndMS: 5500})
}

func TestVoiceOverMusicEndsWithTheVoice(t *testing.T) {
	s := newScene(9)
	for ms := 0; ms < 9000; ms += 150 {
		s.add(ms, ms+150, 200+float64(ms*7%600), -40-float64(ms*3%400)/100)
	}
	s.say(1000, 2500)
	s.say(5000, 7000)
	got := s.activity().Spans
	if len(got) != 2 || got[0].StartMS > 1000 || got[0].EndMS < 2500 || got[1].StartMS > 5000 || got[1].EndMS < 7000 ||
		got[1].StartMS-got[0].EndMS < 2200 {
		t.Errorf("the voice over music is at %v, want 1-2.5 s and 5-7 s with at least 2.2 s in between", got)
	}
}

func TestVoiceTooQuietToHearIsFaint(t *testing.T) {
	s := newScene(7)
	s.say(1000, 2000)
	s.hear(3000, 3600)
	v := s.activity()
	if len(v.Sounds) != 1 || v.Sounds[0].Kind != audio.SoundFaint {
		t.Errorf("the sounds are %+v, want faint voice", v.Sounds)
	}
}

// pumpedScene returns a talk of seven phrases, with noise that swells in the pauses up to a level
// and to fewer decibels when a phrase starts. The last second of each pause is quieter by fallDB.
func pumpedScene(db, fallDB float64) (s *scene, phrases []media.Span) {
	s = newScene(28)
	for i := range 7 {
		start := 4000 * i
		for ms := start; ms < start+2800; ms += 10 {
			level := db - 20*math.Exp(-float64(ms-start)/700)
			if ms >= start+1800 {
				level -= fallDB
			}
			s.add(ms, ms+10, 0, level)
		}
		s.say(start+2800, start+4000)
		phrases = append(phrases, media.Span{StartMS: int64(start + 2800), EndMS: int64(start + 4000)})
	}

	return s, phrases
}

func TestNoiseThatGainControlRaisesIsNoVoice(t *testing.T) {
	s, phrases := pumpedScene(-25, 0)
	v := s.activity()
	wantSpans(t, v.Spans, phrases...)
	for _, found := range v.Sounds {
		if found.Kind == audio.SoundFaint {
			t.Errorf("the noise at %v is faint voice", found.Span)
		}
	}
}

func TestLoudSoundThatFallsInPausesStays(t *testing.T) {
	s, phrases := pumpedScene(-25, 10)
	kept := int64(0)
	for _, v := range s.activity().Spans {
		kept += v.Duration()
	}
	for _, p := range phrases {
		kept -= p.Duration()
	}
	if kept < 5000 {
		t.Errorf("%d ms of sound as loud as speech are voice, want 5 s", kept)
	}
}

func TestFaintNoiseThatGainControlRaisesIsNotFaintVoice(t *testing.T) {
	s, _ := pumpedScene(-48, 0)
	for w := range s.probability {
		s.probability[w] = max(s.probability[w], 22)
	}
	for _, found := range s.activity().Sounds {
		if found.Kind == audio.SoundFaint {
			t.Errorf("the noise at %v is faint voice", found.Span)
		}
	}
}

// The network hears the first words of a quiet phrase faintly. They touch each other, and the last
// one touches the voice.
func TestFirstWordsOfAQuietPhraseAreFaintVoice(t *testing.T) {
	s := newScene(10)
	s.say(1000, 2000)
	for _, word := range [][2]int{{4000, 4350}, {4600, 4950}, {5200, 7500}} {
		s.add(word[0], word[1], 300, -44)
	}
	for w := 4032 / audio.VoiceWindowMS; w < 5200/audio.VoiceWindowMS; w++ {
		s.probability[w] = 30
	}
	s.hear(5260, 7560)
	first := int64(math.MaxInt64)
	for _, found := range s.activity().Sounds {
		if found.Kind == audio.SoundFaint {
			first = min(first, found.StartMS)
		} else {
			t.Errorf("the words at %v are %s", found.Span, found.Kind)
		}
	}
	if first > 4050 {
		t.Errorf("faint voice starts at %d ms, want 4000 ms", first)
	}
}

func TestSoundCountsWhereNoVoiceIsHeardAtAll(t *testing.T) {
	s := newScene(6)
	s.add(1000, 2000, 440, -20)
	wantSpans(t, s.activity().Spans, media.Span{StartMS: 1000, EndMS: 2000})
}

func TestExtremeAudioHasSaneVoice(t *testing.T) {
	minutes := 20 * 60
	tone := newScene(minutes)
	tone.add(0, minutes*1000, 440, -12)
	tone.hear(0, 500)
	square := newScene(30)
	for i := range square.samples {
		square.samples[i] = int16(32767 - 65535*(i/80%2))
	}
	square.hear(0, 30_000)
	for name, s := range map[string]*scene{
		"a held tone": tone, "a clipped square wave": square,
		"silence": {make([]int16, 16000*600), make([]byte, 18750)},
	} {
		v := s.activity()
		end := int64(0)
		for _, span := range v.Spans {
			if span.StartMS < end || span.EndMS <= span.StartMS || span.EndMS > v.DurationMS {
				t.Errorf("%s: the span %v is out of order", name, span)
			}
			end = span.EndMS
		}
	}
}
