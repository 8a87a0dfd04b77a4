package media_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"roughcut/media"
)

// swelling is noise whose level wanders, with a few peaks.
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

func energiesOf(t *testing.T, sound []float32) []media.Energy {
	t.Helper()
	meter := media.NewLoudnessMeter()
	meter.Add(sound, sound)
	packed := media.PackEnergies(meter.Energies())
	list, err := media.UnpackEnergies(packed)
	if err != nil || len(list) != (len(sound)+4799)/4800 {
		t.Fatalf("%d energies: %v", len(list), err)
	}
	if _, err := media.UnpackEnergies(packed[1:]); err == nil {
		t.Error("torn energies are read")
	}
	return list
}

// The loudness of cuts that follows from energies is that of hearing what they leave.
func TestEnergiesGiveTheLoudnessOfCuts(t *testing.T) {
	sound := swelling(60, false)
	energies := energiesOf(t, sound)
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		meter := media.NewLoudnessMeter()
		var parts []media.EnergyRange
		for at := 0; at < len(sound)-media.SampleRate; {
			from := at + random.IntN(2*media.SampleRate)
			to := min(len(sound), from+media.SampleRate/2+random.IntN(3*media.SampleRate))
			if from >= to {
				break
			}
			parts = append(parts, media.EnergyRange{Energies: energies, From: int64(from), Samples: int64(to - from)})
			meter.Add(sound[from:to], sound[from:to])
			at = to
		}
		heard, _ := meter.LUFS()
		if got, ok := media.IntegratedLoudness(media.ConcatEnergies(parts)); !ok || math.Abs(got-heard) > 0.1 {
			t.Errorf("%d parts: %.2f LUFS, heard %.2f", len(parts), got, heard)
		}
	}
	if _, ok := media.IntegratedLoudness(media.ConcatEnergies([]media.EnergyRange{{Samples: 480_000}})); ok {
		t.Error("silence has a loudness")
	}
}

// A gain that is said to be sure brings sound to its loudness through the limiter; where peaks make
// that doubtful, it is not said.
func TestSureGainsAreRight(t *testing.T) {
	claps := swelling(9, false)
	for i := range claps { // sharp and loud, ten a second
		if i%4800 < 240 {
			claps[i] *= 12
		}
	}
	for name, c := range map[string]struct {
		sound []float32
		sure  bool
	}{"even": {swelling(9, false), true}, "few peaks": {swelling(9, true), true}, "claps": {claps, false}} {
		parts := []media.EnergyRange{{Energies: energiesOf(t, c.sound), Samples: int64(len(c.sound))}}
		for _, target := range []float64{-23, -14} {
			gain, sure, ok := media.MasterGain(parts, 0.7, target, -1.5)
			if target == -14 && sure != c.sure || !ok {
				t.Errorf("%s to %.0f: sure is %v", name, target, sure)
			}
			if !sure {
				continue
			}
			left, right := make([]float32, len(c.sound)), make([]float32, len(c.sound))
			for i, v := range c.sound {
				left[i], right[i] = 0.7*v, 0.7*v
			}
			media.NewLimiter(-1.5).Limit(left, right, math.Pow(10, gain/20))
			meter := media.NewLoudnessMeter()
			meter.Add(left, right)
			if got, _ := meter.LUFS(); math.Abs(got-target) > 0.35 {
				t.Errorf("%s to %.0f: %.2f LUFS", name, target, got)
			}
		}
	}
	if _, _, ok := media.MasterGain([]media.EnergyRange{{Samples: 480_000}}, 1, -14, -1.5); ok {
		t.Error("silence has a gain")
	}
}

// An hour with a cut each four seconds is reckoned in a few milliseconds at most.
func BenchmarkLoudnessOfManyCuts(b *testing.B) {
	energies := make([]media.Energy, 36_000)
	for i := range energies {
		energies[i] = media.Energy{Power: 0.01 * (1 + math.Sin(float64(i))), Peak: 0.2}
	}
	var parts []media.EnergyRange
	for at := int64(0); at < 3600*media.SampleRate; at += 4 * media.SampleRate {
		parts = append(parts, media.EnergyRange{Energies: energies, From: at + 7, Samples: 3 * media.SampleRate})
	}
	for b.Loop() {
		if _, ok := media.IntegratedLoudness(media.ConcatEnergies(parts)); !ok {
			b.Fatal("no loudness")
		}
	}
}
