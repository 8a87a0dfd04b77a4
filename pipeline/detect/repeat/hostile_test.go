package repeat

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
	"roughcut/pipeline/detect/spectrum"
)

// Sounds that are not speech have no takes.
func TestSoundsWithoutSpeechDoNotRepeat(t *testing.T) {
	findInSounds(t, func(time.Duration) {})
}

// They take bounded time.
func TestTimingSoundsWithoutSpeech(t *testing.T) {
	mediatest.NeedsTiming(t)
	findInSounds(t, func(took time.Duration) {
		if took > time.Minute {
			t.Errorf("it took %v, want less than a minute", took)
		}
	})
}

// findInSounds looks for takes in sounds without speech. It passes the time of each search to
// judge.
func findInSounds(t *testing.T, judge func(took time.Duration)) {
	t.Helper()
	g := rand.New(rand.NewPCG(1, 1))
	for name, sample := range map[string]func(i int) float64{
		"silence":     func(int) float64 { return 0 },
		"tone":        func(i int) float64 { return 0.3 * math.Sin(float64(i)*440*2*math.Pi/16000) },
		"square wave": func(i int) float64 { return math.Copysign(1, math.Sin(float64(i)*100*2*math.Pi/16000)) },
		"noise":       func(int) float64 { return 0.2 * (2*g.Float64() - 1) },
	} {
		t.Run(name, func(t *testing.T) {
			const minutes = 5
			m, pcm := spectrum.NewMeter(), make([]int16, media.SpeechSampleRate)
			for second := range minutes * 60 {
				for i := range pcm {
					pcm[i] = int16(32767 * sample(second*len(pcm)+i))
				}
				m.Add(pcm)
			}
			started := time.Now()
			found, err := Find(context.Background(), m, []media.Span{{EndMS: minutes * 60_000}})
			if err != nil || len(found) > 0 {
				t.Errorf("%d repeats (%v), the first %+v; want none", len(found), err, found[:min(1, len(found))])
			}
			judge(time.Since(started))
		})
	}
}

func TestShortAudioDoesNotRepeat(t *testing.T) {
	for _, samples := range []int{0, 1, 511, 512, 8000} {
		m := spectrum.NewMeter()
		m.Add(make([]int16, samples))
		if found, err := Find(context.Background(), m, []media.Span{{EndMS: 10_000}}); err != nil || len(found) > 0 {
			t.Errorf("%d samples: %v %v, want no repeats", samples, found, err)
		}
	}
}
