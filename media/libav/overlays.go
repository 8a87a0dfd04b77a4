package libav

import (
	"context"
	"fmt"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// layers are the assets that are open at present, by their place in the plan: one is opened when it
// is first shown, and closed after it was shown last. close frees them.
type layers struct {
	render *render
	open   map[int]*layer
}

// overlay draws the placed assets over painted pictures.
func (r *render) overlay(from <-chan shot, to chan<- shot) error {
	l := &layers{render: r, open: map[int]*layer{}}
	defer l.close()
	at := int64(0)
	for s := range from {
		if err := l.shot(s, r.outputFrame(at), to); err != nil {
			return err
		}
		at += s.count
	}
	return nil
}

// shot sends a shot, which begins at a frame of the output, on as shots during which the same lies
// over it.
func (l *layers) shot(s shot, at int64, to chan<- shot) error {
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
		out, err := composed(s.frame, shown)
		if err != nil {
			return err
		}
		r.meter.alive()
		until = min(until, end)
		if err := send(r.ctx, to, shot{frame: out, count: until - at}); err != nil {
			return err
		}
		at = until
	}
	return nil
}

// at returns what is shown at a frame of the output, the lowest first, and the first frame at which
// it is something else.
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

// composed returns a picture with layers over it; the caller frees it.
func composed(f *astiav.Frame, shown []*layer) (*astiav.Frame, error) {
	out, err := clone(f)
	if err != nil || len(shown) == 0 {
		return out, err
	}
	if err := out.MakeWritable(); err != nil {
		out.Free()
		return nil, fmt.Errorf("drawing an asset: %w", err)
	}
	for _, l := range shown {
		instead, err := l.onto(out)
		if err != nil {
			out.Free()
			return nil, err
		}
		if instead != nil {
			out.Free()
			out = instead
		}
	}
	return out, nil
}

// overlayRecipe is what the assets that are shown on a piece add to what makes it, false where one
// of them has no name of its own.
func overlayRecipe(p media.Chunk, overlays []media.Overlay) (made []any, named bool) {
	for _, o := range overlays {
		if o.Range.In >= p.Start+p.Frames() || o.Range.Out <= p.Start {
			continue
		}
		if o.ID == "" {
			return nil, false
		}
		o.Path, o.Name = "", ""
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
		made = append(made, fmt.Sprintf("%+v", o))
	}
	return made, true
}
