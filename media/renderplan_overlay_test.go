package media

import (
	"math"
	"strings"
	"testing"
)

// film is a plan's clip of some seconds at 25 pictures a second, 1920 x 1080.
func film(seconds int64) RenderClip {
	return RenderClip{
		Path: "film",
		Info: Info{
			DurationMS: seconds * 1000,
			Video:      &VideoInfo{Width: 1920, Height: 1080, Rate: Rate{25, 1}},
			Audio:      &AudioInfo{},
		},
	}
}

// clipAsset is a video of 4 s with sound that lies on a span.
func clipAsset(from, to int64, change func(*PlacedAsset)) PlacedAsset {
	a := PlacedAsset{
		Path: "asset",
		ID:   "asset-1",
		Info: Info{
			DurationMS: 4000,
			Video:      &VideoInfo{Width: 400, Height: 200, Rate: Rate{30, 1}},
			Audio:      &AudioInfo{},
		},
		Span: Span{
			from,
			to,
		},
		VisualMode:     VisualOverlay,
		AudioMode:      AudioMix,
		Position:       "center",
		SizePercent:    50,
		OpacityPercent: 100,
		VolumePercent:  100,
	}
	if change != nil {
		change(&a)
	}
	return a
}

func planOf(t *testing.T, cuts []Span, settings RenderSettings) RenderPlan {
	t.Helper()
	plan, err := NewRenderPlan([]RenderClip{film(20)}, cuts, settings)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// An asset keeps its place on the footage; cuts before it move it, cuts inside it make it shorter,
// and its own end ends it.
func TestPlacedAssetsFollowTheCuts(t *testing.T) {
	for name, test := range map[string]struct {
		cuts   []Span
		asset  PlacedAsset
		shown  FrameRange
		first  int64
		heard  SampleRange
		skip   int64
		absent bool
	}{
		"without cuts":         {nil, clipAsset(2000, 5000, nil), FrameRange{50, 125}, 0, SampleRange{96000, 240000}, 0, false},
		"ends with its file":   {nil, clipAsset(2000, 9000, nil), FrameRange{50, 150}, 0, SampleRange{96000, 288000}, 0, false},
		"from an offset":       {nil, clipAsset(2000, 9000, func(a *PlacedAsset) { a.OffsetMS = 1000 }), FrameRange{50, 125}, 25, SampleRange{96000, 240000}, 48000, false},
		"between two frames":   {nil, clipAsset(2015, 5000, func(a *PlacedAsset) { a.OffsetMS = 1025 }), FrameRange{50, 125}, 25, SampleRange{96720, 239520}, 49200, false},
		"cut before":           {[]Span{{0, 1000}}, clipAsset(2000, 5000, nil), FrameRange{25, 100}, 0, SampleRange{48000, 192000}, 0, false},
		"cut inside":           {[]Span{{3000, 4000}}, clipAsset(2000, 5000, nil), FrameRange{50, 100}, 0, SampleRange{96000, 192000}, 0, false},
		"its start is cut":     {[]Span{{1000, 3000}}, clipAsset(2000, 5000, nil), FrameRange{25, 75}, 0, SampleRange{48000, 144000}, 0, false},
		"its end is cut":       {[]Span{{4000, 6000}}, clipAsset(2000, 5000, nil), FrameRange{50, 100}, 0, SampleRange{96000, 192000}, 0, false},
		"cut as a whole":       {[]Span{{1000, 6000}}, clipAsset(2000, 5000, nil), FrameRange{}, 0, SampleRange{}, 0, true},
		"an offset at its end": {nil, clipAsset(2000, 5000, func(a *PlacedAsset) { a.OffsetMS = 4000 }), FrameRange{}, 0, SampleRange{}, 0, true},
	} {
		plan := planOf(t, test.cuts, RenderSettings{Assets: []PlacedAsset{test.asset}})
		if absent := len(plan.Overlays) == 0 && len(plan.Audio.Assets) == 0; absent != test.absent {
			t.Errorf("%s: absent is %v", name, absent)
		} else if absent {
			continue
		}
		o, s := plan.Overlays[0], plan.Audio.Assets[0]
		if o.Range != test.shown || o.FirstFrame != test.first || s.Range != test.heard || s.SkipSamples != test.skip {
			t.Errorf("%s: shown %v from %d, heard %v from %d", name, o.Range, o.FirstFrame, s.Range, s.SkipSamples)
		}
	}
}

// An image lasts as long as it is placed, and an animation goes round.
func TestImagesLast(t *testing.T) {
	logo := clipAsset(1000, 15_000, func(a *PlacedAsset) { a.Info.DurationMS, a.Info.Video.Still = 0, true })
	animation := clipAsset(
		1000,
		15_000,
		func(a *PlacedAsset) { a.Info.Format, a.Info.DurationMS, a.OffsetMS = "gif", 700, 800 },
	)
	plan := planOf(t, nil, RenderSettings{Assets: []PlacedAsset{logo, animation}})
	if o := plan.Overlays[0]; o.Range != (FrameRange{25, 375}) || !o.Still {
		t.Errorf("%+v", o)
	}
	if o := plan.Overlays[1]; o.Range != (FrameRange{25, 375}) || o.LoopFrames != 18 || o.FirstFrame != 2 {
		t.Errorf("%+v", o)
	}
}

// Named positions lie inside the frame with a margin, whatever is turned; a custom one is the
// centre. A cutaway covers the frame.
func TestOverlayGeometry(t *testing.T) {
	for name, test := range map[string]struct {
		aspect      string
		change      func(*PlacedAsset)
		size        [2]int
		left, top   int
		turned      [2]int
		rotationDeg int
	}{
		"middle":           {"16:9", func(*PlacedAsset) {}, [2]int{960, 480}, 480, 300, [2]int{960, 480}, 0},
		"top left":         {"16:9", func(a *PlacedAsset) { a.Position, a.SizePercent = "top_left", 25 }, [2]int{480, 240}, 43, 43, [2]int{480, 240}, 0},
		"bottom right":     {"9:16", func(a *PlacedAsset) { a.Position, a.SizePercent = "bottom_right", 25 }, [2]int{270, 136}, 1080 - 43 - 270, 1920 - 43 - 136, [2]int{270, 136}, 0},
		"no room":          {"1:1", func(a *PlacedAsset) { a.Position, a.SizePercent = "top_right", 100 }, [2]int{1080, 540}, 0, 43, [2]int{1080, 540}, 0},
		"custom":           {"16:9", func(a *PlacedAsset) { a.Position, a.SizePercent, a.X, a.Y = "custom", 25, 0, 1 }, [2]int{480, 240}, -240, 960, [2]int{480, 240}, 0},
		"turned":           {"16:9", func(a *PlacedAsset) { a.Position, a.SizePercent, a.RotationDeg = "top_left", 25, 90 }, [2]int{480, 240}, 43, 43, [2]int{242, 482}, 90},
		"a column":         {"16:9", func(a *PlacedAsset) { a.Info.Video = &VideoInfo{Width: 2, Height: 8192} }, [2]int{2, 4320}, 959, -1620, [2]int{2, 4320}, 0},
		"cutaway":          {"9:16", func(a *PlacedAsset) { a.VisualMode, a.RotationDeg = VisualCutaway, 30 }, [2]int{3840, 1920}, -1380, 0, [2]int{3840, 1920}, 0},
		"cutaway, a stick": {"16:9", func(a *PlacedAsset) { a.VisualMode, a.Info.Video = VisualCutaway, &VideoInfo{Width: 8192, Height: 2} }, [2]int{7680, 1080}, -2880, 0, [2]int{7680, 1080}, 0},
	} {
		plan := planOf(
			t,
			nil,
			RenderSettings{AspectRatio: test.aspect, Assets: []PlacedAsset{clipAsset(0, 4000, test.change)}},
		)
		if o := plan.Overlays[0]; [2]int{o.Width, o.Height} != test.size || o.Left != test.left || o.Top != test.top ||
			o.RotatedSize != test.turned ||
			o.RotationDeg != test.rotationDeg {
			t.Errorf("%s: %d x %d at %d, %d, turned %v", name, o.Width, o.Height, o.Left, o.Top, o.RotatedSize)
		}
	}
}

// What cannot be seen or heard is not in the plan; silence can replace the main sound.
func TestWhatIsNeitherSeenNorHeard(t *testing.T) {
	for name, test := range map[string]struct {
		change       func(*PlacedAsset)
		shown, heard int
	}{
		"all":                 {func(*PlacedAsset) {}, 1, 1},
		"no picture":          {func(a *PlacedAsset) { a.VisualMode = VisualNone }, 0, 1},
		"a sound":             {func(a *PlacedAsset) { a.Info.Video = nil }, 0, 1},
		"transparent":         {func(a *PlacedAsset) { a.OpacityPercent = 0 }, 0, 1},
		"mute":                {func(a *PlacedAsset) { a.AudioMode = AudioMute }, 1, 0},
		"no volume":           {func(a *PlacedAsset) { a.VolumePercent = 0 }, 1, 0},
		"no sound":            {func(a *PlacedAsset) { a.Info.Audio = nil }, 1, 0},
		"replaced by nothing": {func(a *PlacedAsset) { a.Info.Audio, a.AudioMode = nil, AudioReplace }, 1, 1},
	} {
		plan := planOf(t, nil, RenderSettings{Assets: []PlacedAsset{clipAsset(0, 4000, test.change)}})
		if len(plan.Overlays) != test.shown || len(plan.Audio.Assets) != test.heard {
			t.Errorf("%s: %d shown, %d heard", name, len(plan.Overlays), len(plan.Audio.Assets))
		}
	}
}

func TestTooManyAssetsAtOnceAreRefused(t *testing.T) {
	var list []PlacedAsset
	for i := range int64(40) {
		list = append(list, clipAsset(i/maxConcurrentAssets*5000, i/maxConcurrentAssets*5000+4000, nil))
	}
	planOf(t, nil, RenderSettings{Assets: list})
	_, err := NewRenderPlan([]RenderClip{film(20)}, nil, RenderSettings{Assets: append(list, clipAsset(3000, 6000, nil))})
	if err == nil || !strings.Contains(err.Error(), "at most 16") {
		t.Errorf("got %v", err)
	}
}

// Pieces that an asset lies on are drawn, and only those, also where captions lie between; their
// borders are those of the asset.
func TestPiecesUnderAssetsAreDrawn(t *testing.T) {
	plan := planOf(
		t,
		nil,
		RenderSettings{Assets: []PlacedAsset{clipAsset(10_000, 12_000, nil), clipAsset(2000, 4000, nil)}},
	)
	plan.Captions = []Caption{{StartMS: 6000, EndMS: 7000}, {StartMS: 11_000, EndMS: 13_000}}
	want := []FrameRange{{50, 100}, {149, 176}, {250, 326}}
	got := plan.CompositedRanges()
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %v, want %v", got[i], want[i])
		}
	}
	for _, p := range plan.Chunks(nil, 100, 3) {
		inside := false
		for _, r := range want {
			inside = inside || p.Start >= r.In && p.Start+p.Frames() <= r.Out
		}
		if p.Composited != inside {
			t.Errorf("%+v", p)
		}
	}
}

func TestDuckGain(t *testing.T) {
	for _, test := range []struct {
		before, after int64
		db            float64
	}{{-1, -1, 0}, {0, -1, -12}, {DuckAttack / 2, -1, -6}, {DuckAttack, -1, 0}, {-1, 0, -12}, {-1, DuckRelease / 2, -6}, {-1, DuckRelease, 0}, {DuckAttack / 4, DuckRelease / 2, -9}} {
		if got := 20 * math.Log10(DuckGain(test.before, test.after)); math.Abs(got-test.db) > 0.01 {
			t.Errorf("%d before and %d after: %.2f dB, not %.2f", test.before, test.after, got, test.db)
		}
	}
}
