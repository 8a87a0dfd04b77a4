package voices

import (
	"math"
	"testing"
)

// telephone limits the band to 300-3400 Hz and quantizes 8,000 samples a second by the mu-law of
// ITU-T G.711.
func telephone(_ testing.TB, s *stage) {
	s.mix()
	x := s.voice
	for range 3 {
		highPass(280).apply(x)
		lowPass(3400).apply(x)
	}

	for i := 0; i < len(x); i += 2 {
		x[i] = 2 * muLaw(x[i])
		if i+1 < len(x) {
			x[i+1] = 0
		}
	}

	for range 3 {
		lowPass(3600).apply(x)
	}
}

// muLaw rounds a sample to one of 255 logarithmic steps.
func muLaw(x float64) float64 {
	x = min(max(x, -1), 1)
	const mu = 255
	y := math.Round(127 * math.Log1p(mu*math.Abs(x)) / math.Log1p(mu))
	return math.Copysign(math.Expm1(y/127*math.Log1p(mu))/mu, x)
}

const (
	transformSize = 256 // coefficients of the low-bitrate codec, 16 ms
	codecBand     = 8   // coefficients that share one step size
)

// lowBitrate keeps the strongest coefficients of a modified discrete cosine transform, coarsely
// quantized, as speech codecs at 16 kbit/s do. Quiet bands turn silent and come back.
func lowBitrate(_ testing.TB, s *stage) {
	s.mix()
	const n = transformSize
	cosines := make([]float64, 8*n) // one period of cos(pi / 4n * k)
	for k := range cosines {
		cosines[k] = math.Cos(math.Pi / (4 * n) * float64(k))
	}
	cosine := func(t, k int) float64 { return cosines[(2*t+1+n)*(2*k+1)%(8*n)] }
	out := make([]float64, len(s.voice)+2*n)
	spectrum := make([]float64, n)
	for from := -n; from < len(s.voice); from += n {
		for k := range spectrum {
			spectrum[k] = 0
		}
		for t := range 2 * n {
			if i := from + t; i >= 0 && i < len(s.voice) {
				x := s.voice[i] * math.Sin(math.Pi/(2*n)*(float64(t)+0.5))
				for k := range spectrum {
					spectrum[k] += x * cosine(t, k)
				}
			}
		}

		quantizeBands(spectrum)
		for t := range 2 * n {
			if i := from + t; i >= 0 {
				sum := 0.0
				for k, c := range spectrum {
					if c != 0 {
						sum += c * cosine(t, k)
					}
				}

				out[i] += sum * 2 / n * math.Sin(math.Pi/(2*n)*(float64(t)+0.5))
			}
		}
	}

	copy(s.voice, out)
}

// quantizeBands rounds the values of each band to multiples of the level of the band. It drops
// bands more than 45 dB below the strongest one, and everything above 6.5 kHz.
func quantizeBands(spectrum []float64) {
	strongest := 0.0
	for from := 0; from < len(spectrum); from += codecBand {
		strongest = max(strongest, rms(spectrum[from:from+codecBand]))
	}
	for from := 0; from < len(spectrum); from += codecBand {
		band := spectrum[from : from+codecBand]
		level := rms(band)
		if level < strongest*gain(-45) || from*8000/transformSize > 6500 {
			clear(band)
			continue
		}

		for k, x := range band {
			band[k] = level * math.Round(x/level)
		}
	}
}

// clipped amplifies the recording by db decibels and clips its peaks at -3 dBFS.
func clipped(db float64) step {
	return func(_ testing.TB, s *stage) {
		s.mix()
		for i, x := range s.voice {
			s.voice[i] = min(max(x*gain(db), -gain(-3)), gain(-3))
		}
	}
}

// muffled removes the treble, as distance and a covered microphone do.
func muffled(_ testing.TB, s *stage) { lowPass(3000).apply(s.voice) }

// agc is automatic gain control: the gain follows the level down quickly and up slowly.
type agc struct {
	maxDB    float64 // the greatest gain
	attackMS float64
	riseDB   float64 // rise of the gain in decibels per second
}

// step applies the gain control. Speech ends near -20 dBFS.
func (a agc) step(_ testing.TB, s *stage) {
	s.mix()
	const targetDB, referenceDB = -18, -16
	level, now := 0.0, 0.0
	attack := 1 / (a.attackMS * rate / 1000)
	for i, x := range s.voice {
		level = max(x*x, level+(x*x-level)/(rate/20))
		want := min(max(targetDB-10*math.Log10(level+1e-12), referenceDB), a.maxDB)
		if want < now {
			now += (want - now) * attack
		} else {
			now = min(now+a.riseDB/rate, want)
		}

		s.voice[i] = x * gain(now)
	}
}

// pumping is automatic gain control with much range: the gain falls as fast as attackMS when speech
// starts, and recovers with the time constant releaseMS. So noise swells in pauses, and phrases
// start loud. The gain is smoothed in decibels, with a branch for attack and release (Giannoulis,
// Massberg and Reiss, "Digital Dynamic Range Compressor Design", 2012).
type pumping struct{ attackMS, releaseMS float64 }

const (
	pumpedDB    = 20 // of gain that speech at its normal level takes away
	pumpTrackMS = 20 // of the measured level
)

func (p pumping) step(_ testing.TB, s *stage) {
	s.mix()
	smoothing := func(ms float64) float64 { return math.Exp(-1000 / (ms * rate)) }
	attack, release, track := smoothing(p.attackMS), smoothing(p.releaseMS), smoothing(pumpTrackMS)
	power, reduction := 0.0, 0.0
	for i, x := range s.voice {
		power = track*power + (1-track)*x*x
		over := min(max(10*math.Log10(power+1e-12)-(speechDB-pumpedDB), 0), pumpedDB)
		factor := release
		if over > reduction {
			factor = attack
		}
		reduction = factor*reduction + (1-factor)*over
		s.voice[i] = x * gain(pumpedDB-reduction)
	}
}

// turns makes every second turn of a few phrases quieter, as of a speaker who sits farther away.
func turns(quieterDB float64) step {
	return func(_ testing.TB, s *stage) {
		for i, span := range s.rec.Speech {
			if i/turnPhrases%2 == 0 {
				continue
			}
			for k := span.StartMS * rate / 1000; k < span.EndMS*rate/1000; k++ {
				s.voice[k] *= gain(-quieterDB)
			}
		}
	}
}

// turnPhrases is the number of phrases in a turn.
const turnPhrases = 4

// reverb places the voice in a room. seconds is the reverberation time to -60 dB, and direct the
// level of the direct sound over the reverberation in decibels.
func reverb(seconds, direct float64) step {
	return func(_ testing.TB, s *stage) {
		tail := s.white(int(seconds * rate))
		for i := range tail {
			at := float64(i) / rate
			tail[i] *= math.Exp(-6.9 * at / seconds)
			if at < 0.004 {
				tail[i] = 0
			}
		}

		lowPass(4500).apply(tail)
		sum := rms(tail) * math.Sqrt(float64(len(tail)))
		for i := range tail {
			tail[i] *= gain(-direct) / sum
		}
		tail[0] = 1
		s.voice = convolve(s.voice, tail)
	}
}

const (
	whisperOrder = 18
	whisperFrame = rate / 50 // 20 ms, overlapping by half
)

// whispered replaces the vibration of the vocal folds by noise: linear prediction keeps the vocal
// tract of each frame, and noise excites it. Whispering is 8 dB quieter, and low tones are missing.
func whispered(_ testing.TB, s *stage) {
	out := make([]float64, len(s.voice)+whisperFrame)
	frame := make([]float64, whisperFrame)
	for from := 0; from < len(s.voice); from += whisperFrame / 2 {
		for i := range frame {
			frame[i] = 0
			if from+i < len(s.voice) {
				frame[i] = s.voice[from+i] * math.Sin(math.Pi*(float64(i)+0.5)/whisperFrame)
			}
		}

		level := rms(frame)
		if level < 1e-8 {
			continue
		}
		coefficients := linearPrediction(frame)
		noise := make([]float64, whisperFrame)
		for i := range noise {
			noise[i] = s.NormFloat64()
			for k, c := range coefficients {
				if i > k {
					noise[i] -= c * noise[i-k-1]
				}
			}
		}

		factor := level / rms(noise)
		for i := range noise {
			out[from+i] += noise[i] * factor * math.Sin(math.Pi*(float64(i)+0.5)/whisperFrame)
		}
	}

	highPass(200).apply(out)
	factor := gain(-8) * rms(s.voice) / rms(out)
	for i := range s.voice {
		s.voice[i] = out[i] * factor
	}
}

// linearPrediction returns the linear prediction of a frame, by the recursion of Levinson and
// Durbin.
func linearPrediction(frame []float64) []float64 {
	var r [whisperOrder + 1]float64
	for lag := range r {
		for i := lag; i < len(frame); i++ {
			r[lag] += frame[i] * frame[i-lag]
		}
	}

	left := r[0]*1.0001 + 1e-12
	a := make([]float64, whisperOrder)
	for i := range a {
		sum := r[i+1]
		for k := range i {
			sum += a[k] * r[i-k]
		}
		reflection := -sum / left
		before := append([]float64(nil), a[:i]...)
		for k := range i {
			a[k] += reflection * before[i-1-k]
		}
		a[i] = reflection
		left *= 1 - reflection*reflection
	}

	return a
}
