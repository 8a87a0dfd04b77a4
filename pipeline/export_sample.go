package pipeline

import (
	"context"

	"roughcut/media"
)

// sample samples a render. It measures at most one render at a time, and none whose footage and
// settings it knows from another selection of cuts.
func (p *Pool) sample(ctx context.Context, in media.EstimateInput) (media.RenderSample, error) {
	select {
	case p.sampling <- struct{}{}:
		defer func() { <-p.sampling }()
	case <-ctx.Done():
		return media.RenderSample{}, context.Cause(ctx)
	}
	uncut := withoutCuts(in.Plan)
	request := in.SampleRequest()
	rates, known, err := p.rates.of(uncut)
	if err != nil {
		return media.RenderSample{}, err
	}
	if known && (rates.Timed || !p.alone(0)) {
		request.Rates = &rates
		if found, err := p.Engine.Sample(ctx, request); err != nil || found.Measured() {
			return found, err
		}
	}
	request.Rates = nil
	found, err := p.measure(ctx, request)
	if err != nil {
		return found, err
	}
	return found, p.rates.add(uncut, found.Rates)
}

// measure samples a render as a job of its own, which stops pre-rendering.
func (p *Pool) measure(ctx context.Context, request media.SampleRequest) (media.RenderSample, error) {
	const job = "sample"
	alone := p.alone(0)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p.enter(job, cancel)
	defer p.leave(job)
	found, err := p.Engine.Sample(ctx, request)
	found.Rates.Timed = found.Rates.Timed && alone && p.alone(1)
	return found, err
}

// alone reports whether no more than a number of jobs are running.
func (p *Pool) alone(jobs int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.running) <= jobs
}

// withoutCuts returns a plan without everything that depends on the cuts.
func withoutCuts(plan media.RenderPlan) media.RenderPlan {
	plan.Segments, plan.Chapters = nil, nil
	if len(plan.Captions) > 0 {
		plan.Captions = []media.Caption{{}}
	}
	plan.Audio.Bleeped, plan.Audio.Muted, plan.Audio.Voice, plan.Audio.Assets = nil, nil, nil, nil
	overlays := make([]media.Overlay, len(plan.Overlays))
	for i, o := range plan.Overlays {
		overlays[i] = media.Overlay{Path: o.Path}
	}
	plan.Overlays = overlays
	return plan
}

// expect adds to a render what its estimate predicted, if both encoded about the same frames and no
// other job slowed the render.
func (p *Pool) expect(plan media.RenderPlan, made *media.RenderResult) error {
	said, known, err := p.estimated.of(plan)
	if err != nil || !known || !p.alone(1) {
		return err
	}
	const alike = 20 // share of the frames by which they may differ
	off := said.Frames - said.Copied - said.Reused - made.Encoded
	if alike*max(off, -off) <= made.Frames {
		made.ExpectedMS = said.ExpectedMS
	}
	return nil
}
