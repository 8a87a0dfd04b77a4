package pipeline

import (
	"context"
	"errors"
	"time"

	"roughcut/media"
	"roughcut/store"
)

// tilesLaterFrom is the length of a recording from which decoding its tiles keeps a person waiting.
// The tiles of a shorter one are ready with the clip, for clients that know no second event.
const tilesLaterFrom = 3 * time.Minute

// tilesLater returns the length from which the ingest of a clip leaves the tiles: none if the clip
// is ready, so that files that were lost are made again in one job.
func tilesLater(c store.Clip) int64 {
	if c.Status == store.ClipReady {
		return 0
	}
	return tilesLaterFrom.Milliseconds()
}

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
