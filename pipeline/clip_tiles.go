package pipeline

import (
	"context"
	"errors"
	"time"

	"roughcut/media"
	"roughcut/store"
)

// tilesLaterFrom is the shortest recording whose tiles take long enough to decode that a person
// would wait. The tiles of a shorter recording are ready with the clip, for clients that know no
// second event.
const tilesLaterFrom = 3 * time.Minute

// tilesLater returns the length in milliseconds of the shortest recording whose ingest leaves the
// tiles to another job. It returns 0 if the clip is ready: the ingest then makes lost files again
// and leaves none.
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
	if err := p.replanWithMotion(job.ProjectUUID); err != nil {
		p.Log.Error("applying the motion of a clip failed", "clip", clip.UUID, "error", err)
	}
	return p.Events.Publish(job.ProjectUUID, ClipTilesReady, clipEvent{clip.UUID})
}

// failTiles ends a tiles job without success. The edits that wait for the motion stop waiting.
func (p *Pool) failTiles(job store.Job, reason string) error {
	clip, err := p.Store.FailTiles(job, reason)
	if err != nil {
		return err
	}
	err = p.replanWithMotion(job.ProjectUUID)
	if clip != "" {
		err = errors.Join(err, p.Events.Publish(job.ProjectUUID, ClipTilesFailed, clipFailed{clip, reason}))
	}
	return err
}

// replanWithMotion derives the edits again that lack the motion of a clip, once it has been
// measured. An empty project stands for all projects.
func (p *Pool) replanWithMotion(project string) error {
	list, err := p.Store.MotionRuns(project)
	for _, run := range list {
		err = errors.Join(err, p.replan(run))
	}
	return err
}

func (p *Pool) replan(run store.Run) (err error) {
	defer panicAsError(&err)
	in, err := p.Store.ReplanInput(run.UserUUID, run.ProjectUUID, run.UUID)
	if err != nil {
		return err
	}
	found, err := Replan(in)
	if err != nil {
		return err
	}
	_, _, err = p.Store.ReplaceDetectedEdits(
		run.UserUUID, run.ProjectUUID, run.UUID, in.Run.AnalysisSettings, found,
	)
	return err
}
