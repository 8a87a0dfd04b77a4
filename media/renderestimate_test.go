package media_test

import (
	"math"
	"strings"
	"testing"

	"roughcut/media"
)

// phoneClip is a ten-minute 1080p recording of 120 MB with a keyframe a second.
func phoneClip() (media.RenderClip, media.RenderSource) {
	recording := clip(600_000, media.Rate{Num: 30, Den: 1})
	recording.Info.Format = "mov"
	recording.Info.Video.Codec, recording.Info.Audio.Codec = "h264", "aac"
	recording.Info.Video.BitRate, recording.Info.Audio.BitRate = 1_500_000, 100_000
	source := media.RenderSource{Name: "talk.mp4", SizeBytes: 120_000_000}
	for ms := int64(0); ms < 600_000; ms += 1000 {
		source.Keyframes = append(source.Keyframes, ms)
	}
	return recording, source
}

func estimateOf(
	t *testing.T,
	resolution, aspect string,
	settings media.RenderSettings,
	change func(*media.EstimateInput),
) media.RenderEstimate {
	t.Helper()
	recording, source := phoneClip()
	in := media.EstimateInput{
		Resolution: resolution,
		Aspect:     aspect,
		Clips:      []media.RenderClip{recording},
		Sources:    []media.RenderSource{source},
		Speed:      media.RenderSpeed{EncodeNSPerPixel: 10, CopyNSPerByte: 2},
	}
	if change != nil {
		change(&in)
	}
	settings.ShortSide, _ = media.ShortSide(resolution)
	settings.AspectRatio, settings.VolumePercent = aspect, 100
	cuts := []media.Span{{StartMS: 60_500, EndMS: 160_500}, {StartMS: 300_200, EndMS: 400_200}}
	var err error
	if in.Plan, err = media.NewRenderPlan(in.Clips, cuts, settings); err != nil {
		t.Fatal(err)
	}
	return in.Estimate()
}

// An estimate says what a render copies and encodes, and why it encodes most of the video.
func TestEstimateNamesMethodAndReason(t *testing.T) {
	all := media.RenderSettings{}
	for _, c := range []struct {
		name, resolution, aspect string
		settings                 media.RenderSettings
		change                   func(*media.EstimateInput)
		because                  string // empty if most frames are copied
	}{
		{"as recorded", "source", "source", all, nil, ""},
		{"the same size, chosen", "1080p", "16:9", all, nil, ""},
		{"another resolution", "720p", "source", all, nil, "720p is chosen and the recording is 1080p"},
		{"another shape", "1080p", "9:16", all, nil, "9:16 is chosen and the recording is 1920×1080"},
		{"flipped", "source", "source", media.RenderSettings{FlipH: true}, nil, "flipped"},
		{"watermark", "source", "source", media.RenderSettings{Watermark: true}, nil, "watermark"},
		{"VP9", "source", "source", all, func(in *media.EstimateInput) {
			in.Clips[0].Info.Video.Codec = "vp9"
		}, "the recording is VP9"},
		{"HEVC as H.264", "source", "source", all, func(in *media.EstimateInput) {
			in.Clips[0].Info.Video.Codec = "hevc"
		}, "H.264 is chosen"},
		{"HEVC kept", "source", "source", media.RenderSettings{KeepCodec: true}, func(in *media.EstimateInput) {
			in.Clips[0].Info.Video.Codec, in.Sources[0].Keyframes = "hevc", nil
		}, ""},
		{"HDR", "source", "source", all, func(in *media.EstimateInput) { in.Clips[0].Info.Video.HDR = true }, "HDR"},
		{"HDR kept", "source", "source", media.RenderSettings{KeepCodec: true}, func(in *media.EstimateInput) {
			in.Clips[0].Info.Video.Codec, in.Sources[0].Keyframes = "hevc", nil
			in.Clips[0].Info.Video.HDR, in.Clips[0].Info.Video.Converted = true, true
		}, ""},
		{"interlaced", "source", "source", all, func(in *media.EstimateInput) {
			in.Clips[0].Info.Video.Interlaced = true
		}, "the recording is interlaced"},
		{"BT.601", "source", "source", all, func(in *media.EstimateInput) {
			in.Clips[0].Info.Video.Converted = true
		}, ""},
		{"BT.601 with captions", "source", "source", media.RenderSettings{Captions: &media.CaptionTrack{
			Lines: []media.CaptionLine{{Text: "Hello", StartMS: 1000, EndMS: 3000}},
		}}, func(in *media.EstimateInput) {
			in.Clips[0].Info.Video.Converted = true
		}, "the colors of the recording are not BT.709"},
		{"BT.601 next to BT.709", "source", "source", all, func(in *media.EstimateInput) {
			recording, source := phoneClip()
			recording.Info.DurationMS = 100_000
			in.Clips, in.Sources = append(in.Clips, recording), append(in.Sources, source)
			in.Clips[0].Info.Video.Converted = true
		}, "the colors of the recordings differ"},
		{"rotated", "source", "source", all, func(in *media.EstimateInput) {
			in.Clips[0].Info.Video.RotationDeg = 90
		}, ""},
		{"no keyframes", "source", "source", all, func(in *media.EstimateInput) {
			in.Sources[0].Keyframes = nil
		}, "cannot be copied"},
		{"far keyframes", "source", "source", all, func(in *media.EstimateInput) {
			in.Sources[0].Keyframes = []int64{0, 500_000}
		}, "far apart"},
		{"larger second clip", "source", "source", all, func(in *media.EstimateInput) {
			recording, source := phoneClip()
			video := *recording.Info.Video
			video.Width, video.Height = 3840, 2160
			recording.Info.Video, recording.Info.DurationMS = &video, 3_000_000
			source.Name = "wide.mp4"
			in.Clips, in.Sources = append(in.Clips, recording), append(in.Sources, source)
		}, "wide.mp4 is 3840×2160 and the first clip is 1920×1080"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := estimateOf(t, c.resolution, c.aspect, c.settings, c.change)
			if c.because == "" && (e.EncodedBecause != "" || 10*e.Copied < 9*e.Frames) ||
				!strings.Contains(e.EncodedBecause, c.because) || c.because != "" && e.EncodedBecause == "" {
				t.Errorf("got %+v, want the reason %q", e, c.because)
			}
		})
	}
}

// The size of a copy follows from the bit rate of the recording, that of an encode from the last
// encode of the project.
func TestEstimatedSizes(t *testing.T) {
	seconds := 400.0
	within := func(got int64, want, share float64) bool { return math.Abs(float64(got)-want) <= share*want }
	copied := estimateOf(t, "source", "source", media.RenderSettings{}, nil)
	if want := seconds * (1_500_000 + 192_000) / 8; !within(copied.SizeBytes, want, 0.02) {
		t.Errorf("a copy has %d bytes, want %.0f", copied.SizeBytes, want)
	}
	encoded := estimateOf(t, "720p", "source", media.RenderSettings{}, func(in *media.EstimateInput) {
		in.Earlier = []media.EarlierRender{
			{Width: 1920, Height: 1080, DurationMS: 1000, SizeBytes: 1e6, Encoded: 0.1},
			{Width: 1280, Height: 720, DurationMS: 10_000, SizeBytes: 5_000_000, Encoded: 1},
		}
	})
	if want := seconds * 4_000_000 / 8; !within(encoded.SizeBytes, want, 0.01) {
		t.Errorf("an encode has %d bytes, want %.0f as in the earlier export", encoded.SizeBytes, want)
	}
	barred := estimateOf(t, "1080p", "9:16", media.RenderSettings{}, nil)
	cropped := estimateOf(t, "1080p", "9:16", media.RenderSettings{Fit: media.Crop}, nil)
	if cropped.SizeBytes <= barred.SizeBytes {
		t.Errorf("footage that fills the frame has %d bytes, with bars it has %d", cropped.SizeBytes, barred.SizeBytes)
	}
}

// A machine learns its speed from finished renders: estimates come close to the measured time.
func TestRenderSpeedLearns(t *testing.T) {
	var speed media.RenderSpeed
	for range 6 {
		speed = speed.Learn(media.RenderResult{
			Frames: 1000, Encoded: 1000, Width: 1920, Height: 1080, TookMS: 60_000,
		}, 1000)
	}
	learned := func(in *media.EstimateInput) { in.Speed = speed }
	e := estimateOf(t, "1080p", "9:16", media.RenderSettings{}, learned)
	if want := 60_000 * float64(e.Frames) / 1000; math.Abs(float64(e.TookMS)-want) > 0.1*want {
		t.Errorf("an encode is estimated at %d ms, want %.0f", e.TookMS, want)
	}
	for range 6 {
		speed = speed.Learn(media.RenderResult{
			Frames: 12_000, Copied: 12_000, Width: 1920, Height: 1080, TookMS: 3000,
		}, 120_000_000)
	}
	e = estimateOf(t, "source", "source", media.RenderSettings{}, func(in *media.EstimateInput) {
		learned(in)
		in.Cached = true
	})
	if e.TookMS < 2400 || e.TookMS > 3600 {
		t.Errorf("a copy is estimated at %d ms, want about 3000", e.TookMS)
	}
}

// The estimate of a sampled render adds up what is copied, cached and encoded.
func TestSampledEstimate(t *testing.T) {
	sample := media.RenderSample{
		Inputs: []media.SampledInput{{
			Copied: 6000, CopiedBytes: 30_000_000, Reused: 1000, ReusedBytes: 4_000_000,
			Encoded: 5000, Groups: 100, SourceBytes: 10_000_000, Decoded: 6000,
		}},
		Rates: media.RenderRates{
			Frames: []media.FrameRates{{
				KeyBytes: 50_000, FrameBytes: 9000, SourceGain: 1.5, EncodeNS: 10e6, DecodeNS: 2e6,
			}},
			Audio: media.AudioRates{BytesPerMS: 20, NSPerMS: 5e3},
			Timed: true,
		},
	}
	estimate := func() media.RenderEstimate {
		return estimateOf(t, "source", "source", media.RenderSettings{}, func(in *media.EstimateInput) {
			in.Sample = &sample
		})
	}
	e := estimate()
	video, audio := 30_000_000+4_000_000+100*50_000+1.5*10_000_000, 400_000*20.0
	got := float64(e.SizeBytes)
	if e.Copied != 6000 || e.Reused != 1000 || got < video+audio || got > 1.02*(video+audio) {
		t.Errorf("got %+v, want about %.0f bytes", e, video+audio)
	}
	sample.Rates.Frames[0].SourceGain = 0
	if more := estimate(); more.SizeBytes-e.SizeBytes != 4900*9000-15_000_000 {
		t.Errorf("without the recording's bytes: %+v", more)
	}
	sample.Rates.Frames[0].EncodeNS *= 2
	if slower := estimate(); slower.TookMS < e.TookMS*3/2 {
		t.Errorf("twice the time for a frame: %d ms instead of %d", slower.TookMS, e.TookMS)
	}
}

// Audio alone is estimated from its own sample, which the speed of video does not scale, and
// without the fixed time of a video. Its renders teach nothing about video.
func TestEstimateOfAudioAlone(t *testing.T) {
	took := func(change func(in *media.EstimateInput)) int64 {
		t.Helper()
		e := estimateOf(t, "source", "source", media.RenderSettings{Format: "flac"}, func(in *media.EstimateInput) {
			in.Sample = &media.RenderSample{
				Inputs: make([]media.SampledInput, 1),
				Rates:  media.RenderRates{Audio: media.AudioRates{BytesPerMS: 50, NSPerMS: 3e3}, Timed: true},
			}
			change(in)
		})
		return e.TookMS
	}
	const sampled = 20 + 400_000*3e3/1e6 // ms, of 400 s
	for name, got := range map[string]int64{
		"of a new machine":       took(func(*media.EstimateInput) {}),
		"of a slow machine":      took(func(in *media.EstimateInput) { in.Speed.EncodeScale = 2 }),
		"of a loaded machine, ×": took(func(in *media.EstimateInput) { in.Sample.Rates.Timed = false }) * 3 / 2,
	} {
		if math.Abs(float64(got)-sampled) > 20 {
			t.Errorf("the estimate %s is %d ms, want %.0f", name, got, sampled)
		}
	}
	if got := took(func(in *media.EstimateInput) { in.Sample.AudioReused = true }); got > 150 {
		t.Errorf("audio that an earlier render encoded takes %d ms", got)
	}
	var speed media.RenderSpeed
	if got := speed.Learn(media.RenderResult{TookMS: 9000, ExpectedMS: 2000}, 1e9); got != speed {
		t.Errorf("learned %+v from audio", got)
	}
}

// A machine learns how long its renders take in relation to their samples.
func TestRenderSpeedLearnsFromSamples(t *testing.T) {
	var speed media.RenderSpeed
	for range 6 {
		speed = speed.Learn(media.RenderResult{Frames: 100, Encoded: 100, TookMS: 1500, ExpectedMS: 1000}, 1000)
		speed = speed.Learn(media.RenderResult{Frames: 100, Copied: 100, TookMS: 800, ExpectedMS: 1000}, 1000)
	}
	if math.Abs(speed.EncodeScale-1.5) > 0.01 || math.Abs(speed.CopyScale-0.8) > 0.01 {
		t.Errorf("learned %+v, want 1.5 and 0.8", speed)
	}
	busy := speed.Learn(media.RenderResult{Frames: 100, Encoded: 100, TookMS: 90_000, ExpectedMS: 1000}, 1000)
	short := speed.Learn(media.RenderResult{Frames: 100, Encoded: 100, TookMS: 900, ExpectedMS: 100}, 1000)
	if busy.EncodeScale > 2 || short.EncodeScale != speed.EncodeScale {
		t.Errorf("learned %+v on a busy machine, %+v from a short render", busy, short)
	}
}

// An excerpt holds the footage of its ranges without gaps, and nothing that is placed in time.
func TestExcerpt(t *testing.T) {
	recording := clip(100_000, media.Rate{Num: 30, Den: 1})
	cuts := []media.Span{{StartMS: 10_000, EndMS: 20_000}, {StartMS: 40_000, EndMS: 41_000}}
	plan, err := media.NewRenderPlan([]media.RenderClip{recording}, cuts, media.RenderSettings{
		VolumePercent: 100, Muted: []media.Span{{StartMS: 50_000, EndMS: 51_000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ranges := plan.Spread(3, 300)
	excerpt := plan.Excerpt(ranges)
	at, total := int64(0), int64(0)
	for _, s := range excerpt.Segments {
		if s.Start != at || s.Frames() <= 0 {
			t.Errorf("the segment %+v starts at %d", s, at)
		}
		at += s.Frames()
	}
	for _, r := range ranges {
		total += r.Out - r.In
	}
	if len(ranges) != 3 || total != 900 || excerpt.Frames() != total || len(excerpt.Audio.Muted) != 0 {
		t.Errorf("%d frames of %v in %+v", excerpt.Frames(), ranges, excerpt)
	}
	whole := plan.Spread(3, 10*plan.Frames())
	if len(whole) != 1 || whole[0] != (media.FrameRange{Out: plan.Frames()}) {
		t.Errorf("ranges beyond the video: %v", whole)
	}
}
