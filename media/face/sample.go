package face

import (
	"cmp"
	"errors"
	"math"
	"math/bits"
	"slices"

	"roughcut/media"
)

// Limits of the frames that Sample searches. If the face is in different places in two frames,
// Sample searches another frame between them, until the time between frames is short.
const (
	faceFrames    = 12   // at most, if the face does not move
	faceEveryMS   = 3000 // at most one frame in this time, if the face does not move
	movingEveryMS = 4000 // on average, if it moves
	movingFrames  = 300  // at most, if it moves
	movingGapMS   = 1000 // frames are not closer than that
	faceMoved     = 0.08 // of the frame
)

// Errors of the search of a frame that tell Sample how to continue.
var (
	ErrNoFrame = errors.New("the frame cannot be decoded")
	ErrEnough  = errors.New("enough frames")
)

// faceSample holds the faces in a frame of a recording.
type faceSample struct {
	ms    int64
	faces []media.Face
}

// Sample looks for faces in evenly spread frames, and then where the largest face moves. It returns
// the faces of each frame, in order of time. keyframes holds the times of frames that are decoded
// without others; nil if they are unknown. look returns the faces at a time, or ErrNoFrame, or
// ErrEnough to look no more. Errors: the others of look.
func Sample(
	durationMS int64, keyframes []int64, look func(ms int64) ([]media.Face, error),
) (frames [][]media.Face, err error) {
	samples, err := sampleFaces(durationMS, keyframes, look)
	if err != nil && !errors.Is(err, ErrEnough) {
		return nil, err
	}
	for _, s := range samples {
		frames = append(frames, s.faces)
	}
	return frames, nil
}

// sampleFaces returns the samples until an error.
func sampleFaces(
	durationMS int64, keyframes []int64, look func(ms int64) ([]media.Face, error),
) (samples []faceSample, err error) {
	gone := map[int64]bool{}
	add := func(ms int64) error {
		found, err := look(ms)
		if errors.Is(err, ErrNoFrame) {
			gone[ms] = true
			return nil
		}

		if err != nil {
			return err
		}
		i, _ := slices.BinarySearchFunc(samples, ms, func(s faceSample, ms int64) int { return cmp.Compare(s.ms, ms) })
		samples = slices.Insert(samples, i, faceSample{ms, found})
		return nil
	}
	for _, ms := range bitReversed(faceTimes(durationMS, keyframes)) {
		if err := add(ms); err != nil {
			return samples, err
		}
	}

	for len(samples)+len(gone) < int(min(durationMS/movingEveryMS, movingFrames)) {
		ms, found := whereFaceMoves(samples, keyframes, gone)
		if !found {
			break
		}
		if err := add(ms); err != nil {
			return samples, err
		}
	}

	return samples, nil
}

// bitReversed orders times by their bit-reversed indexes, so that each prefix of the result is
// spread over all times.
func bitReversed(times []int64) (ordered []int64) {
	for i := range 1 << bits.Len(uint(len(times))) {
		if n := int(bits.Reverse64(uint64(i)) >> (64 - bits.Len(uint(len(times))))); n < len(times) {
			ordered = append(ordered, times[n])
		}
	}

	return ordered
}

// whereFaceMoves returns a time in the middle of the longest gap between two samples where the
// largest face moves. A gap also counts if the face moves in the next or previous gap, because the
// face may leave and return within a gap. If keyframes are known, the time is a keyframe that is
// not in gone.
func whereFaceMoves(samples []faceSample, keyframes []int64, gone map[int64]bool) (at int64, found bool) {
	// Gap i ends at sample i.
	movesIn := func(i int) bool {
		return i >= 1 && i < len(samples) && moved(samples[i-1].faces, samples[i].faces)
	}
	movesNear := func(i int) bool { return movesIn(i-1) || movesIn(i) || movesIn(i+1) }
	longest := int64(2*movingGapMS - 1)
	for i := 1; i < len(samples); i++ {
		start, end := samples[i-1].ms, samples[i].ms
		if end-start <= longest || !movesNear(i) {
			continue
		}
		if ms, usable := middleOf(start, end, keyframes, gone); usable {
			at, found, longest = ms, true, end-start
		}
	}

	return at, found
}

// middleOf returns the keyframe that is nearest to the middle between two times, or the middle if
// no keyframes are known. Keyframes that are near an end or gone do not count.
func middleOf(start, end int64, keyframes []int64, gone map[int64]bool) (at int64, found bool) {
	middle := start + (end-start)/2
	if len(keyframes) == 0 {
		return middle, !gone[middle]
	}
	from, _ := slices.BinarySearch(keyframes, start+movingGapMS)
	for _, k := range keyframes[from:] {
		if k > end-movingGapMS {
			break
		}
		isNearest := !found || max(k-middle, middle-k) < max(at-middle, middle-at)
		if isNearest && !gone[k] {
			at, found = k, true
		}
	}

	return at, found
}

// moved reports whether the largest face is in other places in two frames.
func moved(before, after []media.Face) bool {
	if len(before) == 0 || len(after) == 0 {
		return false
	}
	size := func(a, b media.Face) int { return cmp.Compare(a.Size, b.Size) }
	a, b := slices.MaxFunc(before, size), slices.MaxFunc(after, size)
	return math.Abs(a.X-b.X) > faceMoved || math.Abs(a.Y-b.Y) > faceMoved
}

// faceTimes returns the times of the frames to search: evenly spread, at keyframes if keyframes are
// known.
func faceTimes(durationMS int64, keyframes []int64) (times []int64) {
	n := min(max(durationMS/faceEveryMS, 1), faceFrames)
	for i := range n {
		at := durationMS * (2*i + 1) / (2 * n)
		if k, _ := slices.BinarySearch(keyframes, at); len(keyframes) > 0 {
			at = keyframes[max(0, k-1)]
		}
		if len(times) == 0 || at > times[len(times)-1] {
			times = append(times, at)
		}
	}

	return times
}
