package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// Recordings of whole jobs. A phone has a keyframe each second, a screen recorder one every 250
// frames and three B-frames.
var jobFootage = map[string]mediatest.TalkOptions{"phone": {GOP: 30}, "screen": {GOP: 250, BFrames: 3}}

// jobRecording returns a recording of two or ten minutes of a kind of footage. It does not repeat a
// sentence within two minutes, because repeats would be cut.
func jobRecording(b *testing.B, kind string, minutes int) string {
	b.Helper()
	options := jobFootage[kind]
	options.Width, options.Height, options.Seconds = 1920, 1080, 120
	options.Script, options.Hiss = mediatest.ThreeMinuteScript(), true
	options.VideoOptions = []string{"-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"}
	two := mediatest.Talk(b, options).Path
	if minutes == 2 {
		return two
	}
	path := filepath.Join(b.TempDir(), "long.mp4")
	if out, err := mediatest.Command(
		b, "ffmpeg", "-v", "error", "-nostdin", "-stream_loop", fmt.Sprint(minutes/2-1), "-i", two, "-c", "copy", path,
	).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return path
}

// jobMinutes returns the length of the recordings that are compared with an encode by ffmpeg.
func jobMinutes() int {
	if os.Getenv("ROUGHCUT_LONG") != "" {
		return 10
	}
	return 2
}

// jobCommand returns the ffmpeg command that makes the same cuts as a dry run.
func jobCommand(b *testing.B, path, out string) (command []string, cuts int) {
	b.Helper()
	report := runJSON(b, program(context.Background(), b.TempDir(), "cut", path, "--dry-run", "--json"))
	var spans []media.Span
	for _, e := range report.Edits {
		if e.Active {
			spans = append(spans, media.Span{StartMS: e.StartMS, EndMS: e.EndMS})
		}
	}
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{{Path: path, Info: media.Info{
			DurationMS: report.DurationMS,
			Video:      &media.VideoInfo{Width: 1920, Height: 1080, Rate: talkRate},
			Audio:      &media.AudioInfo{},
		}}}, spans, media.RenderSettings{},
	)
	if err != nil {
		b.Fatal(err)
	}
	return mediatest.TrimConcat(plan, out), len(spans)
}

// BenchmarkCutDryRun compares a dry run of `roughcut cut` without a speech model with decoding the
// video once.
func BenchmarkCutDryRun(b *testing.B) {
	path := jobRecording(b, "phone", jobMinutes())
	decoding := []string{"ffmpeg", "-v", "error", "-nostdin", "-i", path, "-map", "0:v", "-f", "null", "-"}
	mediatest.LogPeer(b, "W1 cut --dry-run", decoding)
	for b.Loop() {
		mediatest.Goal{
			What: "W1 cut --dry-run against decoding", Want: 0.03, Limit: "audio decode and hearing .03",
		}.Against(
			b,
			func() mediatest.Cost {
				return mediatest.MeasureCommand(b, program(context.Background(), b.TempDir(), "cut", path, "--dry-run"))
			},
			func() mediatest.Cost { return mediatest.MeasureCommands(b, decoding) },
		)
	}
}

// BenchmarkCut compares `roughcut cut` without a speech model, from start to end, with the ffmpeg
// command that encodes the same cuts.
func BenchmarkCut(b *testing.B) {
	for _, c := range []struct {
		kind string
		want float64
	}{{"phone", 0.16}, {"screen", 0.95}} {
		b.Run(c.kind, func(b *testing.B) {
			path := jobRecording(b, c.kind, jobMinutes())
			dir := b.TempDir()
			our, their := filepath.Join(dir, "our.mp4"), filepath.Join(dir, "their.mp4")
			command, cuts := jobCommand(b, path, their)
			mediatest.LogPeer(b, "W2 cut, "+c.kind, command)
			for b.Loop() {
				mediatest.Goal{
					What:  fmt.Sprintf("W2 cut, %s, %d minutes, %d cuts", c.kind, jobMinutes(), cuts),
					Want:  c.want,
					Limit: "the export",
				}.Against(
					b,
					func() mediatest.Cost {
						return mediatest.MeasureCommand(
							b, program(context.Background(), dir, "cut", path, "-o", our, "--force"),
						)
					},
					func() mediatest.Cost { return mediatest.MeasureCommands(b, command) },
				)
				sameJob(b, our, their)
			}
		})
	}
}

// sameJob fails if two videos do not show the same frames.
func sameJob(b *testing.B, our, their string) {
	b.Helper()
	if x, y := mediatest.FrameNumbers(b, our), mediatest.FrameNumbers(b, their); !slices.Equal(x, y) || len(x) == 0 {
		b.Fatalf("%d frames against %d, or not the same ones", len(x), len(y))
	}
}

// BenchmarkServerJobs measures a server without a speech model: the time from the last uploaded
// byte to the list of silences, and the whole way from the upload to an export that can be
// downloaded.
func BenchmarkServerJobs(b *testing.B) {
	b.Run("silences", func(b *testing.B) {
		path := jobRecording(b, "phone", 10)
		for b.Loop() {
			var wall, cpu []float64
			for range 3 {
				j := startJob(b)
				clip := j.client.send(j.project, path)
				uploaded := j.cost()
				j.client.confirm(j.project, clip)
				j.analyze()
				shown := j.cost().Minus(uploaded)
				wall, cpu = append(wall, shown.Wall.Seconds()), append(cpu, shown.CPU.Seconds())
				j.server.stop()
			}
			slices.Sort(wall)
			slices.Sort(cpu)
			mediatest.Goal{
				What: "W3 ten minutes uploaded, silences shown", Want: 2, Limit: "audio decode",
			}.Figure(b, wall[1], "s")
			b.Logf("goal: W3 needs %.2f s CPU", cpu[1])
		}
	})
	b.Run("export", func(b *testing.B) {
		path := jobRecording(b, "phone", jobMinutes())
		dir := b.TempDir()
		our, their := filepath.Join(dir, "our.mp4"), filepath.Join(dir, "their.mp4")
		command, _ := jobCommand(b, path, their)
		mediatest.LogPeer(b, "W4 drop to export", command)
		for b.Loop() {
			mediatest.Goal{
				What:  fmt.Sprintf("W4 drop to export, phone, %d minutes", jobMinutes()),
				Want:  0.25,
				Limit: "the export",
			}.Against(
				b,
				func() mediatest.Cost { return dropToExport(b, path, our) },
				func() mediatest.Cost { return mediatest.MeasureCommands(b, command) },
			)
			sameJob(b, our, their)
		}
	})
	b.Run("isolation", func(b *testing.B) {
		path, out := jobRecording(b, "phone", 4), filepath.Join(b.TempDir(), "out.mp4")
		for b.Loop() {
			mediatest.Goal{
				What: "engines in processes of their own, 4 minutes, drop to export", Want: 1.03, Limit: "the same job",
			}.Against(
				b,
				func() mediatest.Cost { return dropToExport(b, path, out, "ENGINE_ISOLATION=process") },
				func() mediatest.Cost { return dropToExport(b, path, out, "ENGINE_ISOLATION=in-process") },
			)
		}
	})
}

// dropToExport returns the cost of the whole way from an upload to an export on a new server.
func dropToExport(b *testing.B, path, out string, env ...string) mediatest.Cost {
	b.Helper()
	j := startJob(b, env...)
	before := j.cost()
	j.client.upload(j.project, path)
	j.analyze()
	j.export(out)
	whole := j.cost().Minus(before)
	j.server.stop()
	return whole
}

// job is one project on a new server in single-user mode.
type job struct {
	b       *testing.B
	server  *running
	client  *client
	project string
	root    string
	events  <-chan map[string]any
	started time.Time
}

func startJob(b *testing.B, env ...string) *job {
	b.Helper()
	j := &job{b: b, server: serve(b, b.TempDir(), env, "--owner"), started: time.Now()}
	j.client = j.server.owner(b)
	j.project = call[record](j.client, "POST", "/api/v1/projects/", map[string]string{"name": "A talk"}, 201).UUID
	j.root = "/api/v1/projects/" + j.project
	j.events = j.client.events(j.project, "CLIP_READY", "ANALYSIS_COMPLETE", "EXPORT_COMPLETE")
	return j
}

// cost returns what the server and the engines that have ended have cost so far.
func (j *job) cost() mediatest.Cost {
	j.b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", j.server.cmd.Process.Pid))
	if err != nil {
		j.b.Skip("CPU time of another process is known only on Linux")
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	var ticks int
	for _, field := range fields[11:15] { // user and system time of the process and of its children
		n, err := strconv.Atoi(field)
		if err != nil {
			j.b.Fatal(err)
		}
		ticks += n
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 on every Linux
	return mediatest.Cost{Wall: time.Since(j.started), CPU: time.Duration(ticks) * tick}
}

// analyze waits for the clip, analyzes it as "Find cuts" does, and lists the silences.
func (j *job) analyze() {
	j.b.Helper()
	wait(j.b, j.events)
	call[struct{}](j.client, "POST", j.root+"/analyze", map[string]int{"pacing_level": pacing}, 202)
	wait(j.b, j.events)
	if edits := call[list[cutEdit]](j.client, "GET", j.root+"/edits/?limit=100", nil, 200).Items; len(edits) == 0 {
		j.b.Fatal("no silences were found")
	}
}

// export exports the project and downloads the result.
func (j *job) export(path string) {
	j.b.Helper()
	export := call[record](
		j.client, "POST", j.root+"/exports/",
		map[string]any{"name": "first", "export_settings": map[string]string{"resolution": "1080p"}}, 202,
	)
	wait(j.b, j.events)
	j.client.download(export.UUID, path)
}
