package libav

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// longEnv makes benchmarks use recordings of ten minutes. childEnv names the plan that a child
// process renders, so that its memory can be measured.
const (
	longEnv  = "ROUGHCUT_LONG"
	childEnv = "ROUGHCUT_TEST_RENDER"
)

// Limits of a render. Each further thread has some frames in flight, so memory is measured with the
// same number of threads on every machine.
const (
	measuredThreads = 2
	memoryLimit     = 400 << 20
)

func needsLong(t *testing.T) {
	t.Helper()
	mediatest.NeedsLong(t)
}

// TestRenderChild is what renderInChild runs.
func TestRenderChild(t *testing.T) {
	path := os.Getenv(childEnv)
	if path == "" {
		t.Skip("only another test runs this")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var plan media.RenderPlan
	if err := json.Unmarshal(data, &plan); err != nil {
		t.Fatal(err)
	}
	if _, err := New(WithThreads(measuredThreads)).Render(context.Background(), plan, path+".mp4", nil); err != nil {
		t.Fatal(err)
	}
	leaveStatus(t, path)
}

// leaveStatus writes the status of this process for peakMemory.
func leaveStatus(t *testing.T, path string) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return // peakMemory reports it
	}
	if err := os.WriteFile(path+".status", status, 0o600); err != nil {
		t.Fatal(err)
	}
}

// renderInChild renders a plan in a child process. It returns the video, the CPU time and the peak
// memory in bytes. It skips the test if the system does not report peak memory.
func renderInChild(t testing.TB, plan media.RenderPlan) (out string, cpu time.Duration, peak int64) {
	t.Helper()
	data, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestRenderChild$")
	cmd.Env = append(os.Environ(), childEnv+"="+path)
	if report, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	return path + ".mp4", cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peakMemory(t, path)
}

// peakMemory returns the peak memory in bytes of a child that called leaveStatus. The resource
// usage of an ended child is useless for that, because it starts with the memory of its parent.
func peakMemory(t testing.TB, path string) int64 {
	t.Helper()
	status, err := os.ReadFile(path + ".status")
	if err != nil && runtime.GOOS == "linux" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip("the system does not say how much memory a process used")
	}
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("no peak memory in\n%s", status)
	}
	kilobytes, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// A full-size render stays far below the limit for one hour.
func TestMemoryAtFullSize(t *testing.T) {
	if peak := fullSizePeak(t); peak > 310<<20 {
		t.Errorf("took %d MB", peak>>20)
	}
}

// fullSizePeak returns the peak memory of a short 1080p render in bytes.
func fullSizePeak(t *testing.T) int64 {
	t.Helper()
	talk := mediatest.Talk(
		t,
		mediatest.TalkOptions{
			Width:        1920,
			Height:       1080,
			Seconds:      10,
			GOP:          60,
			BFrames:      2,
			Hiss:         true,
			VideoOptions: []string{"-preset", "ultrafast"},
		},
	)
	_, cpu, peak := renderInChild(t, makePlan(t, manyCuts(1, 60)[:8], media.RenderSettings{}, talk.Path))
	t.Logf("%.1f s CPU, peak %d MB", cpu.Seconds(), peak>>20)
	return peak
}

// A thousand cuts keep two minutes of one hour at 1080p. This needs the whole index of the
// recording, and one seek per cut.
func TestLongRecordingAtFullSize(t *testing.T) {
	needsLong(t)
	talk := mediatest.Talk(
		t,
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
	hour := filepath.Join(t.TempDir(), "hour.mp4")
	mediatest.FFmpeg(t, "-stream_loop", "359", "-i", talk.Path, "-c", "copy", hour)
	var cuts []media.Span
	for at := int64(0); at < 3_600_000; at += 3600 {
		cuts = append(cuts, media.Span{StartMS: at, EndMS: at + 3480})
	}
	plan := makePlan(t, cuts, media.RenderSettings{}, hour)
	if len(plan.Segments) < 1000 || plan.Frames() > 5000 {
		t.Fatalf("the plan has %d segments and %d frames", len(plan.Segments), plan.Frames())
	}
	_, cpu, peak := renderInChild(t, plan)
	t.Logf("%.1f s CPU, peak %d MB", cpu.Seconds(), peak>>20)
	if peak > memoryLimit {
		t.Errorf("took %d MB", peak>>20)
	}
}

func manyCuts(minutes, count int64) []media.Span {
	var cuts []media.Span
	step := minutes * 60_000 / count
	for i := range count {
		cuts = append(cuts, media.Span{StartMS: i*step + 700 + i%13*40, EndMS: i*step + 1200 + i%13*40 + i%7*90})
	}
	return cuts
}

// A thousand cuts in one hour cause no drift, and time grows linearly. Memory grows only by the
// indexes of the files. A short 1080p render plus that growth must stay below the limit.
func TestLongHourWithAThousandCuts(t *testing.T) {
	needsLong(t)
	type result struct {
		cpu  time.Duration
		peak int64
	}
	results := map[int64]result{}
	for _, minutes := range []int64{15, 60} {
		talk := mediatest.Talk(
			t,
			mediatest.TalkOptions{
				Width:        192,
				Height:       108,
				Seconds:      float64(minutes * 60),
				Hiss:         true,
				GOP:          60,
				BFrames:      2,
				Script:       mediatest.ThreeMinuteScript(),
				RateNum:      30000,
				RateDen:      1001,
				VideoOptions: []string{"-preset", "ultrafast"},
			},
		)
		plan := makePlan(t, manyCuts(minutes, minutes*1000/60), media.RenderSettings{}, talk.Path)
		if cuts := int64(len(plan.Segments)) - 1; cuts < minutes*1000/60-1 {
			t.Fatalf("%d joins", cuts)
		}
		out, cpu, peak := renderInChild(t, plan)
		results[minutes] = result{cpu, peak}
		t.Logf("%d minutes: %.1f s CPU, peak %d MB", minutes, cpu.Seconds(), peak>>20)
		numbers := mediatest.FrameNumbers(t, out)
		shown := make([]int64, plan.Inputs[0].Frames)
		for i := range shown {
			shown[i] = min(int64(i), talk.Frames-1)
		}
		checkFrames(t, plan, numbers, [][]int64{shown})
		checkDrift(t, plan, out, talk)
	}
	if ratio := results[60].cpu.Seconds() / results[15].cpu.Seconds(); ratio > 4.8 {
		t.Errorf("an hour took %.1f times as long as a quarter of it", ratio)
	}
	// The indexes of the MP4 files that are read and written grow in proportion to the length.
	if hour := (results[60].peak - results[15].peak) * 60 / 45; fullSizePeak(t)+hour > memoryLimit {
		t.Errorf("an hour adds %d MB, too much at 1080p", hour>>20)
	} else {
		t.Logf("an hour adds %d MB", hour>>20)
	}
}

// checkDrift compares audio with video at joins all over an output.
func checkDrift(t *testing.T, plan media.RenderPlan, out string, talk mediatest.TalkFixture) {
	t.Helper()
	const hz, window = 8000, 500
	source, audio := mediatest.PCM(t, talk.Path, hz), mediatest.PCM(t, out, hz)
	worst, checked := 0.0, 0
	for i := 1; i < len(plan.Segments)-1; i += max(1, len(plan.Segments)/100) {
		s := plan.Segments[i]
		from, at := plan.Rate.Sample(s.In, hz), plan.Rate.Sample(s.Start, hz)
		if plan.Rate.Sample(s.Frames(), hz) < window*hz/1000+200 {
			continue
		}
		lag, fit := mediatest.Lag(source, audio[at+100:at+100+window*hz/1000], int(from+100), hz/20)
		if fit < 0.8 {
			t.Errorf("segment %d: the audio is wrong (fit %.2f)", i, fit)
		}
		ms := float64(lag) * 1000 / hz
		worst = max(worst, ms, -ms)
		checked++
	}
	if worst >= 5 || checked < 60 {
		t.Errorf("worst offset %.2f ms at %d joins", worst, checked)
	}
	t.Logf("%d joins, worst offset %.2f ms", checked, worst)
}
