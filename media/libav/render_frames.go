package libav

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// timedFrame is a frame on its way to the encoder, shown for count frames. The receiver frees it.
type timedFrame struct {
	frame  *astiav.Frame // nil stands for the background
	orient orientation
	count  int64
}

// send sends a frame, or frees it if ctx ends first.
func send(ctx context.Context, to chan<- timedFrame, s timedFrame) error {
	select {
	case to <- s:
		return nil
	case <-ctx.Done():
		if s.frame != nil {
			s.frame.Free()
		}
		return context.Cause(ctx)
	}
}

// discard frees the frames left in a closed channel.
func discard(from <-chan timedFrame) {
	for s := range from {
		if s.frame != nil {
			s.frame.Free()
		}
	}
}

// decodeSegments decodes the frames that are re-encoded, in order. It sends a frame once even if it
// is shown several times in a row.
func (r *render) decodeSegments(to chan<- timedFrame) error {
	var open *videoReader
	input := -1
	defer func() {
		if open != nil {
			open.close()
		}
	}()
	for _, seg := range r.encoded {
		if seg.Input != input {
			if open != nil {
				open.close()
				open = nil
			}

			input = seg.Input
			if in := r.plan.Inputs[input]; in.HasVideo {
				var err error
				if open, err = r.openInput(input, r.engine.decodeThreads()); err != nil {
					return err
				}
			}
		}

		if err := r.decodeSegment(open, seg, to); err != nil {
			return err
		}
	}

	return nil
}

func (r *render) decodeSegment(open *videoReader, seg media.Segment, to chan<- timedFrame) error {
	if open == nil {
		return send(r.ctx, to, timedFrame{count: seg.Frames()})
	}
	for n := seg.In; n < seg.Out; {
		frame, until, err := open.at(n)
		if errors.Is(err, io.EOF) {
			return send(r.ctx, to, timedFrame{count: seg.Out - n})
		}
		if err != nil {
			return err
		}
		copied, err := clone(frame)
		if err != nil {
			return err
		}
		until = min(until, seg.Out)
		next := timedFrame{frame: copied, orient: r.turn(open.orient(copied)), count: until - n}
		if err := send(r.ctx, to, next); err != nil {
			return err
		}
		r.meter.alive()
		n = until
	}

	return nil
}

// canvas returns the canvas of the export.
func (r *render) canvas() canvas {
	c := canvas{
		width:      r.plan.Width,
		height:     r.plan.Height,
		format:     r.format,
		fit:        r.plan.Fit,
		background: r.plan.Background,
		flipH:      r.plan.FlipH,
		flipV:      r.plan.FlipV,
		colors:     r.colors,
	}
	if r.turned.swapsSides() {
		c.width, c.height = c.height, c.width
	}
	return c
}

// convertFrames converts every frame to the canvas. If views place the crop, frames stay uncropped.
func (r *render) convertFrames(from <-chan timedFrame, to chan<- timedFrame) error {
	canvas := r.canvas()
	canvas.uncropped = r.plan.Views().Cropped()
	p := newFrameConverter(canvas, r.engine.threads)
	defer p.close()
	for s := range from {
		converted, err := p.convertTimed(s)
		if err != nil {
			return err
		}
		if err := send(r.ctx, to, timedFrame{frame: converted, count: s.count}); err != nil {
			return err
		}
	}

	return nil
}

// convertTimed converts a frame and frees the original.
func (p *frameConverter) convertTimed(s timedFrame) (*astiav.Frame, error) {
	if s.frame == nil {
		return p.canvas.blank()
	}
	defer s.frame.Free()
	converted := astiav.AllocFrame()
	if err := p.convert(s.frame, converted, s.orient); err != nil {
		converted.Free()
		return nil, fmt.Errorf("converting a frame: %w", err)
	}

	return converted, nil
}
