package media_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roughcut/media"
)

type previewVectors struct {
	Rate    struct{ Num, Den int64 }
	ClipsMS []int64 `json:"clips_ms"`
	Cuts    []vectorText
	Words   []vectorText
	Lines   []vectorText
	// The expected results.
	Captions []struct {
		vectorText
		Words []vectorText
	}
	Overlays []struct {
		Name, Aspect string
		Asset        [2]int
		Place        struct {
			Mode     string  `json:"visual_mode"`
			Position string  `json:"overlay_position"`
			X        float64 `json:"overlay_x"`
			Y        float64 `json:"overlay_y"`
			Size     int     `json:"overlay_size_percent"`
			Rotation int     `json:"overlay_rotation_deg"`
		}
		Want vectorPlace
	}
}

type vectorText struct {
	Text    string `json:"text"`
	StartMS int64  `json:"start_ms"`
	EndMS   int64  `json:"end_ms"`
}

type vectorPlace struct {
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Left   int    `json:"left"`
	Top    int    `json:"top"`
	Turned [2]int `json:"turned"`
}

// The browser preview runs the same vectors, so that captions and overlays have the same times and
// positions as in the export.
func TestPreviewVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/preview_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v previewVectors
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	var clips []media.RenderClip
	for _, ms := range v.ClipsMS {
		clips = append(clips, clip(ms, media.Rate{Num: v.Rate.Num, Den: v.Rate.Den}))
	}
	var cuts []media.Span
	for _, c := range v.Cuts {
		cuts = append(cuts, media.Span{StartMS: c.StartMS, EndMS: c.EndMS})
	}
	captions := &media.CaptionTrack{}
	for _, w := range v.Words {
		captions.Words = append(captions.Words, word(w.Text, w.StartMS, w.EndMS))
	}
	for _, l := range v.Lines {
		captions.Lines = append(captions.Lines, media.CaptionLine{Text: l.Text, StartMS: l.StartMS, EndMS: l.EndMS})
	}
	var want []media.Caption
	for _, c := range v.Captions {
		caption := media.Caption{Text: c.Text, StartMS: c.StartMS, EndMS: c.EndMS}
		for _, w := range c.Words {
			caption.Words = append(caption.Words, word(w.Text, w.StartMS, w.EndMS))
		}
		want = append(want, caption)
	}
	for _, o := range v.Overlays {
		asset := media.PlacedAsset{
			Path: "a.png",
			Info: media.Info{Video: &media.VideoInfo{Width: o.Asset[0], Height: o.Asset[1], Still: true}},
			Span: media.Span{StartMS: 0, EndMS: 5000},
			Placement: media.Placement{
				VisualMode:  o.Place.Mode,
				AudioMode:   media.AudioMute,
				Position:    o.Place.Position,
				X:           o.Place.X,
				Y:           o.Place.Y,
				SizePercent: o.Place.Size,
				Appearance:  media.Appearance{OpacityPercent: 100, RotationDeg: o.Place.Rotation},
			},
		}
		plan, err := media.NewRenderPlan(
			clips,
			cuts,
			media.RenderSettings{
				ShortSide:   720,
				AspectRatio: o.Aspect,
				Captions:    captions,
				Assets:      []media.PlacedAsset{asset},
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, plan.Captions); diff != "" {
			t.Fatal(diff)
		}
		p := plan.Overlays[0]
		got := vectorPlace{p.Width, p.Height, p.Left, p.Top, p.RotatedSize}
		if got != o.Want {
			t.Errorf("%s: placed at %+v, want %+v", o.Name, got, o.Want)
		}
	}
}
