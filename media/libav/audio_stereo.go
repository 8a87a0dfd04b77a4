package libav

import "math"

// stereo is a stretch of sound at media.SampleRate; both channels are of one length.
type stereo struct{ left, right []float32 }

func newStereo(n int64) stereo { return stereo{make([]float32, n), make([]float32, n)} }

func (s stereo) len() int64 { return int64(len(s.left)) }

// cut returns samples [from, to) in the same memory.
func (s stereo) cut(from, to int64) stereo { return stereo{s.left[from:to], s.right[from:to]} }

// add appends samples, cleared of what is no number.
func (s stereo) add(left, right []float32) stereo {
	return stereo{appendClean(s.left, left), appendClean(s.right, right)}
}

// drop takes the first n samples away and keeps the memory.
func (s stereo) drop(n int64) stereo {
	if n == 0 {
		return s
	}
	return stereo{s.left[:copy(s.left, s.left[n:])], s.right[:copy(s.right, s.right[n:])]}
}

// overlay copies other to position at of s, which may lie before or beyond it.
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

// fade shapes the first fadeSamples from silence, or the last ones into silence.
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

// rise returns the gain of sample i of a fade of n: half a cosine, which has no corners that could
// be heard.
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

// appendClean appends samples; what is not a number becomes silence, and what is far beyond full
// scale is clipped.
func appendClean(to, from []float32) []float32 {
	const most = 8
	for _, v := range from {
		switch {
		case v != v:
			v = 0
		case v > most:
			v = most
		case v < -most:
			v = -most
		}
		to = append(to, v)
	}
	return to
}

// ramp fades a part of a longer stretch: the part begins at sample at of a stretch of n samples,
// whose first or last fadeSamples (half of it, where it is that short) rise from or fall to
// silence.
func (s stereo) ramp(at, n int64, in bool) {
	length := min(fadeSamples, n/2)
	for i := range s.len() {
		edge := at + i // distance from the edge that is faded
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
