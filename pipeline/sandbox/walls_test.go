//go:build linux

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
	"roughcut/media/whisper"
	"roughcut/pipeline"
)

// faultyEngine is an engine of a child that misbehaves when it probes a file, or encodes with
// hardware.
type faultyEngine struct {
	MediaEngine
	fault   string
	encoder media.EncoderChoice
}

// childSpeech returns a speech model that quotes its request. On a graphics processor it crashes,
// or tells which one it found.
func childSpeech(path string, _ int, graphics bool) (pipeline.Model, error) {
	if os.Getenv("ENGINE_TEST") == "find graphics" {
		return quotingModel{path: whisper.Graphics()}, nil
	}
	return quotingModel{path, graphics}, nil
}

// childGraphics finds a graphics processor, or crashes as its driver loads.
func childGraphics() string {
	if os.Getenv("ENGINE_TEST") == "crash when loading" {
		_ = syscall.Kill(os.Getpid(), syscall.SIGABRT)
		select {} // the signal may come later
	}
	return "a graphics processor"
}

type quotingModel struct {
	path     string
	graphics bool
}

func (m quotingModel) Name() string { return "quoting" }
func (m quotingModel) Close() error { return nil }

func (m quotingModel) Transcribe(
	_ context.Context, path string, r pipeline.SpeechRequest, progress func(float64),
) (media.Transcript, error) {
	if os.Getenv("ENGINE_TEST") == "measure graphics" {
		return media.Transcript{Words: []media.Word{{Text: m.path}}}, nil
	}
	weights, err := os.ReadFile(m.path)
	if err != nil {
		return media.Transcript{}, err
	}
	audio, err := os.ReadFile(path)
	if err != nil {
		return media.Transcript{}, err
	}
	if m.graphics {
		progress(0.5)
		_ = syscall.Kill(os.Getpid(), syscall.SIGABRT)
		select {} // the signal may come later
	}
	progress(1)
	text := fmt.Sprintf("%s %s %v %v", weights, audio, r.Hints("de").Terms, r.Hints("fr").Terms)
	return media.Transcript{Language: r.Language, Words: []media.Word{{Text: text}}}, nil
}

func (e faultyEngine) Probe(_ context.Context, path string) (media.Info, error) {
	switch what, arg, _ := strings.Cut(e.fault, " "); what {
	case "read":
		_, err := os.ReadFile(arg)
		return media.Info{}, err
	case "list":
		_, err := os.ReadDir(arg)
		return media.Info{}, err
	case "create":
		return media.Info{}, os.WriteFile(arg, []byte("x"), 0o600)
	case "append":
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err == nil {
			err = file.Close()
		}
		return media.Info{}, err
	case "dial":
		_, err := net.Dial("tcp", arg)
		return media.Info{}, err
	case "run":
		return media.Info{}, exec.Command(arg).Run()
	case "calls":
		return media.Info{ContentType: tryCalls(path, arg)}, nil
	case "end":
		return media.Info{}, nil
	case "environment":
		return media.Info{ContentType: strings.Join(os.Environ(), ",")}, nil
	case "memory":
		return media.Info{DurationMS: int64(len(make([]byte, 8<<30)))}, nil
	case "spin":
		for n := 0; ; n++ {
			runtime.KeepAlive(n)
		}
	case "panic":
		panic("no such codec")
	case "fault":
		return media.Info{}, faultFor(errors.New("moov atom not found"))
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "babble":
		_, _ = os.NewFile(repliesFD, "replies").WriteString("moov")
	}
	select {}
}

func faultFor(err error) error { return faultf(err, "this recording is truncated") }

// probe runs Probe in a child that misbehaves, within limits.
func probe(ctx context.Context, t *testing.T, fault string, limits Limits) (media.Info, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recording")
	if err := os.WriteFile(path, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFiles()
	if err := f.read(&path); err != nil {
		t.Fatal(err)
	}
	c := New(options("", "ENGINE_TEST="+fault)).call(callProbe, f, limits, nil)
	if fault == "silence" {
		c.silence = time.Second
	}
	var info media.Info
	err := c.run(ctx, probeCall{path}, &info)
	return info, err
}

func TestChildHasNoAccess(t *testing.T) {
	t.Parallel()
	if s := Supported(); s.Landlock == 0 || !s.Seccomp {
		mediatest.Refused(t, "the confinement of children", fmt.Sprintf("%+v", s))
	}
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for _, fault := range []string{
		"read " + secret,
		"read /proc/" + strconv.Itoa(os.Getpid()) + "/environ",
		"list " + dir,
		"list /",
		"create " + filepath.Join(dir, "new"),
		"append",
		"dial " + listener.Addr().String(),
		"run /bin/true",
	} {
		_, err := probe(t.Context(), t, fault, Limits{})
		if err == nil || !strings.Contains(err.Error(), "permi") { // permission denied, not permitted
			t.Errorf("%s: got %v, want a refusal", fault, err)
		}
	}
}

func TestChildGetsOnlyItsEnvironment(t *testing.T) {
	t.Setenv("STRIPE_SECRET_KEY", "secret")
	info, err := probe(t.Context(), t, "environment", Limits{})
	if want := "ENGINE_TEST=environment"; err != nil || info.ContentType != want {
		t.Errorf("got %q, %v, want %q", info.ContentType, err, want)
	}
}

func TestEndOfChildHasAReason(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		"memory":  "more than 1.5 GiB of memory",
		"spin":    "more than 0 minutes of processor time",
		"panic":   "made the media engine crash",
		"fault":   "this recording is truncated",
		"kill":    "the server ran out of memory",
		"babble":  "made the media engine crash",
		"silence": "made no progress",
	} {
		limits := Limits{MemoryBytes: 3 << 29, CPU: 2 * time.Second}
		_, err := probe(t.Context(), t, fault, limits)
		var file pipeline.FileFault
		if !errors.As(err, &file) || !strings.Contains(file.FileFault(), want) {
			t.Errorf("%s: got %v, want %q", fault, err, want)
		}
	}
}

// What a child has started ends with it, also if it keeps the output of the child open.
func TestProcessesOfAChildEndWithIt(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"end", "hang"} {
		ctx, cancel := context.WithCancel(t.Context())
		marker := filepath.Join(t.TempDir(), fault)
		started := func() bool {
			lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			return slices.ContainsFunc(lines, func(name string) bool {
				line, _ := os.ReadFile(name)
				return strings.Contains(string(line), "grandchild\x00"+marker)
			})
		}
		ended := make(chan error)
		go func() {
			_, err := probe(ctx, t, fault+" "+marker, Limits{})
			ended <- err
		}()
		if fault == "hang" {
			waitFor(t, "the process of the child", started)
			cancel()
		}
		var err error
		waitFor(t, "the end of the call: "+fault, func() bool {
			select {
			case err = <-ended:
				return true
			default:
				return false
			}
		})
		if started() || !errors.Is(err, map[string]error{"hang": context.Canceled}[fault]) {
			t.Errorf("%s: the call ended with %v, its process runs: %t", fault, err, started())
		}
		cancel()
	}
}

func TestCancelEndsTheChild(t *testing.T) {
	t.Parallel()
	gone := errors.New("the user cancelled")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(100*time.Millisecond, func() { cancel(gone) })
	if _, err := probe(ctx, t, "hang", Limits{}); !errors.Is(err, gone) {
		t.Errorf("got %v, want %v", err, gone)
	}
}

func TestFailedCallLeavesNoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "text.mp4")
	if err := os.WriteFile(path, []byte("no recording"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := New(options("")).Ingest(t.Context(), media.IngestRequest{
		Path: path, ProxyPath: filepath.Join(dir, "proxy.mp4"), SpeechPath: filepath.Join(dir, "speech.s16"),
	}, nil)
	var file pipeline.FileFault
	if !errors.As(err, &file) || !strings.Contains(file.FileFault(), "no readable video or audio") {
		t.Errorf("got %v, want the fault of the file", err)
	}
	if left := contents(t, dir); len(left) != 1 {
		t.Errorf("files are left: %v", left)
	}
}

func TestChildEndsWithItsParent(t *testing.T) {
	t.Parallel()
	parent := exec.Command("/proc/self/exe", "-test.run", "^TestParentOfAChild$")
	parent.Env = append(os.Environ(), "PARENT_TEST=1")
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var child string
	waitFor(t, "the child", func() bool {
		lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent.Process.Pid))
		for _, list := range lists {
			if text, err := os.ReadFile(list); err == nil && len(text) > 0 {
				child = strings.Fields(string(text))[0]
			}
		}
		return child != ""
	})
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // it was killed
	waitFor(t, "the end of the child", func() bool {
		state, err := os.ReadFile("/proc/" + child + "/stat")
		return err != nil || strings.Contains(string(state), ") Z ")
	})
}

// TestParentOfAChild is the parent that TestChildEndsWithItsParent kills.
func TestParentOfAChild(t *testing.T) {
	if os.Getenv("PARENT_TEST") == "" {
		t.Skip("only another test runs this")
	}
	_, _ = probe(t.Context(), t, "hang", Limits{})
}

// waitFor waits until a condition holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("no sign of %s after 30 s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func TestHintsReachTheChild(t *testing.T) {
	t.Parallel()
	speaks(t, nil)
}

// A driver that crashes its process costs the time of one attempt, and not the transcript.
func TestCrashedGraphicsDriverFallsBackToTheCPU(t *testing.T) {
	t.Parallel()
	speaks(t, func() bool { return true })
}

// Looking for graphics processors loads their drivers, which the parent survives.
func TestGraphicsAreFoundInAChild(t *testing.T) {
	t.Parallel()
	engine := New(options(""))
	if got, err := engine.Graphics(t.Context()); err != nil || got != "a graphics processor" {
		t.Errorf("got %q, %v", got, err)
	}
	got, err := New(options("", "ENGINE_TEST=crash when loading")).Graphics(t.Context())
	if err == nil || got != "" {
		t.Errorf("with a driver that crashes: got %q, %v", got, err)
	}
}

// The walls leave a way to the drivers of graphics processors. make test-vulkan runs this test,
// with a software driver if the machine has no other driver.
func TestVulkanComputesInAChild(t *testing.T) {
	if os.Getenv("ROUGHCUT_VULKAN") == "" {
		t.Skip("make test-vulkan sets ROUGHCUT_VULKAN")
	}
	audio := filepath.Join(t.TempDir(), "audio")
	if err := os.WriteFile(audio, []byte("audio"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, graphics := range []bool{true, false} {
		speech := Speech{
			Engine:   New(options("", "ENGINE_TEST=find graphics", "GGML_VK_VISIBLE_DEVICES=0")),
			Find:     func() (string, string, error) { return audio, "test", nil },
			Graphics: func() bool { return graphics },
		}
		opened, err := speech.Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := opened.Transcribe(t.Context(), audio, pipeline.SpeechRequest{}, nil)
		if graphics && (err != nil || len(got.Words) != 1 || got.Words[0].Text == "") {
			t.Errorf("with devices: %+v, %v", got, err)
		}
		if !graphics && err == nil && got.Words[0].Text != "" {
			t.Errorf("without devices the child computes on %s", got.Words[0].Text)
		}
	}
}

// speaks transcribes a file with hints.
func speaks(t *testing.T, graphics func() bool) {
	t.Helper()
	dir := t.TempDir()
	weights, audio := filepath.Join(dir, "ggml-test.bin"), filepath.Join(dir, "audio")
	for path, text := range map[string]string{weights: "weights", audio: "audio"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var failures []error
	speech := Speech{
		Engine:   New(options("")),
		Find:     func() (string, string, error) { return weights, "test", nil },
		Graphics: graphics,
		Failed:   func(err error) { failures = append(failures, err) },
	}
	opened, err := speech.Open()
	if err != nil {
		t.Fatal(err)
	}
	var heard []float64
	got, err := opened.Transcribe(t.Context(), audio, pipeline.SpeechRequest{
		Language: "de",
		Hints: func(language string) media.SpeechHints {
			return media.SpeechHints{Terms: []string{"in " + language}}
		},
	}, func(fraction float64) { heard = append(heard, fraction) })
	want := "weights audio [in de] [in fr]"
	if err != nil || len(got.Words) != 1 || got.Words[0].Text != want || got.Language != "de" ||
		opened.Name() != "test" {
		t.Errorf("got %+v, %v, want %q", got, err, want)
	}
	if crashes := map[bool]int{true: 1}[graphics != nil]; len(heard) != 1+crashes || len(failures) != crashes {
		t.Errorf("progress was %v, failures %v", heard, failures)
	}
}
