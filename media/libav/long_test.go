package libav

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// longEnv asks for the tests that take minutes; childEnv names the plan that a child process renders, so that its memory can be measured.
const (
	longEnv  = "ROUGHCUT_LONG"
	childEnv = "ROUGHCUT_TEST_RENDER"
)

// TestRenderChild is what renderInChild runs.
func TestRenderChild(t *testing.T) {
	path := os.Getenv(childEnv)
	if path == "" {
		t.Skip("run by other tests only")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var plan media.Plan
	if err := json.Unmarshal(data, &plan); err != nil {
		t.Fatal(err)
	}
	if _, err := New().Render(context.Background(), plan, path+".mp4", nil); err != nil {
		t.Fatal(err)
	}
}

// renderInChild renders a plan in a process of its own and returns the video, the CPU time and the peak memory in bytes.
func renderInChild(t *testing.T, plan media.Plan) (out string, cpu time.Duration, peak int64) {
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
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Fatal("the system does not say how much memory a process used")
	}
	return path + ".mp4", cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), usage.Maxrss * 1024
}

// A full-size render stays far below the limit of an hour's.
func TestMemoryAtFullSize(t *testing.T) {
	talk := mediatest.Talk(t, mediatest.TalkOptions{Width: 1920, Height: 1080, Seconds: 10, GOP: 60, BFrames: 2, Hiss: true, VideoOptions: []string{"-preset", "ultrafast"}})
	_, cpu, peak := renderInChild(t, makePlan(t, manyCuts(1, 60)[:8], media.PlanSettings{}, talk.Path))
	t.Logf("%.1f s CPU, peak %d MB", cpu.Seconds(), peak>>20)
	if peak > 350<<20 {
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

// A thousand cuts in an hour: no drift, memory that does not grow, time that is linear.
func TestAnHourWithAThousandCuts(t *testing.T) {
	if os.Getenv(longEnv) == "" {
		t.Skipf("takes minutes; set %s=1", longEnv)
	}
	type result struct {
		cpu  time.Duration
		peak int64
	}
	results := map[int64]result{}
	for _, minutes := range []int64{15, 60} {
		talk := mediatest.Talk(t, mediatest.TalkOptions{Width: 192, Height: 108, Seconds: float64(minutes * 60), Hiss: true, GOP: 60, BFrames: 2, Script: mediatest.ThreeMinuteScript(),
			RateNum: 30000, RateDen: 1001, VideoOptions: []string{"-preset", "ultrafast"}})
		plan := makePlan(t, manyCuts(minutes, minutes*1000/60), media.PlanSettings{}, talk.Path)
		if cuts := int64(len(plan.Segments)) - 1; cuts < minutes*1000/60-1 {
			t.Fatalf("%d joins", cuts)
		}
		out, cpu, peak := renderInChild(t, plan)
		results[minutes] = result{cpu, peak}
		t.Logf("%d minutes: %.1f s CPU, peak %d MB", minutes, cpu.Seconds(), peak>>20)
		if peak > 400<<20 {
			t.Errorf("%d minutes took %d MB", minutes, peak>>20)
		}
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
	// What grows with length are the indexes of the MP4 files that are read and written, some 100 bytes a frame or sound packet each.
	if more := results[60].peak - results[15].peak; more > 120<<20 {
		t.Errorf("an hour took %d MB more than a quarter of it", more>>20)
	}
}

// checkDrift measures sound against picture at joins all along an output.
func checkDrift(t *testing.T, plan media.Plan, out string, talk mediatest.TalkFixture) {
	t.Helper()
	const hz, window = 8000, 200
	source, sound := mediatest.PCM(t, talk.Path, hz), mediatest.PCM(t, out, hz)
	worst, checked := 0.0, 0
	for i := 1; i < len(plan.Segments)-1; i += max(1, len(plan.Segments)/100) {
		s := plan.Segments[i]
		from, at := plan.Rate.Sample(s.In, hz), plan.Rate.Sample(s.Start, hz)
		if plan.Rate.Sample(s.Frames(), hz) < window*hz/1000+200 {
			continue
		}
		lag, fit := mediatest.Lag(source, sound[at+100:at+100+window*hz/1000], int(from+100), hz/20)
		if fit < 0.8 {
			t.Errorf("segment %d: the sound is another one (fit %.2f)", i, fit)
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
