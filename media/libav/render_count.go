package libav

import (
	"context"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// CountFrames finds how a Render of the plan would make its frames now. It reads the indexes of the
// recordings, decodes at most the first frame of each, and writes nothing. Errors: as Render.
func (e *Engine) CountFrames(ctx context.Context, request media.CountRequest) (media.FrameCounts, error) {
	plan := request.Plan
	if plan.Frames() == 0 {
		return media.FrameCounts{}, media.ErrNothingLeft
	}
	ctx, m := av.NewMeter(ctx, nil, e.stall)
	defer m.Close()
	r := &render{engine: e, ctx: ctx, plan: plan, meter: m, known: request.Packets, uneven: request.Uneven}
	counts := media.FrameCounts{Inputs: make([]media.InputCounts, len(plan.Inputs))}
	if err := av.Safely(func() error { return r.count(&counts) })(); err != nil {
		return media.FrameCounts{}, av.Because(ctx, err)
	}
	return counts, nil
}

func (r *render) count(counts *media.FrameCounts) error {
	if err := r.locate(); err != nil {
		return err
	}
	defer r.closeInputs()
	if !r.plan.AudioOnly() {
		if err := r.planChunks(); err != nil {
			return err
		}
		if err := r.countChunks(counts.Inputs); err != nil {
			return err
		}
		r.describeResult()
		var err error
		if counts.MissingGlyphs, err = missingGlyphs(r.plan); err != nil {
			return err
		}
	}

	r.findCachedAudio()
	counts.AudioReused, counts.Encoder = r.cachedAudio.complete, r.result.Encoder
	counts.H264Because, counts.H264Input = r.result.H264Because, r.refused
	return nil
}

// countChunks adds up how the frames of each input are made.
func (r *render) countChunks(inputs []media.InputCounts) (err error) {
	sizes := make([]*packetSizes, len(inputs))
	for _, p := range r.chunks {
		in := &inputs[p.Input]
		in.Refused = r.plan.Inputs[p.Input].HasVideo && r.inputs[p.Input].packets == nil
		switch {
		case p.Copy:
			if sizes[p.Input] == nil {
				known, err := r.packetSizes(p.Input)
				if err != nil {
					return err
				}
				sizes[p.Input] = &known
			}

			in.Copied += p.Frames()
			in.CopiedBytes += sizes[p.Input].sum(p.In, p.Out)
		case p.cached:
			in.Reused += p.Frames()
			in.ReusedBytes += r.engine.cache.size(p.path)
		default:
			in.Encoded += p.Frames()
		}
	}

	return nil
}
