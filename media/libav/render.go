package libav

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"roughcut/media"
)

// Encoder settings of an export.
const (
	exportPreset  = "veryfast"
	exportCRF     = 20
	exportBitRate = 192_000
	exportGOP     = 2 // seconds
)

// render is one running Render.
type render struct {
	engine  *Engine
	ctx     context.Context
	plan    media.Plan
	origins []origin
	movie   *movie
	meter   *meter
	video   *encoder      // nil when the plan is of sound only
	audio   *soundEncoder // nil when the plan has no sound
	noiseDB float64       // level of the background, where it is to be brought down
}

// Render writes the edited video of a plan to outPath as MP4: H.264 and, where any input has sound, AAC. The output has exactly
// plan.Frames() frames. A plan of sound only becomes an M4A. progress, which may be nil, is called with 0 to 1, never less than before, from one goroutine at a time.
// When it fails, nothing is left at outPath. Errors: *MediaError for what is wrong with an input; what writing failed with, such as
// syscall.ENOSPC; the cause of ctx.
func (e *Engine) Render(ctx context.Context, plan media.Plan, outPath string, progress func(fraction float64)) (media.Rendered, error) {
	if plan.Frames() == 0 {
		return media.Rendered{}, media.ErrNothingLeft
	}
	if plan.SoundOnly() && !plan.HasAudio() {
		return media.Rendered{}, errNoSound()
	}
	ctx, m := newMeter(ctx, progress, e.stall)
	defer m.close()
	r := &render{engine: e, ctx: ctx, plan: plan, meter: m}
	if err := r.locate(); err != nil {
		return media.Rendered{}, because(ctx, err)
	}
	size, err := r.run(outPath)
	if err != nil {
		return media.Rendered{}, because(ctx, err)
	}
	m.beat(1)
	if plan.SoundOnly() {
		return media.Rendered{DurationMS: plan.DurationMS(), SizeBytes: size}, nil
	}
	return media.Rendered{Frames: plan.Frames(), DurationMS: plan.DurationMS(), Width: plan.Width, Height: plan.Height, SizeBytes: size}, nil
}

// locate finds clip time 0 of every input that is shown.
func (r *render) locate() error {
	r.origins = make([]origin, len(r.plan.Inputs))
	shown := make([]bool, len(r.plan.Inputs))
	for _, s := range r.plan.Segments {
		shown[s.Input] = true
	}
	for i, in := range r.plan.Inputs {
		if shown[i] && (in.HasVideo || in.HasAudio) {
			v, err := r.engine.locate(r.ctx, in.Path)
			if err != nil {
				return err
			}
			r.origins[i] = v.origin
		}
	}
	return nil
}

func (r *render) run(outPath string) (size int64, err error) {
	whole := r.ctx
	group, ctx := errgroup.WithContext(whole)
	r.ctx = ctx
	format := formatMP4
	if r.plan.SoundOnly() {
		format = formatM4A
	}
	if r.movie, err = createMovie(ctx, outPath, format, true, r.meter.alive); err != nil {
		return 0, err
	}
	defer func() {
		r.closeEncoders()
		if err != nil {
			r.movie.abort()
		}
	}()
	if err = r.openEncoders(); err != nil {
		return 0, err
	}
	shown, painted, titled := make(chan shot, 2), make(chan shot, 2), make(chan shot, 2)
	if r.video != nil {
		group.Go(func() error { defer close(shown); return r.showSegments(shown) })
		group.Go(func() error { defer close(painted); return r.paint(shown, painted) })
		group.Go(func() error { defer close(titled); return r.title(painted, titled) })
		group.Go(func() error { return r.encodePictures(titled) })
	} else {
		close(shown)
		close(painted)
		close(titled)
	}
	if r.audio != nil {
		group.Go(r.encodeSound)
	}
	err = group.Wait()
	discard(shown)
	discard(painted)
	discard(titled)
	if err != nil {
		return 0, err
	}
	return r.movie.finish(whole)
}

func (r *render) openEncoders() (err error) {
	if !r.plan.SoundOnly() {
		rate := r.plan.Rate
		r.video, err = newVideoEncoder(r.movie, videoSettings{width: r.plan.Width, height: r.plan.Height, rate: rate, preset: exportPreset,
			crf: exportCRF, keyframes: max(1, int(rate.Frame(exportGOP*1000))), threads: r.engine.threads})
		if err != nil {
			return err
		}
	}
	if r.plan.HasAudio() {
		if r.audio, err = newSoundEncoder(r.movie, exportBitRate); err != nil {
			return err
		}
	}
	return r.movie.start()
}

func (r *render) closeEncoders() {
	if r.video != nil {
		r.video.close()
	}
	if r.audio != nil {
		r.audio.close()
	}
}

func (r *render) encodePictures(painted <-chan shot) error {
	total := float64(r.plan.Frames())
	at := int64(0)
	for s := range painted {
		for range s.count {
			if err := context.Cause(r.ctx); err != nil {
				s.frame.Free()
				return err
			}
			s.frame.SetPts(at)
			if err := r.video.encode(s.frame); err != nil {
				s.frame.Free()
				return err
			}
			at++
			r.meter.beat(min(0.99, float64(at)/total))
		}
		s.frame.Free()
	}
	if err := context.Cause(r.ctx); err != nil {
		return err
	}
	if at != r.plan.Frames() {
		return fmt.Errorf("wrote %d frames of %d", at, r.plan.Frames())
	}
	return r.video.finish()
}
