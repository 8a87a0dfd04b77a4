package libav

import (
	"math"
	"slices"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/libav/av"
)

// normalizer brings the finished mix to its loudness: one gain for all of it, and a limiter for the
// peaks. The zero value changes nothing.
type normalizer struct {
	gain    float64 // linear
	limiter *audio.Limiter
	skip    int64 // samples from before the start that the limiter still outputs
}

// Limits of loudness normalization. ceilingDB is the true peak limit, with headroom for the
// encoder. loudnessMissLU is the accepted deviation from the target. limiterShare is the largest
// share of a gain correction that the limiter takes back. loudnessTries is the maximum number of
// measuring passes, usualTries the usual one. mostGainDB is the maximum gain.
const (
	ceilingDB      = -1.5
	loudnessMissLU = 0.2
	limiterShare   = 0.5
	loudnessTries  = 4
	usualTries     = 2
	mostGainDB     = 40
)

// Limits of audio beyond full scale. Decoders of lossy codecs exceed it a little, so their peaks
// are lowered as little as possible, to guardDB. Recordings in floating point can exceed it by far:
// they are scaled so that the limiter works in overShare of the time, and peaks stay below
// floatCeilingDB. saidOverDB is what a person is told of.
const (
	guardDB        = -0.1
	floatCeilingDB = -1.0
	overShare      = 0.01
	saidOverDB     = 0.5
)

func newNormalizer(gainDB float64) *normalizer {
	return &normalizer{gain: math.Pow(10, gainDB/20), limiter: audio.NewLimiter(ceilingDB), skip: audio.LimiterDelay}
}

// process returns a function that normalizes audio and passes it on to write.
func (m *normalizer) process(write func(av.Stereo) error) func(av.Stereo) error {
	if m.limiter == nil {
		return write
	}
	return func(part av.Stereo) error {
		m.limiter.Limit(part.Left, part.Right, m.gain)
		n := min(m.skip, part.Len())
		m.skip -= n
		return write(part.Cut(n, part.Len()))
	}
}

// finish passes on what the limiter still holds.
func (m *normalizer) finish(write func(av.Stereo) error) error {
	if m.limiter == nil {
		return nil
	}
	rest := av.NewStereo(audio.LimiterDelay)
	return m.process(write)(rest)
}

// measureLoudness finds the gain that brings the output to the loudness of its plan. If only cuts
// and volume change the audio, it starts from the energies that Ingest stored. Otherwise it
// measures the whole mix. Unless the limiter hardly matters, it then measures the mix with gain and
// limiter until the deviation is small enough.
func (r *render) measureLoudness() (*normalizer, error) {
	if !r.plan.Audio.Normalize {
		return r.withinFullScale()
	}

	gain, sure, ok, err := r.initialGain()
	if err != nil || !ok {
		return &normalizer{}, err
	}
	if sure {
		return newNormalizer(gain), nil
	}
	for range loudnessTries {
		loud, ok, err := r.measureMix(newNormalizer(gain))
		if err != nil {
			return nil, err
		}
		miss := r.targetLUFS() - loud
		if !ok || gain >= mostGainDB || math.Abs(miss) < loudnessMissLU {
			break
		}
		gain = min(gain+miss, mostGainDB)
		if math.Abs(miss)*limiterShare < loudnessMissLU {
			break
		}
	}

	return newNormalizer(gain), nil
}

// withinFullScale returns what keeps audio without normalization from clipping.
func (r *render) withinFullScale() (*normalizer, error) {
	if r.isFloat {
		if m, err := r.scaled(); err != nil || m != nil {
			return m, err
		}
	}

	m := newNormalizer(0)
	if len(r.plan.Audio.Assets) == 0 {
		m.limiter = audio.NewGuard(guardDB)
	}
	return m, nil
}

// scaled returns the normalizer that scales audio beyond full scale; it may be nil.
func (r *render) scaled() (*normalizer, error) {
	meter, counted := audio.NewLoudnessMeter(), r.counted(r.tally.pass())
	err := r.mix(func(part av.Stereo) error {
		counted(part)
		meter.Add(part.Left, part.Right)
		return nil
	})
	if err != nil {
		return nil, err
	}

	var peaks []float64
	for _, e := range meter.Energies() {
		peaks = append(peaks, e.Peak)
	}
	slices.Sort(peaks)
	last := len(peaks) - 1
	if last < 0 || peaks[last] <= 1 {
		return nil, nil
	}
	r.loudest = peaks[last]
	usual := peaks[int(float64(last)*(1-overShare))]
	m := newNormalizer(min(0, floatCeilingDB-20*math.Log10(max(usual, 1))))
	m.limiter = audio.NewGuard(floatCeilingDB)
	return m, nil
}

// noteLoudest stores how far the audio exceeded full scale before a normalizer lowered it.
func (r *render) noteLoudest(m *normalizer) {
	if r.plan.Audio.Normalize || m.limiter == nil {
		return
	}
	if over := 20 * math.Log10(max(r.loudest, m.limiter.Loudest(), 1)); over >= saidOverDB {
		r.result.OverDB = math.Round(10*over) / 10
	}
}

// initialGain returns the gain to start with. sure reports that it is as precise as a measurement.
// ok is false for silence.
func (r *render) initialGain() (gain float64, sure, ok bool, err error) {
	if parts, known := r.storedEnergies(); known {
		gain, sure, ok = audio.MasterGain(parts, r.plan.Volume, r.targetLUFS(), ceilingDB)
		return min(gain, mostGainDB), sure && gain < mostGainDB, ok, nil
	}

	loud, ok, err := r.measureMix(&normalizer{})
	return min(r.targetLUFS()-loud, mostGainDB), false, ok, err
}

// targetLUFS returns the loudness of the plan, measured on both sides.
func (r *render) targetLUFS() float64 {
	if r.plan.Mono {
		return r.plan.Audio.TargetLUFS + media.MonoLUFS
	}
	return r.plan.Audio.TargetLUFS
}

// storedEnergies returns the energies of the output. known is false if the output contains more
// than recorded audio and room tone, or if a recording has no stored energies.
func (r *render) storedEnergies() (parts []audio.EnergyRange, known bool) {
	if mix := r.plan.Audio; mix.Denoise > 0 || len(mix.Bleeped)+len(mix.Assets) > 0 {
		return nil, false
	}
	energies := make([][]media.Energy, len(r.plan.Inputs))
	for i, in := range r.plan.Inputs {
		if !in.HasAudio {
			continue
		}
		// The energies are those of both channels as recorded, and of tracks and microphones as an
		// earlier version may have mixed them.
		if in.VoiceOn != "" || len(in.Tracks) > 1 || in.Channels > 2 {
			return nil, false
		}
		if energies[i], known = storedEnergies(in.EnergiesPath); !known {
			return nil, false
		}
		for step, e := range energies[i] {
			energies[i][step] = e.Scale(r.sideGain(i))
		}
	}

	muted := r.muted
	for _, seg := range r.plan.Segments {
		from, at, n := r.plan.Samples(seg)
		own := audio.EnergyRange{Energies: energies[seg.Input], From: from}
		for ; len(muted) > 0 && muted[0].output.From < at+n; muted = muted[1:] {
			own.Samples = muted[0].source.From - own.From
			parts = append(parts, own, muted[0].energyRange())
			own.From = muted[0].source.To
		}

		own.Samples = from + n - own.From
		parts = append(parts, own)
	}

	return parts, true
}

// sideGain returns the gain of an input on each side of the output. Stored energies are without it.
func (r *render) sideGain(input int) float64 {
	if r.plan.Inputs[input].Channels == 1 && !r.plan.Mono {
		return media.MonoGain
	}
	return 1
}

// energyRange returns the energy of the room tone for a part.
func (m mutedPart) energyRange() audio.EnergyRange {
	samples := m.output.To - m.output.From
	steps := samples*1000/media.SampleRate/media.EnergyMS + 1
	return audio.EnergyRange{Energies: slices.Repeat([]media.Energy{m.energy}, int(steps)), Samples: samples}
}

// measureMix measures the loudness of the mix after a normalizer.
func (r *render) measureMix(m *normalizer) (lufs float64, ok bool, err error) {
	meter := audio.NewLoudnessMeter()
	counted := r.counted(r.tally.pass())
	measure := func(part av.Stereo) error {
		counted(part)
		meter.Add(part.Left, part.Right)
		return nil
	}
	if err := r.mix(m.process(measure)); err != nil {
		return 0, false, err
	}
	if err := m.finish(measure); err != nil {
		return 0, false, err
	}
	lufs, ok = meter.LUFS()
	return lufs, ok, nil
}
