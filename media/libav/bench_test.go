package libav

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// cost is what a run took.
type cost struct{ wall, cpu time.Duration }

// measureHere runs f in this process.
func measureHere(b *testing.B, f func() error) cost {
	b.Helper()
	var before, after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	wall := time.Since(start)
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		b.Fatal(err)
	}
	return cost{wall, cpuTime(after) - cpuTime(before)}
}

// measureCommand runs commands one after the other.
func measureCommand(b *testing.B, commands ...[]string) cost {
	b.Helper()
	var c cost
	for _, args := range commands {
		cmd := exec.Command(args[0], args[1:]...)
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", args[0], err, out)
		}
		c.wall += time.Since(start)
		c.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return c
}

func cpuTime(r syscall.Rusage) time.Duration {
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// compare measures ours and the peer's in turn, three pairs, and reports the medians of the peer's time over ours: 1 is equal, more is faster.
func compare(b *testing.B, ours, peer func() cost) {
	b.Helper()
	var wall, cpu []float64
	for range 3 {
		a, p := ours(), peer()
		b.Logf("ours %.2f s wall %.2f s CPU, peer %.2f s wall %.2f s CPU", a.wall.Seconds(), a.cpu.Seconds(), p.wall.Seconds(), p.cpu.Seconds())
		wall = append(wall, p.wall.Seconds()/a.wall.Seconds())
		cpu = append(cpu, p.cpu.Seconds()/a.cpu.Seconds())
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	b.ReportMetric(wall[1], "x-peer-speed-wall")
	b.ReportMetric(cpu[1], "x-peer-speed-cpu")
}

// benchTalk is a minute of 1080p30 as a phone or a screen recorder writes it.
func benchTalk(b *testing.B) mediatest.TalkFixture {
	return mediatest.Talk(b, mediatest.TalkOptions{Width: 1920, Height: 1080, Seconds: 60, GOP: 60, BFrames: 2, Hiss: true})
}

// BenchmarkRenderAgainstFFmpeg compares an export of 60 cuts with the ffmpeg command doing the same by trim and concat with the same encoder
// settings, and checks that both wrote the same frames.
func BenchmarkRenderAgainstFFmpeg(b *testing.B) {
	talk := benchTalk(b)
	var cuts []media.Span
	for i := range int64(60) {
		cuts = append(cuts, media.Span{StartMS: i*1000 + 700, EndMS: i*1000 + 990})
	}
	plan := makePlan(b, cuts, media.PlanSettings{}, talk.Path)
	dir := b.TempDir()
	our, their := filepath.Join(dir, "our.mp4"), filepath.Join(dir, "their.mp4")
	command := trimConcat(plan, their)
	b.Logf("peer: %s", abridged(command))
	for b.Loop() {
		compare(b, func() cost {
			return measureHere(b, func() error { _, err := New().Render(context.Background(), plan, our, nil); return err })
		}, func() cost { return measureCommand(b, command) })
	}
	b.StopTimer()
	a, p := mediatest.FrameNumbers(b, our), mediatest.FrameNumbers(b, their)
	if !slices.Equal(a, p) || int64(len(a)) != plan.Frames() {
		b.Fatalf("%d frames against %d, or not the same ones", len(a), len(p))
	}
}

// trimConcat is the ffmpeg command for a plan of one input.
func trimConcat(plan media.Plan, out string) []string {
	var graph, joined strings.Builder
	for i, s := range plan.Segments {
		from, _, n := plan.Samples(s)
		fmt.Fprintf(&graph, "[0:v]trim=start_frame=%d:end_frame=%d,setpts=PTS-STARTPTS[v%d];", s.In, s.Out, i)
		fmt.Fprintf(&graph, "[0:a]atrim=start_sample=%d:end_sample=%d,asetpts=PTS-STARTPTS[a%d];", from, from+n, i)
		fmt.Fprintf(&joined, "[v%d][a%d]", i, i)
	}
	fmt.Fprintf(&graph, "%sconcat=n=%d:v=1:a=1[v][a]", joined.String(), len(plan.Segments))
	return []string{"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", plan.Inputs[0].Path, "-filter_complex", graph.String(), "-map", "[v]", "-map", "[a]",
		"-c:v", "libx264", "-preset", exportPreset, "-crf", fmt.Sprint(exportCRF), "-profile:v", "high", "-g", fmt.Sprint(plan.Rate.Frame(exportGOP * 1000)),
		"-c:a", "aac", "-b:a", "192k", "-ar", "48000", "-ac", "2", "-movflags", "+faststart", out}
}

// BenchmarkCopyAgainstFFmpeg compares exports that need only cuts with the ffmpeg command that encodes everything again: of a phone's recording
// with a keyframe each second, and of a screen recorder's with one each 250 frames and three B-frames.
func BenchmarkCopyAgainstFFmpeg(b *testing.B) {
	for name, o := range map[string]mediatest.TalkOptions{"phone": {GOP: 30}, "screen": {GOP: 250, BFrames: 3}} {
		b.Run(name, func(b *testing.B) {
			o.Width, o.Height, o.Seconds, o.Hiss, o.VideoOptions = 1920, 1080, 120, true, tagged
			talk := mediatest.Talk(b, o)
			var cuts []media.Span
			for at := int64(2900); at < 118_000; at += 4440 {
				cuts = append(cuts, media.Span{StartMS: at, EndMS: at + 1640})
			}
			plan := makePlan(b, cuts, media.PlanSettings{}, talk.Path)
			copied := int64(0)
			for _, p := range pieces(b, plan) {
				if p.Copy {
					copied += p.Frames()
				}
			}
			b.Logf("%d of %d frames are copied", copied, plan.Frames())
			dir := b.TempDir()
			our, their := filepath.Join(dir, "our.mp4"), filepath.Join(dir, "their.mp4")
			command := trimConcat(plan, their)
			b.Logf("peer: %s", abridged(command))
			for b.Loop() {
				compare(b, func() cost {
					return measureHere(b, func() error { _, err := New().Render(context.Background(), plan, our, nil); return err })
				}, func() cost { return measureCommand(b, command) })
			}
			b.StopTimer()
			x, y := mediatest.FrameNumbers(b, our), mediatest.FrameNumbers(b, their)
			if !slices.Equal(x, y) || int64(len(x)) != plan.Frames() {
				b.Fatalf("%d frames against %d, or not the same ones", len(x), len(y))
			}
		})
	}
}

// abridged shortens the filter graph of a command for printing.
func abridged(command []string) string {
	line := strings.Join(command, " ")
	if at := strings.Index(line, "[v1]"); at > 0 {
		if end := strings.Index(line, "concat=n="); end > at {
			line = line[:at+5] + " … " + line[end:]
		}
	}
	return line
}

// BenchmarkIngestAgainstFFmpeg compares an ingest with separate ffmpeg commands for the proxy, the sprite sheet, the speech file and the sound that a
// waveform is drawn from.
func BenchmarkIngestAgainstFFmpeg(b *testing.B) {
	talk := benchTalk(b)
	dir := b.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	input := []string{"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", talk.Path}
	commands := [][]string{
		append(slices.Clone(input), "-vf", "scale=-2:540", "-c:v", "libx264", "-preset", proxyPreset, "-crf", fmt.Sprint(proxyCRF), "-g", "15", "-c:a", "aac", "-b:a", "128k", "-movflags", "+faststart", file("p.mp4")),
		append(slices.Clone(input), "-vf", "fps=1,scale=160:-2,tile=10x6", "-frames:v", "1", file("p.jpg")),
		append(slices.Clone(input), "-vn", "-ac", "1", "-ar", "16000", "-f", "s16le", file("p.raw")),
		append(slices.Clone(input), "-vn", "-ac", "2", "-ar", "48000", "-f", "f32le", file("p.f32")),
	}
	for _, c := range commands {
		b.Logf("peer: %s", strings.Join(c, " "))
	}
	for b.Loop() {
		compare(b, func() cost {
			return measureHere(b, func() error {
				_, err := New().Ingest(context.Background(), media.IngestRequest{Path: talk.Path, ProxyPath: file("o.mp4"), SpritePath: file("o.jpg"), SpeechPath: file("o.raw")}, nil)
				return err
			})
		}, func() cost { return measureCommand(b, commands...) })
	}
}
