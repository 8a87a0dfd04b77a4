package voices

import (
	"math"
	"testing"

	"roughcut/media"
)

// add adds a sound at the given level in dBFS, as the mean over the whole sound.
func (s *stage) add(at int, sound []float64, db float64) {
	factor := gain(db) / rms(sound)
	for i, x := range sound {
		if at+i >= 0 && at+i < len(s.sounds) {
			s.sounds[at+i] += factor * x
		}
	}
}

func (s *stage) white(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = s.NormFloat64()
	}
	return out
}

// pink returns noise that falls by 3 dB an octave, by the filter of Paul Kellet.
func (s *stage) pink(n int) []float64 {
	out := make([]float64, n)
	var a, b, c float64
	for i := range out {
		w := s.NormFloat64()
		a = 0.99765*a + 0.0990460*w
		b = 0.96300*b + 0.2965164*w
		c = 0.57000*c + 1.0526913*w
		out[i] = a + b + c + 0.1848*w
	}

	return out
}

// hiss adds the steady noise of a room and a microphone.
func hiss(under float64) step {
	return func(_ testing.TB, s *stage) {
		noise, bright := s.pink(len(s.voice)), s.white(len(s.voice))
		for i := range noise {
			noise[i] += 0.5 * bright[i]
		}
		s.add(0, noise, speechDB-under)
	}
}

// hum adds a mains hum of 50 Hz and its harmonics.
func hum(under float64) step {
	return func(_ testing.TB, s *stage) {
		sound := make([]float64, len(s.voice))
		for i := range sound {
			for k, level := range []float64{1, 0.8, 0.5, 0.25, 0.3, 0.1, 0.15, 0.05} {
				sound[i] += level * math.Sin(2*math.Pi*50*float64((k+1)*i)/rate+float64(k))
			}
		}

		s.add(0, sound, speechDB-under)
	}
}

// fan adds noise with most energy below 500 Hz and the tone of the blades.
func fan(under float64) step {
	return func(_ testing.TB, s *stage) { s.add(0, s.fanNoise(len(s.voice)), speechDB-under) }
}

func (s *stage) fanNoise(n int) []float64 {
	sound := s.pink(n)
	lowPass(900).apply(sound)
	tone := 100 + 80*s.Float64()
	for i := range sound {
		sound[i] += 0.4 * math.Sin(2*math.Pi*tone*float64(i)/rate)
	}
	return sound
}

// fanSwitchedOn adds a fan from the middle of the recording, which starts within a second.
func fanSwitchedOn(under float64) step {
	return func(_ testing.TB, s *stage) {
		half := len(s.voice) / 2
		sound := s.fanNoise(len(s.voice) - half)
		for i := range min(rate, len(sound)) {
			sound[i] *= float64(i) / rate
		}
		s.add(half, sound, speechDB-under)
	}
}

// street adds traffic: noise that swells and falls by about 4 dB within seconds.
func street(under float64) step {
	return func(_ testing.TB, s *stage) {
		sound, high := s.pink(len(s.voice)), s.pink(len(s.voice))
		lowPass(700).apply(sound)
		swell, swellHigh := s.swell(len(sound), 4), s.swell(len(sound), 5)
		for i := range sound {
			sound[i] = sound[i]*gain(swell[i]) + 0.3*high[i]*gain(swellHigh[i])
		}
		s.add(0, sound, speechDB-under)
	}
}

// swell returns a smooth random course of a level in decibels, with a standard deviation of db and
// a time constant of about a second.
func (s *stage) swell(n int, db float64) []float64 {
	const every = rate / 10
	out := make([]float64, n)
	slow := s.NormFloat64() * db
	smooth := slow
	for i := range out {
		if i%every == 0 {
			slow = 0.93*slow + math.Sqrt(1-0.93*0.93)*db*s.NormFloat64()
		}
		smooth += (slow - smooth) / (rate / 4)
		out[i] = smooth
	}

	return out
}

// music adds one of Debian's pieces of music on hold, from a random place.
func music(under float64) step {
	return func(t testing.TB, s *stage) {
		pieces := loadMusic(t)
		piece := pieces[s.IntN(len(pieces))]
		sound := make([]float64, len(s.voice))
		at := s.IntN(len(piece))
		for i := range sound {
			sound[i] = float64(piece[(at+i)%len(piece)])
		}
		s.add(0, sound, speechDB-under)
	}
}

// event adds a sound in a pause and keeps its place. It makes sure that the sound stays inside.
func (s *stage) event(kind string, pause media.Span, atMS int64, sound []float64, db float64) {
	span := media.Span{StartMS: atMS, EndMS: atMS + int64(len(sound))*1000/rate + 1}
	if span.Intersect(pause) != span || len(sound) == 0 {
		return
	}
	s.add(int(atMS*rate/1000), sound, db)
	s.rec.Events = append(s.rec.Events, Event{span, kind})
}

// keyboard adds keystrokes in the pauses. Their level counts over the 40 ms of a stroke.
func keyboard(under float64) step {
	return func(_ testing.TB, s *stage) {
		for _, p := range s.rec.Pauses {
			if p.Duration() < 500 || s.IntN(10) < 2 {
				continue
			}
			for at := p.StartMS + 60 + s.Int64N(200); at < p.EndMS-220; at += 80 + s.Int64N(220) {
				if s.IntN(12) == 0 {
					at += 400 // a thought
				}
				db := speechDB - under - 5 + 10*s.Float64()
				s.event("key", p, at, s.stroke(), db)
				s.event("key", p, at+60+s.Int64N(50), s.stroke(), db-7)
			}
		}
	}
}

// stroke returns the sound of a key: a click and the ringing of the case.
func (s *stage) stroke() []float64 {
	sound := s.white(rate / 25)
	highPass(1200).apply(sound)
	tone, phase := 300+600*s.Float64(), s.Float64()
	for i := range sound {
		at := float64(i) / rate
		sound[i] *= math.Exp(-at / 0.006)
		sound[i] += 0.5 * math.Exp(-at/0.012) * math.Sin(2*math.Pi*(tone*at+phase))
		sound[i] *= min(1, at/0.001)
	}

	return sound
}

// breaths adds a breath before four of five phrases that follow a pause of half a second.
func breaths(under float64) step {
	return func(_ testing.TB, s *stage) {
		for _, p := range s.rec.Pauses {
			length := 250 + s.Int64N(300)
			gap := 60 + s.Int64N(120)
			if p.Duration() < length+gap+100 || p.EndMS == s.rec.DurationMS || s.IntN(5) == 0 {
				continue
			}
			s.event("breath", p, p.EndMS-gap-length, s.breath(int(length*rate/1000)), speechDB-under-4+8*s.Float64())
		}
	}
}

// breath returns the sound of drawing air: noise through the vocal tract that grows, then ends
// quickly.
func (s *stage) breath(n int) []float64 {
	sound := s.white(n)
	for _, f := range []biquad{
		highPass(300), lowPass(5500), peaking(1100+400*s.Float64(), 8, 1.5), peaking(2600+600*s.Float64(), 6, 2),
	} {
		f.apply(sound)
	}

	for i := range sound {
		x := float64(i) / float64(n)
		sound[i] *= math.Pow(x, 0.7) * min(1, (1-x)/0.2)
	}

	return sound
}

// objects adds knocks, doors and things that fall into half of the longer pauses. Their level
// counts over the loudest 100 ms.
func objects(under float64) step {
	return func(t testing.TB, s *stage) {
		all := loadObjects(t)
		for _, p := range s.rec.Pauses {
			if p.Duration() < 700 || s.IntN(2) == 0 {
				continue
			}
			sound := fitted(all[s.IntN(len(all))], int((p.Duration()-240)*rate/1000))
			length := int64(len(sound)) * 1000 / rate
			at := p.StartMS + 110 + s.Int64N(p.Duration()-220-length)
			db := speechDB - under - 5 + 10*s.Float64()
			s.event("object", p, at, sound, db-20*math.Log10(loudest(sound)/rms(sound)))
		}
	}
}

// loudest returns the greatest root mean square of 100 ms.
func loudest(sound []float64) float64 {
	const n = rate / 10
	most := rms(sound)
	for i := 0; i+n <= len(sound); i += n / 4 {
		most = max(most, rms(sound[i:i+n]))
	}
	return most
}

// fitted returns a copy of a sound with at most n samples. A shortened sound fades out.
func fitted(sound []float64, n int) []float64 {
	out := append([]float64(nil), sound[:min(n, len(sound))]...)
	if n < len(sound) {
		fade := min(rate/10, n)
		for i := range fade {
			out[n-1-i] *= float64(i) / float64(fade)
		}
	}

	return out
}
