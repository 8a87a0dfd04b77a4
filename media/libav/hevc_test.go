package libav

import (
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// copyableHEVC are recordings whose packets an export that keeps the codec can copy.
func copyableHEVC() map[string]mediatest.TalkOptions {
	base := func(change func(*mediatest.TalkOptions)) mediatest.TalkOptions {
		o := mediatest.TalkOptions{Hiss: true, Width: 320, Height: 180, Seconds: 16, VideoCodec: "libx265", VideoOptions: tagged}
		change(&o)
		return o
	}
	type o = mediatest.TalkOptions
	return map[string]mediatest.TalkOptions{
		"phone":    base(func(o *o) { o.GOP = 30 }),
		"b-frames": base(func(o *o) { o.GOP, o.BFrames = 48, 4 }),
		"open gop": base(func(o *o) { o.GOP, o.BFrames, o.OpenGOP = 24, 4, true }),
		"screen":   base(func(o *o) { o.GOP, o.BFrames = 250, 3 }),
		"mkv":      base(func(o *o) { o.Container, o.GOP, o.BFrames, o.RateNum, o.RateDen = "mkv", 30, 2, 30000, 1001 }),
		"mov 60":   base(func(o *o) { o.Container, o.GOP, o.BFrames, o.OpenGOP, o.RateNum = "mov", 60, 4, true, 60 }),
		"jitter":   base(func(o *o) { o.GOP, o.BFrames, o.Filter, o.VideoOptions = 30, 2, jitter, fine }),
	}
}

// What can be copied of HEVC is copied to the bit, all else is encoded well as HEVC too, and no decoder has anything to say about the result.
func TestCopiedPicturesOfHEVCAreExact(t *testing.T) {
	for name, options := range copyableHEVC() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			talk := mediatest.Talk(t, options)
			plan := makePlan(t, everySecond(15500), media.PlanSettings{KeepCodec: true}, talk.Path)
			out, made := renderPlan(t, plan)
			if made.Codec != "hevc" || made.WhyH264 != "" || made.Again != "" {
				t.Errorf("made %+v", made)
			}
			start, counted := clipZero(t, talk.Path)
			shown := shownNumbers(t, talk.Path, plan.Rate, start, plan.Inputs[0].Frames)
			checkFrames(t, plan, mediatest.FrameNumbers(t, out), [][]int64{shown})
			checkStamps(t, out)
			checkPlacement(t, plan, out, talk, start-counted)
			checkSilentDecoder(t, out)
			copied := checkCopies(t, plan, out, talk.Path, shown)
			t.Logf("%s: %d of %d frames were copied", name, copied, plan.Frames())
			if copied == 0 {
				t.Error("nothing was copied")
			}
		})
	}
}
