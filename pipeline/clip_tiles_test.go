package pipeline_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/store"
)

// The cuts of a recording are there before its sprite sheet, which gets an event of its own.
func TestCutsDoNotWaitForTiles(t *testing.T) {
	w := newWorld(t)
	asked := make(chan bool, 2)
	w.engine.ingest = func(
		ctx context.Context, r media.IngestRequest, progress func(float64),
	) (media.IngestResult, error) {
		asked <- r.TilesLaterMS > 0
		result, err := ingestWell(ctx, r, progress)
		if r.TilesLaterMS > 0 {
			result.Sprite, result.TilesLeft = media.Sprite{}, true
			err = errors.Join(err, os.Remove(r.SpritePath))
		}
		return result, err
	}
	began, proceed := make(chan media.TilesRequest), make(chan error)
	w.engine.tiles = func(_ context.Context, r media.TilesRequest) (media.TilesResult, error) {
		began <- r
		if err := <-proceed; err != nil {
			return media.TilesResult{}, err
		}
		return media.TilesResult{Sprite: media.Sprite{TileWidth: 160, TileHeight: 90, TilesPerRow: 10, TotalTiles: 6,
			SecondsPerTile: 1}}, os.WriteFile(r.SpritePath, []byte("tiles"), 0o600)
	}
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()

	c := w.upload()
	if !<-asked {
		t.Error("the ingest was not asked to leave the tiles")
	}
	w.until(events, pipeline.ClipReady)
	r := <-began
	if got, err := w.store.Clip(w.user.UUID, c.UUID); err != nil || r.DurationMS != *got.DurationMS {
		t.Errorf("tiles of %d ms, %v", r.DurationMS, err)
	}
	settings := store.AnalysisSettings{PacingLevel: 50}
	if _, err := w.store.StartAnalysis(w.user.UUID, w.project.UUID, settings); err != nil {
		t.Fatal(err)
	}
	w.until(events, pipeline.AnalysisComplete)
	if edits, err := w.store.Edits(w.user.UUID, w.project.UUID, false); err != nil || len(edits) == 0 {
		t.Errorf("%d cuts before the tiles, %v", len(edits), err)
	}
	proceed <- nil
	w.until(events, pipeline.ClipTilesReady)
	if got, err := w.store.Clip(w.user.UUID, c.UUID); err != nil || got.SpriteKey() == "" {
		t.Errorf("the clip has no sprite sheet, %v", err)
	}

	// A recording that needs a proxy after all is ingested again, as a whole.
	w.upload()
	<-asked
	<-began
	proceed <- media.ErrNeedsProxy
	if <-asked {
		t.Error("the second ingest leaves the tiles too")
	}
}
