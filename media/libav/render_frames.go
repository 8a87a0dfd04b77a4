package libav

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// timedFrame is a frame on its way to the encoder, shown for count frames. The receiver frees it.
type timedFrame struct {
	frame  *astiav.Frame // nil stands for the background
	orient av.Orientation
	count  int64
}

// sendFrame sends a frame, or frees it if ctx ends first.
func sendFrame(ctx context.Context, to chan<- timedFrame, s timedFrame) error {
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

// discardFrames frees the frames left in a closed channel.
func discardFrames(from <-chan timedFrame) {
	for s := range from {
		if s.frame != nil {
			s.frame.Free()
		}
	}
}

// decodeSegments decodes the frames that are re-encoded, in order. It sends a frame once even if it
// is shown several times in a row.
func (r *render) decodeSegments(to chan<- timedFrame) error {
	var open *av.VideoReader
	input := -1
	defer func() {
		if open != nil {
			open.Close()
		}
	}()
	for _, seg := range r.encoded {
		if seg.Input != input {
			if open != nil {
				open.Close()
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

func (r *render) decodeSegment(open *av.VideoReader, seg media.Segment, to chan<- timedFrame) error {
	if open == nil {
		return sendFrame(r.ctx, to, timedFrame{count: seg.Frames()})
	}
	for n := seg.In; n < seg.Out; {
		frame, until, err := open.At(n)
		if errors.Is(err, io.EOF) {
			return sendFrame(r.ctx, to, timedFrame{count: seg.Out - n})
		}
		if err != nil {
			return err
		}
		copied, err := av.Clone(frame)
		if err != nil {
			return err
		}
		until = min(until, seg.Out)
		next := timedFrame{frame: copied, orient: r.turn(open.Orient(copied)), count: until - n}
		if err := sendFrame(r.ctx, to, next); err != nil {
			return err
		}
		r.meter.Alive()
		n = until
	}

	return nil
}

// canvas returns the canvas of the export.
func (r *render) canvas() av.Canvas {
	c := av.Canvas{
		Width:      r.plan.Width,
		Height:     r.plan.Height,
		Format:     r.format,
		Fit:        r.plan.Fit,
		Background: r.plan.Background,
		FlipH:      r.plan.FlipH,
		FlipV:      r.plan.FlipV,
		Colors:     r.colors,
	}
	if r.turned.SwapsSides() {
		c.Width, c.Height = c.Height, c.Width
	}
	return c
}

// convertFrames converts every frame to the canvas. If views place the crop, frames stay uncropped.
func (r *render) convertFrames(from <-chan timedFrame, to chan<- timedFrame) error {
	canvas := r.canvas()
	canvas.Uncropped = r.plan.Views().Cropped()
	p := av.NewFrameConverter(canvas, r.engine.threads)
	defer p.Close()
	for s := range from {
		converted, err := convertTimed(p, s)
		if err != nil {
			return err
		}
		if err := sendFrame(r.ctx, to, timedFrame{frame: converted, count: s.count}); err != nil {
			return err
		}
	}

	return nil
}

// convertTimed converts a frame and frees the original.
func convertTimed(p *av.FrameConverter, s timedFrame) (*astiav.Frame, error) {
	if s.frame == nil {
		return p.Canvas.Blank()
	}
	defer s.frame.Free()
	converted := astiav.AllocFrame()
	if err := p.Convert(s.frame, converted, s.orient); err != nil {
		converted.Free()
		return nil, fmt.Errorf("converting a frame: %w", err)
	}

	return converted, nil
}
