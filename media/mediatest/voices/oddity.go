package voices

import (
	"math"
	"math/rand/v2"
	"testing"

	"roughcut/media"
)

// oddity returns the sample of a recording at a time in seconds.
type oddity func(t testing.TB, s *stage) func(at float64) float64

// Oddities returns the names of recordings without usable speech, sorted.
func Oddities() []string { return sortedKeys(oddities()) }

func oddities() map[string]oddity {
	steady := func(sound func(at float64) float64) oddity {
		return func(testing.TB, *stage) func(float64) float64 { return sound }
	}
	return map[string]oddity{
		"silence":   steady(func(float64) float64 { return 0 }),
		"held tone": steady(func(at float64) float64 { return 0.3 * math.Sin(2*math.Pi*440*at) }),
		"square wave": steady(func(at float64) float64 {
			return math.Copysign(1, math.Sin(2*math.Pi*110*at))
		}),
		"beeps": steady(func(at float64) float64 {
			if math.Mod(at, 2) > 1 {
				return 0
			}
			return math.Copysign(1, math.Sin(2*math.Pi*200*at))
		}),
		"noise": func(_ testing.TB, s *stage) func(float64) float64 {
			return func(float64) float64 { return 0.05 * s.NormFloat64() }
		},
		"music": func(t testing.TB, _ *stage) func(float64) float64 {
			piece := loadMusic(t)[0]
			return func(at float64) float64 { return piece[int(at*rate)%len(piece)] }
		},
	}
}

// Oddity returns a recording without usable speech. All of it counts as a pause.
func Oddity(t testing.TB, name string, seconds int) Recording {
	t.Helper()
	s := &stage{Rand: rand.New(rand.NewPCG(1, 1))}
	s.rec = Recording{Condition: name, DurationMS: int64(seconds) * 1000}
	s.rec.Pauses = []media.Span{{EndMS: s.rec.DurationMS}}
	sound := oddities()[name]
	if sound == nil {
		t.Fatalf("no recording has the name %q; use one of %q", name, Oddities())
	}
	sample := sound(t, s)
	s.rec.PCM = make([]int16, seconds*rate)
	for i := range s.rec.PCM {
		s.rec.PCM[i] = int16(32767 * min(max(sample(float64(i)/rate), -1), 1))
	}
	return s.rec
}
