package media_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"roughcut/media"
)

// The browser preview runs the same vectors, so that it follows the face as the export does.
func TestFaceVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/view_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Rate    struct{ Num, Den int64 }
		ClipsMS []int64 `json:"clips_ms"`
		Cuts    []vectorText
		Faces   []struct {
			Fit, Aspect string
			Flip        bool
			Size        [2]int
			Face        []media.Face // far from each other, so that each is a place of the center
			At          int64        // output frame
			Want        [4]float64   // crop and point
		}
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	var cuts []media.Span
	for _, c := range v.Cuts {
		cuts = append(cuts, media.Span{StartMS: c.StartMS, EndMS: c.EndMS})
	}
	for i, c := range v.Faces {
		var clips []media.RenderClip
		for _, ms := range v.ClipsMS {
			one := clip(ms, media.Rate{Num: v.Rate.Num, Den: v.Rate.Den})
			one.Info.Video.Width, one.Info.Video.Height = c.Size[0], c.Size[1]
			one.Faces = c.Face
			clips = append(clips, one)
		}
		plan, err := media.NewRenderPlan(clips, cuts, media.RenderSettings{
			AspectRatio: c.Aspect, Fit: media.Fit(c.Fit), FlipH: c.Flip,
			PunchIn: media.PunchIn{Scale: 1.15, X: 0.5, Y: 0.4, Face: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		view := plan.Views().At(c.At)
		got := [4]float64{view.CropX, view.CropY, view.X, view.Y}
		for k := range got {
			if math.Abs(got[k]-c.Want[k]) > 0.0005 {
				t.Errorf("vector %d: crop and point are %.4f, want %.4f", i, got, c.Want)
				break
			}
		}
	}
}

func faces(all ...[]media.Face) []media.Face { return media.MainFaces(all) }

// The main face is the large one. A pattern that resembles a face in a single frame is ignored.
func TestMainFaces(t *testing.T) {
	near := func(x float64) media.Face { return media.Face{X: x, Y: 0.4, Size: 0.3, Confidence: 80} }
	far := func(x float64) media.Face { return media.Face{X: x, Y: 0.4, Size: 0.12, Confidence: 120} }
	chance := media.Face{X: 0.1, Y: 0.9, Size: 0.8, Confidence: 200}
	got := faces(
		[]media.Face{far(0.8), near(0.3)}, []media.Face{near(0.32)}, nil, []media.Face{chance, near(0.31), far(0.8)},
		[]media.Face{far(0.8)}, []media.Face{near(0.3), far(0.81)},
	)
	if len(got) != 4 {
		t.Fatalf("the main face is %+v", got)
	}
	for _, f := range got {
		if f.Size != 0.3 {
			t.Errorf("the main face is also %+v", f)
		}
	}
	if got := faces(nil, nil, []media.Face{chance}, nil, nil); got != nil {
		t.Errorf("one chance in five frames is the face %+v", got)
	}
	if got := faces(); got != nil {
		t.Errorf("no frames have the face %+v", got)
	}
}

// The center stays while a person sits still, and moves with a person who changes the place.
func TestFaceCenter(t *testing.T) {
	at := func(ms int64, x float64) media.Face { return media.Face{MS: ms, X: x, Y: 0.4, Size: 0.2} }
	still := media.FaceCenter([]media.Face{at(1000, 0.5), at(2000, 0.52), at(3000, 0.49), at(4000, 0.51)})
	if len(still) != 1 || math.Abs(still[0].X-0.51) > 0.011 {
		t.Errorf("a still face gives %+v", still)
	}
	moved := media.FaceCenter([]media.Face{at(1000, 0.3), at(2000, 0.31), at(5000, 0.7), at(6000, 0.71)})
	if len(moved) != 3 || moved[1] != (media.CropKeyframe{MS: 2000, X: moved[0].X, Y: 0.4}) || moved[2].MS != 5000 ||
		moved[2].X < 0.69 {
		t.Errorf("a face that moves gives %+v", moved)
	}
	if got := media.FaceCenter(nil); got != nil {
		t.Errorf("no face gives %+v", got)
	}
}
