package libav

/*
// Four samples, at any address.
typedef float roughcut_samples __attribute__((vector_size(16), aligned(4), may_alias));
typedef int roughcut_lanes __attribute__((vector_size(16)));

// Returns 1 if all samples are between -most and most, else 0.
static int roughcut_within(const float *x, int n, float most) {
	const roughcut_samples high = {most, most, most, most}, low = -high;
	roughcut_lanes within = {-1, -1, -1, -1};
	int i = 0;
	for (; i + 4 <= n; i += 4) {
		roughcut_samples v = *(const roughcut_samples *)(x + i);
		within &= (v >= low) & (v <= high);
	}
	int all = within[0] & within[1] & within[2] & within[3] & 1;
	for (; i < n; i++) {
		all &= x[i] >= -most && x[i] <= most;
	}
	return all;
}
*/
import "C"

import "math"

// stereo is audio at media.SampleRate. Both channels have the same length.
type stereo struct{ left, right []float32 }

func newStereo(n int64) stereo { return stereo{make([]float32, n), make([]float32, n)} }

func (s stereo) len() int64 { return int64(len(s.left)) }

// cut returns samples [from, to). They share memory with s.
func (s stereo) cut(from, to int64) stereo { return stereo{s.left[from:to], s.right[from:to]} }

// add appends samples, replacing invalid ones.
func (s stereo) add(left, right []float32) stereo {
	return stereo{appendClean(s.left, left), appendClean(s.right, right)}
}

// interleaved returns the samples as 16-bit integers, left and right in turn.
func (s stereo) interleaved() []int16 {
	out := make([]int16, 0, 2*s.len())
	for i := range s.left {
		for _, v := range []float32{s.left[i], s.right[i]} {
			out = append(out, int16(math.Round(float64(min(max(v, -1), 1))*math.MaxInt16)))
		}
	}

	return out
}

// drop removes the first n samples and keeps the memory.
func (s stereo) drop(n int64) stereo {
	if n == 0 {
		return s
	}
	return stereo{s.left[:copy(s.left, s.left[n:])], s.right[:copy(s.right, s.right[n:])]}
}

// overlay copies other to position at of s. Parts outside s are ignored.
func (s stereo) overlay(other stereo, at int64) {
	if at < 0 {
		n := min(-at, other.len())
		other, at = other.cut(n, other.len()), 0
	}

	if at < s.len() {
		copy(s.left[at:], other.left)
		copy(s.right[at:], other.right)
	}
}

// fade fades in the first fadeSamples, or fades out the last ones.
func (s stereo) fade(in bool) {
	n := min(s.len(), fadeSamples)
	for i := range n {
		gain, at := rise(i, n), i
		if !in {
			at = s.len() - 1 - i
		}
		s.left[at] *= gain
		s.right[at] *= gain
	}
}

// rise returns the gain of sample i of a fade over n samples: half a cosine, which has no audible
// corners.
func rise(i, n int64) float32 {
	return float32(0.5 - 0.5*math.Cos(math.Pi*(float64(i)+0.5)/float64(n)))
}

// scale multiplies every sample.
func (s stereo) scale(gain float32) {
	if gain == 1 {
		return
	}
	for i := range s.left {
		s.left[i] *= gain
		s.right[i] *= gain
	}
}

// power returns the mean power of the louder channel, 1 at full scale.
func (s stereo) power() float64 {
	left, right := 0.0, 0.0
	for i := range s.left {
		left += float64(s.left[i]) * float64(s.left[i])
		right += float64(s.right[i]) * float64(s.right[i])
	}

	return max(left, right) / float64(max(1, s.len()))
}

// appendClean appends samples. NaN becomes silence, and values far beyond full scale are clipped.
func appendClean(to, from []float32) []float32 {
	const most = 8
	start := len(to)
	to = append(to, from...)
	if len(from) == 0 || C.roughcut_within((*C.float)(&from[0]), C.int(len(from)), most) == 1 {
		return to
	}
	for i, v := range to[start:] {
		switch {
		case v >= -most && v <= most:
		case v > most:
			to[start+i] = most
		case v < -most:
			to[start+i] = -most
		default:
			to[start+i] = 0
		}
	}

	return to
}

// isSilent reports whether all samples are 0.
func (s stereo) isSilent() bool { return allZero(s.left) && allZero(s.right) }

func allZero(samples []float32) bool {
	for _, v := range samples {
		if v != 0 {
			return false
		}
	}

	return true
}

// ramp fades one part of a longer range. The part starts at sample at of a range of n samples. The
// first or last fadeSamples of the range fade in or out, at most half of it.
func (s stereo) ramp(at, n int64, in bool) { s.rampOver(fadeSamples, at, n, in) }

// rampOver is ramp with a length in samples.
func (s stereo) rampOver(length, at, n int64, in bool) {
	length = min(length, n/2)
	for i := range s.len() {
		edge := at + i // distance from the faded edge
		if !in {
			edge = n - 1 - edge
		}
		if edge < length {
			gain := rise(edge, length)
			s.left[i] *= gain
			s.right[i] *= gain
		}
	}
}
