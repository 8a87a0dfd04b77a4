package interchange

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"roughcut/media"
)

// at returns the share of keyframes at a frame, as programs draw it between two of them.
func at(points []fadePoint, frame int64) float64 {
	if len(points) == 0 {
		return 1
	}
	for i := 1; i < len(points); i++ {
		if a, b := points[i-1], points[i]; frame <= b.frame {
			return a.share + (b.share-a.share)*float64(frame-a.frame)/float64(b.frame-a.frame)
		}
	}
	return points[len(points)-1].share
}

// The keyframes of layers draw the fades of the render plan, even for an asset that repeats.
func TestKeyframesAreTheFadesOfThePlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frames := rapid.SliceOfN(rapid.Int64Range(1, 60), 1, 4).Draw(t, "frames")
		var total int64
		for _, n := range frames {
			total += n
		}
		l := Layer{FadeIn: rapid.Int64Range(0, total).Draw(t, "in"), FadeOut: rapid.Int64Range(0, total).Draw(t, "out")}
		o := media.Overlay{
			Range: media.FrameRange{Out: total}, FadeIn: l.FadeIn, FadeOut: l.FadeOut,
			Appearance: media.Appearance{OpacityPercent: 100},
		}
		var done int64
		for _, n := range frames {
			l.In, l.Out, l.Before, l.After = 7, 7+n, done, total-done-n
			points := l.fades()
			for frame := range n {
				want, _ := o.OpacityAt(done + frame)
				if got := at(points, frame); math.Abs(got-float64(want)/100) > 0.006 {
					t.Fatalf("frame %d of %d after %d: %.3f, want %d %% (%v)", frame, n, done, got, want, points)
				}
			}
			done += n
		}
	})
}
