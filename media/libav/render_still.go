package libav

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"image/png"

	"golang.org/x/sync/errgroup"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// stillQuality is the JPEG quality of still frames, 1-100.
const stillQuality = 92

// Still returns output frame n of a plan as an export would show it, as PNG or JPEG. Errors: as
// Render; media.ErrNothingLeft for a frame past the end or a plan without video.
func (e *Engine) Still(ctx context.Context, plan media.RenderPlan, n int64, kind media.StillKind) ([]byte, error) {
	ctx, m := av.NewMeter(ctx, nil, e.stall)
	defer m.Close()
	r := &render{engine: e, ctx: ctx, plan: plan, meter: m, attempt: attempt{safe: true}}
	r.inputs = make([]copySource, len(plan.Inputs))
	for _, s := range plan.Segments {
		if at := s.In + n - s.Start; n >= s.Start && at < s.Out && !plan.AudioOnly() {
			r.encoded = []media.Segment{{Input: s.Input, In: at, Out: at + 1}}
			r.places = []int64{n}
		}
	}

	if len(r.encoded) == 0 {
		return nil, media.ErrNothingLeft
	}
	if err := r.locate(); err != nil {
		return nil, av.Because(ctx, err)
	}
	frame, err := r.onlyFrame()
	if err != nil {
		return nil, av.Because(ctx, err)
	}
	defer frame.frame.Free()
	img, err := drawOnWhite(av.Canvas{Width: plan.Width, Height: plan.Height}, frame.frame, av.Orientation{})
	if err != nil {
		return nil, fmt.Errorf("drawing a still: %w", err)
	}
	var out bytes.Buffer
	if kind == media.StillPNG {
		err = png.Encode(&out, img)
	} else {
		err = jpeg.Encode(&out, img, &jpeg.Options{Quality: stillQuality})
	}

	return out.Bytes(), err
}

// onlyFrame returns the first frame of the pipeline. The caller frees it.
func (r *render) onlyFrame() (timedFrame, error) {
	group, ctx := errgroup.WithContext(r.ctx)
	r.ctx = ctx
	frames, drop := r.startPipeline(func(step func() error) { group.Go(av.Safely(step)) })
	frame, ok := <-frames
	if ok {
		discardFrames(frames)
	}
	err := group.Wait()
	drop()
	if err == nil && !ok {
		err = errors.New("the recording has no such frame")
	}
	if err != nil && ok {
		frame.frame.Free()
	}
	return frame, err
}
