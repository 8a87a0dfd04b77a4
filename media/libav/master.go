package libav

import (
	"math"

	"roughcut/media"
)

// master brings the finished mix to its loudness: one gain for all of it, and a limiter for the peaks. The zero master leaves it as it is.
type master struct {
	gain    float64 // linear
	limiter *media.Limiter
	skip    int64 // samples that the limiter still gives from before the beginning
}

// Of a normalised output: its ceiling in dB of true peak, which leaves room for what encoding adds, how near the target it must come in LU, how often
// that is tried and how often one listens as a rule, and the most that quiet sound is raised.
const (
	ceilingDB      = -1.5
	loudnessMissLU = 0.2
	loudnessTries  = 4
	usualTries     = 3
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

// measureLoudness finds the gain by which the output reaches the loudness of its plan. It listens to the whole mix once, and again with gain and
// limiter until that is near enough: what the limiter takes away is made up for.
func (r *render) measureLoudness() (*master, error) {
	if !r.plan.Sound.Normalize {
		if len(r.plan.Sound.Assets) > 0 { // what adds up must not clip
			return newMaster(0), nil
		}
		return &master{}, nil
	}
	loud, ok, err := r.listen(&master{})
	if err != nil || !ok {
		return &master{}, err
	}
	gain := min(r.plan.Sound.TargetLUFS-loud, mostGainDB)
	for range loudnessTries {
		loud, ok, err := r.listen(newMaster(gain))
		if err != nil {
			return nil, err
		}
		miss := r.plan.Sound.TargetLUFS - loud
		if !ok || gain >= mostGainDB || math.Abs(miss) < loudnessMissLU {
			break
		}
		gain = min(gain+miss, mostGainDB)
	}
	return newMaster(gain), nil
}

// listen measures the loudness of the mix as a master leaves it.
func (r *render) listen(m *master) (lufs float64, ok bool, err error) {
	meter := media.NewLoudness()
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
