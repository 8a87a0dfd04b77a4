package libav

import (
	"context"
	"errors"
	"runtime"

	"github.com/asticode/go-astiav"
	"golang.org/x/sync/errgroup"

	"roughcut/media"
)

// errPrepared says that a Prerender has filled its share of the cache.
var errShareUsed = errors.New("prepared enough")

// Prerender encodes the pieces and the sound that a Render of the plan would encode now, and keeps
// them, so that the Render finds them there. It works on threads of the lowest priority, one a
// step, and does nothing where nothing is kept, and where the export copies nothing: that would be
// to encode all of it for a wish that nobody has uttered. The pieces that are done when ctx ends
// stay, and sound once all of it is done. Errors: as Render.
func (e *Engine) Prerender(ctx context.Context, plan media.RenderPlan) error {
	if e.cache == nil || plan.Frames() == 0 || plan.AudioOnly() {
		return nil
	}
	patient := *e
	patient.threads = 1
	ctx, m := newMeter(ctx, nil, e.stall)
	defer m.close()
	r := &render{engine: &patient, ctx: ctx, plan: plan, meter: m}
	var group errgroup.Group
	group.Go(lowPriority(r.prerender))
	err := group.Wait()
	_ = e.cache.trim() // a render, or the next start, tries again
	if errors.Is(err, errShareUsed) {
		return nil
	}
	return because(ctx, err)
}

// prepare encodes and keeps what is not there yet.
func (r *render) prerender() error {
	if err := r.locate(); err != nil {
		return err
	}
	defer r.closeInputs()
	if err := r.planChunks(); err != nil {
		return err
	}
	if r.result.Copied == 0 {
		return nil
	}
	r.findCachedAudio()
	r.tally = r.newTally()
	left := r.engine.cache.share()
	if r.result.Encoded > 0 {
		if err := r.prerenderChunks(&left); err != nil {
			return err
		}
	}
	return r.prerenderAudio(left)
}

// preparePieces encodes pieces into the cache alone, as long as bytes are left for them.
func (r *render) prerenderChunks(left *int64) error {
	var missing []chunk
	for _, p := range r.chunks {
		if p.encoded() {
			missing = append(missing, p)
		}
	}
	r.chunks = missing
	if err := r.openVideoEncoder(); err != nil {
		return err
	}
	defer r.closeEncoders()
	whole := r.ctx
	group, ctx := errgroup.WithContext(whole)
	r.ctx = ctx
	frames, drop := r.startPipeline(func(step func() error) { group.Go(lowPriority(step)) })
	group.Go(lowPriority(func() error { return r.cacheChunks(frames, left) }))
	err := group.Wait()
	drop()
	r.ctx = whole
	return err
}

func (r *render) cacheChunks(frames <-chan timedFrame, left *int64) error {
	a := r.newAssembler()
	a.put = func(p *astiav.Packet) error {
		*left -= int64(p.Size())
		p.Free()
		if *left < 0 {
			return errShareUsed
		}
		return nil
	}
	r.video.put = a.add
	if err := r.encodeChunks(frames, a); err != nil {
		return err
	}
	return r.video.drain()
}

// prepareSound encodes the sound into the cache alone, where there are bytes left for it.
func (r *render) prerenderAudio(left int64) error {
	samples := r.plan.Rate.Sample(r.plan.Frames(), media.SampleRate)
	if len(r.cachedAudio.files) == 0 || r.cachedAudio.complete || audioBytes(samples) > left {
		return nil
	}
	copied, err := r.findCopiedAudio()
	if err != nil {
		return err
	}
	if copied != nil {
		copied.close()
		return nil
	}
	if r.audio, err = newAudioEncoder(nil, exportBitRate); err != nil {
		return err
	}
	defer r.audio.close()
	return r.encodeAudio(func(p *astiav.Packet) error {
		p.Free()
		return nil
	})
}

// lowly makes a step run on a thread of the lowest priority. The thread is locked to the goroutine,
// which is to do nothing else, and ends with it; threads that libav starts meanwhile are of its
// priority.
func lowPriority(step func() error) func() error {
	return func() error {
		runtime.LockOSThread()
		lowerThreadPriority()
		return step()
	}
}
