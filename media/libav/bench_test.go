package libav

import (
	"cmp"
	"context"
	"fmt"
	"os"
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

// ratio is what a goal compares, in words, with the figures that performance asks for: a smaller ratio is faster.
type ratio struct{ goal, what, want, limit string }

// against measures ours and the peer's in turn, three pairs, and prints the medians of our time over the peer's.
func (r ratio) against(b *testing.B, ours, peer func() cost) (medianPeer cost) {
	b.Helper()
	var mine, theirs []cost
	for range 3 {
		mine, theirs = append(mine, ours()), append(theirs, peer())
	}
	r.print(b, mine, theirs)
	return middle(theirs)
}

// over measures ours three times over what a peer took before.
func (r ratio) over(b *testing.B, peer cost, ours func() cost) {
	b.Helper()
	var mine, theirs []cost
	for range 3 {
		mine, theirs = append(mine, ours()), append(theirs, peer)
	}
	r.print(b, mine, theirs)
}

func (r ratio) print(b *testing.B, mine, theirs []cost) {
	b.Helper()
	var wall, cpu []float64
	for i := range mine {
		wall = append(wall, mine[i].wall.Seconds()/theirs[i].wall.Seconds())
		cpu = append(cpu, mine[i].cpu.Seconds()/theirs[i].cpu.Seconds())
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	x, y := middle(mine), middle(theirs)
	b.Logf("%-3s %s: ratio %.3f, processors %.3f (goal %s, limit %s) · %.2f s against %.2f s, processors %.2f s against %.2f s", r.goal, r.what,
		wall[len(wall)/2], cpu[len(cpu)/2], r.want, r.limit, x.wall.Seconds(), y.wall.Seconds(), x.cpu.Seconds(), y.cpu.Seconds())
}

// middle returns the median run by the processors' time.
func middle(runs []cost) cost {
	sorted := slices.SortedFunc(slices.Values(runs), func(a, b cost) int { return cmp.Compare(a.cpu, b.cpu) })
	return sorted[len(sorted)/2]
}

// benchTalk is a minute of 1080p30 as a phone or a screen recorder writes it.
func benchTalk(b *testing.B) mediatest.TalkFixture {
	return mediatest.Talk(b, mediatest.TalkOptions{Width: 1920, Height: 1080, Seconds: 60, GOP: 60, BFrames: 2, Hiss: true})
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

// renderHere measures a render into a file.
func renderHere(b *testing.B, e *Engine, plan media.Plan, out string) cost {
	b.Helper()
	return measureHere(b, func() error { _, err := e.Render(context.Background(), plan, out, nil); return err })
}

// sameFrames fails where two videos do not show the same frames.
func sameFrames(b *testing.B, plan media.Plan, our, their string) {
	b.Helper()
	x, y := mediatest.FrameNumbers(b, our), mediatest.FrameNumbers(b, their)
	if !slices.Equal(x, y) || int64(len(x)) != plan.Frames() {
		b.Fatalf("%d frames against %d, or not the same ones", len(x), len(y))
	}
}

// footage is what a phone records, with a keyframe each second, and a screen recorder, with one each 250 frames and three B-frames: two minutes of it,
// and with ROUGHCUT_LONG=1 the ten that the goals are about.
func footage(o mediatest.TalkOptions) mediatest.TalkOptions {
	o.Width, o.Height, o.Seconds, o.Hiss, o.VideoOptions = 1920, 1080, float64(footageMS())/1000, true, tagged
	return o
}

func footageMS() int64 {
	if os.Getenv(longEnv) != "" {
		return 600_000
	}
	return 120_000
}

// pauseCuts are cuts of 1.64 s, evenly spread; the cut numbered off, if any, is left out. Where footage has a keyframe each second they may end at one
// that lies up to 0.3 s before, as detected pauses do.
func pauseCuts(count, off int, atKeyframes bool) (cuts []media.Span) {
	for i := range count {
		at := 1500 + int64(i)*(footageMS()-2000)/int64(count)
		end := at + 1640
		if atKeyframes && end%1000 <= 300 {
			end -= end % 1000
		}
		if i != off {
			cuts = append(cuts, media.Span{StartMS: at, EndMS: end})
		}
	}
	return cuts
}

// BenchmarkCopyAgainstFFmpeg compares exports that need only cuts with the ffmpeg command that encodes everything again: cold, prepared, and
// after one cut was switched off. A cut each 4.4 s takes 37 % away.
func BenchmarkCopyAgainstFFmpeg(b *testing.B) {
	many := int(footageMS() / 4440)
	for _, c := range []struct {
		name              string
		options           mediatest.TalkOptions
		cuts              int
		atKeyframes       bool
		goal, want, limit string
	}{
		{"phone", mediatest.TalkOptions{GOP: 30}, many, false, "G1", "0.20", "0.15"},
		{"phone, cuts at keyframes", mediatest.TalkOptions{GOP: 30}, many, true, "G1", "0.09", "0.09"},
		{"screen", mediatest.TalkOptions{GOP: 250, BFrames: 3}, many, false, "G2", "0.88", "0.78"},
		{"screen, a cut a minute", mediatest.TalkOptions{GOP: 250, BFrames: 3}, int(footageMS() / 60_000), false, "G2", "0.20", "0.08"},
		{"screen, three a minute", mediatest.TalkOptions{GOP: 250, BFrames: 3}, int(footageMS() / 20_000), false, "G2", "0.45", "0.33"},
	} {
		b.Run(c.name, func(b *testing.B) {
			talk := mediatest.Talk(b, footage(c.options))
			plan := named(makePlan(b, pauseCuts(c.cuts, -1, c.atKeyframes), media.PlanSettings{}, talk.Path))
			dir := b.TempDir()
			our, their := filepath.Join(dir, "our.mp4"), filepath.Join(dir, "their.mp4")
			command := trimConcat(plan, their)
			b.Logf("peer: %s", abridged(command))
			for b.Loop() {
				peer := ratio{c.goal, fmt.Sprintf("%d cuts, %s", c.cuts, c.name), c.want, c.limit}.against(b,
					func() cost { return renderHere(b, New(), plan, our) }, func() cost { return measureCommand(b, command) })
				sameFrames(b, plan, our, their)
				kept, _ := keeping(b, 1<<30)
				if err := kept.Prepare(context.Background(), plan); err != nil {
					b.Fatal(err)
				}
				ratio{"G3", "the same, prepared", "0.02", "0.011"}.over(b, peer, func() cost { return renderHere(b, kept, plan, our) })
				sameFrames(b, plan, our, their)
				off := 0
				ratio{"G4", "again with one cut off", "0.03", "two heads and a remux"}.over(b, peer, func() cost {
					off++
					return renderHere(b, kept, named(makePlan(b, pauseCuts(c.cuts, off%c.cuts, c.atKeyframes), media.PlanSettings{}, talk.Path)), our)
				})
			}
		})
	}
}

// BenchmarkNothingToChangeAgainstCopy compares an export with nothing to change with a copy of the streams.
func BenchmarkNothingToChangeAgainstCopy(b *testing.B) {
	for name, options := range map[string]mediatest.TalkOptions{"phone": {GOP: 30}, "screen": {GOP: 250, BFrames: 3}} {
		b.Run(name, func(b *testing.B) {
			talk := mediatest.Talk(b, footage(options))
			dir := b.TempDir()
			our, their := filepath.Join(dir, "our.mp4"), filepath.Join(dir, "their.mp4")
			plan := makePlan(b, nil, media.PlanSettings{}, talk.Path)
			copying := []string{"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", talk.Path, "-c", "copy", "-movflags", "+faststart", their}
			b.Logf("peer: %s", strings.Join(copying, " "))
			for b.Loop() {
				ratio{"G5", "nothing to change, against -c copy", "1.3", "I/O"}.against(b,
					func() cost { return renderHere(b, New(), plan, our) }, func() cost { return measureCommand(b, copying) })
			}
			sameFrames(b, plan, our, their)
		})
	}
}

// BenchmarkCaptionsAgainstFFmpeg compares an upright export with captions with ffmpeg's scale, pad and subtitles filters, and one after a caption
// was changed with the first.
func BenchmarkCaptionsAgainstFFmpeg(b *testing.B) {
	talk := mediatest.Talk(b, mediatest.TalkOptions{Width: 1920, Height: 1080, Seconds: 40, GOP: 60, BFrames: 2, Hiss: true})
	var lines []media.CaptionLine
	var srt strings.Builder
	for i := range int64(16) {
		line := media.CaptionLine{Text: fmt.Sprintf("The caption numbered %d of this talk", i), StartMS: i*2500 + 100, EndMS: i*2500 + 2300}
		lines = append(lines, line)
		fmt.Fprintf(&srt, "%d\n00:00:%02d,%03d --> 00:00:%02d,%03d\n%s\n\n", i+1, line.StartMS/1000, line.StartMS%1000, line.EndMS/1000, line.EndMS%1000, line.Text)
	}
	dir := b.TempDir()
	our, their, subtitles := filepath.Join(dir, "our.mp4"), filepath.Join(dir, "their.mp4"), filepath.Join(dir, "s.srt")
	if err := os.WriteFile(subtitles, []byte(srt.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	planOf := func() media.Plan {
		return named(makePlan(b, nil, media.PlanSettings{AspectRatio: "9:16", Captions: &media.CaptionSettings{Lines: lines, Style: media.CaptionStyle{Name: media.CaptionClassic, FontSize: 48}}}, talk.Path))
	}
	plan := planOf()
	command := []string{"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", talk.Path, "-vf",
		"scale=1080:608:flags=bicubic,pad=1080:1920:0:656,subtitles=" + subtitles + ":force_style='Fontsize=12'", "-c:v", "libx264", "-preset", exportPreset,
		"-crf", fmt.Sprint(exportCRF), "-profile:v", "high", "-g", fmt.Sprint(plan.Rate.Frame(exportGOP * 1000)), "-c:a", "aac", "-aac_coder", "fast", "-b:a", "192k",
		"-ar", "48000", "-ac", "2", "-movflags", "+faststart", their}
	b.Logf("peer: %s", strings.Join(command, " "))
	for b.Loop() {
		ratio{"G6", "captions, 9:16, everything encoded", "wall 1.05, processors 1.03", "0.93"}.against(b,
			func() cost { return renderHere(b, New(), plan, our) }, func() cost { return measureCommand(b, command) })
		if ours, theirs := len(picturePackets(b, our)), len(picturePackets(b, their)); ours != theirs || int64(ours) != plan.Frames() {
			b.Fatalf("%d frames against %d", ours, theirs)
		}
		kept, _ := keeping(b, 1<<30)
		first := renderHere(b, kept, plan, our)
		changed := 0
		ratio{"G7", "again with one caption changed", "0.04", "two chunks"}.over(b, first, func() cost {
			changed++
			lines = slices.Clone(lines)
			lines[3*changed].Text = fmt.Sprintf("Another text, the %d. time", changed)
			return renderHere(b, kept, planOf(), our)
		})
	}
}

// BenchmarkManyCuts compares five thousand cuts with ten that leave as much, everything encoded.
func BenchmarkManyCuts(b *testing.B) {
	talk := mediatest.Talk(b, mediatest.TalkOptions{Width: 192, Height: 108, RateNum: 15, RateDen: 1, Seconds: 2000, GOP: 30})
	evenly := func(n int64) media.Plan {
		var cuts []media.Span
		for i := range n {
			at := (2*i + 1) * 2_000_000 / (2 * n)
			cuts = append(cuts, media.Span{StartMS: at, EndMS: at + 500_000/n})
		}
		return makePlan(b, cuts, media.PlanSettings{ShortSide: 96}, talk.Path)
	}
	many, few := evenly(5000), evenly(10)
	out := filepath.Join(b.TempDir(), "out.mp4")
	for b.Loop() {
		ratio{"G8", fmt.Sprintf("5,000 cuts against 10, %d frames against %d", many.Frames(), few.Frames()), "1.3", "O(frames + cuts)"}.against(b,
			func() cost { return renderHere(b, New(), many, out) }, func() cost { return renderHere(b, New(), few, out) })
		if got := len(picturePackets(b, out)); int64(got) != few.Frames() {
			b.Fatalf("%d frames of %d", got, few.Frames())
		}
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
	ingest := func(path string, sparing bool) cost {
		return measureHere(b, func() error {
			_, err := New().Ingest(context.Background(), media.IngestRequest{Path: path, ProxyPath: file("o.mp4"), SpritePath: file("o.jpg"), SpeechPath: file("o.raw"), Sparing: sparing}, nil)
			return err
		})
	}
	long := file("long.mp4")
	ffmpeg(b, "-stream_loop", "9", "-i", talk.Path, "-c", "copy", long)
	for b.Loop() {
		peer := ratio{"G11", "ingest with a proxy", "0.68", "0.645"}.against(b,
			func() cost { return ingest(talk.Path, false) }, func() cost { return measureCommand(b, commands...) })
		if got := len(picturePackets(b, file("o.mp4"))); got != len(picturePackets(b, talk.Path)) {
			b.Fatalf("the proxy has %d frames", got)
		}
		if err := os.Remove(file("o.mp4")); err != nil {
			b.Fatal(err)
		}
		ratio{"G12", "ingest of what browsers play", "0.05", "audio decode and a keyframe a tile"}.over(b, peer, func() cost { return ingest(talk.Path, true) })
		ready := ingest(long, true)
		b.Logf("G12 ten minutes of 1080p are ready after %.2f s, processors %.2f s (goal 3 s)", ready.wall.Seconds(), ready.cpu.Seconds())
		if exists(file("o.mp4")) {
			b.Fatal("a proxy was made")
		}
	}
}
