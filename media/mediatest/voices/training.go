package voices

import (
	"slices"
	"testing"
)

// TrainingTalk returns a talk in a random condition, to train a detector. Unlike the conditions of
// Conditions, it has random parts and levels. The size of the speaker is random too. Equal
// arguments give equal recordings. TrainingTalk fails the test if Names lacks the voice: the voices
// that grade a detector must not train it.
func TrainingTalk(t testing.TB, seed uint64, voice string, o Options) Recording {
	t.Helper()
	if !slices.Contains(Names(), voice) {
		t.Fatalf("the voice %q must not train; use one of %q", voice, Names())
	}
	s := newStage(t, seed, voice, "training")
	o = o.withDefaults()
	s.pause(300 + s.Int64N(1500))
	order := s.sentences(500)
	size := s.between(0.82, 1.22)
	for i := 0; len(s.voice) < o.Seconds*rate; i++ {
		s.sayPCM(s.resized(order[i%len(order)], size*s.between(0.96, 1.04)), nil)
		s.pause(s.pauseMS(o))
	}

	return s.record(t, s.randomSteps())
}

// between returns a random number of a range.
func (s *stage) between(low, high float64) float64 { return low + (high-low)*s.Float64() }

// resized returns a phrase of a speaker of another size, without words.
func (s *stage) resized(u Utterance, factor float64) []float64 {
	x := resample(leveled(u.PCM), factor)
	peaking(s.between(300, 700), s.between(-5, 5), 0.8).apply(x)
	peaking(s.between(1800, 3600), s.between(-5, 5), 0.8).apply(x)
	volume := gain(speechDB+s.between(-4, 4)) / rms(x)
	for i := range x {
		x[i] *= volume
	}
	return x
}

// randomSteps returns a random condition: a room, sounds and a channel.
func (s *stage) randomSteps() (steps []step) {
	maybe := func(share float64, options ...func() step) {
		if s.Float64() < share {
			steps = append(steps, options[s.IntN(len(options))]())
		}
	}
	maybe(0.06, func() step { return whispered })
	maybe(0.4, func() step { return reverb(s.between(0.15, 0.7), s.between(-5, 9)) })
	maybe(0.1, func() step { return muffled })
	steps = append(steps, hiss(s.between(22, 60)))
	sounds := []func() step{
		func() step { return fan(s.between(16, 40)) },
		func() step { return hum(s.between(20, 40)) },
		func() step { return street(s.between(16, 34)) },
		func() step { return fanSwitchedOn(s.between(18, 34)) },
		func() step { return music(s.between(11, 30)) },
		func() step { return music(s.between(11, 30)) },
		func() step { return keyboard(s.between(10, 28)) },
		func() step { return breaths(s.between(17, 32)) },
		func() step { return objects(s.between(8, 24)) },
	}
	maybe(0.8, sounds...)
	maybe(0.25, sounds...)
	maybe(0.4,
		func() step { return telephone },
		func() step { return lowBitrate },
		func() step { return clipped(s.between(4, 20)) },
		func() step {
			return agc{maxDB: s.between(12, 32), attackMS: s.between(5, 50), riseDB: s.between(8, 40)}.step
		},
		func() step {
			return agc{maxDB: s.between(12, 32), attackMS: s.between(5, 50), riseDB: s.between(8, 40)}.step
		},
	)
	return steps
}
