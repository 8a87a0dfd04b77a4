package libav

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// phraseSeconds is the length of the recordings with one phrase.
const phraseSeconds = 22

// onePhrase is a channel that has noise, and one phrase of a voice.
type onePhrase struct {
	phrase []float32
	noise  []float64 // of a second, at full scale
	floor  float64   // level of the noise
	at     int       // sample where the phrase starts
	gain   float64
}

// phraseSamples returns a phrase without pauses, of at least a second.
func phraseSamples(t *testing.T) []float32 {
	t.Helper()
	talk := mediatest.Talk(t, mediatest.TalkOptions{
		NoVideo: true, Container: "wav", AudioCodec: "pcm_s16le", Seconds: steadySeconds,
	})
	from, to := talk.Words[0].StartMS, talk.Words[0].EndMS
	for _, w := range talk.Words[1:] {
		if w.StartMS-to > 300 {
			if to-from > 1000 {
				break
			}
			from = w.StartMS
		}
		to = w.EndMS
	}

	return voiceSamples(t)[from*media.SampleRate/1000 : to*media.SampleRate/1000]
}

// newOnePhrase returns a channel whose phrase starts at a sample.
func newOnePhrase(phrase []float32, at int, floorDB, gainDB float64) onePhrase {
	random := rand.New(rand.NewPCG(1, uint64(at)))
	noise := make([]float64, media.SampleRate)
	for i := range noise {
		noise[i] = 2*random.Float64() - 1
	}
	return onePhrase{phrase, noise, math.Pow(10, floorDB/20), at, math.Pow(10, gainDB/20)}
}

func (c onePhrase) sample(i int) float64 {
	out := c.floor * c.noise[(i+i/len(c.noise)*7919)%len(c.noise)]
	if n := i - c.at; n >= 0 && n < len(c.phrase) {
		out += c.gain * float64(c.phrase[n])
	}
	return out
}

// A microphone with one phrase in a recording is heard, wherever the phrase is.
func TestMicrophonesWithOnePhraseAreHeard(t *testing.T) {
	t.Parallel()
	for i, place := range phrasePlaces() {
		layouts := phraseLayouts()
		layout := layouts[i%len(layouts)]
		t.Run(fmt.Sprint(place.name, layout), func(t *testing.T) {
			t.Parallel()
			checkOnePhrase(t, place, layout)
		})
	}
}

func TestLongMicrophonesWithOnePhraseAreHeard(t *testing.T) {
	needsLong(t)
	for _, place := range phrasePlaces() {
		for _, layout := range phraseLayouts() {
			t.Run(fmt.Sprint(place.name, layout), func(t *testing.T) {
				t.Parallel()
				checkOnePhrase(t, place, layout)
			})
		}
	}
}

// phrasePlace is a place of a phrase in a recording, in seconds from its start, or before the last
// place that has room for the phrase.
type phrasePlace struct {
	name          string
	start, before float64
}

func phrasePlaces() []phrasePlace {
	return []phrasePlace{
		{"end", -1, 0}, {"0.7 s before the end", -1, 0.7}, {"start", 0, 0}, {"1.2 s before the end", -1, 1.2},
		{"first second", 0.5, 0}, {"middle", 10, 0},
	}
}

// phraseLayout is a number of channels, and whether the file names speakers for them.
type phraseLayout struct {
	channels int
	isNamed  bool
}

func phraseLayouts() []phraseLayout {
	return []phraseLayout{{3, false}, {6, true}, {4, false}, {8, false}, {5, false}, {6, false}}
}

// checkOnePhrase checks that no channel of a recording is left out in which one has one phrase.
func checkOnePhrase(t *testing.T, place phrasePlace, layout phraseLayout) {
	t.Helper()
	phrase, voice := phraseSamples(t), voiceSamples(t)
	at := int(place.start * media.SampleRate)
	if place.start < 0 {
		at = phraseSeconds*media.SampleRate - len(phrase) - int(place.before*media.SampleRate)
	}

	speaker := layout.channels - 1
	if layout.isNamed {
		speaker = 3 // the one for low frequencies
	}
	seldom := newOnePhrase(phrase, at, -50, -6)
	path := writeWAV(t, layout.channels, phraseSeconds, func(channel, i int) float64 {
		if channel == speaker {
			return seldom.sample(i)
		}
		n := i + (5*channel+at)*media.SampleRate
		return 0.5*float64(voice[n%len(voice)]) + seldom.floor*seldom.noise[n%len(seldom.noise)]
	})
	if layout.isNamed {
		named := filepath.Join(t.TempDir(), "named.wav")
		const names = "pan=5.1|c0=c0|c1=c1|c2=c2|c3=c3|c4=c4|c5=c5"
		mediatest.FFmpeg(t, "-i", path, "-af", names, "-c:a", "pcm_s16le", named)
		path = named
	}

	if a := ingestFile(t, path).Info.Audio; len(a.Unheard) > 0 || a.Microphones != layout.isNamed {
		t.Errorf("the audio is %+v", *a)
	}
}

// The analysis leaves out a channel that hums or hisses, and hears it from the start of its phrase.
func TestAPhraseOverHumIsHeardFromItsStart(t *testing.T) {
	t.Parallel()
	phrase, voice, hum := phraseSamples(t), voiceSamples(t), steadySounds()["hum"]
	const at = 10*media.SampleRate + media.SampleRate/5
	seldom := newOnePhrase(phrase, at, -90, 0)
	path := writeWAV(t, 4, phraseSeconds, func(channel, i int) float64 {
		switch channel {
		case 3:
			return seldom.sample(i) + 0.1*hum(i%(steadySeconds*media.SampleRate))
		case 0:
			if i < at-media.SampleRate {
				return 0.5 * float64(voice[i%len(voice)])
			}
		}
		return 0
	})
	ingested := ingestFile(t, path)
	if a := ingested.Info.Audio; len(a.Unheard) > 0 {
		t.Errorf("the audio is %+v", *a)
	}
	file := speechSamples(t, ingested.SpeechPath)
	const start, step = at / decimateStep, media.SpeechSampleRate / 10
	before := speechDB(file[start-step : start])
	if after := speechDB(file[start+3*step/2 : start+6*step]); after-before < 10 {
		t.Errorf("the phrase has %.1f dB, and what is before it %.1f dB", after, before)
	}
}

// Both ears are for one voice: a recording whose weaker channel has a phrase of another speaker has
// no voice on one side.
func TestASecondSpeakerIsNoVoiceOnOneSide(t *testing.T) {
	t.Parallel()
	phrase, voice := phraseSamples(t), voiceSamples(t)
	last := phraseSeconds*media.SampleRate - len(phrase)
	for i, c := range []struct {
		name            string
		at              int
		floorDB, gainDB float64
	}{
		{"quiet in the middle", 9 * media.SampleRate, -100, -20},
		{"quiet at the start", 0, -100, -20},
		{"quiet at the end", last, -100, -20},
		{"quiet in noise", 9 * media.SampleRate, -60, -20},
		{"last", last - media.SampleRate, -50, -12},
		{"last and loud", last - media.SampleRate, -50, -3},
		{"last without noise", last, -100, -12},
		{"first in noise", 0, -50, -12},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			guest := newOnePhrase(phrase, c.at, c.floorDB, c.gainDB)
			path := writeWAV(t, 2, phraseSeconds, func(channel, n int) float64 {
				if channel == i%2 {
					return guest.sample(n)
				}
				if isGuest := n >= c.at && n < c.at+len(phrase); isGuest {
					return guest.floor * guest.noise[n%1000]
				}
				return float64(voice[n%len(voice)]) + guest.floor*guest.noise[n%1000]
			})
			a := ingestFile(t, path).Info.Audio
			if a.VoiceOn != "" || len(a.Unheard) > 0 {
				t.Errorf("the audio is %+v", *a)
			}
		})
	}
}

// Crosstalk, echo and noise on the other channel are no second speaker.
func TestCrosstalkStaysAVoiceOnOneSide(t *testing.T) {
	t.Parallel()
	voice := voiceSamples(t)
	noise := newOnePhrase(nil, 0, -60, 0)
	for name, c := range map[string]struct {
		crosstalk float64
		delay     int // samples
		noise     bool
	}{
		"noise":                  {0, 0, true},
		"crosstalk":              {0.05, 0, false},
		"crosstalk in noise":     {0.05, 0, true},
		"delayed crosstalk":      {0.05, media.SampleRate / 50, false},
		"faint delayed in noise": {0.02, media.SampleRate / 100, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := writeWAV(t, 2, steadySeconds, func(channel, i int) float64 {
				out := 0.0
				if c.noise {
					out = noise.sample((i + channel*20000) % (20 * media.SampleRate))
				}
				if channel == 0 {
					return out + float64(voice[i])
				}
				return out + c.crosstalk*float64(voice[max(0, i-c.delay)])
			})
			if a := ingestFile(t, path).Info.Audio; a.VoiceOn != media.VoiceLeft {
				t.Errorf("the audio is %+v", *a)
			}
		})
	}
}

// Time code that is interrupted stays unheard.
func TestInterruptedTimeCodeIsNotHeard(t *testing.T) {
	t.Parallel()
	voice, kinds := voiceSamples(t), steadySounds()
	for _, name := range []string{"time code", "square", "hum", "noise"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := writeWAV(t, 2, steadySeconds, func(channel, i int) float64 {
				if channel == 0 {
					return float64(voice[i])
				}
				if at := i % (8 * media.SampleRate); at > 5*media.SampleRate && at < 11*media.SampleRate/2 {
					return 0
				}
				return kinds[name](i)
			})
			if a := ingestFile(t, path).Info.Audio; !slices.Equal(a.Unheard, []int{1}) {
				t.Errorf("the audio is %+v", *a)
			}
		})
	}
}
