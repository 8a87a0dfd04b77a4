//go:build linux

package sandbox

import (
	"cmp"
	"context"
	"slices"

	"roughcut/media"
)

// Render implements pipeline.Renderer.
func (e *Engine) Render(
	ctx context.Context,
	plan media.RenderPlan,
	path string,
	progress func(float64),
) (result media.RenderResult, err error) {
	progress = monotonic(progress)
	software, err := e.encode(func(encoder media.EncoderChoice) (crashed bool, err error) {
		plan, path := plan, path
		c, err := e.planCall(callRender, &plan, plan.Frames(), progress)
		if err != nil {
			return false, err
		}
		if err := c.files.all(nil, []*string{&path}); err != nil {
			return false, err
		}
		c.allowEncoder(encoder)
		err = c.run(ctx, renderCall{plan, path}, &result)
		return c.crashed, err
	})
	e.trimChunks()
	result.SoftwareBecause = cmp.Or(software, result.SoftwareBecause)
	return result, err
}

// CountFrames implements pipeline.Renderer. The child knows the encoder and does not open it.
func (e *Engine) CountFrames(ctx context.Context, r media.CountRequest) (counts media.FrameCounts, err error) {
	c, err := e.planCall(callCount, &r.Plan, 1, nil)
	if err != nil {
		return counts, err
	}
	c.request.Encoder = e.Encoder()
	err = c.run(ctx, r, &counts)
	return counts, err
}

// Still implements pipeline.Renderer.
func (e *Engine) Still(
	ctx context.Context,
	plan media.RenderPlan,
	frame int64,
	kind media.StillKind,
) (image []byte, err error) {
	c, err := e.planCall(callStill, &plan, 1, nil)
	if err != nil {
		return nil, err
	}
	err = c.run(ctx, stillCall{plan, frame, kind}, &image)
	return image, err
}

// Prerender implements pipeline.Renderer.
func (e *Engine) Prerender(ctx context.Context, plan media.RenderPlan) error {
	c, err := e.planCall(callPrerender, &plan, plan.Frames(), nil)
	if err != nil {
		return err
	}
	c.silence = prerenderSilence
	err = c.run(ctx, plan, new(struct{}))
	e.trimChunks()
	return err
}

// trimChunks deletes old chunks. A child cannot, because it does not see the chunks of other
// recordings.
func (e *Engine) trimChunks() {
	if e.options.TrimChunks != nil {
		_ = e.options.TrimChunks() // another render, or the next start, tries again
	}
}

// planCall returns a call that encodes the given number of frames of a plan. It replaces the paths
// in the plan with the paths that the child sees.
func (e *Engine) planCall(
	name string,
	plan *media.RenderPlan,
	frames int64,
	progress func(float64),
) (*call, error) {
	f := newFiles()
	if err := f.readPlan(plan); err != nil {
		f.close()
		return nil, err
	}

	chunks, err := f.cache(e.options.Chunks, inputIDs(*plan))
	if err != nil {
		f.close()
		return nil, err
	}

	c := e.call(name, f, planLimits(*plan, frames, f.bytes), progress)
	c.request.Chunks, c.usual = chunks, planMemory(*plan, frames)
	return c, nil
}

// readPlan replaces the paths of all files that a render of a plan reads. It copies the lists that
// it changes.
func (f *files) readPlan(plan *media.RenderPlan) error {
	plan.Inputs = slices.Clone(plan.Inputs)
	for i := range plan.Inputs {
		in := &plan.Inputs[i]
		f.readOptional(&in.EnergiesPath)
		f.readOptional(&in.PeaksPath)
		if err := f.read(&in.Path); err != nil {
			return err
		}
	}

	plan.Overlays = slices.Clone(plan.Overlays)
	for i := range plan.Overlays {
		if err := f.read(&plan.Overlays[i].Path); err != nil {
			return err
		}
	}

	plan.Audio.Assets = slices.Clone(plan.Audio.Assets)
	for i := range plan.Audio.Assets {
		if err := f.read(&plan.Audio.Assets[i].Path); err != nil {
			return err
		}
	}

	if plan.Cover == nil {
		return nil
	}
	cover := *plan.Cover
	plan.Cover = &cover
	return f.read(&cover.Path)
}

// inputIDs returns the IDs of the inputs of a plan, which name their folders in a chunk cache.
func inputIDs(plan media.RenderPlan) (ids []string) {
	for _, in := range plan.Inputs {
		ids = append(ids, in.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
