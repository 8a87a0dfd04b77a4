//go:build linux

package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"roughcut/media"
	"roughcut/media/libav"
)

// childEncoder tests the encoders of this machine, or finds one whose driver crashes later, or at
// once.
func childEncoder(wanted string) media.EncoderChoice {
	switch os.Getenv("ENGINE_TEST") {
	case "":
		return libav.New().ChooseEncoder(wanted)
	case "crash in the self-test":
		_ = syscall.Kill(os.Getpid(), syscall.SIGABRT)
		select {} // the signal may come later
	}
	return media.EncoderChoice{Wanted: wanted, Name: "vaapi", Tests: []media.EncoderTest{{Name: "vaapi"}}}
}

func (e faultyEngine) crash(progress func(float64)) {
	if e.encoder.Hardware() {
		progress(0.7)
		_ = syscall.Kill(os.Getpid(), syscall.SIGABRT)
		select {}
	}
}

func (e faultyEngine) Render(
	ctx context.Context, plan media.RenderPlan, path string, progress func(float64),
) (media.RenderResult, error) {
	e.crash(progress)
	return e.MediaEngine.Render(ctx, plan, path, progress)
}

func (e faultyEngine) Ingest(
	ctx context.Context, r media.IngestRequest, progress func(float64),
) (media.IngestResult, error) {
	e.crash(progress)
	return e.MediaEngine.Ingest(ctx, r, progress)
}

// A driver that crashes its process costs the time of one attempt, and not the export.
func TestCrashedDriverFallsBackToSoftware(t *testing.T) {
	t.Parallel()
	path, dir := talk(t).Path, t.TempDir()
	o := options("", "ENGINE_TEST=crash when encoding")
	o.Encoder = media.EncoderAuto
	engine := New(o)
	if choice := engine.Encoder(); choice.Name != "vaapi" {
		t.Fatalf("the self-test found %+v", choice)
	}
	last := -1.0
	rises := func(fraction float64) {
		if fraction < last {
			t.Errorf("progress went from %v to %v", last, fraction)
		}
		last = fraction
	}
	proxy := filepath.Join(dir, "proxy.mp4")
	ingested, err := engine.Ingest(t.Context(), media.IngestRequest{Path: path, ProxyPath: proxy}, rises)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := New(options("")).Probe(t.Context(), proxy); err != nil || info.Video == nil {
		t.Errorf("the proxy has %+v, %v", info, err)
	}
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{{Path: path, Info: ingested.Info}}, nil,
		media.RenderSettings{ShortSide: 240, AspectRatio: media.AsRecorded, VolumePercent: 100},
	)
	if err != nil {
		t.Fatal(err)
	}
	last = -1
	result, err := engine.Render(t.Context(), plan, filepath.Join(dir, "export.mp4"), rises)
	if err != nil {
		t.Fatal(err)
	}
	if result.Encoder != "x264" || !strings.Contains(result.SoftwareBecause, "vaapi crashed") || last != 1 {
		t.Errorf("the report is %+v, the progress %v", result, last)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 2 {
		t.Errorf("files left: %v, %v", left, err)
	}
}

func TestCrashedSelfTestChoosesSoftware(t *testing.T) {
	t.Parallel()
	o := options("", "ENGINE_TEST=crash in the self-test")
	o.Encoder = "vaapi"
	choice := New(o).Encoder()
	if choice.Hardware() || !strings.Contains(choice.Fault(), "the self-test crashed") {
		t.Errorf("the self-test found %+v", choice)
	}
}

// The encoders of this machine are tested within the walls of an export.
func TestSelfTestRunsInAChild(t *testing.T) {
	t.Parallel()
	o := options("")
	o.Encoder = "nvenc"
	choice := New(o).Encoder()
	if len(choice.Tests) != 1 || strings.Contains(choice.Tests[0].Fault, "crashed") {
		t.Errorf("the self-test found %+v", choice)
	}
}
