package pipeline

import (
	"context"
	"os"

	"roughcut/media"
	"roughcut/media/estimate"
	"roughcut/store"
)

// EstimateExport predicts the size and the render time of an export. If the indexes of the
// recordings cannot be read, it knows only the bit rates. Errors: a FileFault if the settings do
// not suit the clips; the cause of ctx.
func (p *Pool) EstimateExport(ctx context.Context, in store.EstimateInput) (estimate.Result, error) {
	export, err := p.withFaces(ctx, in.ExportInput)
	if err != nil {
		return estimate.Result{}, err
	}
	plan, err := renderPlan(export)
	if err != nil {
		return estimate.Result{}, err
	}
	input := estimate.Input{
		Plan:       plan,
		Resolution: in.Settings.Resolution,
		Aspect:     in.Settings.AspectRatio,
		Clips:      export.Clips,
		Sources:    in.Sources,
		Rates:      in.Rates,
	}
	switch counts, err := p.Engine.CountFrames(ctx, input.CountRequest()); {
	case ctx.Err() != nil:
		return estimate.Result{}, context.Cause(ctx)
	case err != nil:
		p.Log.Warn("counting the frames of an export failed", "project", in.Export.ProjectUUID, "error", err)
	default:
		input.Counts = &counts
	}

	return input.Estimate(), nil
}

// measure adds the measured rates to a finished render, for the estimates of later renders. If
// another job was running, it omits the time.
func (p *Pool) measure(in store.ExportInput, plan media.RenderPlan, made *media.RenderResult) {
	input := estimate.Input{Plan: plan, Clips: in.Clips, Sources: make([]estimate.Source, len(in.Clips))}
	for i, c := range in.Clips {
		if file, err := os.Stat(c.Path); err == nil {
			input.Sources[i].SizeBytes = file.Size()
		}
	}

	made.Rates = input.Measure(*made)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.running) > 1 {
		made.Rates.Time = 0
	}
}
