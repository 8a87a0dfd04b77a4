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

// A person's choice for a join replaces what the punch-in plans for it.
func TestJoinVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/view_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Rate    struct{ Num, Den int64 }
		ClipsMS []int64 `json:"clips_ms"`
		Cuts    []vectorText
		Joins   []struct {
			Scale  float64 // 1 if only joins enlarge
			Ease   bool
			Joins  [][]media.Join
			Frames [][2]float64 // output frames with their enlargement
		}
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	var cuts []media.Span
	for _, c := range v.Cuts {
		cuts = append(cuts, media.Span{StartMS: c.StartMS, EndMS: c.EndMS})
	}
	for i, c := range v.Joins {
		var clips []media.RenderClip
		for k, ms := range v.ClipsMS {
			one := clip(ms, media.Rate{Num: v.Rate.Num, Den: v.Rate.Den})
			one.Joins = c.Joins[k]
			clips = append(clips, one)
		}
		punch := media.PunchIn{Scale: c.Scale, Ease: c.Ease}
		if c.Scale == 1 {
			punch.Scale, punch.JoinsOnly = media.DefaultPunchIn, true
		}
		plan, err := media.NewRenderPlan(clips, cuts, media.RenderSettings{PunchIn: punch})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range c.Frames {
			if got := plan.Views().At(int64(f[0])).Scale; math.Abs(got-f[1]) > 0.002 {
				t.Errorf("vector %d: frame %.0f is enlarged by %.3f, want %.3f", i, f[0], got, f[1])
			}
		}
	}
}

// The waveform and the cover of a recording without video keep their place at joins.
func TestPunchInLeavesAudioClips(t *testing.T) {
	sound := media.RenderClip{Info: media.Info{DurationMS: 10_000, Audio: &media.AudioInfo{}}}
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{sound},
		[]media.Span{{StartMS: 2000, EndMS: 3000}},
		media.RenderSettings{PunchIn: media.PunchIn{Scale: 1.15}},
	)
	if err != nil {
		t.Fatal(err)
	}
	if plan.Views().Any() {
		t.Error("a recording without video is enlarged")
	}
}
