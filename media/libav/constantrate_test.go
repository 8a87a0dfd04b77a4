package libav

import (
	"context"
	"math"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// A constant-rate copy has a constant rate. Its frame n is the one that the recording shows at the
// time of frame n, and its audio is in sync. A recording whose frames are only unevenly spaced is
// copied.
func TestConstantRateCopies(t *testing.T) {
	uneven := append([]string{"-enc_time_base", "1/90000", "-video_track_timescale", "90000"}, tagged...)
	for name, c := range map[string]struct {
		mediatest.TalkOptions
		copied bool
	}{
		"dropped":    {mediatest.TalkOptions{Variable: true, GOP: 30, BFrames: 2, VideoOptions: tagged}, false},
		"late video": {mediatest.TalkOptions{Variable: true, VideoStartMS: 500, AudioStartMS: 300}, false},
		"rotated":    {mediatest.TalkOptions{Variable: true, Width: 360, Height: 640, RotationDeg: 90}, false},
		"hevc":       {mediatest.TalkOptions{Variable: true, VideoCodec: "libx265", VideoOptions: tagged}, false},
		"uneven": {mediatest.TalkOptions{
			Filter: "settb=1/90000,setpts='PTS+0.3*sin(N)/FRAME_RATE/TB'", VideoOptions: uneven,
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.Seconds, c.Hiss = 4, true
			talk := mediatest.Talk(t, c.TalkOptions)
			info, err := New().Probe(context.Background(), talk.Path)
			if err != nil || !info.VariableRate() {
				t.Fatalf("the recording has no variable rate: %v", err)
			}
			plan, err := media.ConstantRatePlan(media.RenderClip{Path: talk.Path, Info: info})
			if err != nil {
				t.Fatal(err)
			}
			out, made := renderPlan(t, plan)
			copied, err := New().Probe(context.Background(), out)
			if err != nil {
				t.Fatal(err)
			}
			if v, was := copied.Video, info.Video; v.VariableRate || v.Rate != media.StandardRate(was.Rate) ||
				v.Width != was.Width || v.Height != was.Height || v.Codec != was.Codec && made.Copied > 0 {
				t.Errorf("the copy has %+v, the recording %+v", v, was)
			}
			if c.copied && made.Encoded > 0 {
				t.Errorf("%d frames are encoded: %s", made.Encoded, made.EncodedBecause)
			}
			checkStamps(t, out)
			start, _ := clipZero(t, talk.Path)
			shown := shownNumbers(t, talk.Path, plan.Rate, start, plan.Inputs[0].Frames)
			checkFrames(t, plan, mediatest.FrameNumbers(t, out), [][]int64{shown})
			source, heard := mediatest.PCM(t, talk.Path, media.SampleRate), mediatest.PCM(t, out, media.SampleRate)
			for at := media.SampleRate; at+media.SampleRate < len(heard); at += media.SampleRate {
				lag, fit := mediatest.Lag(source, heard[at:at+media.SampleRate/2], at, media.SampleRate/10)
				if math.Abs(float64(lag)) > 2 || fit < 0.9 {
					t.Errorf("the audio at sample %d is %d samples off (fit %.2f)", at, lag, fit)
				}
			}
		})
	}
}
