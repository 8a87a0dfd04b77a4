package libav

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// stream is an MPEG stream of a test, by its file extension.
type stream struct {
	extension string
	encoding  []string // options of FFmpeg
}

func transportStream() stream {
	return stream{".ts", []string{
		"-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "25", "-c:a", "aac", "-ar", "48000",
	}}
}

// programStreams are an MPEG-1 system stream, and MPEG-2 program streams of cameras and DVDs.
func programStreams() []stream {
	mpeg2 := []string{"-c:v", "mpeg2video", "-bf", "2", "-g", "12", "-b:v", "1M", "-ar", "48000", "-c:a"}
	return []stream{
		{".mpg", append(slices.Clone(mpeg2), "mp2")}, {".vob", append(slices.Clone(mpeg2), "ac3")},
		{".mod", append(slices.Clone(mpeg2), "ac3", "-f", "svcd")},
	}
}

// joined returns a stream of parts of a talk, each with its own clock. starts are the seconds at
// which the clocks start.
func joined(
	t *testing.T, talk mediatest.TalkFixture, kind stream, starts []float64, each float64, lost float64,
) string {
	t.Helper()
	dir := t.TempDir()
	var parts [][]byte
	for i, start := range starts {
		part := filepath.Join(dir, fmt.Sprint(i)+kind.extension)
		from := float64(i) * (each + lost)
		arguments := []string{"-ss", fmt.Sprint(from), "-i", talk.Path, "-t", fmt.Sprint(each)}
		arguments = append(arguments, kind.encoding...)
		mediatest.FFmpeg(t, append(arguments, "-output_ts_offset", fmt.Sprint(start), part)...)
		data, err := os.ReadFile(part)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, data)
	}
	path := filepath.Join(dir, "joined"+kind.extension)
	if err := os.WriteFile(path, bytes.Join(parts, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// clockTalk is 24 s long, at 25 frames a second.
func clockTalk(t *testing.T) mediatest.TalkFixture {
	t.Helper()
	return mediatest.Talk(t, mediatest.TalkOptions{
		Hiss: true, Width: 320, Height: 180, Seconds: 24, RateNum: 25, Container: "mkv", AudioCodec: "flac", GOP: 25,
	})
}

// A transport stream whose clock jumps has the length of its parts, and picture and sound of all of
// them are in sync.
func TestClockJumpsAreRepaired(t *testing.T) {
	t.Parallel()
	for i, jump := range clockJumps() {
		t.Run(jump.name, func(t *testing.T) {
			t.Parallel()
			checkClockJump(t, clockTalk(t), transportStream(), jump, clockCuts()[i%len(clockCuts())])
		})
	}
}

// Program streams are repaired like transport streams. Each kind of jump is in one of them.
func TestClockJumpsOfProgramStreamsAreRepaired(t *testing.T) {
	t.Parallel()
	kinds := programStreams()
	for i, jump := range clockJumps() {
		kind := kinds[i%len(kinds)]
		t.Run(kind.extension+" "+jump.name, func(t *testing.T) {
			t.Parallel()
			checkClockJump(t, clockTalk(t), kind, jump, clockCuts()[i%len(clockCuts())])
		})
	}
}

func TestLongClockJumpsAreRepaired(t *testing.T) {
	needsLong(t)
	for _, kind := range append(programStreams(), transportStream()) {
		for _, jump := range clockJumps() {
			t.Run(kind.extension+" "+jump.name, func(t *testing.T) {
				t.Parallel()
				checkClockJump(t, clockTalk(t), kind, jump, clockCuts()...)
			})
		}
	}
}

// clockJump is a way in which the clocks of parts follow each other.
type clockJump struct {
	name   string
	starts []float64 // seconds
}

func clockJumps() []clockJump {
	return []clockJump{
		{"forward", []float64{0, 5000}},
		{"backward", []float64{5000, 0}},
		{"same clock", []float64{0, 0}},
		{"wraps", []float64{95440, 3}},
		{"there and back", []float64{10, 6000, 20}},
	}
}

// clockCuts returns choices of cuts in a talk of clockTalk.
func clockCuts() [][]media.Span {
	cuts := []media.Span{{StartMS: 0, EndMS: 13_000}, {StartMS: 15_000, EndMS: 16_000}}
	return [][]media.Span{cuts[1:], cuts, {{StartMS: 2000, EndMS: 23_000}}}
}

// checkClockJump checks length and sync of joined parts of a talk, with each choice of cuts.
func checkClockJump(
	t *testing.T, talk mediatest.TalkFixture, kind stream, jump clockJump, choices ...[]media.Span,
) {
	t.Helper()
	source := mediatest.PCM(t, talk.Path, 48000)
	path := joined(t, talk, kind, jump.starts, 24/float64(len(jump.starts)), 0)
	got := ingestFile(t, path)
	if ms := got.Info.DurationMS; ms < 23_900 || ms > 24_250 {
		t.Errorf("the recording has %d ms, want 24000", ms)
	}
	if probed := makePlan(t, nil, media.RenderSettings{}, path).Frames(); probed < 597 || probed > 606 {
		t.Errorf("a probe finds %d frames, want 600", probed)
	}

	checkSync(t, got.ProxyPath, source)
	for _, cut := range choices {
		plan, err := media.NewRenderPlan([]media.RenderClip{{Path: path, Info: got.Info}}, cut,
			media.RenderSettings{AspectRatio: "source", VolumePercent: 100})
		if err != nil {
			t.Fatal(err)
		}
		out, _ := renderPlan(t, plan)
		checkSync(t, out, source)
	}
}

// Lost packets leave a gap of their length.
func TestShortLossStaysAGap(t *testing.T) {
	t.Parallel()
	talk := clockTalk(t)
	path := joined(t, talk, transportStream(), []float64{0, 13}, 10, 3)
	got := ingestFile(t, path)
	if ms := got.Info.DurationMS; ms < 22_900 || ms > 23_150 {
		t.Errorf("the recording has %d ms, want 23000", ms)
	}
	checkSync(t, got.ProxyPath, mediatest.PCM(t, talk.Path, 48000))
}

// checkSync checks that the audio at each frame of a video comes from the source time of the frame.
func checkSync(t *testing.T, path string, source []float32) {
	t.Helper()
	numbers, audio := mediatest.FrameNumbers(t, path), mediatest.PCM(t, path, 48000)
	var at []int64
	for frame := int64(10); frame < int64(len(numbers))-20; frame += 12 {
		if numbers[frame] > 0 && numbers[frame+8]-numbers[frame] == 8 {
			at = append(at, frame)
		}
	}
	offsets := mediatest.Offsets(t, numbers, audio, source, 25, 1, 48000, 200, at)
	if len(offsets) < 3 {
		t.Fatalf("%s: only %d places can be compared", filepath.Base(path), len(offsets))
	}
	worst := 0.0
	for _, o := range offsets {
		if o.Fit < 0.7 || o.MS > 25 || o.MS < -25 {
			t.Errorf("%s: the audio at frame %d is %.1f ms late (fit %.2f)", filepath.Base(path), o.Frame, o.MS, o.Fit)
		}
		worst = max(worst, o.MS, -o.MS)
	}
	t.Logf("%d places, at most %.1f ms", len(offsets), worst)
}
