package av

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

// Stereo is audio at media.SampleRate. Both channels have the same length.
type Stereo struct{ Left, Right []float32 }

// NewStereo returns n samples of silence.
func NewStereo(n int64) Stereo { return Stereo{make([]float32, n), make([]float32, n)} }

// Len returns the number of samples.
func (s Stereo) Len() int64 { return int64(len(s.Left)) }

// Cut returns samples [from, to). They share memory with s.
func (s Stereo) Cut(from, to int64) Stereo { return Stereo{s.Left[from:to], s.Right[from:to]} }

// Add appends samples, replacing invalid ones.
func (s Stereo) Add(left, right []float32) Stereo {
	return Stereo{appendClean(s.Left, left), appendClean(s.Right, right)}
}

// Interleaved returns the samples as 16-bit integers, left and right in turn.
func (s Stereo) Interleaved() []int16 {
	out := make([]int16, 0, 2*s.Len())
	for i := range s.Left {
		for _, v := range []float32{s.Left[i], s.Right[i]} {
			out = append(out, int16(math.Round(float64(min(max(v, -1), 1))*math.MaxInt16)))
		}
	}

	return out
}

// drop removes the first n samples and keeps the memory.
func (s Stereo) drop(n int64) Stereo {
	if n == 0 {
		return s
	}
	return Stereo{s.Left[:copy(s.Left, s.Left[n:])], s.Right[:copy(s.Right, s.Right[n:])]}
}

// overlay copies other to position at of s. Parts outside s are ignored.
func (s Stereo) overlay(other Stereo, at int64) {
	if at < 0 {
		n := min(-at, other.Len())
		other, at = other.Cut(n, other.Len()), 0
	}

	if at < s.Len() {
		copy(s.Left[at:], other.Left)
		copy(s.Right[at:], other.Right)
	}
}

// fade fades in the first fadeSamples, or fades out the last ones.
func (s Stereo) fade(in bool) {
	n := min(s.Len(), FadeSamples)
	for i := range n {
		gain, at := Rise(i, n), i
		if !in {
			at = s.Len() - 1 - i
		}
		s.Left[at] *= gain
		s.Right[at] *= gain
	}
}

// Rise returns the gain of sample i of a fade over n samples: half a cosine, which has no audible
// corners.
func Rise(i, n int64) float32 {
	return float32(0.5 - 0.5*math.Cos(math.Pi*(float64(i)+0.5)/float64(n)))
}

// Scale multiplies every sample.
func (s Stereo) Scale(gain float32) {
	if gain == 1 {
		return
	}
	for i := range s.Left {
		s.Left[i] *= gain
		s.Right[i] *= gain
	}
}

// Power returns the mean power of the louder channel, 1 at full scale.
func (s Stereo) Power() float64 {
	left, right := 0.0, 0.0
	for i := range s.Left {
		left += float64(s.Left[i]) * float64(s.Left[i])
		right += float64(s.Right[i]) * float64(s.Right[i])
	}

	return max(left, right) / float64(max(1, s.Len()))
}

// appendClean appends samples. NaN becomes silence, and values far beyond full scale are clipped.
func appendClean(to, from []float32) []float32 {
	const most = 64
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

// IsSilent reports whether all samples are 0.
func (s Stereo) IsSilent() bool { return allZero(s.Left) && allZero(s.Right) }

func allZero(samples []float32) bool {
	for _, v := range samples {
		if v != 0 {
			return false
		}
	}

	return true
}

// Ramp fades one part of a longer range. The part starts at sample at of a range of n samples. The
// first or last fadeSamples of the range fade in or out, at most half of it.
func (s Stereo) Ramp(at, n int64, in bool) { s.RampOver(FadeSamples, at, n, in) }

// RampOver is ramp with a length in samples.
func (s Stereo) RampOver(length, at, n int64, in bool) {
	length = min(length, n/2)
	for i := range s.Len() {
		edge := at + i // distance from the faded edge
		if !in {
			edge = n - 1 - edge
		}
		if edge < length {
			gain := Rise(edge, length)
			s.Left[i] *= gain
			s.Right[i] *= gain
		}
	}
}
