package libav

import (
	"math"
	"os"

	"roughcut/media"
)

// master brings the finished mix to its loudness: one gain for all of it, and a limiter for the
// peaks. The zero master leaves it as it is.
type master struct {
	gain    float64 // linear
	limiter *media.Limiter
	skip    int64 // samples that the limiter still gives from before the beginning
}

// Of a normalised output: its ceiling in dB of true peak, which leaves room for what encoding adds,
// how near the target it must come in LU, what of a miss at most the limiter takes away again when
// the gain makes up for it, how often that is tried and how often one listens as a rule, and the
// most that quiet sound is raised.
const (
	ceilingDB      = -1.5
	loudnessMissLU = 0.2
	limiterShare   = 0.5
	loudnessTries  = 4
	usualTries     = 2
	mostGainDB     = 40
)

func newMaster(gainDB float64) *master {
	return &master{gain: math.Pow(10, gainDB/20), limiter: media.NewLimiter(ceilingDB), skip: media.LimiterDelay}
}

// through returns what gives mastered sound on to write.
func (m *master) through(write func(stereo) error) func(stereo) error {
	if m.limiter == nil {
		return write
	}
	return func(part stereo) error {
		m.limiter.Limit(part.left, part.right, m.gain)
		n := min(m.skip, part.len())
		m.skip -= n
		return write(part.cut(n, part.len()))
	}
}

// finish gives on what the limiter still holds.
func (m *master) finish(write func(stereo) error) error {
	if m.limiter == nil {
		return nil
	}
	rest := newStereo(media.LimiterDelay)
	return m.through(write)(rest)
}

// measureLoudness finds the gain by which the output reaches the loudness of its plan: from the
// energies that ingest has kept where nothing but cuts and volume touches the sound, by listening
// to the whole mix otherwise. Unless the limiter hardly matters it then listens with gain and
// limiter until what is made up for then comes near enough.
func (r *render) measureLoudness() (*master, error) {
	if !r.plan.Audio.Normalize {
		if len(r.plan.Audio.Assets) > 0 { // what adds up must not clip
			return newMaster(0), nil
		}
		return &master{}, nil
	}
	gain, sure, ok, err := r.firstGain()
	if err != nil || !ok {
		return &master{}, err
	}
	if sure {
		return newMaster(gain), nil
	}
	for range loudnessTries {
		loud, ok, err := r.listen(newMaster(gain))
		if err != nil {
			return nil, err
		}
		miss := r.plan.Audio.TargetLUFS - loud
		if !ok || gain >= mostGainDB || math.Abs(miss) < loudnessMissLU {
			break
		}
		gain = min(gain+miss, mostGainDB)
		if math.Abs(miss)*limiterShare < loudnessMissLU {
			break
		}
	}
	return newMaster(gain), nil
}

// firstGain returns the gain to begin with, and whether it is as near as measuring would come. ok
// is false for silence.
func (r *render) firstGain() (gain float64, sure, ok bool, err error) {
	if parts, known := r.keptEnergies(); known {
		gain, sure, ok = media.MasterGain(parts, r.plan.Volume, r.plan.Audio.TargetLUFS, ceilingDB)
		return min(gain, mostGainDB), sure && gain < mostGainDB, ok, nil
	}
	loud, ok, err := r.listen(&master{})
	return min(r.plan.Audio.TargetLUFS-loud, mostGainDB), false, ok, err
}

// keptEnergies returns the energies of the output, where its sound is that of the recordings and
// these were measured.
func (r *render) keptEnergies() (parts []media.EnergyRange, known bool) {
	sound := r.plan.Audio
	if sound.Denoise > 0 || len(sound.Silenced)+len(sound.Assets) > 0 {
		return nil, false
	}
	kept := make([][]media.Energy, len(r.plan.Inputs))
	for i, in := range r.plan.Inputs {
		if !in.HasAudio {
			continue
		}
		packed, err := os.ReadFile(in.EnergiesPath)
		if err != nil { // as of a recording from before they were kept
			return nil, false
		}
		if kept[i], err = media.UnpackEnergies(packed); err != nil {
			return nil, false
		}
	}
	for _, seg := range r.plan.Segments {
		from, _, n := r.plan.Samples(seg)
		parts = append(parts, media.EnergyRange{Energies: kept[seg.Input], From: from, Samples: n})
	}
	return parts, true
}

// listen measures the loudness of the mix as a master leaves it.
func (r *render) listen(m *master) (lufs float64, ok bool, err error) {
	meter := media.NewLoudnessMeter()
	counted := r.counted(r.tally.pass())
	hear := func(part stereo) error {
		counted(part)
		meter.Add(part.left, part.right)
		return nil
	}
	if err := r.mix(m.through(hear)); err != nil {
		return 0, false, err
	}
	if err := m.finish(hear); err != nil {
		return 0, false, err
	}
	lufs, ok = meter.LUFS()
	return lufs, ok, nil
}
