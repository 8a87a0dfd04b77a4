package audio

import (
	"encoding/binary"
	"errors"
	"math"

	"roughcut/media"
)

// EnergyRange is part of a recording.
type EnergyRange struct {
	Energies []media.Energy // of the recording; nil for silence
	From     int64          // samples at SampleRate
	Samples  int64
}

// A packed energy is two little-endian numbers of two bytes, one for the power and one for the
// peak, in hundredths of a decibel above energyFloorDB.
const (
	packedEnergyBytes = 4
	energyFloorDB     = -140
)

// PackEnergies encodes energies in a tenth of the size of JSON: an hour takes 144 KB.
func PackEnergies(list []media.Energy) []byte {
	out := make([]byte, 0, packedEnergyBytes*len(list))
	hundredths := func(db float64) uint16 {
		return uint16(min(max(math.Round(100*(db-energyFloorDB)), 0), math.MaxUint16))
	}
	for _, e := range list {
		out = binary.LittleEndian.AppendUint16(out, hundredths(10*math.Log10(e.Power)))
		out = binary.LittleEndian.AppendUint16(out, hundredths(20*math.Log10(e.Peak)))
	}

	return out
}

// UnpackEnergies decodes the output of PackEnergies. It fails if the data is truncated.
func UnpackEnergies(packed []byte) ([]media.Energy, error) {
	if len(packed)%packedEnergyBytes != 0 {
		return nil, errors.New("unpack energies: truncated data")
	}
	list := make([]media.Energy, 0, len(packed)/packedEnergyBytes)
	value := func(at int, scale float64) float64 {
		n := binary.LittleEndian.Uint16(packed[at:])
		if n == 0 {
			return 0
		}
		return math.Pow(10, (float64(n)/100+energyFloorDB)/scale)
	}
	for at := 0; at < len(packed); at += packedEnergyBytes {
		list = append(list, media.Energy{Power: value(at, 10), Peak: value(at+2, 20)})
	}
	return list, nil
}

// IntegratedLoudness returns the integrated loudness of energies. ok is false if the audio is too
// quiet or too short.
func IntegratedLoudness(list []media.Energy) (lufs float64, ok bool) { return gatedLoudness(list) }

// ConcatEnergies returns the energies of parts played one after the other. A step that covers
// several source steps gets its share of each.
func ConcatEnergies(parts []EnergyRange) []media.Energy {
	var out []media.Energy
	var now media.Energy
	filled := int64(0)
	for _, p := range parts {
		for at, end := p.From, p.From+p.Samples; at < end; {
			n := min(end-at, stepSamples-filled, stepSamples-at%stepSamples)
			if i := at / stepSamples; at >= 0 && i < int64(len(p.Energies)) {
				now.Power += p.Energies[i].Power * float64(n) / stepSamples
				now.Peak = max(now.Peak, p.Energies[i].Peak)
			}

			at += n
			if filled += n; filled == stepSamples {
				out = append(out, now)
				now, filled = media.Energy{}, 0
			}
		}
	}

	return out
}

// maxUncertaintyLU is the largest possible loudness loss in a limiter that still lets MasterGain be
// sure. The gain compensates for half of that loss.
const maxUncertaintyLU = 0.4

// MasterGain returns the gain in dB that brings parts at the given volume to targetLUFS, through a
// Limiter at the given ceiling. sure means that the limiter changes so little that measuring the
// result would give the same gain. ok is false if the audio has no loudness.
func MasterGain(parts []EnergyRange, volume, targetLUFS, ceiling float64) (gainDB float64, sure, ok bool) {
	steps := ConcatEnergies(parts)
	for i, e := range steps {
		steps[i] = e.Scale(volume)
	}
	loudness, ok := gatedLoudness(steps)
	if !ok {
		return 0, false, false
	}
	gainDB = targetLUFS - loudness
	for range 3 {
		limited, _ := gatedLoudness(limitPerStep(steps, math.Pow(10, gainDB/20), math.Pow(10, (ceiling-headroomDB)/20)))
		sure = loudness-limited < maxUncertaintyLU
		gainDB = targetLUFS - (loudness+limited)/2
		if loudness == limited {
			break
		}
	}

	return gainDB, sure, true
}

// limitPerStep estimates the most that a limiter takes away: it attenuates each whole step for its
// peak, and the next step while the limiter releases. The result is without the gain.
func limitPerStep(steps []media.Energy, gain, ceiling float64) []media.Energy {
	out := make([]media.Energy, len(steps))
	before := 1.0
	for i, e := range steps {
		gainNow := min(1, ceiling/max(e.Peak*gain, 1e-9))
		out[i] = e.Scale(min(gainNow, before))
		before = gainNow
	}

	return out
}
