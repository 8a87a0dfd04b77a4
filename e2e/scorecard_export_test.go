package e2e

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/libav"
	"roughcut/media/mediatest"
	"roughcut/pipeline"
)

// Goals for joins: the largest A/V offset, and the ratio of the steepest step at a join to the
// steepest step of the audio around it.
const (
	syncMS      = 5
	clickFactor = 1.5
)

func exportOf(t *testing.T, plan media.RenderPlan) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.mp4")
	if _, err := libav.New().Render(context.Background(), plan, out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

// scoreExport exports a talk with the default cuts, without and with captions.
func (c *card) scoreExport(talk scoredTalk) {
	c.t.Helper()
	plan, _ := talk.plan(c.t, defaultSettings, media.RenderSettings{})
	plain := exportOf(c.t, plan)
	c.scoreJoins("usual cuts", plan, plain, talk.Path, 500)
	c.scoreCaptions(talk, plain)
}

// scoreThousandCuts makes a thousand cuts in 15 minutes of video at 29.97 frames per second: with
// packets copied where possible, and with all frames encoded.
func (c *card) scoreThousandCuts() {
	c.t.Helper()
	talk := mediatest.Talk(
		c.t,
		mediatest.TalkOptions{
			Width:        192,
			Height:       108,
			Seconds:      900,
			Hiss:         true,
			GOP:          60,
			BFrames:      2,
			Script:       mediatest.ThreeMinuteScript(),
			RateNum:      30000,
			RateDen:      1001,
			VideoOptions: []string{"-preset", "ultrafast"},
		},
	)
	info, err := libav.New().Probe(context.Background(), talk.Path)
	if err != nil {
		c.t.Fatal(err)
	}
	var cuts []media.Span
	for i := range int64(1000) {
		at := i*900 + 300 + i%13*10
		cuts = append(cuts, media.Span{StartMS: at, EndMS: at + 200 + i%7*30})
	}
	for _, flip := range []bool{false, true} {
		name := "1,000 cuts"
		if flip {
			name += ", all encoded"
		}
		plan, err := media.NewRenderPlan(
			[]media.RenderClip{{Path: talk.Path, Info: info}}, cuts,
			media.RenderSettings{AspectRatio: "source", VolumePercent: 100, FlipV: flip},
		)
		if err != nil {
			c.t.Fatal(err)
		}
		if len(plan.Segments) != 1001 {
			c.t.Errorf("%d segments", len(plan.Segments))
		}
		c.scoreJoins(name, plan, exportOf(c.t, plan), talk.Path, 250)
	}
}

// scoreJoins compares each output frame with its source frame. At each join it measures the A/V
// offset over windowMS and looks for a click.
func (c *card) scoreJoins(name string, plan media.RenderPlan, out, source string, windowMS int) {
	c.t.Helper()
	var undo []string
	if plan.FlipV {
		undo = []string{"vflip"}
	}
	numbers := mediatest.FrameNumbers(c.t, out, undo...)
	wrong, at := max(0, int(plan.Frames())-len(numbers)), []int64{}
	for _, s := range plan.Segments {
		at = append(at, s.Start)
		for n := s.Start; n < min(s.Start+s.Frames(), int64(len(numbers))); n++ {
			if numbers[n] != s.In+n-s.Start {
				wrong++
			}
		}
	}
	c.none(name+": wrong or missing frames", wrong+max(0, len(numbers)-int(plan.Frames())), int(plan.Frames()))
	const hz = 16000
	measured := mediatest.Offsets(
		c.t, numbers, mediatest.PCM(c.t, out, hz), mediatest.PCM(c.t, source, hz), int(plan.Rate.Num),
		int(plan.Rate.Den), hz, windowMS, at,
	)
	worst, unsure := 0.0, len(at)-1-len(measured) // the last one may be too short
	for _, o := range measured {
		worst = max(worst, math.Abs(o.MS))
		if o.Fit < 0.5 {
			unsure++
		}
	}
	c.atMost(fmt.Sprintf("%s: A/V offset at %d joins, worst", name, len(measured)), worst, syncMS, "ms")
	c.none(name+": joins with unrelated audio", max(0, unsure), len(at))
	c.none(
		name+": clicks",
		c.clicks(plan, mediatest.PCM(c.t, out, media.SampleRate), mediatest.PCM(c.t, source, media.SampleRate)),
		len(at)-1,
	)
}

// clicks counts the joins with a step that the audio on neither side has.
func (c *card) clicks(plan media.RenderPlan, sound, source []float32) (n int) {
	c.t.Helper()
	const near, around = media.SampleRate / 100, media.SampleRate / 20
	part := func(x []float32, from, to int64) []float32 {
		return x[min(max(0, from), int64(len(x))):min(max(0, to), int64(len(x)))]
	}
	for i, s := range plan.Segments[1:] {
		from, at, _ := plan.Samples(s)
		before, start, length := plan.Samples(plan.Segments[i])
		ends := before + at - start
		usual := max(
			mediatest.MaxSecondDifference(part(source, ends-around, ends+around/4)),
			mediatest.MaxSecondDifference(part(source, from-around/4, from+around)),
		)
		if got := mediatest.MaxSecondDifference(part(sound, at-near, at+near)); got > clickFactor*usual {
			n++
			c.t.Logf(
				"click of %.4f, %.4f around it, at sample %d of the output after a segment of %d", got, usual,
				at, length,
			)
		}
	}
	return n
}

// scoreCaptions measures in the frames whether captions are visible while words are spoken.
func (c *card) scoreCaptions(talk scoredTalk, without string) {
	c.t.Helper()
	captions := &media.CaptionTrack{Words: talk.heard(), Options: media.CaptionOptions{Position: "top"}}
	for _, line := range pipeline.CaptionLines(talk.found.Transcripts(), pipeline.CaptionWordsMedium) {
		shown := media.CaptionLine{Text: line.Text, StartMS: line.StartMS, EndMS: line.EndMS}
		captions.Lines = append(captions.Lines, shown)
	}
	plan, _ := talk.plan(c.t, defaultSettings, media.RenderSettings{Captions: captions})
	shares := mediatest.ChangedShares(c.t, exportOf(c.t, plan), without, "crop=iw:ih/3:0:0")
	if int64(len(shares)) != plan.Frames() {
		c.t.Fatalf("compared %d of %d frames", len(shares), plan.Frames())
	}
	var said []media.Word // in output time
	for _, seg := range plan.Segments {
		shown := media.Span{StartMS: plan.Rate.MS(seg.In), EndMS: plan.Rate.MS(seg.Out)}
		for _, w := range talk.Words {
			if middle := (w.StartMS + w.EndMS) / 2; middle < shown.StartMS || middle >= shown.EndMS {
				continue
			}
			by := plan.Rate.MS(seg.Start) - shown.StartMS
			said = append(said, media.Word{Text: w.Text, StartMS: w.StartMS + by, EndMS: w.EndMS + by})
		}
	}
	c.scoreSeen(plan, said, shares)
	var written []media.Word
	for _, line := range plan.Captions {
		for _, word := range strings.Fields(line.Text) {
			written = append(written, media.Word{Text: word})
		}
	}
	h := mediatest.CompareWords(said, written)
	c.atMost(fmt.Sprintf("captions: errors in %d words", len(said)), 100*float64(h.Errors)/float64(len(said)), 7, "%")
}

// scoreSeen compares the times of words with the visibility of captions. shares holds the share of
// changed pixels of each frame.
func (c *card) scoreSeen(plan media.RenderPlan, said []media.Word, shares []float64) {
	c.t.Helper()
	const least, passageMS = 0.002, 300
	seen := func(frame int64) bool {
		return frame >= 0 && frame < int64(len(shares)) && shares[frame] > least
	}
	frames, covered := 0, 0
	var late []int64
	for i, w := range said {
		from, to := plan.Rate.Frame(w.StartMS), plan.Rate.Frame(w.EndMS)
		for n := from; n < to; n++ {
			frames++
			if seen(n) {
				covered++
			}
		}
		if i > 0 && w.StartMS-said[i-1].EndMS < passageMS {
			continue
		}
		first := from
		for first < plan.Frames() && !seen(first) {
			first++
		}
		late = append(late, plan.Rate.MS(first-from))
	}
	slices.Sort(late)
	c.share("captions: spoken frames that show them", covered, frames, 97) // two lines are two frames apart
	c.atMost(
		fmt.Sprintf("captions: delay at %d passages, 95th percentile", len(late)),
		float64(mediatest.Percentile(late, 95)), 70, "ms",
	)
	c.atMost("captions: delay, worst", float64(late[len(late)-1]), 300, "ms")
}

// scoreLoudness normalizes a talk to several targets.
func (c *card) scoreLoudness(talk scoredTalk) {
	c.t.Helper()
	for _, target := range []float64{-14, -16, -23} {
		plan, _ := talk.plan(
			c.t, defaultSettings,
			media.RenderSettings{Audio: media.AudioSettings{Normalize: true, TargetLUFS: target}},
		)
		lufs, peak := mediatest.Loudness(c.t, exportOf(c.t, plan))
		c.atMost(fmt.Sprintf("loudness: error at %.0f LUFS", target), math.Abs(lufs-target), 0.5, "LU")
		c.atMost(fmt.Sprintf("loudness: true peak at %.0f LUFS", target), peak, -1, "dB")
	}
}
