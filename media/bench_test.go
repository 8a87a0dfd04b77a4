package media_test

import (
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// BenchmarkPlanOfFiveThousandCuts plans five thousand cuts in three hours, and what of them is
// copied from footage with a keyframe each 250 frames.
func BenchmarkPlanOfFiveThousandCuts(b *testing.B) {
	const frames = 3 * 3600 * 30
	rate := media.Rate{Num: 30, Den: 1}
	var coded media.PacketIndex
	for f := int64(0); f < frames; f++ {
		if f%250 == 0 {
			coded.Sync = append(coded.Sync, int(f))
		}
		coded.Frames = append(coded.Frames, f)
	}
	clips := []media.RenderClip{
		{Info: media.Info{DurationMS: rate.MS(frames), Video: &media.VideoInfo{Width: 1920, Height: 1080, Rate: rate}}},
	}
	var cuts []media.Span
	for i := range int64(5000) {
		cuts = append(cuts, media.Span{StartMS: i*2130 + 1660, EndMS: (i + 1) * 2130})
	}
	const rounds = 20
	for b.Loop() {
		started := time.Now()
		for range rounds {
			plan, err := media.NewRenderPlan(clips, cuts, media.RenderSettings{AspectRatio: "source"})
			if err != nil || len(plan.Segments) < 5000 {
				b.Fatal(len(plan.Segments), err)
			}
			plan.Chunks([]media.PacketIndex{coded}, 120, 3)
		}
		mediatest.Goal{
			What:  "planning 5,000 cuts in three hours",
			Want:  5,
			Limit: "O(frames + cuts)",
		}.Figure(b, 1000*time.Since(started).Seconds()/rounds, "ms")
	}
}
