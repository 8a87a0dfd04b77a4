package libav

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// fakeDriver stands for the driver of a graphics processor. It encodes with x264, with start codes
// and parameter sets as hardware encoders write them.
type fakeDriver struct {
	opened  int
	refuses int // the encoder that does not open: 1 for the first, which the self-test opens
	spoil   func(n int64) error
	gray    func(n int64) bool // reports whether a frame is lost
	tested  bool               // faults also concern the self-test
}

var errDriver = errors.New("the driver is gone")

// encoder returns the encoder of the driver.
func (d *fakeDriver) encoder() av.HardwareEncoder {
	return av.HardwareEncoder{
		Name: "nvenc", Codec: "libx264",
		Options: func(int) [][2]string {
			return [][2]string{{"preset", "ultrafast"}, {"crf", "20"}, {"bf", "0"}, {"forced-idr", "1"},
				{"x264-params", "annexb=1"}}
		},
		Feed: func(*astiav.CodecContext) (av.Feeder, error) {
			d.opened++
			if d.opened == d.refuses {
				return nil, errDriver
			}
			return fakeFeeder{d, d.opened == 1 && !d.tested}, nil
		},
	}
}

type fakeFeeder struct {
	driver  *fakeDriver
	healthy bool
}

func (f fakeFeeder) Feed(frame *astiav.Frame) (*astiav.Frame, error) {
	n := frame.Pts()
	if !f.healthy && f.driver.spoil != nil {
		if err := f.driver.spoil(n); err != nil {
			return nil, err
		}
	}
	if !f.healthy && f.driver.gray != nil && f.driver.gray(n) {
		return av.Canvas{Width: frame.Width(), Height: frame.Height(), Format: frame.PixelFormat()}.Blank()
	}
	return av.Clone(frame)
}

func (fakeFeeder) Close() {}

// engine returns an engine with the driver, and what its self-tests found.
func (d *fakeDriver) engine() (*Engine, media.EncoderChoice) {
	e := New(WithThreads(1))
	e.known = []av.HardwareEncoder{d.encoder()}
	choice := e.ChooseEncoder(media.EncoderAuto)
	e.encoder = func() media.EncoderChoice { return choice }
	return e, choice
}

// scaledPlan returns a plan that copies nothing.
func scaledPlan(t *testing.T) (media.RenderPlan, mediatest.TalkFixture) {
	t.Helper()
	talk := mediatest.Talk(t, mediatest.TalkOptions{Hiss: true, Width: 320, Height: 180, Seconds: 8, GOP: 30})
	return makePlan(t, everySecond(7500), media.RenderSettings{ShortSide: 240}, talk.Path), talk
}

func renderBytes(t *testing.T, e *Engine, plan media.RenderPlan) (data []byte, result media.RenderResult, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "export.mp4")
	last := 0.0
	result, err := e.Render(t.Context(), plan, path, func(f float64) {
		if f < last {
			t.Errorf("progress %.3f after %.3f", f, last)
		}
		last = f
	})
	if err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return data, result, path
}

func TestHardwareExportIsExact(t *testing.T) {
	plan, talk := scaledPlan(t)
	e, choice := (&fakeDriver{}).engine()
	if choice.Name != "nvenc" {
		t.Fatalf("the self-test found %+v", choice)
	}
	_, result, path := renderBytes(t, e, plan)
	if result.Encoder != "nvenc" || result.SoftwareBecause != "" || result.Encoded != plan.Frames() {
		t.Errorf("the report is %+v", result)
	}
	start, _ := clipZero(t, talk.Path)
	shown := shownNumbers(t, talk.Path, plan.Rate, start, plan.Inputs[0].Frames)
	checkFrames(t, plan, mediatest.FrameNumbers(t, path), [][]int64{shown})
	checkPackets(t, path, int(plan.Rate.Frame(exportGOP*1000)))
}

// comparesBytes runs the test in a process whose C library fills new memory, and reports whether
// this is that process. x264 reads memory before it is written, so the same frames can give other
// bytes otherwise.
func comparesBytes(t *testing.T) bool {
	t.Helper()
	const perturb = "MALLOC_PERTURB_"
	if os.Getenv(perturb) != "" {
		return true
	}
	again := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run", "^"+t.Name()+"$")
	again.Env = append(os.Environ(), perturb+"=255")
	if output, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
	return false
}

// A driver can fail at any time. The export then equals an export of the software encoder, byte for
// byte.
func TestFailedHardwareExportEqualsSoftware(t *testing.T) {
	if !comparesBytes(t) {
		return
	}
	plan, _ := scaledPlan(t)
	want, software, _ := renderBytes(t, New(WithThreads(1)), plan)
	if software.Encoder != "x264" {
		t.Errorf("the software export reports %+v", software)
	}
	for name, test := range map[string]struct {
		driver fakeDriver
		says   string
	}{
		"at start": {fakeDriver{refuses: 2}, errDriver.Error()},
		"in the middle": {fakeDriver{spoil: func(n int64) error {
			if n == 50 {
				return errDriver
			}
			return nil
		}}, errDriver.Error()},
		"at the last frame": {fakeDriver{spoil: func(n int64) error {
			if n == plan.Frames()-1 {
				return errDriver
			}
			return nil
		}}, errDriver.Error()},
		"by wrong frames":     {fakeDriver{gray: func(n int64) bool { return n >= 50 }}, "differs from the one"},
		"by one wrong second": {fakeDriver{gray: func(n int64) bool { return n >= 90 && n < 130 }}, "differs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, choice := test.driver.engine()
			if choice.Name != "nvenc" {
				t.Fatalf("the self-test found %+v", choice)
			}
			got, result, path := renderBytes(t, e, plan)
			if !bytes.Equal(got, want) {
				t.Error("the export differs from the software encoder's")
			}
			if result.Encoder != "x264" || !strings.Contains(result.SoftwareBecause, test.says) ||
				!strings.Contains(result.SoftwareBecause, "nvenc") || result.RepeatedBecause != "" {
				t.Errorf("the report is %+v", result)
			}
			if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); err != nil || len(left) != 1 {
				t.Errorf("files left: %v, %v", left, err)
			}
		})
	}
}

func TestFailedSelfTestChoosesSoftware(t *testing.T) {
	plan, _ := scaledPlan(t)
	for name, test := range map[string]struct {
		driver fakeDriver
		says   string
	}{
		"no driver":    {fakeDriver{refuses: 1}, errDriver.Error()},
		"a fault":      {fakeDriver{tested: true, spoil: func(int64) error { return errDriver }}, errDriver.Error()},
		"wrong frames": {fakeDriver{tested: true, gray: func(n int64) bool { return n == 29 }}, "frame 29 differs"},
		"a panic":      {fakeDriver{tested: true, spoil: func(int64) error { panic("fault") }}, "panic: fault"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, choice := test.driver.engine()
			if choice.Hardware() || len(choice.Tests) != 1 || !strings.Contains(choice.Tests[0].Fault, test.says) {
				t.Errorf("the self-test found %+v", choice)
			}
			if choice.Fault() != "" {
				t.Errorf("nothing was named, but the fault is %q", choice.Fault())
			}
			choice.Wanted = "nvenc"
			if _, result, _ := renderBytes(t, e, plan); result.Encoder != "x264" || result.SoftwareBecause != "" {
				t.Errorf("with auto, the report is %+v", result)
			}
			e.encoder = func() media.EncoderChoice { return choice }
			if _, result, _ := renderBytes(t, e, plan); !strings.Contains(result.SoftwareBecause, test.says) {
				t.Errorf("with nvenc, the report is %+v", result)
			}
		})
	}
}

// Frames between copied ones always come from x264.
func TestHardwareDoesNotEncodeHeads(t *testing.T) {
	talk := mediatest.Talk(t, copyable()["phone"])
	e, _ := (&fakeDriver{refuses: 2}).engine()
	_, result, _ := renderBytes(t, e, makePlan(t, everySecond(15500), media.RenderSettings{}, talk.Path))
	if result.Copied == 0 || result.Encoded == 0 || result.Encoder != "x264" || result.SoftwareBecause != "" {
		t.Errorf("the report is %+v", result)
	}
}

func TestHardwareProxyFallsBack(t *testing.T) {
	if !comparesBytes(t) {
		return
	}
	talk := mediatest.Talk(t, mediatest.TalkOptions{Hiss: true, Width: 320, Height: 180, Seconds: 8, GOP: 30})
	ingest := func(e *Engine) (proxy []byte, numbers []int64) {
		path := filepath.Join(t.TempDir(), "proxy.mp4")
		request := media.IngestRequest{Path: talk.Path, ProxyPath: path}
		if _, err := e.Ingest(context.Background(), request, nil); err != nil {
			t.Fatal(err)
		}
		proxy, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		checkKeyframes(t, videoPackets(t, path), 15)
		return proxy, mediatest.FrameNumbers(t, path)
	}
	want, numbers := ingest(New(WithThreads(1)))
	healthy, _ := (&fakeDriver{}).engine()
	if made, seen := ingest(healthy); bytes.Equal(made, want) || !slices.Equal(seen, numbers) {
		t.Errorf("the hardware encoder was not used, or wrote other frames: %v instead of %v", seen, numbers)
	}
	for name, driver := range map[string]*fakeDriver{
		"at start": {refuses: 2},
		"in the middle": {spoil: func(n int64) error {
			if n == 100 {
				return errDriver
			}
			return nil
		}},
		"by wrong frames": {gray: func(n int64) bool { return n > 100 }},
	} {
		broken, _ := driver.engine()
		if made, _ := ingest(broken); !bytes.Equal(made, want) {
			t.Errorf("a driver that fails %s leaves another proxy than software", name)
		}
	}
}

// The encoders of this machine, which has no graphics processor in most cases, are tested without
// harm, and the first one that passes is in use.
func TestEncodersOfThisMachine(t *testing.T) {
	for _, wanted := range append(av.HardwareEncoders(), media.EncoderAuto, media.EncoderSoftware) {
		choice := New().ChooseEncoder(wanted)
		passed := slices.ContainsFunc(choice.Tests, func(test media.EncoderTest) bool { return test.Fault == "" })
		if passed != choice.Hardware() || (wanted == media.EncoderSoftware && len(choice.Tests) > 0) {
			t.Errorf("%s: %+v", wanted, choice)
		}
		t.Logf("%s: %+v", wanted, choice)
	}
}

// On a machine without a graphics processor, the faults say what the encoders lack.
func TestFaultsOfEncodersNameWhatIsMissing(t *testing.T) {
	for name, lack := range map[string]struct{ devices, fault string }{
		"nvenc": {"/dev/nvidia*", "NVIDIA's driver is missing"},
		"vaapi": {"/dev/dri/render*", "no device in /dev/dri"},
	} {
		if found, _ := filepath.Glob(lack.devices); len(found) > 0 || astiav.FindEncoderByName("h264_"+name) == nil {
			continue
		}
		choice := New().ChooseEncoder(name)
		if len(choice.Tests) != 1 || !strings.Contains(choice.Tests[0].Fault, lack.fault) {
			t.Errorf("%s: %+v, want a fault with %q", name, choice, lack.fault)
		}
	}
}
