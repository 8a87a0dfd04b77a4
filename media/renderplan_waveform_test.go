package media_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roughcut/media"
	"roughcut/media/audio"
)

type waveformVectors struct {
	Clips []struct {
		MS    int64
		Video bool
	}
	Cuts   []vectorText
	Peaks  [][][2]int // of each clip: values, each with how often it repeats
	Levels []float64
	Frame  [2]int
	Views  []struct {
		Frame        int64
		Bars, Played int
		First, Last  [4]float64
	}
	Voice []struct {
		Peaks [][2]int
		Spans [][2]int64
	}
}

func readWaveformVectors(t *testing.T) (v waveformVectors) {
	t.Helper()
	text, err := os.ReadFile("testdata/waveform_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func runs(list [][2]int) (peaks []byte) {
	for _, r := range list {
		peaks = append(peaks, slices.Repeat([]byte{byte(r[0])}, r[1])...)
	}
	return peaks
}

// The browser preview runs the same vectors, so that it shows the same bars as the export.
func TestWaveformVectors(t *testing.T) {
	v := readWaveformVectors(t)
	var clips []media.RenderClip
	var peaks [][]byte
	for i, c := range v.Clips {
		one := clip(c.MS, media.Rate{Num: 30, Den: 1})
		if !c.Video {
			one.Info.Video = nil
		}
		clips, peaks = append(clips, one), append(peaks, runs(v.Peaks[i]))
	}
	var cuts []media.Span
	for _, c := range v.Cuts {
		cuts = append(cuts, media.Span{StartMS: c.StartMS, EndMS: c.EndMS})
	}
	plan, err := media.NewRenderPlan(clips, cuts, media.RenderSettings{
		ShortSide: 1080, AspectRatio: "9:16", AudioClips: media.AudioClips{Waveform: true, Color: "#3ddbb0"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if plan.Width != v.Frame[0] || plan.Height != v.Frame[1] {
		t.Fatalf("the frame is %d×%d", plan.Width, plan.Height)
	}
	levels := plan.WaveformLevels(peaks)
	if len(levels) != len(v.Levels) {
		t.Fatalf("%d bars, want %d", len(levels), len(v.Levels))
	}
	for i, level := range levels {
		if math.Abs(level-v.Levels[i]) > 0.001 {
			t.Errorf("bar %d has the level %.4f, want %.4f", i, level, v.Levels[i])
		}
	}
	for _, want := range v.Views {
		bars, until := plan.WaveformBars(levels, want.Frame)
		played := 0
		for _, b := range bars {
			if b.Played {
				played++
			}
		}
		if len(bars) != want.Bars || played != want.Played {
			t.Errorf("frame %d shows %d bars, %d of them played, want %d and %d",
				want.Frame, len(bars), played, want.Bars, want.Played)
			continue
		}
		for i, b := range []media.WaveformBar{bars[0], bars[len(bars)-1]} {
			place, wanted := [4]float64{b.Left, b.Top, b.Width, b.Height}, [][4]float64{want.First, want.Last}[i]
			for k := range place {
				if math.Abs(place[k]-wanted[k]) > 0.02 {
					t.Errorf("frame %d: a bar is at %.2f, want %.2f", want.Frame, place, wanted)
					break
				}
			}
		}
		if next, _ := plan.WaveformBars(levels, until); until < plan.Frames() && cmp.Equal(next, bars) {
			t.Errorf("frame %d: the bars do not change at frame %d", want.Frame, until)
		}
		if last, _ := plan.WaveformBars(levels, until-1); !cmp.Equal(last, bars) {
			t.Errorf("frame %d: the bars change before frame %d", want.Frame, until)
		}
	}
}

func TestVoiceVectors(t *testing.T) {
	for i, c := range readWaveformVectors(t).Voice {
		var want []media.Span
		for _, s := range c.Spans {
			want = append(want, media.Span{StartMS: s[0], EndMS: s[1]})
		}
		if diff := cmp.Diff(want, audio.VoiceOfPeaks(runs(c.Peaks))); diff != "" {
			t.Errorf("vector %d: %s", i, diff)
		}
	}
}

// A cover is shown whole between bars or fills the frame, as the footage does.
func TestCoverFits(t *testing.T) {
	sound := media.RenderClip{Info: media.Info{DurationMS: 4000, Audio: &media.AudioInfo{}}}
	cover := &media.PlacedAsset{
		Path: "cover.png", ID: "cover", Info: media.Info{Video: &media.VideoInfo{Width: 500, Height: 500, Still: true}},
	}
	for fit, want := range map[media.Fit][4]int{
		media.Letterbox: {420, 0, 1080, 1080},
		media.Crop:      {0, -420, 1920, 1920},
	} {
		plan, err := media.NewRenderPlan([]media.RenderClip{sound}, nil, media.RenderSettings{
			Fit: fit, AudioClips: media.AudioClips{Cover: cover},
		})
		if err != nil {
			t.Fatal(err)
		}
		o := plan.Cover
		if got := [4]int{o.Left, o.Top, o.Width, o.Height}; got != want {
			t.Errorf("%s: the cover is at %v, want %v", fit, got, want)
		}
		if !plan.Draws() || len(plan.CompositedRanges()) != 1 {
			t.Errorf("%s: the cover is not drawn on the frames", fit)
		}
	}
	video, err := media.NewRenderPlan(
		[]media.RenderClip{clip(4000, media.Rate{Num: 25, Den: 1})},
		nil,
		media.RenderSettings{AudioClips: media.AudioClips{Cover: cover, Waveform: true, Color: "#ffffff"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	if video.Draws() || video.Cover != nil || video.Waveform.Shown {
		t.Error("the cover is drawn over footage with video")
	}
}
