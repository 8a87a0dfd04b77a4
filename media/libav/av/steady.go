package av

import (
	"math"
	"slices"

	"roughcut/media"
)

// Limits of audio that never pauses. A second is steady if the levels of its tenths differ by less
// than steadyDB in every band within bandDB of the strongest one, without the lowest and the
// highest. Syllables differ by more, in bands where music or time code is weak. Noise during a
// pause of a voice is steady too, but weaker than the voice by more than pauseDB.
const (
	steadyFrames  = 10
	steadySamples = media.SampleRate / steadyFrames
	steadyDB      = 3
	bandDB        = -30
	pauseDB       = -6

	// steadyStep is the distance of the samples that are measured. What folds into their band is
	// as steady as it was.
	steadyStep = 4

	// weakestPower is the power of audio that counts: -90 dB.
	weakestPower = 1e-9

	// A steady channel that is stronger than the pauses of another one by hidesDB hides them. If
	// all are steady so far, it must be stronger by farDB.
	hidesDB = 6
	farDB   = 20

	// unheardShare is the share of a recording that a channel must be steady for to be left out of
	// it.
	unheardShare = 0.8

	// startDB is how much louder one band of a tenth of a second is than in the last steady second
	// when a channel stops being steady.
	startDB = 6
)

// Steadiness finds out whether a channel never pauses and has no voice, as time code, a tone, hum
// or noise do. Levels alone do not tell voice from time code that is interrupted, so it lists the
// seconds where a voice may be. The zero value has heard nothing.
type Steadiness struct {
	rumble, low, lower, middle float64 // of the filters that divide the bands
	sums                       [3]float64
	filled                     int                      // samples in the tenth of a second
	measured                   int                      // of them
	frames                     [steadyFrames][3]float64 // powers of the bands in each tenth of a second
	frame                      int
	voice                      float64 // power of the loudest second that was not steady, which fades

	Power  float64 // of the last second
	Quiet  float64 // of its second lowest tenth
	Steady bool    // the last second was steady, and as loud as voice before it
	Active bool    // a second was not steady
	Out    bool    // of LeaveOut

	seconds, steady int        // with signal
	level           [3]float64 // powers of the bands in the last steady second
	from            int64      // position of the second
	unsteady        []int64    // positions of the seconds that are neither steady nor a pause
}

// The filters have their corners at 100, 400 and 2000 Hz. Below 100 Hz, noise has few independent
// values in a tenth of a second.
var rumblePole, lowPole, middlePole = pole(100), pole(400), pole(2000)

func pole(hz float64) float64 { return 1 - math.Exp(-2*math.Pi*hz*steadyStep/media.SampleRate) }

// voiceFades is by how much the loudest voice counts less with each second.
const voiceFades = 0.98

// Add hears the next samples of the channel, which start at a position in the recording. It reports
// whether a second ended.
func (s *Steadiness) Add(at int64, samples []float32) (second bool) {
	for len(samples) > 0 {
		if s.frame == 0 && s.filled == 0 {
			s.from = at
		}
		n := min(len(samples), steadySamples-s.filled)
		rumble, low, lower, middle := s.rumble, s.low, s.lower, s.middle
		var a, b, c float64
		for i := 0; i < n; i += steadyStep {
			x := float64(samples[i])
			low += lowPole * (x - low)
			middle += middlePole * (x - middle)
			lower += lowPole * (low - lower)
			rumble += rumblePole * (lower - rumble)
			l, m, h := lower-rumble, middle-low, x-middle
			a, b, c = a+l*l, b+m*m, c+h*h
		}

		s.rumble, s.low, s.lower, s.middle = rumble, low, lower, middle
		s.sums[0], s.sums[1], s.sums[2] = s.sums[0]+a, s.sums[1]+b, s.sums[2]+c
		samples, s.measured = samples[n:], s.measured+(n+steadyStep-1)/steadyStep
		at += int64(n)
		if s.filled += n; s.filled < steadySamples {
			break
		}
		for i, sum := range s.sums {
			s.frames[s.frame][i] = sum / float64(s.measured)
		}

		s.sums, s.filled, s.measured = [3]float64{}, 0, 0
		s.Out = s.Out && !s.starts(s.frames[s.frame])
		if s.frame++; s.frame == steadyFrames {
			s.frame, second = 0, true
			s.judge()
		}
	}

	return second
}

// judge decides about a second.
func (s *Steadiness) judge() {
	var bands [3]float64
	levels := make([]float64, 0, steadyFrames)
	for _, f := range s.frames {
		levels = append(levels, f[0]+f[1]+f[2])
		for i, v := range f {
			bands[i] += v / steadyFrames
		}
	}

	slices.Sort(levels)
	s.Power, s.Quiet, s.Steady = bands[0]+bands[1]+bands[2], levels[1], false
	s.voice *= voiceFades
	if s.Power < weakestPower {
		return
	}
	s.seconds++
	strongest := slices.Max(bands[:])
	for i := range bands {
		if bands[i] > strongest*decibels(bandDB) && s.spread(i) > decibels(steadyDB) {
			s.Active, s.voice = true, max(s.voice, s.Power)
			s.unsteady = append(s.unsteady, s.from)
			return
		}
	}

	if s.Steady = s.Power >= s.voice*decibels(pauseDB); s.Steady {
		s.steady++
		s.level = bands
	}
}

// starts reports whether a tenth of a second is louder than the last steady second, as a voice over
// hum or noise is.
func (s *Steadiness) starts(frame [3]float64) bool {
	weakest := slices.Max(s.level[:]) * decibels(bandDB)
	for i, power := range frame {
		if power > max(s.level[i], weakest)*decibels(startDB) {
			return true
		}
	}

	return false
}

// spread returns the ratio of the second highest and the second lowest level of a band.
func (s *Steadiness) spread(band int) float64 {
	levels := make([]float64, 0, steadyFrames)
	for _, f := range s.frames {
		levels = append(levels, f[band])
	}
	slices.Sort(levels)
	return levels[steadyFrames-2] / max(levels[1], 1e-12)
}

// Always reports whether nearly all of the channel was steady.
func (s *Steadiness) Always() bool {
	return s.seconds > 0 && float64(s.steady) >= unheardShare*float64(s.seconds)
}

// Doubts returns the positions of the seconds where the channel may have a voice, with the one that
// has not ended.
func (s *Steadiness) Doubts() []int64 {
	if s.frame == 0 && s.filled == 0 {
		return s.unsteady
	}
	return append(slices.Clip(s.unsteady), s.from)
}

// LeaveOut decides after a second which channels the analysis does not hear: those that are steady
// and hide the pauses of others. A channel stays out until it is not steady.
func LeaveOut(channels []*Steadiness) {
	for _, c := range channels {
		if !c.Steady {
			c.Out = c.Out && c.Power < weakestPower
			continue
		}

		c.Out = c.Out || slices.ContainsFunc(channels, func(other *Steadiness) bool {
			hides := other.Active && c.Power > other.Quiet*decibels(hidesDB)
			far := other.Power >= weakestPower && c.Power > other.Power*decibels(farDB)
			return other != c && !other.Out && (hides || far)
		})
	}
}

// decibels returns a ratio of powers.
func decibels(db float64) float64 { return math.Pow(10, db/10) }
