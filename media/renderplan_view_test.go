package media_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"roughcut/media"
)

// The browser preview runs the same vectors, so that it shows the same part of each frame as the
// export.
func TestViewVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/view_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Rate    struct{ Num, Den int64 }
		ClipsMS []int64 `json:"clips_ms"`
		Cuts    []vectorText
		Point   [2]float64
		Scale   float64
		Crop    [][]media.CropKeyframe
		Size    [2]int
		Frame   [2]int
		Views   []struct {
			Ease, Flip bool
			Frame      int64
			Want       [4]float64 // left, top, width and height in the footage
		}
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	var clips []media.RenderClip
	for i, ms := range v.ClipsMS {
		c := clip(ms, media.Rate{Num: v.Rate.Num, Den: v.Rate.Den})
		c.Crop = v.Crop[i]
		clips = append(clips, c)
	}
	var cuts []media.Span
	for _, c := range v.Cuts {
		cuts = append(cuts, media.Span{StartMS: c.StartMS, EndMS: c.EndMS})
	}
	for i, c := range v.Views {
		plan, err := media.NewRenderPlan(clips, cuts, media.RenderSettings{AspectRatio: "1:1", Fit: media.Crop,
			FlipH:   c.Flip,
			PunchIn: media.PunchIn{Scale: v.Scale, Ease: c.Ease, X: v.Point[0], Y: v.Point[1]}})
		if err != nil {
			t.Fatal(err)
		}
		left, top, width, height := plan.Views().At(c.Frame).Window(v.Size[0], v.Size[1], v.Frame[0], v.Frame[1])
		got := [4]float64{left, top, width, height}
		for k := range got {
			if math.Abs(got[k]-c.Want[k]) > 0.01 {
				t.Errorf("vector %d, ease %v, flip %v, frame %d: the window is %.2f, want %.2f",
					i, c.Ease, c.Flip, c.Frame, got, c.Want)
				break
			}
		}
	}
}
