package libav

import (
	"math"
	"slices"

	"roughcut/media"
	"roughcut/media/libav/av"
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
func toneLoop(parts []av.Stereo) (loop av.Stereo) {
	parts = slices.DeleteFunc(slices.Clone(parts), func(p av.Stereo) bool {
		return p.Len() <= toneLapSamples+toneSeekSamples
	})
	if len(parts) == 0 {
		return loop
	}
	for i := 0; loop.Len() < toneLoopSamples+toneLapSamples+toneSeekSamples; i++ {
		next := parts[i%len(parts)]
		if i/len(parts)%2 == 1 {
			next = reversed(next)
		}
		loop = appendLap(loop, next)
	}

	return closedLoop(loop)
}

// reversed returns a copy that runs backward.
func reversed(s av.Stereo) av.Stereo {
	out := av.Stereo{Left: slices.Clone(s.Left), Right: slices.Clone(s.Right)}
	slices.Reverse(out.Left)
	slices.Reverse(out.Right)
	return out
}

// appendLap appends part of next to s, with a crossfade over the end of s. The part starts at the
// best match.
func appendLap(s, next av.Stereo) av.Stereo {
	if s.Len() == 0 {
		return s.Add(next.Left, next.Right)
	}
	tail := s.Cut(s.Len()-toneLapSamples, s.Len())
	start, fit := int64(0), -1.0
	for at := int64(0); at < toneSeekSamples; at += toneStride {
		if likeness := likenessOf(tail, next.Cut(at, at+toneLapSamples)); likeness > fit {
			start, fit = at, likeness
		}
	}

	next = next.Cut(start, next.Len())
	crossfade(tail, next.Cut(0, toneLapSamples), fit)
	return s.Add(next.Left[toneLapSamples:], next.Right[toneLapSamples:])
}

// closedLoop returns the loop whose end continues at its start.
func closedLoop(s av.Stereo) av.Stereo {
	head := s.Cut(0, toneLapSamples)
	end, fit := s.Len()-toneLapSamples, -1.0
	for at := end - toneSeekSamples; at <= s.Len()-toneLapSamples; at += toneStride {
		if likeness := likenessOf(head, s.Cut(at, at+toneLapSamples)); likeness > fit {
			end, fit = at, likeness
		}
	}

	tail := s.Cut(end, end+toneLapSamples)
	crossfade(tail, head, fit)
	copy(head.Left, tail.Left)
	copy(head.Right, tail.Right)
	return s.Cut(0, end)
}

// likenessOf returns the correlation of two parts of the same length, -1 to 1; 0 for silence.
func likenessOf(s, other av.Stereo) float64 {
	var product, own, others float64
	for i := int64(0); i < s.Len(); i += toneStride {
		a, b := float64(s.Left[i]+s.Right[i]), float64(other.Left[i]+other.Right[i])
		product, own, others = product+a*b, own+a*a, others+b*b
	}

	if own == 0 || others == 0 {
		return 0
	}
	return product / math.Sqrt(own*others)
}

// crossfade fades from s to another part of the same length. likeness is their correlation. It
// determines the gains that keep the level.
func crossfade(s, to av.Stereo, likeness float64) {
	likeness = min(max(likeness, 0), 1)
	n := s.Len()
	for i := range n {
		in := float64(av.Rise(i, n))
		out := 1 - in
		level := 1 / math.Sqrt(in*in+out*out+2*likeness*in*out)
		s.Left[i] = float32(level * (out*float64(s.Left[i]) + in*float64(to.Left[i])))
		s.Right[i] = float32(level * (out*float64(s.Right[i]) + in*float64(to.Right[i])))
	}
}
