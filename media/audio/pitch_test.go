package audio

import (
	"math"
	"math/rand/v2"
	"testing"

	"roughcut/media"
)

// pitchesOf returns the pitch of a second of audio over quiet noise.
func pitchesOf(sample func(at float64) float64) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	m, pcm := NewPitchMeter(), make([]int16, media.SpeechSampleRate)
	for i := range pcm {
		pcm[i] = int16(32767 * min(max(sample(float64(i)/media.SpeechSampleRate)+0.001*r.NormFloat64(), -1), 1))
	}
	for len(pcm) > 0 {
		n := min(700, len(pcm))
		m.Add(pcm[:n])
		pcm = pcm[n:]
	}
	return m.Pitch()
}

func TestPitchIsThatOfTheVoice(t *testing.T) {
	for _, hz := range []float64{70, 110, 155, 220, 330, 440} {
		got := pitchesOf(func(at float64) (x float64) {
			for n := 1.0; n*hz < 3500; n++ {
				x += 0.1 * math.Sin(2*math.Pi*n*hz*at) / n
			}
			return x
		})
		if len(got) < 45 {
			t.Fatalf("a second has %d values", len(got))
		}
		want := 1 + math.Round(72*math.Log2(hz/60))
		for i, p := range got {
			if math.Abs(float64(p)-want) > 3 {
				t.Errorf("%v Hz: frame %d has the pitch %d, want %v", hz, i, p, want)
				break
			}
		}
	}
}

func TestNoiseAndSilenceHaveNoPitch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, sound := range map[string]func(float64) float64{
		"silence": func(float64) float64 { return 0 },
		"noise":   func(float64) float64 { return 0.1 * r.NormFloat64() },
	} {
		voiced := 0
		for _, p := range pitchesOf(sound) {
			if p > 0 {
				voiced++
			}
		}
		if voiced > 1 {
			t.Errorf("%s has a pitch in %d frames of 50", name, voiced)
		}
	}
}

func TestSumsOfLagsAreThoseOfPlainLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	x := make([]float32, pitchWindow+lagsTogether)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	var got, want [lagsTogether][4]float32
	lagSums(x[:pitchWindow], x[1:], &got)
	goLagSums(x[:pitchWindow], x[1:], &want)
	if got != want {
		t.Errorf("the sums are %v, want %v", got, want)
	}
}

func BenchmarkPitchMeter(b *testing.B) {
	pcm := make([]int16, 60*media.SpeechSampleRate)
	for i := range pcm {
		pcm[i] = int16(9000 * math.Sin(2*math.Pi*180*float64(i)/media.SpeechSampleRate))
	}
	for b.Loop() {
		m := NewPitchMeter()
		m.Add(pcm)
		if len(m.Pitch()) == 0 {
			b.Fatal("no pitch")
		}
	}
	b.ReportMetric(60*b.Elapsed().Seconds()/float64(b.N), "CPU-s/hour")
}
