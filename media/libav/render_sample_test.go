package libav

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// sampleInput returns the input of an estimate with the keyframes that Ingest finds.
func sampleInput(t testing.TB, cuts []media.Span, settings media.RenderSettings, talk string) media.EstimateInput {
	t.Helper()
	found, err := New().Ingest(context.Background(), media.IngestRequest{Path: talk}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return media.EstimateInput{
		Plan:    makePlan(t, cuts, settings, talk),
		Aspect:  settings.AspectRatio,
		Clips:   []media.RenderClip{{Path: talk, Info: found.Info}},
		Sources: []media.RenderSource{{Keyframes: found.Keyframes}},
	}
}

// sampled returns the estimate of a render from its sample.
func sampled(t testing.TB, e *Engine, in media.EstimateInput, rates *media.RenderRates) media.RenderEstimate {
	t.Helper()
	request := in.SampleRequest()
	request.Rates = rates
	sample, err := e.Sample(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	in.Sample = &sample
	return in.Estimate()
}

// A sample with enough time predicts which frames a render copies and encodes, and the size of the
// file.
func TestSamplePredictsTheRender(t *testing.T) {
	t.Parallel()
	few := []string{"variable rate", "smaller", "audio"}
	predictsRenders(t, few, func(e *Engine) {
		e.sampleGoal, e.sampleLimit, e.sampleCPU = time.Hour, time.Hour, time.Hour
	})
}

// The time that a sample has is enough for that.
func TestTimingSamplePredictsTheRender(t *testing.T) {
	mediatest.NeedsTiming(t)
	predictsRenders(t, nil)
}

// predictsRenders compares samples with renders of the named cases; nil for all.
func predictsRenders(t *testing.T, names []string, options ...Option) {
	t.Helper()
	recordings := copyable()
	hevc := mediatest.TalkOptions{
		Seconds: 16, VideoCodec: "libx265", GOP: 60,
		VideoOptions: append([]string{"-x265-params", "log-level=error", "-preset", "ultrafast"}, tagged...),
	}
	for _, c := range []struct {
		name     string
		talk     mediatest.TalkOptions
		settings media.RenderSettings
	}{
		{"copied", recordings["phone"], media.RenderSettings{}},
		{"variable rate", recordings["variable"], media.RenderSettings{}},
		{"few gaps", recordings["few gaps"], media.RenderSettings{}},
		{"smaller", recordings["screen"], media.RenderSettings{ShortSide: 120}},
		{
			"another shape", recordings["phone"],
			media.RenderSettings{AspectRatio: "9:16", ShortSide: 240, Fit: media.Crop},
		},
		{"HEVC", hevc, media.RenderSettings{KeepCodec: true}},
		{"audio", recordings["phone"], media.RenderSettings{Format: "m4a"}},
	} {
		if names != nil && !slices.Contains(names, c.name) {
			continue
		}
		in := sampleInput(t, somePauses, c.settings, mediatest.Talk(t, c.talk).Path)
		_, made := renderPlan(t, in.Plan)
		e := sampled(t, New(options...), in, nil)
		off := float64(e.SizeBytes) / float64(made.SizeBytes)
		copied := max(e.Copied-made.Copied, made.Copied-e.Copied)
		if off < 0.7 || off > 1.4 || 10*copied > in.Plan.Frames() || e.TookMS == 0 {
			t.Errorf("%s: predicted %d frames copied, %d bytes, %d ms; made %d, %d", c.name, e.Copied, e.SizeBytes,
				e.TookMS, made.Copied, made.SizeBytes)
		}
	}
}

// A sample of audio predicts the CPU time of its render to 40 %, without the time that the sample
// spends on opening the recording. Other programs may disturb some of the attempts.
func TestTimingSampleOfAudio(t *testing.T) {
	mediatest.NeedsTiming(t)
	talk := mediatest.Talk(t, mediatest.TalkOptions{Seconds: 1200, Width: 160, Height: 90, RateNum: 10}).Path
	for _, format := range []string{"wav", "flac"} {
		in := sampleInput(t, somePauses, media.RenderSettings{Format: format}, talk)
		var offs []float64
		for range 3 {
			predicted := sampled(t, New(), in, nil).TookMS
			used := processTime()
			renderPlan(t, in.Plan)
			offs = append(offs, float64(predicted)/float64((processTime()-used).Milliseconds()))
		}
		t.Logf("%s: predicted %.2f of the CPU times", format, offs)
		if slices.Sort(offs); offs[1] < 0.6 || offs[1] > 1.4 {
			t.Errorf("%s: predicted %.2f of the CPU times", format, offs)
		}
	}
}

// A sample with known rates encodes nothing, and no sample writes to the cache. It knows which
// chunks an export would take from the cache.
func TestSampleKnowsTheCache(t *testing.T) {
	in := sampleInput(t, somePauses, media.RenderSettings{ShortSide: 120}, chunkTalk(t).Path)
	in.Plan = named(in.Plan)
	engine, dir := keeping(t, 1<<30)
	if e := sampled(t, engine, in, nil); e.Reused != 0 || len(keptFiles(t, dir, "")) > 0 {
		t.Errorf("before the render: %+v, files %v", e, keptFiles(t, dir, ""))
	}
	_, made := renderWith(t, engine, in.Plan)
	e := sampled(t, engine, in, &media.RenderRates{})
	if off := float64(e.SizeBytes) / float64(made.SizeBytes); e.Reused != in.Plan.Frames() || off < 0.8 || off > 1.25 {
		t.Errorf("after the render of %d bytes: %+v", made.SizeBytes, e)
	}
}

// A sample ends with its context.
// An excerpt of the audio that does not end in time counts for nothing.
func TestSampleOfAudioIgnoresUnfinishedExcerpts(t *testing.T) {
	t.Parallel()
	whole := map[int64]audioTotals{
		shortWindowMS: {ms: 600, bytes: 12_000, used: 6 * time.Millisecond},
		audioWindowMS: {ms: 12_000, bytes: 288_000, used: 63 * time.Millisecond},
		longWindowMS:  {ms: 60_000, bytes: 1_440_000, used: 303 * time.Millisecond},
	}
	for _, c := range []struct {
		unfinished int64
		want       media.AudioRates
	}{
		{shortWindowMS, media.AudioRates{}},
		{audioWindowMS, media.AudioRates{BytesPerMS: 20, NSPerMS: 10_000}},
		{longWindowMS, media.AudioRates{BytesPerMS: 24, NSPerMS: 5000}},
		{0, media.AudioRates{BytesPerMS: 24, NSPerMS: 5000}},
	} {
		got, err := audioRates(func(windowMS int64) (audioTotals, error) {
			if windowMS == c.unfinished {
				return audioTotals{ms: whole[windowMS].ms, bytes: 100}, context.DeadlineExceeded
			}
			return whole[windowMS], nil
		})
		if got != c.want || (err != nil) != (c.unfinished > 0) {
			t.Errorf("without the excerpt of %d ms, the rates are %+v, %v", c.unfinished, got, err)
		}
	}
}

func TestSampleIsCancelled(t *testing.T) {
	in := sampleInput(t, somePauses, media.RenderSettings{ShortSide: 120}, chunkTalk(t).Path)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := New().Sample(ctx, in.SampleRequest())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
