package media

import (
	"encoding/binary"
	"errors"
	"math"
)

// EnergyMS is the length in milliseconds of the step that an Energy is of.
const EnergyMS = 100

// Energy is how loud a step of sound is. From the energies of a recording the loudness of any cuts
// of it follows without hearing it again.
type Energy struct {
	Power float64 // K-weighted mean square, both channels together
	Peak  float64 // largest sample, full scale is 1
}

// EnergySpan is a stretch of a recording.
type EnergyRange struct {
	Energies []Energy // of the recording; nil for silence
	From     int64    // samples at SampleRate
	Samples  int64
}

// A packed energy is two numbers of two bytes, little endian: hundredths of decibels above
// energyFloorDB, of the power and of the peak.
const (
	packedEnergy  = 4
	energyFloorDB = -140
)

// PackEnergies writes energies in a tenth of the room of JSON: an hour takes 144 KB.
func PackEnergies(list []Energy) []byte {
	out := make([]byte, 0, packedEnergy*len(list))
	hundredths := func(db float64) uint16 {
		return uint16(min(max(math.Round(100*(db-energyFloorDB)), 0), math.MaxUint16))
	}
	for _, e := range list {
		out = binary.LittleEndian.AppendUint16(out, hundredths(10*math.Log10(e.Power)))
		out = binary.LittleEndian.AppendUint16(out, hundredths(20*math.Log10(e.Peak)))
	}
	return out
}

// UnpackEnergies reads what PackEnergies wrote.
func UnpackEnergies(packed []byte) ([]Energy, error) {
	if len(packed)%packedEnergy != 0 {
		return nil, errors.New("reading energies: they are cut off")
	}
	list := make([]Energy, 0, len(packed)/packedEnergy)
	value := func(at int, scale float64) float64 {
		n := binary.LittleEndian.Uint16(packed[at:])
		if n == 0 {
			return 0
		}
		return math.Pow(10, (float64(n)/100+energyFloorDB)/scale)
	}
	for at := 0; at < len(packed); at += packedEnergy {
		list = append(list, Energy{value(at, 10), value(at+2, 20)})
	}
	return list, nil
}

// LoudnessOf returns the integrated loudness of energies; false where all of it is too quiet or too
// short to have one.
func IntegratedLoudness(list []Energy) (lufs float64, ok bool) { return integrated(list) }

// Joined returns the energies of stretches one after the other. A step that lies on several of
// theirs has its share of each.
func ConcatEnergies(parts []EnergyRange) []Energy {
	var out []Energy
	var now Energy
	filled := int64(0)
	for _, p := range parts {
		for at, end := p.From, p.From+p.Samples; at < end; {
			n := min(end-at, loudnessStep-filled, loudnessStep-at%loudnessStep)
			if i := at / loudnessStep; at >= 0 && i < int64(len(p.Energies)) {
				now.Power += p.Energies[i].Power * float64(n) / loudnessStep
				now.Peak = max(now.Peak, p.Energies[i].Peak)
			}
			at += n
			if filled += n; filled == loudnessStep {
				out = append(out, now)
				now, filled = Energy{}, 0
			}
		}
	}
	return out
}

// limiterUnsureLU is how much a limiter may take away, at the very most, for its gain to be known
// without listening: half of it is reckoned with.
const limiterUnsureLU = 0.4

// MasterGain returns the gain in dB by which stretches at a volume come to a loudness, with a
// Limiter at a ceiling. It is sure where the limiter takes so little away that hearing the result
// would not change it. ok is false for what has no loudness.
func MasterGain(parts []EnergyRange, volume, targetLUFS, ceiling float64) (gainDB float64, sure, ok bool) {
	steps := ConcatEnergies(parts)
	for i, e := range steps {
		steps[i] = Energy{e.Power * volume * volume, e.Peak * volume}
	}
	loud, ok := integrated(steps)
	if !ok {
		return 0, false, false
	}
	gainDB = targetLUFS - loud
	for range 3 {
		limited, _ := integrated(limitedAtMost(steps, math.Pow(10, gainDB/20), math.Pow(10, (ceiling-headroomDB)/20)))
		sure = loud-limited < limiterUnsureLU
		gainDB = targetLUFS - (loud+limited)/2
		if loud == limited {
			break
		}
	}
	return gainDB, sure, true
}

// limitedAtMost returns steps as a limiter would leave them if it turned the whole of each step
// down for its peak, and the step after it, while it lets go. They are without the gain.
func limitedAtMost(steps []Energy, gain, ceiling float64) []Energy {
	out := make([]Energy, len(steps))
	before := 1.0
	for i, e := range steps {
		turned := min(1, ceiling/max(e.Peak*gain, 1e-9))
		by := min(turned, before)
		out[i] = Energy{e.Power * by * by, e.Peak * by}
		before = turned
	}
	return out
}
