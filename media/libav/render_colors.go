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
// BT.601, full range or HDR footage can be copied. All recordings with video must have the same
// colors, and nothing may be drawn in BT.709. HDR also needs a plan that keeps the codec and video
// in all recordings, and has the display of the first one. Otherwise the export is BT.709.
func (r *render) chooseColors() error {
	r.colors, r.shown = av.FrameColors{}, bitstream.Display{}
	if r.safe || r.plan.DrawsIn709() {
		return nil
	}
	var found *av.FrameColors
	var shown bitstream.Display
	for _, s := range r.plan.Segments {
		if !r.plan.Inputs[s.Input].HasVideo {
			continue
		}
		first, err := r.firstFrame(s.Input)
		if err != nil {
			return err
		}
		c, ok := av.RecordedColors(first.format)
		if !ok || !first.progressive || (c.HDR() && !r.plan.KeepsHDR()) || (found != nil && c != *found) {
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
