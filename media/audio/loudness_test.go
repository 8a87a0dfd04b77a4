package audio_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
)

// tone returns one channel of a sine.
func tone(hz, amplitude, seconds float64) []float32 {
	out := make([]float32, int(seconds*media.SampleRate))
	for i := range out {
		out[i] = float32(amplitude * math.Sin(2*math.Pi*hz*float64(i)/media.SampleRate))
	}
	return out
}

func lufs(parts ...[]float32) (float64, bool) {
	meter := audio.NewLoudnessMeter()
	for _, p := range parts {
		meter.Add(p, p)
	}
	return meter.LUFS()
}

// EBU Tech 3341: a stereo sine of 1 kHz at -23 dBFS has -23 LUFS, and the gates ignore quiet
// passages.
func TestLoudnessMatchesEBUTech3341(t *testing.T) {
	sine := func(db, seconds float64) []float32 { return tone(1000, math.Pow(10, db/20), seconds) }
	for name, c := range map[string]struct {
		parts [][]float32
		want  float64
	}{
		"case 1": {[][]float32{sine(-23, 20)}, -23},
		"case 2": {[][]float32{sine(-33, 20)}, -33},
		"case 3": {[][]float32{sine(-36, 10), sine(-23, 60), sine(-36, 10)}, -23},
		"case 4": {[][]float32{sine(-72, 10), sine(-36, 10), sine(-23, 60), sine(-36, 10), sine(-72, 10)}, -23},
	} {
		if got, ok := lufs(c.parts...); !ok || math.Abs(got-c.want) > 0.1 {
			t.Errorf("%s: %.2f LUFS, want %.1f", name, got, c.want)
		}
	}
	if got, ok := lufs(make([]float32, 96000)); ok {
		t.Errorf("silence has %.1f LUFS, want ok = false", got)
	}
}

// No peak, at or between samples, exceeds the ceiling. Quiet audio passes unchanged.
func TestLimiterHoldsItsCeiling(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	noise := make([]float32, media.SampleRate/2)
	for i := range noise {
		noise[i] = float32(r.NormFloat64() * 0.4)
		if i%3919 == 0 {
			noise[i] *= 12
		}
	}
	for name, played := range map[string][]float32{
		"loud tone":         tone(997, 3, 0.3),
		"quarter rate":      tone(11999.7, 1.3, 0.3),
		"noise with clicks": noise,
	} {
		out := append([]float32{}, played...)
		limiter := audio.NewLimiter(-1)
		for at := 0; at < len(out); at += 777 {
			part := out[at:min(at+777, len(out))]
			limiter.Limit(part, append([]float32{}, part...), 1)
		}
		if peak := 20 * math.Log10(truePeak(out)); peak > -1 {
			t.Errorf("%s: true peak %.2f dB, want at most -1", name, peak)
		}
	}
	loud, soft := tone(997, 3, 0.3), tone(300, 0.2, 0.3) // one loud channel attenuates both
	audio.NewLimiter(-1).Limit(soft, loud, 1)
	if peak := 20 * math.Log10(truePeak(loud)); peak > -1 {
		t.Errorf("right channel: true peak %.2f dB, want at most -1", peak)
	}
	if largest := slices.Max(soft[len(soft)/2:]); largest > 0.065 || largest < 0.05 {
		t.Errorf("left channel: peak %.3f, want 0.05 to 0.065", largest)
	}
	quiet := tone(440, 0.3, 1)
	out := append([]float32{}, quiet...)
	audio.NewLimiter(-1).Limit(out, append([]float32{}, out...), 2)
	for i := audio.LimiterDelay; i < len(out); i++ {
		if math.Abs(float64(out[i]-2*quiet[i-audio.LimiterDelay])) > 1e-6 {
			t.Fatalf("sample %d of quiet audio changed", i)
		}
	}
}

// truePeak returns the largest absolute value at 8 points between samples, by a long sinc filter.
func truePeak(x []float32) float64 {
	peak := 0.0
	for n := 64; n < len(x)-64; n++ {
		if math.Abs(float64(x[n])) < 0.55 && math.Abs(float64(x[n+1])) < 0.55 {
			continue
		}
		for p := range 8 {
			at, sum := float64(p)/8, 0.0
			for k := -48; k <= 48; k++ {
				d := at - float64(k)
				s := 1.0
				if d != 0 {
					s = math.Sin(math.Pi*d) / (math.Pi * d)
				}
				sum += float64(x[n+k]) * s * (0.5 + 0.5*math.Cos(math.Pi*d/50))
			}
			peak = max(peak, math.Abs(sum))
		}
	}
	return peak
}
