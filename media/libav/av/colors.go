package av

import (
	"github.com/asticode/go-astiav"
)

// FrameColors are the colors of the frames of an export. The zero value is BT.709 limited range.
type FrameColors struct {
	space               astiav.ColorSpace
	colors              astiav.ColorRange
	transfer, primaries int // as in ITU-T H.273
}

// RecordedColors returns the colors of frames of a format. ok is false if an export cannot keep
// them.
func RecordedColors(l FrameFormat) (c FrameColors, ok bool) {
	switch l.Space {
	case astiav.ColorSpaceBt709:
		if l.Colors == astiav.ColorRangeMpeg && !l.HDR() {
			return FrameColors{}, true
		}
	case astiav.ColorSpaceSmpte170M, astiav.ColorSpaceBt470Bg, astiav.ColorSpaceBt2020Ncl:
	default:
		return FrameColors{}, false
	}

	return FrameColors{l.Space, l.Colors, l.Transfer, l.primaries}, true
}

// HDR reports colors with a high dynamic range.
func (c FrameColors) HDR() bool { return FrameFormat{Transfer: c.transfer}.HDR() }

// Stated returns the colors as an encoder and a muxer state them. MP4 states either all of them or
// none, so what the recording leaves open gets the value that is assumed for it.
func (c FrameColors) Stated() FrameColors {
	const bt709, unspecified, bt2020 = 1, 2, 9
	usual := FrameColors{astiav.ColorSpaceBt709, astiav.ColorRangeMpeg, bt709, bt709}
	if c == (FrameColors{}) {
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

// YUV returns the luma and chroma of a color with standard dynamic range, as 8-bit samples. Their
// weights are in ITU-T H.273, table 4.
func (c FrameColors) YUV(rgb [3]uint8) [3]float64 {
	to := c.Stated()
	red, blue := 0.2126, 0.0722
	switch to.space {
	case astiav.ColorSpaceSmpte170M, astiav.ColorSpaceBt470Bg:
		red, blue = 0.299, 0.114
	case astiav.ColorSpaceBt2020Ncl:
		red, blue = 0.2627, 0.0593
	}

	r, g, b := float64(rgb[0])/255, float64(rgb[1])/255, float64(rgb[2])/255
	luma := red*r + (1-red-blue)*g + blue*b
	fromBlue, fromRed := (b-luma)/(2-2*blue), (r-luma)/(2-2*red)
	if to.colors == astiav.ColorRangeJpeg {
		return [3]float64{255 * luma, min(128+255*fromBlue, 255), min(128+255*fromRed, 255)}
	}
	return [3]float64{16 + 219*luma, 128 + 224*fromBlue, 128 + 224*fromRed}
}

// keeps reports whether frames of a format have these colors already.
func (c FrameColors) keeps(l FrameFormat) bool {
	same, ok := RecordedColors(l)
	return ok && same == c
}
