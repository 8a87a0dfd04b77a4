package libav

// firstFrame is how the first frame of an input is stored.
type firstFrame struct {
	format      frameFormat
	orient      orientation
	progressive bool // as recorded, before deinterlacing; false also if there is no frame
}

// chooseColors decides whether the export has the colors of the recordings, so that frames of
// BT.601, full range or HDR footage can be copied. That needs the same colors in all recordings,
// frames on which nothing is drawn, and for HDR a plan that keeps the codec. Otherwise the export
// is BT.709.
func (r *render) chooseColors() error {
	r.colors = frameColors{}
	if r.safe || r.plan.Draws() {
		return nil
	}
	var found *frameColors
	for _, s := range r.plan.Segments {
		if !r.plan.Inputs[s.Input].HasVideo {
			return nil
		}
		first, err := r.firstFrame(s.Input)
		if err != nil {
			return err
		}
		c, ok := recordedColors(first.format)
		if !ok || !first.progressive || (c.hdr() && !r.plan.KeepCodec) || (found != nil && c != *found) {
			return nil
		}
		found = &c
	}

	if found != nil {
		r.colors = *found
	}
	return nil
}
