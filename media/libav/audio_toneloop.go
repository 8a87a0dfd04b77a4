package libav

import (
	"math"
	"slices"

	"roughcut/media"
)

// Lengths of a loop of room tone, in samples at media.SampleRate. The next part may move by
// toneSeekSamples to fit the end of the loop, which is more than a period of mains hum.
const (
	toneLoopSamples = 2 * media.SampleRate
	toneLapSamples  = media.SampleRate / 50
	toneSeekSamples = media.SampleRate / 40
	toneStride      = 4 // of the samples that a fit is measured with
)

// toneLoop returns a loop of room tone from parts of a recording. It repeats the parts, every other
// time reversed, until the loop is long enough to hide its period. Overlaps are placed where the
// waveforms fit, so that hum stays steady. Parts that are too short are dropped.
func toneLoop(parts []stereo) (loop stereo) {
	parts = slices.DeleteFunc(slices.Clone(parts), func(p stereo) bool {
		return p.len() <= toneLapSamples+toneSeekSamples
	})
	if len(parts) == 0 {
		return loop
	}
	for i := 0; loop.len() < toneLoopSamples+toneLapSamples+toneSeekSamples; i++ {
		next := parts[i%len(parts)]
		if i/len(parts)%2 == 1 {
			next = next.reversed()
		}
		loop = loop.lap(next)
	}

	return loop.closed()
}

// reversed returns a copy that runs backward.
func (s stereo) reversed() stereo {
	out := stereo{slices.Clone(s.left), slices.Clone(s.right)}
	slices.Reverse(out.left)
	slices.Reverse(out.right)
	return out
}

// lap appends a part with a crossfade over the end of s. The part starts where it fits best.
func (s stereo) lap(next stereo) stereo {
	if s.len() == 0 {
		return s.add(next.left, next.right)
	}
	tail := s.cut(s.len()-toneLapSamples, s.len())
	start, fit := int64(0), -1.0
	for at := int64(0); at < toneSeekSamples; at += toneStride {
		if likeness := tail.likeness(next.cut(at, at+toneLapSamples)); likeness > fit {
			start, fit = at, likeness
		}
	}

	next = next.cut(start, next.len())
	tail.crossfade(next.cut(0, toneLapSamples), fit)
	return s.add(next.left[toneLapSamples:], next.right[toneLapSamples:])
}

// closed returns the loop whose end continues at its start.
func (s stereo) closed() stereo {
	head := s.cut(0, toneLapSamples)
	end, fit := s.len()-toneLapSamples, -1.0
	for at := end - toneSeekSamples; at <= s.len()-toneLapSamples; at += toneStride {
		if likeness := head.likeness(s.cut(at, at+toneLapSamples)); likeness > fit {
			end, fit = at, likeness
		}
	}

	tail := s.cut(end, end+toneLapSamples)
	tail.crossfade(head, fit)
	copy(head.left, tail.left)
	copy(head.right, tail.right)
	return s.cut(0, end)
}

// likeness returns the correlation of two parts of the same length, -1 to 1; 0 for silence.
func (s stereo) likeness(other stereo) float64 {
	var product, own, others float64
	for i := int64(0); i < s.len(); i += toneStride {
		a, b := float64(s.left[i]+s.right[i]), float64(other.left[i]+other.right[i])
		product, own, others = product+a*b, own+a*a, others+b*b
	}

	if own == 0 || others == 0 {
		return 0
	}
	return product / math.Sqrt(own*others)
}

// crossfade fades from s to another part of the same length. likeness is their correlation, from
// which the gains follow that keep the level.
func (s stereo) crossfade(to stereo, likeness float64) {
	likeness = min(max(likeness, 0), 1)
	n := s.len()
	for i := range n {
		in := float64(rise(i, n))
		out := 1 - in
		level := 1 / math.Sqrt(in*in+out*out+2*likeness*in*out)
		s.left[i] = float32(level * (out*float64(s.left[i]) + in*float64(to.left[i])))
		s.right[i] = float32(level * (out*float64(s.right[i]) + in*float64(to.right[i])))
	}
}
