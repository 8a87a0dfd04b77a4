package audio_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
)

// detect returns the voice activity of audio that a function gives for each moment in seconds.
func detect(seconds float64, at func(second float64) float64) audio.VoiceActivity {
	detector := audio.NewVoiceDetector()
	for i := range int(seconds * media.SpeechSampleRate) {
		detector.Add([]int16{int16(32767 * at(float64(i)/media.SpeechSampleRate))})
	}
	return detector.Activity(nil)
}

func TestVoiceIsDetectedInEachBand(t *testing.T) {
	for _, hz := range []float64{150, 500, 1500, 3500, 6500} {
		r := rand.New(rand.NewPCG(1, 1))
		v := detect(4, func(s float64) float64 {
			x := 0.003 * r.NormFloat64()
			if s >= 1 && s < 2 {
				x += 0.02 * math.Sin(2*math.Pi*hz*s)
			}
			return x
		})
		if len(v.Spans) != 1 || math.Abs(float64(v.Spans[0].StartMS-1000)) > 20 ||
			math.Abs(float64(v.Spans[0].EndMS-2000)) > 20 {
			t.Errorf("a tone of %v Hz from 1 to 2 s is detected at %v", hz, v.Spans)
		}
	}
}

func TestVoiceIgnoresRumbleAndClicks(t *testing.T) {
	v := detect(6, func(s float64) float64 {
		x := 0.0
		if s > 3 {
			x = 0.0008 * math.Sin(2*math.Pi*25*s) // soft rumble
		}
		if s >= 1 && s < 1.02 {
			x = 0.5
		}
		if s >= 4.5 && s < 5.5 {
			x += 0.3 * math.Sin(2*math.Pi*220*s)
		}
		return x
	})
	if len(v.Spans) != 1 || v.Spans[0].StartMS < 4450 || v.Spans[0].EndMS > 5560 {
		t.Errorf("got %v, want only the tone from 4.5 to 5.5 s", v.Spans)
	}
}

func TestVoiceFollowsARisingNoiseFloor(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	v := detect(60, func(s float64) float64 {
		noise := 0.0005
		if s > 30 {
			noise = 0.0012 // a fan starts
		}
		x := noise * r.NormFloat64()
		if math.Mod(s, 5) < 2 {
			x += 0.1 * math.Sin(2*math.Pi*200*s)
		}
		return x
	})
	// Just after the rise the floor still contains the quieter part, so noise counts as voice
	// there. Voice is never lost.
	before, after := int64(0), int64(0)
	for _, s := range v.Spans {
		before += max(s.Intersect(media.Span{EndMS: 30_000}).Duration(), 0)
		after += max(s.Intersect(media.Span{StartMS: 40_000, EndMS: 60_000}).Duration(), 0)
	}
	if before < 11_900 || before > 12_300 || after < 7_900 || after > 8_300 {
		t.Errorf("%d ms before the rise and %d ms after it in %v, want 12 and 8 s", before, after, v.Spans)
	}
}

func TestVoiceLevelAndQuietest(t *testing.T) {
	v := audio.VoiceActivity{Levels: []byte{100, 40, 60, 40, 100}}
	for ms, want := range map[int64]float64{-5: -50, 0: -50, 15: -80, 49: -50, 500: -50} {
		if got := v.Level(ms); got != want {
			t.Errorf("level at %d ms is %v, want %v", ms, got, want)
		}
	}
	for _, c := range []struct {
		span   media.Span
		prefer int64
		want   int64
	}{
		{media.Span{EndMS: 50}, 0, 15},
		{media.Span{EndMS: 50}, 50, 35},
		{media.Span{StartMS: 20, EndMS: 30}, 0, 25},
		{media.Span{StartMS: 22, EndMS: 29}, 40, 29},
	} {
		if got := v.Quietest(c.span, c.prefer); got != c.want {
			t.Errorf("quietest moment of %v near %d is %d, want %d", c.span, c.prefer, got, c.want)
		}
	}
	if got := (audio.VoiceActivity{}).Level(10); got != -100 {
		t.Errorf("level without frames is %v, want -100", got)
	}
}

func TestVoiceWithoutSoundHasNoSpans(t *testing.T) {
	if v := audio.NewVoiceDetector().Activity(nil); v.DurationMS != 0 || len(v.Spans) != 0 || v.Spans == nil {
		t.Errorf("got %+v", v)
	}
	if v := detect(2, func(float64) float64 { return 0 }); len(v.Spans) != 0 || v.DurationMS != 2000 {
		t.Errorf("digital silence gives %+v", v.Spans)
	}
}
