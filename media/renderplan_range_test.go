package media_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roughcut/media"
)

// A range keeps the footage between its bounds, without the cuts. Captions, chapters, muted
// audio and assets move with it.
func TestRangeKeepsOnlyItsFootage(t *testing.T) {
	clips := []media.RenderClip{
		clip(10_000, media.Rate{Num: 25, Den: 1}), clip(10_000, media.Rate{Num: 25, Den: 1}),
	}
	image := media.Info{Format: "png", Video: &media.VideoInfo{Width: 100, Height: 100, Still: true}}
	placed := func(from, to int64) media.PlacedAsset {
		return media.PlacedAsset{
			Path: "logo.png", Info: image, Span: media.Span{StartMS: from, EndMS: to},
			Placement: media.Placement{SizePercent: 10, Appearance: media.Appearance{OpacityPercent: 100}},
		}
	}
	settings := media.RenderSettings{
		VolumePercent: 100, Range: media.Span{StartMS: 8000, EndMS: 13_000},
		Muted: []media.Span{{StartMS: 1000, EndMS: 2000}, {StartMS: 12_000, EndMS: 12_400}},
		Captions: &media.CaptionTrack{Lines: []media.CaptionLine{
			{Text: "before", StartMS: 2000, EndMS: 3000}, {Text: "within", StartMS: 11_000, EndMS: 11_800},
			{Text: "after", StartMS: 15_000, EndMS: 16_000},
		}},
		Chapters: []media.Chapter{
			{StartMS: 0, Title: "A"}, {StartMS: 5000, Title: "B"}, {StartMS: 12_000, Title: "C"},
			{StartMS: 14_000, Title: "D"},
		},
		Assets: []media.PlacedAsset{placed(1000, 2000), placed(12_000, 20_000)},
	}
	plan, err := media.NewRenderPlan(clips, []media.Span{{StartMS: 8400, EndMS: 9400}}, settings)
	if err != nil {
		t.Fatal(err)
	}
	want := []media.Segment{
		{Input: 0, In: 200, Out: 210}, {Input: 0, In: 235, Out: 250, Start: 10}, {Input: 1, Out: 75, Start: 25},
	}
	if diff := cmp.Diff(want, plan.Segments); diff != "" {
		t.Errorf("segments (-want +got):\n%s", diff)
	}
	if len(plan.Captions) != 1 || plan.Captions[0].Text != "within" || plan.Captions[0].StartMS != 2000 {
		t.Errorf("captions: %+v", plan.Captions)
	}
	chapters := []media.Chapter{{StartMS: 0, Title: "B"}, {StartMS: 3000, Title: "C"}}
	if diff := cmp.Diff(chapters, plan.Chapters); diff != "" {
		t.Errorf("chapters (-want +got):\n%s", diff)
	}
	muted := []media.SampleRange{{From: 3 * media.SampleRate, To: 34 * media.SampleRate / 10}}
	if diff := cmp.Diff(muted, plan.Audio.Muted); diff != "" {
		t.Errorf("muted (-want +got):\n%s", diff)
	}
	if len(plan.Overlays) != 1 || plan.Overlays[0].Range != (media.FrameRange{In: 75, Out: 100}) {
		t.Errorf("overlays: %+v", plan.Overlays)
	}

	if _, err := media.NewRenderPlan(clips, []media.Span{{StartMS: 7000, EndMS: 14_000}}, settings); !errors.Is(
		err, media.ErrNothingLeft,
	) {
		t.Errorf("a range that is cut: %v", err)
	}
}
