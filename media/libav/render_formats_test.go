package libav

import (
	"bytes"
	"encoding/binary"
	"math"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// formatTalk is copied between the cuts, with frames that refer to later ones.
func formatTalk(t *testing.T, change func(*mediatest.TalkOptions)) mediatest.TalkFixture {
	t.Helper()
	o := mediatest.TalkOptions{
		Width: 512, Height: 288, Seconds: 5.3, Hiss: true, NarrowBar: true, Script: matrixScript, GOP: 15, BFrames: 2,
		VideoOptions: []string{
			"-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709", "-color_range", "tv",
		},
	}
	change(&o)
	return mediatest.Talk(t, o)
}

// Every container shows the planned frames at their times, copies are exact, and audio and video
// are in sync at every join.
func TestEveryContainerIsExact(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"mov", "mkv"} {
		for name, change := range map[string]func(*mediatest.TalkOptions){
			"h264":   func(*mediatest.TalkOptions) {},
			"turned": func(o *mediatest.TalkOptions) { o.RotationDeg = 90 },
			"hevc":   func(o *mediatest.TalkOptions) { o.VideoCodec = "libx265"; o.RateNum = 25 },
		} {
			t.Run(format+" "+name, func(t *testing.T) {
				t.Parallel()
				talk := formatTalk(t, change)
				plan := makePlan(t, matrixCuts, media.RenderSettings{Format: format, KeepCodec: true}, talk.Path)
				out, rendered := renderPlan(t, plan)
				if rendered.RepeatedBecause != "" || rendered.Copied == 0 {
					t.Errorf("%d frames were copied (%s); rendered again: %s",
						rendered.Copied, rendered.EncodedBecause, rendered.RepeatedBecause)
				}
				start, counted := clipZero(t, talk.Path)
				shown := shownNumbers(t, talk.Path, plan.Rate, start, plan.Inputs[0].Frames)
				checkFrames(t, plan, mediatest.FrameNumbers(t, out), [][]int64{shown})
				checkSilentDecoder(t, out)
				checkPlacement(t, plan, out, talk, start-counted)
				checkAgainstDrawn(t, plan, out)
			})
		}
	}
}

// Audio formats hold the audio of the plan from its first sample on: the lossless ones exactly, the
// others at the same place.
func TestEveryAudioFormat(t *testing.T) {
	talk := formatTalk(t, func(*mediatest.TalkOptions) {})
	decoded := func(format string) []int16 {
		plan := makePlan(t, matrixCuts, media.RenderSettings{Format: format}, talk.Path)
		if !plan.AudioOnly() {
			t.Fatalf("%s has video", format)
		}
		out := filepath.Join(t.TempDir(), "talk"+plan.Format.Extension)
		rendered, err := New().Render(t.Context(), plan, out, nil)
		if err != nil {
			t.Fatal(err)
		}
		if rendered.SizeBytes == 0 || rendered.Width != 0 {
			t.Errorf("%s: %+v", format, rendered)
		}
		raw, err := mediatest.Command(
			t, "ffmpeg", "-v", "error", "-nostdin", "-i", out, "-ac", "1", "-ar", "48000", "-f", "s16le", "pipe:1",
		).Output()
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		samples := make([]int16, len(raw)/2)
		if err := binary.Read(bytes.NewReader(raw), binary.LittleEndian, samples); err != nil {
			t.Fatal(err)
		}
		want := plan.Rate.Sample(plan.Frames(), media.SampleRate)
		if math.Abs(float64(len(samples))-float64(want)) > 1200 {
			t.Errorf("%s has %d samples, want %d", format, len(samples), want)
		}
		return samples
	}
	want := decoded("wav")
	for _, f := range media.ExportFormats() {
		if !f.AudioOnly || f.Name == "wav" {
			continue
		}
		got := decoded(f.Name)
		best, at := 0.0, 0
		for lag := -2000; lag <= 2000; lag += 4 {
			if c := correlation(want, got, lag); c > best {
				best, at = c, lag
			}
		}
		lowest := 0.8
		if f.Name == "flac" {
			lowest = 1 - 1e-9
		}
		if best < lowest || at < -8 || at > 8 {
			t.Errorf("%s is like the audio of the plan by %.4f, %d samples away", f.Name, best, at)
		}
	}
}

// correlation returns how alike two signals are if the second is later by lag samples: 1 for equal
// ones.
func correlation(a, b []int16, lag int) float64 {
	var ab, aa, bb float64
	for i := 3000; i < min(len(a), len(b))-3000; i++ {
		x, y := float64(a[i]), float64(b[i+lag])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb+1)
}

// An MKV export copies frames next to encoded ones. Matroska stores no DTS, and those that a
// demuxer makes up need not increase where frames with and without reordering meet.
func TestMKVCopiesNextToEncodedFrames(t *testing.T) {
	talk := mediatest.Talk(t, copyable()["phone"])
	plan := makePlan(t, everySecond(16_000), media.RenderSettings{Format: "mkv"}, talk.Path)
	_, rendered := renderPlan(t, plan)
	if rendered.RepeatedBecause != "" || rendered.Copied == 0 || rendered.Encoded == 0 {
		t.Errorf("the export is %+v", rendered)
	}
}
