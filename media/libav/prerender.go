package libav

import (
	"context"
	"errors"
	"runtime"

	"github.com/asticode/go-astiav"
	"golang.org/x/sync/errgroup"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// errShareUsed says that a Prerender has used its share of the cache.
var errShareUsed = errors.New("the pre-render used its share of the cache")

// Prerender encodes the chunks and the audio that a Render of the plan would encode now, and caches
// them for it. It runs on threads of the lowest priority, one per step. It does nothing without a
// cache. It also does nothing if the export copies nothing: it would then encode the whole video
// for an export that was not requested. When ctx ends, finished chunks stay in the cache; audio
// stays only if it is complete. Errors: as Render.
func (e *Engine) Prerender(ctx context.Context, plan media.RenderPlan) error {
	if e.cache == nil || plan.Frames() == 0 || plan.AudioOnly() {
		return nil
	}
	patient := *e
	patient.threads = 1
	ctx, m := av.NewMeter(ctx, nil, e.stall)
	defer m.Close()
	e.limitRender(m, plan)
	r := &render{engine: &patient, ctx: ctx, plan: plan, meter: m}
	var group errgroup.Group
	group.Go(av.Safely(lowPriority(r.prerender)))
	err := group.Wait()
	_ = e.cache.Trim() // a render, or the next start, tries again
	if errors.Is(err, errShareUsed) {
		return nil
	}
	return av.Because(ctx, err)
}

// prerender encodes and caches the missing chunks and audio.
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
	if err := r.locateOtherTracks(); err != nil {
		return err
	}
	left := r.engine.cache.share()
	if r.result.Encoded > 0 {
		if err := r.prerenderChunks(&left); err != nil {
			return err
		}
	}

	for i, track := range r.audioTracks() {
		if i > 0 {
			track.tally = r.tally.other(i-1, track)
		}
		if err := track.prerenderAudio(&left); err != nil {
			return err
		}
	}

	return nil
}

// prerenderChunks encodes chunks into the cache until left bytes are used up.
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
	frames, drop := r.startPipeline(func(step func() error) { group.Go(av.Safely(lowPriority(step))) })
	group.Go(av.Safely(lowPriority(func() error { return r.cacheChunks(frames, left) })))
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
	r.video.Put = a.add
	if err := r.encodeChunks(frames, a); err != nil {
		return err
	}
	return r.video.Drain()
}

// prerenderAudio encodes the audio into the cache if it fits into left bytes.
func (r *render) prerenderAudio(left *int64) error {
	samples := r.plan.Rate.Sample(r.plan.Frames(), media.SampleRate)
	if len(r.cachedAudio.files) == 0 || r.cachedAudio.complete || audioBytes(samples) > *left {
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

	if r.audio, err = r.newAudioEncoder(nil); err != nil {
		return err
	}
	defer r.audio.Close()
	return r.encodeAudio(func(p *astiav.Packet) error {
		*left -= int64(p.Size())
		p.Free()
		return nil
	})
}

// lowPriority wraps a step so that it runs on a thread of the lowest priority. The thread is locked
// to the goroutine, which must do nothing else, and ends with it. Threads that libav starts within
// the step inherit the priority.
func lowPriority(step func() error) func() error { return withNiceness(19, step) }

// withNiceness is lowPriority with a niceness of the thread.
func withNiceness(nice int, step func() error) func() error {
	return func() error {
		runtime.LockOSThread()
		av.SetThreadNiceness(nice)
		return step()
	}
}
