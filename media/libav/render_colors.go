package libav

import (
	"roughcut/media/bitstream"
	"roughcut/media/libav/av"
)

// firstFrame is how the first frame of an input is stored.
type firstFrame struct {
	format      av.FrameFormat
	orient      av.Orientation
	progressive bool // as recorded, before deinterlacing; false also without a frame
	display     bitstream.Display
}

// chooseColors decides whether the export has the colors of the recordings, so that frames of
// BT.601, full range or HDR footage can be copied. All recordings must have the same colors, and
// nothing may be drawn on the frames. HDR also needs a plan that keeps the codec, and has the
// display of the first recording. Otherwise the export is BT.709.
func (r *render) chooseColors() error {
	r.colors, r.shown = av.FrameColors{}, bitstream.Display{}
	if r.safe || r.plan.Draws() {
		return nil
	}
	var found *av.FrameColors
	var shown bitstream.Display
	for _, s := range r.plan.Segments {
		if !r.plan.Inputs[s.Input].HasVideo {
			return nil
		}
		first, err := r.firstFrame(s.Input)
		if err != nil {
			return err
		}
		c, ok := av.RecordedColors(first.format)
		if !ok || !first.progressive || (c.HDR() && !r.plan.KeepCodec) || (found != nil && c != *found) {
			return nil
		}
		if found == nil && c.HDR() {
			shown = first.display
		}
		found = &c
	}

	if found != nil {
		r.colors, r.shown = *found, shown
	}
	return nil
}
