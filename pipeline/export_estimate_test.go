package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"roughcut/media"
	"roughcut/store"
)

// sampler is an Engine that samples renders only.
type sampler struct {
	Engine
	sample func(request media.SampleRequest) (media.RenderSample, error)
}

func (s sampler) Sample(_ context.Context, request media.SampleRequest) (media.RenderSample, error) {
	return s.sample(request)
}

func samplingPool(sample func(request media.SampleRequest) (media.RenderSample, error)) *Pool {
	return NewPool(Options{Engine: sampler{sample: sample}, Log: slog.New(slog.DiscardHandler)})
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
		Sources: []media.RenderSource{{SizeBytes: 100_000_000}},
	}
}

// Without a sample, an estimate counts the frames that a render or pre-render of the same plan has
// encoded as cached: they take no time. Another plan is estimated in full.
func TestEstimateKnowsRenderedPlans(t *testing.T) {
	t.Parallel()
	in := estimateInput()
	pool := samplingPool(func(media.SampleRequest) (media.RenderSample, error) {
		return media.RenderSample{}, errors.New("the recording is gone")
	})
	estimate := func() media.RenderEstimate {
		t.Helper()
		found, err := pool.EstimateExport(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	cold := estimate()
	plan, err := media.NewRenderPlan(in.Clips, in.Cuts, planSettings(in.ExportInput))
	if err != nil {
		t.Fatal(err)
	}
	if err := pool.rendered.add(plan, struct{}{}); err != nil {
		t.Fatal(err)
	}
	if warm := estimate(); warm.Reused != warm.Frames || 10*warm.TookMS > cold.TookMS {
		t.Errorf("before the render %+v, afterwards %+v", cold, warm)
	}
	in.Settings.Resolution = "1080p"
	if other := estimate(); other.Reused != 0 {
		t.Errorf("another plan is estimated as rendered: %+v", other)
	}
	for i := range 2 * plansKept {
		plan.Width = 2 * (i + 1)
		if err := pool.rendered.add(plan, struct{}{}); err != nil {
			t.Fatal(err)
		}
	}
	if kept := len(pool.rendered.known); kept != plansKept {
		t.Errorf("%d plans are kept, want %d", kept, plansKept)
	}
}

// sampleOf returns what an engine finds for a request in which every frame is encoded, and counts
// the requests that it measures.
func sampleOf(measured *int) func(media.SampleRequest) (media.RenderSample, error) {
	return func(request media.SampleRequest) (media.RenderSample, error) {
		frames := request.Plan.Frames()
		found := media.RenderSample{
			Inputs: []media.SampledInput{{Encoded: frames, Groups: frames / 60, Decoded: frames}},
		}
		if request.Rates != nil {
			found.Rates = *request.Rates
			return found, nil
		}
		*measured++
		found.Rates = media.RenderRates{Timed: true, Frames: []media.FrameRates{
			{KeyBytes: 60_000, FrameBytes: 1000, EncodeNS: 8e6, DecodeNS: 2e6},
		}}
		return found, nil
	}
}

// A sample is taken again when the settings change, and not when only the cuts do.
func TestSampleIsReusedWhenOnlyCutsChange(t *testing.T) {
	t.Parallel()
	measured := 0
	pool, in := samplingPool(sampleOf(&measured)), estimateInput()
	estimate := func() media.RenderEstimate {
		t.Helper()
		found, err := pool.EstimateExport(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	whole := estimate()
	in.Cuts = []media.Span{{StartMS: 100_000, EndMS: 400_000}}
	half := estimate()
	if measured != 1 || 10*half.SizeBytes > 6*whole.SizeBytes || 10*half.TookMS > 6*whole.TookMS {
		t.Errorf("%d samples; whole %+v, half %+v", measured, whole, half)
	}
	in.Settings.Fit = string(media.Crop)
	in.Settings.AspectRatio = "9:16"
	if estimate(); measured != 2 {
		t.Errorf("%d samples after another shape, want 2", measured)
	}
}

// A sample next to a running job measures sizes only. The next estimate without one measures again.
func TestSampleNextToJobIsNotTimed(t *testing.T) {
	t.Parallel()
	measured := 0
	pool, in := samplingPool(sampleOf(&measured)), estimateInput()
	pool.enter("export", func(error) {})
	for range 2 {
		if _, err := pool.EstimateExport(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	if measured != 1 {
		t.Errorf("%d samples next to a job, want 1", measured)
	}
	pool.leave("export")
	for range 2 {
		if _, err := pool.EstimateExport(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	if measured != 2 {
		t.Errorf("%d samples after the job, want 2", measured)
	}
}

// The estimate of a request that has ended is not waited for.
func TestEndedEstimateIsNotSampled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	pool := samplingPool(func(media.SampleRequest) (media.RenderSample, error) {
		return media.RenderSample{}, ctx.Err()
	})
	if found, err := pool.EstimateExport(ctx, estimateInput()); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", found, err)
	}
}

// A finished render gets the time that its estimate predicted, unless it encoded other frames.
func TestRenderKnowsItsEstimate(t *testing.T) {
	t.Parallel()
	measured := 0
	pool, in := samplingPool(sampleOf(&measured)), estimateInput()
	estimate, err := pool.EstimateExport(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := media.NewRenderPlan(in.Clips, in.Cuts, planSettings(in.ExportInput))
	if err != nil {
		t.Fatal(err)
	}
	for encoded, want := range map[int64]int64{plan.Frames(): estimate.ExpectedMS, plan.Frames() / 2: 0} {
		made := media.RenderResult{Frames: plan.Frames(), Encoded: encoded}
		if err := pool.expect(plan, &made); err != nil || made.ExpectedMS != want {
			t.Errorf("%d encoded frames: %d ms, %v; want %d", encoded, made.ExpectedMS, err, want)
		}
	}
}
