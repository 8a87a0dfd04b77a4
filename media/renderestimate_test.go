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
