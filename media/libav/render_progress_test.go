package libav

import (
	"context"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// While the audio of an export is measured, progress increases evenly, up to the share of the
// measuring.
func TestProgressIncreasesWhileLoudnessIsMeasured(t *testing.T) {
	talk := mediatest.Talk(
		t,
		mediatest.TalkOptions{Width: 320, Height: 180, Seconds: 20, Hiss: true, VideoOptions: tagged},
	)
	plan := makePlan(
		t,
		everySecond(19_000),
		media.RenderSettings{
			Audio: media.AudioSettings{Denoise: true, NoiseFloorDB: -12, Normalize: true, TargetLUFS: -14},
		},
		talk.Path,
	)
	var told []float64
	ctx, m := av.NewMeter(context.Background(), func(f float64) { told = append(told, f) }, time.Minute)
	defer m.Close()
	r := &render{engine: New(), ctx: ctx, plan: plan, meter: m}
	if err := r.locate(); err != nil {
		t.Fatal(err)
	}
	r.result.Encoded = plan.Frames() / 2
	r.tally = r.newTally()
	if err := r.measureNoise(); err != nil {
		t.Fatal(err)
	}
	afterNoise := len(told)
	if _, err := r.measureLoudness(); err != nil {
		t.Fatal(err)
	}
	r.tally.measuringDone()
	last := 0.0
	for _, f := range told {
		if f < last || f > last+0.06 {
			t.Errorf("progress goes from %.3f to %.3f", last, f)
		}
		last = f
	}
	if afterNoise < 5 || len(told) < 2*afterNoise || last < r.tally.share-0.01 || last > r.tally.share {
		t.Errorf(
			"reported %d times, %d of them for noise, up to %.3f; the share of measuring is %.3f",
			len(told), afterNoise, last, r.tally.share,
		)
	}
}

// Measuring is most of the work if everything is copied, and little if everything is encoded.
// Progress ends at 1 in both cases.
func TestRenderProgressEndsAtOne(t *testing.T) {
	talk := mediatest.Talk(
		t,
		mediatest.TalkOptions{Width: 320, Height: 180, Seconds: 20, Hiss: true, VideoOptions: tagged},
	)
	for name, settings := range map[string]media.RenderSettings{
		"copied":     {Audio: media.AudioSettings{Normalize: true, TargetLUFS: -14}},
		"encoded":    {FlipH: true, Audio: media.AudioSettings{Normalize: true, TargetLUFS: -14}},
		"plain":      {},
		"pictures":   {FlipH: true},
		"audio only": {AudioOnly: true, Audio: media.AudioSettings{Normalize: true, TargetLUFS: -14}},
	} {
		t.Run(name, func(t *testing.T) {
			var told []float64
			out := t.TempDir() + "/out.mp4"
			if _, err := New().Render(
				context.Background(), makePlan(t, nil, settings, talk.Path), out,
				func(f float64) { told = append(told, f) },
			); err != nil {
				t.Fatal(err)
			}
			last := 0.0
			for _, f := range told {
				// An export that is copied completely finishes at once.
				if f < last || (f > last+0.3 && name != "plain") {
					t.Errorf("progress goes from %.3f to %.3f", last, f)
				}
				last = f
			}
			if last != 1 || len(told) < 10 {
				t.Errorf("reported %d times, up to %.3f", len(told), last)
			}
		})
	}
}
