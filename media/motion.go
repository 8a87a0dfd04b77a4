package media

import (
	"math"
	"slices"
)

// MotionOctave is how much a value of motion grows when the video changes twice as much.
const MotionOctave = 40

// Shares of the seconds of a recording, sorted by change. MotionOf reads the change of calm seconds
// there.
const (
	motionStillShare = 0.1
	motionCalmShare  = 0.25
)

// MotionOf returns how much the video of a recording moves, one value for each second: 0 for calm,
// MotionOctave for twice the change of a calm second, and so on. changes holds the amount of change
// in each second, in any linear unit. Amounts up to still are invisible.
//
// The calm of a recording depends on its kind. A screen recording stands still now and then, so any
// visible change is motion. A camera never sees the same frame twice, so calm is the change of its
// quieter seconds. Amounts above busy are motion even if the recording never changes less.
func MotionOf(changes []float64, still, busy float64) []byte {
	if len(changes) == 0 {
		return nil
	}
	sorted := slices.Clone(changes)
	slices.Sort(sorted)
	share := func(s float64) float64 { return sorted[int(s*float64(len(sorted)-1))] }
	calm := still
	if share(motionStillShare) > still {
		calm = min(share(motionCalmShare), busy)
	}
	values := make([]byte, len(changes))
	for i, c := range changes {
		values[i] = byte(min(max(MotionOctave*math.Log2(max(c, still)/calm), 0), math.MaxUint8))
	}
	return values
}
