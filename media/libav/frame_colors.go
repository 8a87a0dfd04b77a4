package libav

import (
	"github.com/asticode/go-astiav"
)

// frameColors are the colors of the frames of an export. The zero value is BT.709 limited range.
type frameColors struct {
	space               astiav.ColorSpace
	colors              astiav.ColorRange
	transfer, primaries int // as in ITU-T H.273
}

// recordedColors returns the colors of frames of a format. ok is false if an export cannot keep
// them.
func recordedColors(l frameFormat) (c frameColors, ok bool) {
	switch l.space {
	case astiav.ColorSpaceBt709:
		if l.colors == astiav.ColorRangeMpeg && !l.hdr() {
			return frameColors{}, true
		}
	case astiav.ColorSpaceSmpte170M, astiav.ColorSpaceBt470Bg, astiav.ColorSpaceBt2020Ncl:
	default:
		return frameColors{}, false
	}

	return frameColors{l.space, l.colors, l.transfer, l.primaries}, true
}

// hdr reports colors with a high dynamic range.
func (c frameColors) hdr() bool { return frameFormat{transfer: c.transfer}.hdr() }

// stated returns the colors as an encoder and a muxer state them. MP4 states either all of them or
// none, so what the recording leaves open gets the value that is assumed for it.
func (c frameColors) stated() frameColors {
	const bt709, unspecified, bt2020 = 1, 2, 9
	usual := frameColors{astiav.ColorSpaceBt709, astiav.ColorRangeMpeg, bt709, bt709}
	if c == (frameColors{}) {
		return usual
	}
	if c.space == astiav.ColorSpaceBt2020Ncl {
		usual.primaries = bt2020
	}
	if c.transfer == 0 || c.transfer == unspecified {
		c.transfer = usual.transfer
	}
	if c.primaries == 0 || c.primaries == unspecified {
		c.primaries = usual.primaries
	}
	return c
}

// keeps reports whether frames of a format have these colors already.
func (c frameColors) keeps(l frameFormat) bool {
	same, ok := recordedColors(l)
	return ok && same == c
}
