package pipeline

import (
	"context"

	"roughcut/media"
	"roughcut/store"
)

// copyProgress is the payload of ConstantRateProgress.
type copyProgress struct {
	ClipUUID string `json:"clip_uuid"`
	Progress int    `json:"progress"` // percent
}

// constantRate makes the constant-rate copy of a recording.
func (p *Pool) constantRate(ctx context.Context, job store.Job) error {
	in, err := p.Store.ClipInput(job)
	if err != nil {
		return err
	}
	if err := p.Store.CheckFree(in.Clip.SizeBytes); err != nil {
		return err
	}
	plan, err := media.ConstantRatePlan(media.RenderClip{Path: in.OriginalPath, Info: in.Clip.Info})
	if err != nil {
		return err
	}
	temp, err := p.Store.TempPath(plan.Format.Extension)
	if err != nil {
		return err
	}
	defer removeAll(temp)
	pace := pacer{now: p.Now}
	_, err = p.Engine.Render(ctx, plan, temp, func(fraction float64) {
		if percent := int(100 * fraction); pace.ready("", percent) {
			// A lost progress event does no harm.
			_ = p.Events.Report(job.ProjectUUID, ConstantRateProgress, copyProgress{in.Clip.UUID, percent})
		}
	})
	if gone := in.CheckLinkedFiles(); gone != nil {
		return gone // more specific than the error of the render
	}
	if err != nil {
		return err
	}
	info, err := p.Engine.Probe(ctx, temp)
	if err != nil {
		return err
	}
	if err := p.Store.FinishConstantRateCopy(job, temp, info); err != nil {
		return err
	}
	return p.Events.Publish(job.ProjectUUID, ConstantRateReady, clipEvent{in.Clip.UUID})
}
