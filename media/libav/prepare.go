package libav

import (
	"context"
	"errors"
	"runtime"

	"github.com/asticode/go-astiav"
	"golang.org/x/sync/errgroup"

	"roughcut/media"
)

// errPrepared says that a Prepare has filled its share of the cache.
var errPrepared = errors.New("prepared enough")

// Prepare encodes the pieces and the sound that a Render of the plan would encode now, and keeps
// them, so that the Render finds them there. It works on threads of the lowest priority, one a
// step, and does nothing where nothing is kept, and where the export copies nothing: that would be
// to encode all of it for a wish that nobody has uttered. The pieces that are done when ctx ends
// stay, and sound once all of it is done. Errors: as Render.
func (e *Engine) Prepare(ctx context.Context, plan media.RenderPlan) error {
	if e.chunks == nil || plan.Frames() == 0 || plan.AudioOnly() {
		return nil
	}
	patient := *e
	patient.threads = 1
	ctx, m := newMeter(ctx, nil, e.stall)
	defer m.close()
	r := &render{engine: &patient, ctx: ctx, plan: plan, meter: m}
	var group errgroup.Group
	group.Go(lowly(r.prepare))
	err := group.Wait()
	_ = e.chunks.trim() // a render, or the next start, tries again
	if errors.Is(err, errPrepared) {
		return nil
	}
	return because(ctx, err)
}

// prepare encodes and keeps what is not there yet.
func (r *render) prepare() error {
	if err := r.locate(); err != nil {
		return err
	}
	defer r.closeInputs()
	if err := r.choose(); err != nil {
		return err
	}
	if r.made.Copied == 0 {
		return nil
	}
	r.findKeptSound()
	r.tally = r.newTally()
	left := r.engine.chunks.share()
	if r.made.Encoded > 0 {
		if err := r.preparePieces(&left); err != nil {
			return err
		}
	}
	return r.prepareSound(left)
}

// preparePieces encodes pieces into the cache alone, as long as bytes are left for them.
func (r *render) preparePieces(left *int64) error {
	var missing []stretch
	for _, p := range r.parts {
		if p.encode() {
			missing = append(missing, p)
		}
	}
	r.parts = missing
	if err := r.openVideoEncoder(); err != nil {
		return err
	}
	defer r.closeEncoders()
	whole := r.ctx
	group, ctx := errgroup.WithContext(whole)
	r.ctx = ctx
	titled, drop := r.draw(func(step func() error) { group.Go(lowly(step)) })
	group.Go(lowly(func() error { return r.keepPieces(titled, left) }))
	err := group.Wait()
	drop()
	r.ctx = whole
	return err
}

func (r *render) keepPieces(titled <-chan shot, left *int64) error {
	a := r.newAssembler()
	a.put = func(p *astiav.Packet) error {
		*left -= int64(p.Size())
		p.Free()
		if *left < 0 {
			return errPrepared
		}
		return nil
	}
	r.video.put = a.take
	if err := r.encodePieces(titled, a); err != nil {
		return err
	}
	return r.video.drain()
}

// prepareSound encodes the sound into the cache alone, where there are bytes left for it.
func (r *render) prepareSound(left int64) error {
	samples := r.plan.Rate.Sample(r.plan.Frames(), media.SampleRate)
	if len(r.kept.parts) == 0 || r.kept.there || soundBytes(samples) > left {
		return nil
	}
	copied, err := r.findCopiedSound()
	if err != nil {
		return err
	}
	if copied != nil {
		copied.close()
		return nil
	}
	if r.audio, err = newSoundEncoder(nil, exportBitRate); err != nil {
		return err
	}
	defer r.audio.close()
	return r.encodeSound(func(p *astiav.Packet) error {
		p.Free()
		return nil
	})
}

// lowly makes a step run on a thread of the lowest priority. The thread is locked to the goroutine,
// which is to do nothing else, and ends with it; threads that libav starts meanwhile are of its
// priority.
func lowly(step func() error) func() error {
	return func() error {
		runtime.LockOSThread()
		lowerPriority()
		return step()
	}
}
