package libav

import "roughcut/media/libav/av"

// firstFrame is how the first frame of an input is stored.
type firstFrame struct {
	format      av.FrameFormat
	orient      av.Orientation
	progressive bool // as recorded, before deinterlacing; false also without a frame
}

// chooseColors decides whether the export has the colors of the recordings, so that frames of
// BT.601, full range or HDR footage can be copied. All recordings must have the same colors, and
// nothing may be drawn on the frames. HDR also needs a plan that keeps the codec. Otherwise the
// export is BT.709.
func (r *render) chooseColors() error {
	r.colors = av.FrameColors{}
	if r.safe || r.plan.Draws() {
		return nil
	}
	var found *av.FrameColors
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
		found = &c
	}

	if found != nil {
		r.colors = *found
	}
	return nil
}
