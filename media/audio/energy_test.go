package audio_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
)

// swelling returns noise with a varying level and, if asked for, a few peaks.
func swelling(seconds int, peaks bool) []float32 {
	random := rand.New(rand.NewPCG(7, 7))
	out := make([]float32, seconds*media.SampleRate)
	for i := range out {
		at := float64(i) / media.SampleRate
		out[i] = float32(0.08 * (1.2 + math.Sin(at)) * (2*random.Float64() - 1))
		if peaks && i%(3*media.SampleRate) < 200 {
			out[i] = float32(0.9 * math.Sin(float64(i)/8))
		}
	}
	return out
}

func energiesOf(t *testing.T, samples []float32) []media.Energy {
	t.Helper()
	meter := audio.NewLoudnessMeter()
	meter.Add(samples, samples)
	packed := audio.PackEnergies(meter.Energies())
	list, err := audio.UnpackEnergies(packed)
	if err != nil || len(list) != (len(samples)+4799)/4800 {
		t.Fatalf("got %d energies, error %v", len(list), err)
	}
	if _, err := audio.UnpackEnergies(packed[1:]); err == nil {
		t.Error("UnpackEnergies accepts truncated data")
	}
	return list
}

// The loudness that ConcatEnergies gives for cuts matches a measurement of the remaining audio.
func TestEnergiesGiveTheLoudnessOfCuts(t *testing.T) {
	recording := swelling(60, false)
	energies := energiesOf(t, recording)
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		meter := audio.NewLoudnessMeter()
		var parts []audio.EnergyRange
		for at := 0; at < len(recording)-media.SampleRate; {
			from := at + random.IntN(2*media.SampleRate)
			to := min(len(recording), from+media.SampleRate/2+random.IntN(3*media.SampleRate))
			if from >= to {
				break
			}
			parts = append(parts, audio.EnergyRange{Energies: energies, From: int64(from), Samples: int64(to - from)})
			meter.Add(recording[from:to], recording[from:to])
			at = to
		}
		measured, _ := meter.LUFS()
		if got, ok := audio.IntegratedLoudness(audio.ConcatEnergies(parts)); !ok || math.Abs(got-measured) > 0.1 {
			t.Errorf("%d parts: %.2f LUFS from energies, %.2f measured", len(parts), got, measured)
		}
	}
	if _, ok := audio.IntegratedLoudness(audio.ConcatEnergies([]audio.EnergyRange{{Samples: 480_000}})); ok {
		t.Error("silence has a loudness, want ok = false")
	}
}

// A sure gain brings audio to the target loudness through the limiter. With many sharp peaks the
// gain is not sure.
func TestSureGainsAreRight(t *testing.T) {
	claps := swelling(9, false)
	for i := range claps { // sharp and loud, ten a second
		if i%4800 < 240 {
			claps[i] *= 12
		}
	}
	for name, c := range map[string]struct {
		audio []float32
		sure  bool
	}{"even": {swelling(9, false), true}, "few peaks": {swelling(9, true), true}, "claps": {claps, false}} {
		parts := []audio.EnergyRange{{Energies: energiesOf(t, c.audio), Samples: int64(len(c.audio))}}
		for _, target := range []float64{-23, -14} {
			gain, sure, ok := audio.MasterGain(parts, 0.7, target, -1.5)
			if (target == -14 && sure != c.sure) || !ok {
				t.Errorf("%s to %.0f LUFS: sure = %v, ok = %v", name, target, sure, ok)
			}
			if !sure {
				continue
			}
			left, right := make([]float32, len(c.audio)), make([]float32, len(c.audio))
			for i, v := range c.audio {
				left[i], right[i] = 0.7*v, 0.7*v
			}
			audio.NewLimiter(-1.5).Limit(left, right, math.Pow(10, gain/20))
			meter := audio.NewLoudnessMeter()
			meter.Add(left, right)
			if got, _ := meter.LUFS(); math.Abs(got-target) > 0.35 {
				t.Errorf("%s: %.2f LUFS, want %.0f", name, got, target)
			}
		}
	}
	if _, _, ok := audio.MasterGain([]audio.EnergyRange{{Samples: 480_000}}, 1, -14, -1.5); ok {
		t.Error("MasterGain of silence succeeds, want ok = false")
	}
}

// BenchmarkLoudnessOfManyCuts measures an hour with a cut every four seconds: a few milliseconds.
func BenchmarkLoudnessOfManyCuts(b *testing.B) {
	energies := make([]media.Energy, 36_000)
	for i := range energies {
		energies[i] = media.Energy{Power: 0.01 * (1 + math.Sin(float64(i))), Peak: 0.2}
	}
	var parts []audio.EnergyRange
	for at := int64(0); at < 3600*media.SampleRate; at += 4 * media.SampleRate {
		parts = append(parts, audio.EnergyRange{Energies: energies, From: at + 7, Samples: 3 * media.SampleRate})
	}
	for b.Loop() {
		if _, ok := audio.IntegratedLoudness(audio.ConcatEnergies(parts)); !ok {
			b.Fatal("no loudness")
		}
	}
}
