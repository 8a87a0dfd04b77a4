package libav

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// BenchmarkMemory measures the peak memory of 1080p exports of one hour (three hours with
// ROUGHCUT_LONG=1). One export copies everything except heads; the other keeps and encodes a
// hundredth.
func BenchmarkMemory(b *testing.B) {
	talk := mediatest.Talk(
		b,
		mediatest.TalkOptions{
			Width:        1920,
			Height:       1080,
			Seconds:      10,
			GOP:          15,
			BFrames:      2,
			Hiss:         true,
			VideoOptions: []string{"-preset", "ultrafast", "-crf", "40"},
		},
	)
	dir := b.TempDir()
	minutes := 60
	if os.Getenv(longEnv) != "" {
		minutes = 180
	}
	recording := func(minutes int) string {
		path := filepath.Join(dir, fmt.Sprintf("%d.mp4", minutes))
		ffmpeg(b, "-stream_loop", fmt.Sprint(minutes*6-1), "-i", talk.Path, "-c", "copy", path)
		return path
	}
	megabytes := func(path string, every, keep int64, settings media.RenderSettings) float64 {
		plan := makePlan(b, nil, settings, path)
		var cuts []media.Span
		for at := int64(0); at < plan.DurationMS(); at += every {
			cuts = append(cuts, media.Span{StartMS: at + keep, EndMS: at + every})
		}
		plan = makePlan(b, cuts, settings, path)
		out, _, peak := renderInChild(b, plan)
		if got := len(videoPackets(b, out)); int64(got) != plan.Frames() {
			b.Fatalf("%d frames of %d", got, plan.Frames())
		}
		return float64(peak) / (1 << 20)
	}
	for b.Loop() {
		third, whole := recording(minutes/3), recording(minutes)
		short, smart := megabytes(third, 36_000, 34_300, media.RenderSettings{}), megabytes(
			whole, 36_000, 34_300,
			media.RenderSettings{},
		)
		encoded := megabytes(whole, 36_000, 400, media.RenderSettings{FlipV: true})
		length := fmt.Sprintf("%d minutes", minutes)
		mediatest.Goal{
			What:  length + ", cuts only, peak memory",
			Want:  350,
			Limit: "the encoder itself",
		}.Figure(b, smart, "MB")
		mediatest.Goal{
			What:  "the same, each hour adds",
			Want:  20,
			Limit: "the indexes",
		}.Figure(b, (smart-short)*90/float64(minutes), "MB")
		mediatest.Goal{
			What:  length + ", a hundredth encoded, peak memory",
			Want:  450,
			Limit: "the encoder itself",
		}.Figure(b, encoded, "MB")
	}
}
