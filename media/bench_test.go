package media_test

import (
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// BenchmarkRenderPlanOfFiveThousandCuts plans five thousand cuts in three hours of footage with a
// keyframe every 250 frames, and its chunks.
func BenchmarkRenderPlanOfFiveThousandCuts(b *testing.B) {
	const frames = 3 * 3600 * 30
	rate := media.Rate{Num: 30, Den: 1}
	var packets media.PacketIndex
	for f := int64(0); f < frames; f++ {
		if f%250 == 0 {
			packets.Sync = append(packets.Sync, int(f))
		}
		packets.Frames = append(packets.Frames, f)
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
			plan.Chunks([]media.PacketIndex{packets}, 120, 3)
		}
		mediatest.Goal{
			What:  "planning 5,000 cuts in three hours",
			Want:  5,
			Limit: "O(frames + cuts)",
		}.Figure(b, 1000*time.Since(started).Seconds()/rounds, "ms")
	}
}

// BenchmarkChunksOfAVariableFrameRate plans the chunks of a recording of three hours without cuts.
// It has a keyframe each second, and the camera dropped one frame in a hundred.
func BenchmarkChunksOfAVariableFrameRate(b *testing.B) {
	const frames = 3 * 3600 * 30
	var packets media.PacketIndex
	for f := int64(0); f < frames; f++ {
		if f%30 == 0 {
			packets.Sync = append(packets.Sync, len(packets.Frames))
		}
		if f%100 != 99 {
			packets.Frames = append(packets.Frames, f)
		}
	}
	plan := media.RenderPlan{Rate: media.Rate{Num: 30, Den: 1}, Segments: []media.Segment{{Out: frames}}}
	for b.Loop() {
		started := time.Now()
		if chunks := plan.Chunks([]media.PacketIndex{packets}, 120, 3); len(chunks) < frames/100 {
			b.Fatal(len(chunks))
		}
		mediatest.Goal{
			What:  "planning three hours of a variable frame rate",
			Want:  20,
			Limit: "O(frames)",
		}.Figure(b, 1000*time.Since(started).Seconds(), "ms")
	}
}
