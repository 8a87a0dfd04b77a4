package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/store"
)

// tilesLater makes the engine leave the tiles of each recording. asked receives whether an ingest
// may leave them, began the request for them, and proceed ends it.
func (w *world) tilesLater() (asked <-chan bool, began <-chan media.TilesRequest, proceed chan<- error) {
	ingests, requests, ends := make(chan bool, 2), make(chan media.TilesRequest), make(chan error)
	w.engine.ingest = func(
		ctx context.Context, r media.IngestRequest, progress func(float64),
	) (media.IngestResult, error) {
		ingests <- r.TilesLaterMS > 0
		result, err := ingestWell(ctx, r, progress)
		if r.TilesLaterMS > 0 {
			result.Sprite, result.TilesLeft = media.Sprite{}, true
			err = errors.Join(err, os.Remove(r.SpritePath))
		}
		return result, err
	}
	w.engine.tiles = func(_ context.Context, r media.TilesRequest) (media.TilesResult, error) {
		requests <- r
		if err := <-ends; err != nil {
			return media.TilesResult{}, err
		}
		return media.TilesResult{
			Sprite: media.Sprite{TileWidth: 160, TileHeight: 90, TilesPerRow: 10, TotalTiles: 6, SecondsPerTile: 1},
			Motion: bytes.Repeat([]byte{255}, 5),
		}, os.WriteFile(r.SpritePath, []byte("tiles"), 0o600)
	}
	return ingests, requests, ends
}

// The cuts of a recording are ready before its sprite sheet, which has a separate event.
func TestCutsDoNotWaitForTiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked, began, proceed := w.tilesLater()
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
	settings := store.AnalysisSettings{CutOptions: media.CutOptions{PacingLevel: 50}}
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

// A replan that keeps demonstrations does not wait for the motion of a recording. The silence that
// it keeps becomes inactive as soon as the motion is known.
func TestReplanGetsTheMotionThatItNeeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked, began, proceed := w.tilesLater()
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	w.upload()
	<-asked
	w.until(events, pipeline.ClipReady)
	<-began
	run, err := w.store.StartAnalysis(
		w.user.UUID,
		w.project.UUID,
		store.AnalysisSettings{CutOptions: media.CutOptions{PacingLevel: 50}},
	)
	if err != nil {
		t.Fatal(err)
	}
	w.until(events, pipeline.AnalysisComplete)
	replan := func() (in store.ReplanInput, found store.Proposal, err error) {
		if in, err = w.store.ReplanInput(w.user.UUID, w.project.UUID, run.UUID); err != nil {
			t.Fatal(err)
		}
		in.Run.KeepDemonstrations = true
		if found, err = pipeline.Replan(in); err != nil {
			t.Fatal(err)
		}
		_, _, err = w.store.ReplaceDetectedEdits(
			w.user.UUID, w.project.UUID, run.UUID, in.Run.AnalysisSettings, found,
		)
		return in, found, err
	}
	in, found, err := replan()
	if err != nil || len(found.Edits) != 1 || !found.Edits[0].Active {
		t.Fatalf("the replan before the motion gives %+v, %v", found.Edits, err)
	}
	proceed <- nil
	w.until(events, pipeline.ClipTilesReady)
	edits, err := w.store.Edits(w.user.UUID, w.project.UUID, false)
	if err != nil || len(edits) != 1 || edits[0].Active {
		t.Errorf("the edits with the motion are %+v, %v", edits, err)
	}
	_, _, err = w.store.ReplaceDetectedEdits(w.user.UUID, w.project.UUID, run.UUID, in.Run.AnalysisSettings, found)
	if !errors.Is(err, store.ErrMotionMeasured) {
		t.Errorf("an outdated replan gives %v", err)
	}
	if lacking, err := w.store.MotionRuns(""); err != nil || len(lacking) > 0 {
		t.Errorf("runs that lack motion: %+v, %v", lacking, err)
	}
}

// A failure of the tiles has an event and a reason. The edits that wait for the motion come to
// terms without it, and get it when a person repeats the job.
func TestFailedTilesAreReportedAndRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked, began, proceed := w.tilesLater()
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	c := w.upload()
	<-asked
	w.until(events, pipeline.ClipReady)
	<-began
	settings := store.AnalysisSettings{CutOptions: media.CutOptions{PacingLevel: 50, KeepDemonstrations: true}}
	if _, err := w.store.StartAnalysis(w.user.UUID, w.project.UUID, settings); err != nil {
		t.Fatal(err)
	}
	activeCuts := func() (n int) {
		edits, err := w.store.Edits(w.user.UUID, w.project.UUID, false)
		if err != nil || len(edits) != 1 {
			t.Fatalf("edits %+v, %v", edits, err)
		}
		if edits[0].Active {
			n++
		}
		return n
	}
	proceed <- errors.New("a broken decoder")
	w.until(events, pipeline.ClipTilesFailed)
	w.until(events, pipeline.AnalysisComplete)
	got, err := w.store.Clip(w.user.UUID, c.UUID)
	if err != nil || got.TilesLeft || got.TilesError == "" || activeCuts() != 1 {
		t.Errorf("after the failure: %q, %v, %d cuts are active", got.TilesError, err, activeCuts())
	}
	if _, err := w.store.RetryTiles(w.user.UUID, c.UUID); err != nil {
		t.Fatal(err)
	}
	<-began
	proceed <- nil
	w.until(events, pipeline.ClipTilesReady)
	got, err = w.store.Clip(w.user.UUID, c.UUID)
	if err != nil || got.TilesError != "" || got.SpriteKey() == "" || activeCuts() != 0 {
		t.Errorf("after the repetition: %q, %v, %d cuts are active", got.TilesError, err, activeCuts())
	}
}
