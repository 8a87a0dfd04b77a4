package pipeline

import (
	"testing"

	"roughcut/media"
	"roughcut/store"
)

// An estimate counts the frames that a render or pre-render of the same plan has encoded as cached:
// they take no time. Another plan is estimated in full.
func TestEstimateKnowsRenderedPlans(t *testing.T) {
	settings := store.DefaultExportSettings()
	settings.Resolution, settings.AspectRatio = "720p", "16:9"
	video := &media.VideoInfo{Codec: "h264", Width: 1920, Height: 1080, Rate: media.Rate{Num: 30, Den: 1}}
	in := store.EstimateInput{
		ExportInput: store.ExportInput{
			Settings: settings,
			Clips:    []media.RenderClip{{ID: "a", Info: media.Info{DurationMS: 600_000, Video: video}}},
		},
		Sources: []media.RenderSource{{SizeBytes: 100_000_000}},
	}
	pool := NewPool(Options{})
	estimate := func() media.RenderEstimate {
		t.Helper()
		found, err := pool.EstimateExport(in)
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
	if err := pool.rendered.add(plan); err != nil {
		t.Fatal(err)
	}
	if warm := estimate(); warm.Reused != warm.Frames || 10*warm.TookMS > cold.TookMS {
		t.Errorf("before the render %+v, afterwards %+v", cold, warm)
	}
	in.Settings.Resolution = "1080p"
	if other := estimate(); other.Reused != 0 {
		t.Errorf("another plan is estimated as rendered: %+v", other)
	}
	for i := range 2 * renderedPlansKept {
		plan.Width = 2 * (i + 1)
		if err := pool.rendered.add(plan); err != nil {
			t.Fatal(err)
		}
	}
	if kept := len(pool.rendered.sums); kept != renderedPlansKept {
		t.Errorf("%d plans are kept, want %d", kept, renderedPlansKept)
	}
}
