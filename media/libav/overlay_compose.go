package libav

import (
	"context"
	"fmt"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// layers are the overlays that are open, by index in the plan. An overlay is open from the first to
// the last frame that shows it. close frees them.
type layers struct {
	render *render
	open   map[int]*layer
}

// overlay draws the placed assets over frames.
func (r *render) overlay(from <-chan timedFrame, to chan<- timedFrame) error {
	l := &layers{render: r, open: map[int]*layer{}}
	defer l.close()
	at := int64(0)
	for s := range from {
		if err := l.drawFrame(s, r.outputFrame(at), to); err != nil {
			return err
		}
		at += s.count
	}

	return nil
}

// drawFrame splits a frame, which starts at an output frame, into frames that each show the same
// overlays, and sends them.
func (l *layers) drawFrame(s timedFrame, at int64, to chan<- timedFrame) error {
	defer s.frame.Free()
	r := l.render
	for end := at + s.count; at < end; {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		shown, until, err := l.at(at)
		if err != nil {
			return err
		}
		out, err := composite(s.frame, shown)
		if err != nil {
			return err
		}
		r.meter.Alive()
		until = min(until, end)
		if err := sendFrame(r.ctx, to, timedFrame{frame: out, count: until - at}); err != nil {
			return err
		}
		at = until
	}

	return nil
}

// at returns the overlays at an output frame, lowest first, and the frame of their next change.
func (l *layers) at(n int64) (shown []*layer, until int64, err error) {
	until = n + 1<<40
	for i, o := range l.render.plan.Overlays {
		switch {
		case n < o.Range.In:
			until = min(until, o.Range.In)
		case n >= o.Range.Out:
			if open := l.open[i]; open != nil {
				open.close()
				delete(l.open, i)
			}
		default:
			if l.open[i] == nil {
				if l.open[i], err = l.render.openLayer(o); err != nil {
					delete(l.open, i)
					return nil, 0, err
				}
			}

			next, err := l.open[i].at(n)
			if err != nil {
				return nil, 0, err
			}
			shown, until = append(shown, l.open[i]), min(until, next)
		}
	}

	return shown, until, nil
}

func (l *layers) close() {
	for _, open := range l.open {
		open.close()
	}
}

// composite returns a frame with layers over it. The caller frees it.
func composite(f *astiav.Frame, shown []*layer) (*astiav.Frame, error) {
	out, err := av.Clone(f)
	if err != nil || len(shown) == 0 {
		return out, err
	}
	if err := out.MakeWritable(); err != nil {
		out.Free()
		return nil, fmt.Errorf("drawing an asset: %w", err)
	}

	for _, l := range shown {
		replacement, err := l.drawOn(out)
		if err != nil {
			out.Free()
			return nil, err
		}

		if replacement != nil {
			out.Free()
			out = replacement
		}
	}

	return out, nil
}

// overlayRecipe returns everything that the overlays add to what determines a chunk. named is false
// if one of them has no permanent ID.
func overlayRecipe(p media.Chunk, overlays []media.Overlay) (parts []any, named bool) {
	for _, o := range overlays {
		if o.Range.In >= p.Start+p.Frames() || o.Range.Out <= p.Start {
			continue
		}
		if o.ID == "" {
			return nil, false
		}
		o.Path, o.Name = "", ""
		if o.FadeIn+o.FadeOut > 0 { // they depend on the whole range
			parts = append(parts, o.Range.In-p.Start, o.Range.Out-p.Start)
		}
		o.Range.In -= p.Start
		o.Range.Out -= p.Start
		if o.Range.In < 0 {
			o.FirstFrame, o.Range.In = o.FirstFrame-o.Range.In, 0
		}
		if o.LoopFrames > 0 {
			o.FirstFrame %= o.LoopFrames
		}
		if o.Still {
			o.FirstFrame = 0
		}
		o.Range.Out = min(o.Range.Out, p.Frames())
		parts = append(parts, fmt.Sprintf("%+v", o))
	}

	return parts, true
}
