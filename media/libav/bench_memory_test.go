package libav

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// BenchmarkMemory measures the peak memory of 1080p exports of one hour (three hours with
// ROUGHCUT_LONG=1). One export copies everything except heads; the other keeps and encodes a
// hundredth. It compares what each hour adds with a stream copy by ffmpeg, which holds the index of
// one file that it reads and of one that it writes.
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
		mediatest.FFmpeg(b, "-stream_loop", fmt.Sprint(minutes*6-1), "-i", talk.Path, "-c", "copy", path)
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
	copying := func(path string) []string {
		return []string{
			"ffmpeg", "-v", "info", "-benchmark", "-nostdin", "-y", "-i", path, "-c", "copy",
			"-movflags", "+faststart", filepath.Join(dir, "copy.mp4"),
		}
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
		hours := float64(minutes) / 90 // between the two recordings
		mediatest.LogPeer(b, "memory", copying(whole))
		ours := (smart - short) / hours
		theirs := (commandMegabytes(b, copying(whole)) - commandMegabytes(b, copying(third))) / hours
		mediatest.Goal{
			What:  fmt.Sprintf("the same, each hour adds %.3g MB, %.3g MB to ffmpeg -c copy", ours, theirs),
			Want:  1,
			Limit: "one index read and one written",
		}.Figure(b, ours/theirs, "times")
		mediatest.Goal{
			What:  length + ", a hundredth encoded, peak memory",
			Want:  450,
			Limit: "the encoder itself",
		}.Figure(b, encoded, "MB")
	}
}

// commandMegabytes returns the peak memory of an ffmpeg command with -benchmark. A shell starts the
// command, because the peak of a process includes the memory of its parent.
func commandMegabytes(b *testing.B, command []string) float64 {
	b.Helper()
	out, err := exec.Command("sh", append([]string{"-c", `"$@"; exit $?`, "sh"}, command...)...).CombinedOutput()
	found := regexp.MustCompile(`(?i)maxrss=(\d+)Ki?B`).FindSubmatch(out)
	if err != nil || found == nil {
		b.Fatalf("%v\n%s", err, out)
	}
	kilobytes, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return float64(kilobytes) / 1024
}
