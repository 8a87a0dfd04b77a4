package libav

import (
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// An export as recorded keeps the colors of BT.601, full-range and HDR footage, and copies most of
// its frames. The frames that it encodes match the recording.
func TestRecordedColorsAreCopied(t *testing.T) {
	t.Parallel()
	colors := func(space, transfer, primaries, levels string) []string {
		return []string{
			"-colorspace", space, "-color_trc", transfer, "-color_primaries", primaries, "-color_range", levels,
		}
	}
	type o = mediatest.TalkOptions
	for name, c := range map[string]struct {
		talk                            mediatest.TalkOptions
		space, transfer, levels, format string
	}{
		"BT.601": {
			o{Seconds: 8, GOP: 30, VideoOptions: colors("smpte170m", "smpte170m", "smpte170m", "tv")},
			"smpte170m", "smpte170m", "tv", "yuv420p",
		},
		"full range": {
			o{Seconds: 8, GOP: 30, PixelFormat: "yuvj420p", VideoOptions: colors("bt470bg", "bt709", "bt709", "pc")},
			"bt470bg", "bt709", "pc", "yuvj420p",
		},
		"HLG": {
			hevcTalk(func(o *o) {
				o.Seconds, o.PixelFormat = 8, "yuv420p10le"
				o.VideoOptions = colors("bt2020nc", "arib-std-b67", "bt2020", "tv")
			}),
			"bt2020nc", "arib-std-b67", "tv", "yuv420p10le",
		},
		"PQ": {
			hevcTalk(func(o *o) {
				o.Seconds, o.PixelFormat = 8, "yuv420p10le"
				o.VideoOptions = colors("bt2020nc", "smpte2084", "bt2020", "tv")
			}),
			"bt2020nc", "smpte2084", "tv", "yuv420p10le",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			talk := mediatest.Talk(t, c.talk)
			plan := makePlan(t, everySecond(7500), media.RenderSettings{KeepCodec: true}, talk.Path)
			out, made := renderPlan(t, plan)
			if made.VerifiedParts == 0 || made.Copied == 0 || made.Encoded == 0 {
				t.Errorf("got %+v, want copied and encoded frames that match the recording", made)
			}
			start, _ := clipZero(t, talk.Path)
			shown := shownNumbers(t, talk.Path, plan.Rate, start, plan.Inputs[0].Frames)
			checkFrames(t, plan, mediatest.FrameNumbers(t, out), [][]int64{shown})
			checkCopies(t, plan, out, talk.Path, shown)
			checkSilentDecoder(t, out)
			s := ffprobe(t, out, "-select_streams", "v:0", "-show_streams").Streams[0]
			if s.Space != c.space || s.Transfer != c.transfer || s.Range != c.levels || s.PixFmt != c.format {
				t.Errorf("the export is %s %s %s %s", s.Space, s.Transfer, s.Range, s.PixFmt)
			}
		})
	}
}

// Frames with drawings are BT.709, and so is the whole export.
func TestDrawingConvertsColors(t *testing.T) {
	talk := mediatest.Talk(t, mediatest.TalkOptions{Seconds: 3, VideoOptions: []string{
		"-colorspace", "smpte170m", "-color_trc", "smpte170m", "-color_primaries", "smpte170m", "-color_range", "tv",
	}})
	out, _ := renderPlan(t, makePlan(t, nil, media.RenderSettings{Watermark: true}, talk.Path))
	if s := ffprobe(t, out, "-select_streams", "v:0", "-show_streams").Streams[0]; s.Space != "bt709" {
		t.Errorf("the export has the colors %s", s.Space)
	}
}
