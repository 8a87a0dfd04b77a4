package pipeline

import (
	"context"
	"errors"

	"roughcut/media"
	"roughcut/store"
)

// tiles makes the sprite sheet of a ready clip and measures its motion. A review of cuts needs
// neither.
func (p *Pool) tiles(ctx context.Context, job store.Job) error {
	in, err := p.Store.TilesInput(job)
	if err != nil {
		return err
	}
	temp, err := p.Store.TempPath(".jpg")
	if err != nil {
		return err
	}
	defer removeAll(temp)
	made, err := p.Engine.Tiles(ctx, media.TilesRequest{
		Path: in.OriginalPath, SpritePath: temp, DurationMS: in.Clip.Info.DurationMS,
	}, func(float64) {})
	if gone := in.CheckLinkedFiles(); gone != nil {
		return gone // more specific than the error of the engine
	}
	if errors.Is(err, media.ErrNeedsProxy) {
		return p.Store.RemakeClip(job)
	}
	if err != nil {
		return err
	}
	clip, err := p.Store.FinishTiles(job, temp, made)
	if err != nil {
		return err
	}
	return p.Events.Publish(job.ProjectUUID, ClipTilesReady, clipEvent{clip.UUID})
}
