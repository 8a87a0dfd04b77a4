package libav

import (
	"context"
	"errors"
	"runtime"

	"github.com/asticode/go-astiav"
	"golang.org/x/sync/errgroup"

	"roughcut/media"
)

// preparedShare is the part of the cache's budget that one Prepare may fill: what others prepared and used is to stay.
const preparedShare = 4

// errPrepared says that a Prepare has filled its share.
var errPrepared = errors.New("prepared enough")

// Prepare encodes the pieces that a Render of the plan would encode now, and keeps them, so that the Render finds them there. It works on threads of
// the lowest priority, one a step, and does nothing where nothing is kept, and where the export copies nothing: that would be to encode
// all of it for a wish that nobody has uttered. What is done when ctx ends stays. Errors: as Render.
func (e *Engine) Prepare(ctx context.Context, plan media.Plan) error {
	if e.chunks == nil || plan.Frames() == 0 || plan.SoundOnly() {
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

// prepare encodes and keeps the pieces that are not there yet.
func (r *render) prepare() error {
	if err := r.locate(); err != nil {
		return err
	}
	defer r.closeInputs()
	if err := r.choose(); err != nil {
		return err
	}
	if r.made.Copied == 0 || r.made.Encoded == 0 {
		return nil
	}
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
	group, ctx := errgroup.WithContext(r.ctx)
	r.ctx = ctx
	titled, drop := r.draw(func(step func() error) { group.Go(lowly(step)) })
	group.Go(lowly(func() error { return r.keepPieces(titled) }))
	err := group.Wait()
	drop()
	return err
}

// keepPieces encodes pieces into the cache alone.
func (r *render) keepPieces(titled <-chan shot) error {
	a := r.newAssembler()
	left := r.engine.chunks.budget / preparedShare
	a.put = func(p *astiav.Packet) error {
		left -= int64(p.Size())
		p.Free()
		if left < 0 {
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

// lowly makes a step run on a thread of the lowest priority. The thread is locked to the goroutine, which is to do nothing else, and ends with it;
// threads that libav starts meanwhile are of its priority.
func lowly(step func() error) func() error {
	return func() error {
		runtime.LockOSThread()
		lowerPriority()
		return step()
	}
}
