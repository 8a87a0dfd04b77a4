package libav

import (
	"fmt"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// Footage of up to 240 frames a second keeps its rate in exports, whether frames are copied or
// encoded. Its proxy has one of two or four frames, at the same times.
func TestHighFrameRatesAreKept(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ num, den, step int }{{120, 1, 2}, {240, 1, 4}, {100, 1, 2}} {
		t.Run(fmt.Sprintf("%d-%d", c.num, c.den), func(t *testing.T) {
			t.Parallel()
			talk := mediatest.Talk(t, mediatest.TalkOptions{
				Width: 320, Height: 180, Seconds: 4, RateNum: c.num, RateDen: c.den, GOP: c.num / c.den / 2,
			})
			rate := media.Rate{Num: int64(c.num), Den: int64(c.den)}
			plan := makePlan(t, everySecond(3600), media.RenderSettings{}, talk.Path)
			if plan.Rate != rate {
				t.Fatalf("the plan has the rate %v, want %v", plan.Rate, rate)
			}
			out, made := renderPlan(t, plan)
			if made.Copied == 0 || made.Encoded == 0 {
				t.Errorf("got %+v, want copied and encoded frames", made)
			}
			start, _ := clipZero(t, talk.Path)
			shown := shownNumbers(t, talk.Path, rate, start, plan.Inputs[0].Frames)
			checkFrames(t, plan, mediatest.FrameNumbers(t, out), [][]int64{shown})

			ingested := ingestFile(t, talk.Path)
			if got := ingested.Info.Video.Rate; got != rate {
				t.Errorf("the recording has the rate %v, want %v", got, rate)
			}
			numbers := mediatest.FrameNumbers(t, ingested.ProxyPath)
			if want := (len(shown) + c.step - 1) / c.step; len(numbers) != want {
				t.Fatalf("the proxy has %d frames, want %d", len(numbers), want)
			}
			for i, n := range numbers {
				if n != shown[c.step*i] {
					t.Fatalf("frame %d of the proxy shows %d, want %d", i, n, shown[c.step*i])
				}
			}
		})
	}
}
