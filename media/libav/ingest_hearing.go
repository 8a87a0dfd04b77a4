package libav

import (
	"math"
	"slices"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/voicenet"
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

	// aloneShare is how much of the power of a channel the other one has at most if the voice is on
	// one side: -20 dB, which a second microphone of the same room exceeds.
	aloneShare = 0.01

	// ownShare is the least power of a channel with a second voice, as a share of the power of the
	// other channel: -10 dB. Crosstalk has less.
	ownShare = 0.1

	// weakestPower is the power of audio that counts: -90 dB.
	weakestPower = 1e-9

	// hearingWindow is the number of samples of a window of the voice network.
	hearingWindow = voicenet.WindowSamples * decimateStep
)

// hearing turns stereo audio into what the analysis hears: the mean of both channels, or the louder
// one if they cancel each other out, as those of a balanced cable on two mono inputs do. It leaves
// out a channel that never pauses and has no voice, such as time code.
type hearing struct {
	left, right float32 // weights; both are 0 before the first part
	mono        []float32

	steady    [2]av.Steadiness
	powers    [2]float64 // sums of all parts
	meanPower float64    // of the mean of both channels
	own       [2][]int64 // positions of the parts where a channel may have another voice
	voices    [2]bool    // of confirm
}

// hear returns the mono audio of the part at a position on both sides, which is valid until the
// next call.
func (h *hearing) hear(at int64, part av.Stereo) av.Stereo {
	left, right := h.weights(at, part)
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
func (h *hearing) weights(at int64, part av.Stereo) (left, right float32) {
	var l, r, both float64
	var own [2]bool
	for from := int64(0); from < part.Len(); from += hearingWindow {
		window := part.Cut(from, min(from+hearingWindow, part.Len()))
		x, y, product := powersOf(window)
		l, r, both = l+x, r+y, both+product
		own[0], own[1] = own[0] || isOwn(x, y, window), own[1] || isOwn(y, x, window)
	}

	for side, isOwn := range own {
		if isOwn {
			h.own[side] = append(h.own[side], at)
		}
	}

	mean := (l + r + 2*both) / 4
	h.powers[0], h.powers[1], h.meanPower = h.powers[0]+l, h.powers[1]+r, h.meanPower+mean
	if leftOut, rightOut := h.leaveOut(at, part); leftOut != rightOut {
		// The other channel keeps its level.
		if leftOut {
			return 0, 0.5
		}
		return 0.5, 0
	}

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

// powersOf returns the sums of the squares of both channels, and of their products, over every
// hearingStep-th sample.
func powersOf(part av.Stereo) (left, right, product float64) {
	for i := 0; i < len(part.Left); i += hearingStep {
		x, y := float64(part.Left[i]), float64(part.Right[i])
		left, right, product = left+x*x, right+y*y, product+x*y
	}

	return left, right, product
}

// isOwn reports whether a channel with the given sum of powersOf is not just crosstalk of the
// other one in a window.
func isOwn(power, other float64, window av.Stereo) bool {
	measured := float64((window.Len() + hearingStep - 1) / hearingStep)
	return power > weakestPower*measured && power >= ownShare*other
}

// leaveOut reports which channel of the part at a position is not heard because it never pauses.
func (h *hearing) leaveOut(at int64, part av.Stereo) (left, right bool) {
	if slices.Equal(part.Left, part.Right) {
		return false, false
	}
	h.steady[0].Add(at, part.Left)
	if h.steady[1].Add(at, part.Right) {
		av.LeaveOut([]*av.Steadiness{&h.steady[0], &h.steady[1]})
	}
	return h.steady[0].Out, h.steady[1].Out
}

// confirm listens again to a channel that seems to have no voice. hasVoice reports whether a
// channel has a voice in the seconds from some positions. With own, crosstalk does not count.
func (h *hearing) confirm(hasVoice func(channel int, seconds []int64, own bool) (bool, error)) (err error) {
	for side := range h.steady {
		if h.steady[side].Always() {
			if h.voices[side], err = hasVoice(side, h.steady[side].Doubts(), false); err != nil {
				return err
			}
		}
	}

	for side, power := range h.powers {
		if !h.voices[side] && power < aloneShare*h.powers[1-side] {
			if h.voices[side], err = hasVoice(side, h.own[side], true); err != nil {
				return err
			}
		}
	}

	return nil
}

// describe adds to the description of stereo audio which channel has the voice.
func (h *hearing) describe(a *media.AudioInfo) {
	left, right := h.powers[0], h.powers[1]
	leftAlways, rightAlways := h.steady[0].Always() && !h.voices[0], h.steady[1].Always() && !h.voices[1]
	switch {
	case left+right == 0:
		return
	case rightAlways && !leftAlways && left > 0:
		a.Unheard, right = []int{1}, 0
	case leftAlways && !rightAlways && right > 0:
		a.Unheard, left = []int{0}, 0
	case h.meanPower < oppositeShare*min(left, right):
		a.Opposite = true
	}

	louder, weaker := 0, 1
	if right > left {
		louder, weaker = 1, 0
	}
	if !a.Opposite && (h.voices[weaker] || min(left, right) >= aloneShare*max(left, right)) {
		return
	}
	a.VoiceOn = []string{media.VoiceLeft, media.VoiceRight}[louder]
	a.VoiceGain = math.Sqrt((left + right) / (2 * max(left, right)))
}
