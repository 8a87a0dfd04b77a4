package cli

import (
	"testing"

	"roughcut/media"
	"roughcut/media/estimate"
)

// A cut says how it is rendered before it is rendered.
func TestCutSaysHowItRenders(t *testing.T) {
	for want, e := range map[string]estimate.Result{
		"Copied, about 7 s, 113 MB": {
			Frames: 100, Copied: 96, Width: 1920, TookMS: 7_200, SizeBytes: 113_400_000,
		},
		"Copied, 12 % re-encoded, about 7 s, 113 MB": {
			Frames: 1000, Copied: 880, Width: 1920, TookMS: 7_200, SizeBytes: 113_400_000,
		},
		"Copied, 5 % re-encoded, about 1 s, 1 MB": {
			Frames: 100, Copied: 95, Width: 640, TookMS: 900, SizeBytes: 1_000_000,
		},
		"Re-encoded, about 1 min 20 s, 117 MB, because 720p is chosen and the recording is 1080p": {
			Frames: 100, Width: 1280, TookMS: 80_000, SizeBytes: 117_000_000,
			EncodedBecause: "720p is chosen and the recording is 1080p",
		},
		"60 % re-encoded, about 1 h 5 min, 900 kB, because captions are drawn on the video": {
			Frames: 100, Copied: 40, Width: 1280, TookMS: 3_900_000, SizeBytes: 900_000,
			EncodedBecause: "captions are drawn on the video",
		},
		"Re-encoded, about 1 min 20 s, 58 MB to 230 MB, because 720p is chosen and the recording is 1080p": {
			Frames: 100, Width: 1280, TookMS: 80_000,
			SizeBytes: 117_000_000, LowBytes: 58_000_000, HighBytes: 230_000_000,
			EncodedBecause: "720p is chosen and the recording is 1080p",
		},
		"Copied, about 1 s, 2 MB": {
			Frames: 100, Copied: 96, Width: 640, TookMS: 900,
			SizeBytes: 2_000_000, LowBytes: 1_800_000, HighBytes: 2_200_000,
		},
		"Audio only, about 1 s, 12 MB": {Frames: 100, TookMS: 20, SizeBytes: 12_000_000},
	} {
		if got := howRendered(e); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLoweredRatesAreNamed(t *testing.T) {
	clip := func(path string, num, den int64) media.RenderClip {
		rate := media.Rate{Num: num, Den: den}
		return media.RenderClip{Path: path, Info: media.Info{Video: &media.VideoInfo{Rate: rate}}}
	}
	plan := media.RenderPlan{Rate: media.Rate{Num: 30000, Den: 1001}, Width: 640}
	clips := []media.RenderClip{clip("a/one.mp4", 30000, 1001), clip("a/two.mp4", 24, 1), clip("a/slow.mov", 240, 1)}
	want := "slow.mov has 240 frames a second, and the video 29.97, as the first recording has\n"
	if got := loweredRates(clips, plan); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	fast := []media.RenderClip{clip("a/fast.mov", 300, 1)}
	want = "fast.mov has 300 frames a second, and the video 240, the most that exports have\n"
	if got := loweredRates(fast, media.RenderPlan{Rate: media.MaxRate, Width: 640}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := loweredRates(clips, media.RenderPlan{Rate: plan.Rate}); got != "" {
		t.Errorf("an export without video says %q", got)
	}
}
