package libav

import (
	"roughcut/media"
	"roughcut/media/libav/av"
)

const (
	// oppositeShare is how much less power than each of the channels the mean of both has if they
	// are opposite. Unrelated channels have a half of their power left, a voice on one side a
	// quarter.
	oppositeShare = 1.0 / 16

	// hearingFade is the number of samples over which hearing moves to other weights.
	hearingFade = media.SampleRate / 100

	// hearingStep is the distance of the samples that the powers are measured from.
	hearingStep = 4
)

// hearing turns stereo audio into what the analysis hears: the mean of both channels, or the louder
// one if they cancel each other out, as those of a balanced cable on two mono inputs do.
type hearing struct {
	left, right float32 // weights; both are 0 before the first part
	mono        []float32
}

// hear returns the mono audio of a part on both sides, which is valid until the next call.
func (h *hearing) hear(part av.Stereo) av.Stereo {
	left, right := h.weights(part)
	if h.left+h.right == 0 {
		h.left, h.right = left, right
	}
	if left == h.left && left == right {
		return part
	}

	h.mono = append(h.mono[:0], make([]float32, part.Len())...)
	fade := min(hearingFade, part.Len())
	if left == h.left {
		fade = 0
	}
	for i := range part.Left[:fade] {
		gain := av.Rise(int64(i), fade)
		l, r := h.left+gain*(left-h.left), h.right+gain*(right-h.right)
		h.mono[i] = l*part.Left[i] + r*part.Right[i]
	}

	for i := int(fade); i < len(h.mono); i++ {
		h.mono[i] = left*part.Left[i] + right*part.Right[i]
	}

	h.left, h.right = left, right
	return av.Stereo{Left: h.mono, Right: h.mono}
}

// weights returns the weights of both channels in a part. In silence, the last ones stay.
func (h *hearing) weights(part av.Stereo) (left, right float32) {
	var l, r, both float64
	for i := 0; i < len(part.Left); i += hearingStep {
		x, y := float64(part.Left[i]), float64(part.Right[i])
		l, r, both = l+x*x, r+y*y, both+x*y
	}

	mean := (l + r + 2*both) / 4
	switch {
	case l+r == 0 && h.left+h.right > 0:
		return h.left, h.right
	case mean >= oppositeShare*min(l, r):
		return 0.5, 0.5
	case l >= r:
		return 1, 0
	}

	return 0, 1
}
