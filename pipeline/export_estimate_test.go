package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"roughcut/media"
	"roughcut/media/estimate"
	"roughcut/store"
)

// counter is an Engine that counts frames only.
type counter struct {
	Engine
	counts media.FrameCounts
	err    error
}

func (c counter) CountFrames(context.Context, media.CountRequest) (media.FrameCounts, error) {
	return c.counts, c.err
}

// estimateInput is the estimate of ten minutes at another size.
func estimateInput() store.EstimateInput {
	settings := store.DefaultExportSettings()
	settings.Resolution, settings.AspectRatio = "720p", "16:9"
	video := &media.VideoInfo{Codec: "h264", Width: 1920, Height: 1080, Rate: media.Rate{Num: 30, Den: 1}}
	return store.EstimateInput{
		ExportInput: store.ExportInput{
			Settings: settings,
			Clips:    []media.RenderClip{{ID: "a", Info: media.Info{DurationMS: 600_000, Video: video}}},
		},
		Sources: []estimate.Source{{SizeBytes: 100_000_000}},
	}
}

// An estimate counts frames as the engine does. Without the engine, it encodes all that it cannot
// copy.
func TestEstimateCountsFrames(t *testing.T) {
	t.Parallel()
	estimate := func(engine counter) estimate.Result {
		t.Helper()
		pool := NewPool(Options{Engine: engine, Log: slog.New(slog.DiscardHandler)})
		found, err := pool.EstimateExport(t.Context(), estimateInput())
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	cold := estimate(counter{err: errors.New("the recording is gone")})
	warm := estimate(counter{counts: media.FrameCounts{
		Inputs: []media.InputCounts{{Reused: 18_000, ReusedBytes: 30_000_000}},
	}})
	if cold.Reused != 0 || warm.Reused != warm.Frames || 10*warm.TookMS > cold.TookMS || warm.SizeBytes < 30_000_000 {
		t.Errorf("before a render %+v, afterwards %+v", cold, warm)
	}
}

// The estimate of a request that has ended is not waited for.
func TestEndedEstimateFails(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	pool := NewPool(Options{Engine: counter{err: ctx.Err()}, Log: slog.New(slog.DiscardHandler)})
	if found, err := pool.EstimateExport(ctx, estimateInput()); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", found, err)
	}
}

// A render next to another job teaches its size and no time.
func TestRenderNextToJobTeachesNoTime(t *testing.T) {
	t.Parallel()
	pool, in := NewPool(Options{Engine: counter{}}), estimateInput()
	plan, err := renderPlan(in.ExportInput)
	if err != nil {
		t.Fatal(err)
	}
	measured := func() media.RenderRates {
		made := media.RenderResult{
			Frames: 18_000, Encoded: 18_000, Encoder: "x264", EncodedBytes: 40_000_000, TookMS: 60_000,
		}
		in.Clips[0].Info.Video.BitRate = 1_000_000
		pool.measure(in.ExportInput, plan, &made)
		return made.Rates
	}
	pool.enter("export", func(error) {})
	alone := measured()
	pool.enter("other", func(error) {})
	if beside := measured(); alone.Time == 0 || beside.Time != 0 || alone.Size == 0 || beside.Size != alone.Size {
		t.Errorf("alone %+v, next to another job %+v", alone, beside)
	}
}
