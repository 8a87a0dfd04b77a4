package libav

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// renderHere measures a render into a file.
func renderHere(b *testing.B, e *Engine, plan media.RenderPlan, out string) mediatest.Cost {
	b.Helper()
	return mediatest.MeasureFunc(
		b,
		func() error { _, err := e.Render(context.Background(), plan, out, nil); return err },
	)
}

// sameFrames fails if two videos do not show the same frames.
func sameFrames(b *testing.B, plan media.RenderPlan, our, their string) {
	b.Helper()
	x, y := mediatest.FrameNumbers(b, our), mediatest.FrameNumbers(b, their)
	if !slices.Equal(x, y) || int64(len(x)) != plan.Frames() {
		b.Fatalf("%d frames against %d, or not the same ones", len(x), len(y))
	}
}

// footage is a recording of two minutes, or of the ten minutes that the performance goals name with
// ROUGHCUT_LONG=1. A phone has a keyframe each second. A screen recorder has one every 250 frames
// and three B-frames.
func footage(o mediatest.TalkOptions) mediatest.TalkOptions {
	o.Width = 1920
	o.Height = 1080
	o.Seconds = float64(footageMS()) / 1000
	o.Hiss = true
	o.VideoOptions = tagged
	return o
}

func footageMS() int64 {
	if os.Getenv(longEnv) != "" {
		return 600_000
	}
	return 120_000
}

// pauseCuts returns evenly spaced cuts of 1.64 s without cut number off, if there is one. With
// atKeyframes, cuts end at a keyframe up to 0.3 s earlier, as detected pauses do.
func pauseCuts(count, off int, atKeyframes bool) (cuts []media.Span) {
	for i := range count {
		at := 1500 + int64(i)*(footageMS()-2000)/int64(count)
		end := at + 1640
		if atKeyframes && end%1000 <= 300 {
			end -= end % 1000
		}
		if i != off {
			cuts = append(cuts, media.Span{StartMS: at, EndMS: end})
		}
	}
	return cuts
}

// BenchmarkCopyAgainstFFmpeg compares exports with cuts only with the ffmpeg command that
// re-encodes everything: cold, pre-rendered, and after one cut was switched off. A cut every 4.4 s
// removes 37 %.
func BenchmarkCopyAgainstFFmpeg(b *testing.B) {
	many := int(footageMS() / 4440)
	for _, c := range []struct {
		name        string
		options     mediatest.TalkOptions
		cuts        int
		atKeyframes bool
		want        float64
		limit       string
	}{
		{"phone", mediatest.TalkOptions{GOP: 30}, many, false, 0.20, "0.15"},
		{"phone, cuts at keyframes", mediatest.TalkOptions{GOP: 30}, many, true, 0.09, "0.09"},
		{"screen", mediatest.TalkOptions{GOP: 250, BFrames: 3}, many, false, 0.88, "0.78"},
		{
			"screen, a cut a minute", mediatest.TalkOptions{GOP: 250, BFrames: 3}, int(footageMS() / 60_000),
			false, 0.20, "0.08",
		},
		{
			"screen, three a minute", mediatest.TalkOptions{GOP: 250, BFrames: 3}, int(footageMS() / 20_000),
			false, 0.45, "0.33",
		},
	} {
		b.Run(c.name, func(b *testing.B) {
			talk := mediatest.Talk(b, footage(c.options))
			plan := named(makePlan(b, pauseCuts(c.cuts, -1, c.atKeyframes), media.RenderSettings{}, talk.Path))
			dir := b.TempDir()
			our, their := filepath.Join(dir, "our.mp4"), filepath.Join(dir, "their.mp4")
			command := mediatest.TrimConcat(plan, their)
			mediatest.LogPeer(b, c.name, command)
			for b.Loop() {
				peer := mediatest.Goal{
					What:  fmt.Sprintf("%d cuts, %s", c.cuts, c.name),
					Want:  c.want,
					Limit: c.limit,
				}.Against(
					b,
					func() mediatest.Cost { return renderHere(b, New(), plan, our) },
					func() mediatest.Cost { return mediatest.MeasureCommands(b, command) },
				)
				sameFrames(b, plan, our, their)
				cached, _ := keeping(b, 1<<30)
				if err := cached.Prerender(context.Background(), plan); err != nil {
					b.Fatal(err)
				}
				mediatest.Goal{
					What:  "the same, pre-rendered",
					Want:  0.02,
					Limit: "0.011",
				}.Over(b, peer, func() mediatest.Cost { return renderHere(b, cached, plan, our) })
				sameFrames(b, plan, our, their)
				off := 0
				mediatest.Goal{
					What:  "again with one cut off",
					Want:  0.03,
					Limit: "two heads and a remux",
				}.Over(
					b,
					peer,
					func() mediatest.Cost {
						off++
						return renderHere(
							b,
							cached,
							named(
								makePlan(
									b,
									pauseCuts(c.cuts, off%c.cuts, c.atKeyframes),
									media.RenderSettings{},
									talk.Path,
								),
							),
							our,
						)
					},
				)
			}
		})
	}
}

// BenchmarkNothingToChangeAgainstCopy compares an export without changes with a stream copy.
func BenchmarkNothingToChangeAgainstCopy(b *testing.B) {
	for name, options := range map[string]mediatest.TalkOptions{"phone": {GOP: 30}, "screen": {GOP: 250, BFrames: 3}} {
		b.Run(name, func(b *testing.B) {
			talk := mediatest.Talk(b, footage(options))
			dir := b.TempDir()
			our, their := filepath.Join(dir, "our.mp4"), filepath.Join(dir, "their.mp4")
			plan := makePlan(b, nil, media.RenderSettings{}, talk.Path)
			copying := []string{
				"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", talk.Path, "-c", "copy",
				"-movflags", "+faststart", their,
			}
			mediatest.LogPeer(b, "no changes", copying)
			for b.Loop() {
				mediatest.Goal{
					What:  "no changes, against -c copy",
					Want:  1.3,
					Limit: "I/O",
				}.Against(
					b,
					func() mediatest.Cost { return renderHere(b, New(), plan, our) },
					func() mediatest.Cost { return mediatest.MeasureCommands(b, copying) },
				)
			}
			sameFrames(b, plan, our, their)
		})
	}
}

// captionedTalk returns a talk and a function. The function plans a portrait export of the talk
// with the given lines as captions, one each 2.5 s.
func captionedTalk(
	b *testing.B,
	durationMS int64,
) (talk mediatest.TalkFixture, lines []media.CaptionLine, planOf func([]media.CaptionLine) media.RenderPlan) {
	b.Helper()
	talk = mediatest.Talk(
		b,
		mediatest.TalkOptions{
			Width:   1920,
			Height:  1080,
			Seconds: float64(durationMS) / 1000,
			GOP:     60,
			BFrames: 2,
			Hiss:    true,
		},
	)
	for i := range durationMS / 2500 {
		lines = append(
			lines,
			media.CaptionLine{
				Text:    fmt.Sprintf("The caption numbered %d of this talk", i),
				StartMS: i*2500 + 100,
				EndMS:   i*2500 + 2300,
			},
		)
	}
	return talk, lines, func(lines []media.CaptionLine) media.RenderPlan {
		captions := media.CaptionTrack{
			Lines:   lines,
			Options: media.CaptionOptions{FontSize: 48},
		}
		return named(makePlan(b, nil, media.RenderSettings{AspectRatio: "9:16", Captions: &captions}, talk.Path))
	}
}

// BenchmarkCaptionsAgainstFFmpeg compares a portrait export with captions with ffmpeg's scale, pad
// and subtitles filters.
func BenchmarkCaptionsAgainstFFmpeg(b *testing.B) {
	talk, lines, planOf := captionedTalk(b, 40_000)
	var srt strings.Builder
	for i, line := range lines {
		fmt.Fprintf(
			&srt,
			"%d\n00:00:%02d,%03d --> 00:00:%02d,%03d\n%s\n\n",
			i+1,
			line.StartMS/1000,
			line.StartMS%1000,
			line.EndMS/1000,
			line.EndMS%1000,
			line.Text,
		)
	}
	dir := b.TempDir()
	our, their, subtitles := filepath.Join(dir, "our.mp4"), filepath.Join(dir, "their.mp4"), filepath.Join(dir, "s.srt")
	if err := os.WriteFile(subtitles, []byte(srt.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	plan := planOf(lines)
	command := []string{
		"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", talk.Path, "-vf",
		"scale=1080:608:flags=bicubic,pad=1080:1920:0:656,subtitles=" + subtitles + ":force_style='Fontsize=12'",
		"-c:v", "libx264", "-preset", exportEffort.Preset, "-crf", fmt.Sprint(exportEffort.CRF), "-profile:v", "high",
		"-g", fmt.Sprint(plan.Rate.Frame(exportGOP * 1000)),
		"-c:a", "aac", "-aac_coder", "fast", "-b:a", "192k", "-ar", "48000", "-ac", "2",
		"-movflags", "+faststart", their,
	}
	mediatest.LogPeer(b, "captions, 9:16", command)
	for b.Loop() {
		mediatest.Goal{What: "captions, 9:16, everything encoded", Want: 1.03, Limit: "0.93"}.Against(
			b,
			func() mediatest.Cost { return renderHere(b, New(), plan, our) },
			func() mediatest.Cost { return mediatest.MeasureCommands(b, command) },
		)
		if ours, theirs := len(videoPackets(b, our)), len(videoPackets(b, their)); ours != theirs ||
			int64(ours) != plan.Frames() {
			b.Fatalf("%d frames against %d", ours, theirs)
		}
	}
}

// BenchmarkAnotherCaption compares exports after a caption changed with the first one.
func BenchmarkAnotherCaption(b *testing.B) {
	_, lines, planOf := captionedTalk(b, footageMS())
	our := filepath.Join(b.TempDir(), "our.mp4")
	for b.Loop() {
		cached, _ := keeping(b, 1<<30)
		first := renderHere(b, cached, planOf(lines), our)
		changed := 0
		mediatest.Goal{
			What:  "again with one caption changed",
			Want:  0.04,
			Limit: "two chunks",
		}.Over(
			b,
			first,
			func() mediatest.Cost {
				changed++
				lines = slices.Clone(lines)
				lines[3*changed].Text = fmt.Sprintf("Another text, the %d. time", changed)
				return renderHere(b, cached, planOf(lines), our)
			},
		)
	}
}

// BenchmarkManyCuts compares five thousand cuts with ten that keep the same length, with everything
// re-encoded.
func BenchmarkManyCuts(b *testing.B) {
	talk := mediatest.Talk(
		b,
		mediatest.TalkOptions{Width: 192, Height: 108, RateNum: 15, RateDen: 1, Seconds: 2000, GOP: 30},
	)
	evenly := func(n int64) media.RenderPlan {
		var cuts []media.Span
		for i := range n {
			at := (2*i + 1) * 2_000_000 / (2 * n)
			cuts = append(cuts, media.Span{StartMS: at, EndMS: at + 500_000/n})
		}
		return makePlan(b, cuts, media.RenderSettings{ShortSide: 96}, talk.Path)
	}
	many, few := evenly(5000), evenly(10)
	out := filepath.Join(b.TempDir(), "out.mp4")
	for b.Loop() {
		mediatest.Goal{
			What:  fmt.Sprintf("5,000 cuts against 10, %d frames against %d", many.Frames(), few.Frames()),
			Want:  1.3,
			Limit: "O(frames + cuts)",
		}.Against(
			b,
			func() mediatest.Cost { return renderHere(b, New(), many, out) },
			func() mediatest.Cost { return renderHere(b, New(), few, out) },
		)
		if got := len(videoPackets(b, out)); int64(got) != few.Frames() {
			b.Fatalf("%d frames of %d", got, few.Frames())
		}
	}
}
