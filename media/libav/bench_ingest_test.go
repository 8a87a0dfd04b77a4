package libav

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// BenchmarkIngestAgainstFFmpeg compares an ingest with separate ffmpeg commands for the proxy, the
// sprite sheet, the speech file and the audio of the waveform.
func BenchmarkIngestAgainstFFmpeg(b *testing.B) {
	talk := mediatest.Talk(b, footage(mediatest.TalkOptions{GOP: 60, BFrames: 2}))
	dir := b.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	input := []string{"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", talk.Path}
	commands := [][]string{
		append(
			slices.Clone(input), "-vf", "scale=-2:540", "-c:v", "libx264", "-preset", proxyEffort.Preset,
			"-crf", fmt.Sprint(proxyEffort.CRF), "-g", "15", "-c:a", "aac", "-b:a", "128k", "-movflags", "+faststart",
			file("p.mp4"),
		),
		append(slices.Clone(input), "-vf", "fps=1,scale=160:-2,tile=10x60", "-frames:v", "1", file("p.jpg")),
		append(slices.Clone(input), "-vn", "-ac", "1", "-ar", "16000", "-f", "s16le", file("p.raw")),
		append(slices.Clone(input), "-vn", "-ac", "2", "-ar", "48000", "-f", "f32le", file("p.f32")),
	}
	mediatest.LogPeer(b, "ingest", commands...)
	ingest := func(path string, sparing bool) mediatest.Cost {
		return mediatest.MeasureFunc(b, func() error {
			_, err := New().Ingest(
				context.Background(),
				media.IngestRequest{
					Path:                path,
					ProxyPath:           file("o.mp4"),
					SpritePath:          file("o.jpg"),
					SpeechPath:          file("o.raw"),
					SkipProxyIfPlayable: sparing,
				},
				nil,
			)
			return err
		})
	}
	long := file("long.mp4")
	mediatest.FFmpeg(b, "-stream_loop", fmt.Sprint(600_000/footageMS()-1), "-i", talk.Path, "-c", "copy", long)
	for b.Loop() {
		peer := mediatest.Goal{What: "ingest with a proxy", Want: 0.68, Limit: "0.645"}.Against(
			b,
			func() mediatest.Cost { return ingest(talk.Path, false) },
			func() mediatest.Cost { return mediatest.MeasureCommands(b, commands...) },
		)
		if got := len(videoPackets(b, file("o.mp4"))); got != len(videoPackets(b, talk.Path)) {
			b.Fatalf("the proxy has %d frames", got)
		}
		if err := os.Remove(file("o.mp4")); err != nil {
			b.Fatal(err)
		}
		mediatest.Goal{
			What:  "ingest of what browsers play",
			Want:  0.05,
			Limit: "audio decode and a keyframe a tile",
		}.Over(b, peer, func() mediatest.Cost { return ingest(talk.Path, true) })
		ready := ingest(long, true)
		mediatest.Goal{
			What:  "ten minutes of 1080p are ready",
			Want:  3,
			Limit: "audio decode",
		}.Figure(b, ready.Wall.Seconds(), "s")
		b.Logf("goal: ten minutes of 1080p need %.2f s CPU", ready.CPU.Seconds())
		if exists(file("o.mp4")) {
			b.Fatal("a proxy was made")
		}
	}
}
