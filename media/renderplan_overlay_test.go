package media

import (
	"math"
	"strings"
	"testing"
)

// film returns a clip of 1920 x 1080 at 25 frames a second.
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

// clipAsset returns a placed video asset of 4 s with audio.
func clipAsset(from, to int64, change func(*PlacedAsset)) PlacedAsset {
	a := PlacedAsset{
		Path: "asset",
		ID:   "asset-1",
		Info: Info{
			DurationMS: 4000,
			Video:      &VideoInfo{Width: 400, Height: 200, Rate: Rate{30, 1}},
			Audio:      &AudioInfo{},
		},
		Span:      Span{from, to},
		Placement: NewPlacement("", KindVideo),
	}
	a.AudioMode = AudioMix
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

// A placed asset follows its footage: cuts before it move it, and cuts inside it shorten it. It
// never outlasts its file.
func TestPlacedAssetsFollowTheCuts(t *testing.T) {
	asset := clipAsset(2000, 5000, nil)
	long := clipAsset(2000, 9000, nil)
	offset := func(from, to, ms int64) PlacedAsset {
		return clipAsset(from, to, func(a *PlacedAsset) { a.OffsetMS = ms })
	}
	for name, test := range map[string]struct {
		cuts        []Span
		asset       PlacedAsset
		visible     FrameRange // empty if the asset is not in the plan
		firstFrame  int64
		audible     SampleRange
		skipSamples int64
	}{
		"without cuts":       {nil, asset, FrameRange{50, 125}, 0, SampleRange{96000, 240000}, 0},
		"ends with its file": {nil, long, FrameRange{50, 150}, 0, SampleRange{96000, 288000}, 0},
		"with an offset": {
			nil, offset(2000, 9000, 1000), FrameRange{50, 125}, 25, SampleRange{96000, 240000}, 48000,
		},
		"between two frames": {
			nil, offset(2015, 5000, 1025), FrameRange{50, 125}, 25, SampleRange{96720, 239520}, 49200,
		},
		"cut before":        {[]Span{{0, 1000}}, asset, FrameRange{25, 100}, 0, SampleRange{48000, 192000}, 0},
		"cut inside":        {[]Span{{3000, 4000}}, asset, FrameRange{50, 100}, 0, SampleRange{96000, 192000}, 0},
		"start cut":         {[]Span{{1000, 3000}}, asset, FrameRange{25, 75}, 0, SampleRange{48000, 144000}, 0},
		"end cut":           {[]Span{{4000, 6000}}, asset, FrameRange{50, 100}, 0, SampleRange{96000, 192000}, 0},
		"cut completely":    {[]Span{{1000, 6000}}, asset, FrameRange{}, 0, SampleRange{}, 0},
		"offset at its end": {nil, offset(2000, 5000, 4000), FrameRange{}, 0, SampleRange{}, 0},
	} {
		plan := planOf(t, test.cuts, RenderSettings{Assets: []PlacedAsset{test.asset}})
		wantAbsent := test.visible == FrameRange{}
		absent := len(plan.Overlays) == 0 && len(plan.Audio.Assets) == 0
		if absent != wantAbsent {
			t.Errorf("%s: absent = %v, want %v", name, absent, wantAbsent)
		}
		if absent || wantAbsent {
			continue
		}
		o, s := plan.Overlays[0], plan.Audio.Assets[0]
		if o.Range != test.visible || o.FirstFrame != test.firstFrame ||
			s.Range != test.audible || s.SkipSamples != test.skipSamples {
			t.Errorf("%s: visible %v from frame %d, audible %v from sample %d",
				name, o.Range, o.FirstFrame, s.Range, s.SkipSamples)
		}
	}
}

// An image is visible for its whole span, and an animation repeats.
func TestImagesFillTheirSpan(t *testing.T) {
	logo := clipAsset(1000, 15_000, func(a *PlacedAsset) { a.Info.DurationMS, a.Info.Video.Still = 0, true })
	animation := clipAsset(
		1000,
		15_000,
		func(a *PlacedAsset) { a.Info.Format, a.Info.DurationMS, a.OffsetMS = "gif", 700, 800 },
	)
	plan := planOf(t, nil, RenderSettings{Assets: []PlacedAsset{logo, animation}})
	if o := plan.Overlays[0]; o.Range != (FrameRange{25, 375}) || !o.Still {
		t.Errorf("got overlay %+v", o)
	}
	if o := plan.Overlays[1]; o.Range != (FrameRange{25, 375}) || o.LoopFrames != 18 || o.FirstFrame != 2 {
		t.Errorf("got overlay %+v", o)
	}
}

// Named positions keep a margin to the frame, also with rotation. A custom position is the center
// of the overlay. A cutaway covers the frame.
func TestOverlayGeometry(t *testing.T) {
	at := func(position string, percent int) func(*PlacedAsset) {
		return func(a *PlacedAsset) { a.Position, a.SizePercent = position, percent }
	}
	custom := func(a *PlacedAsset) { a.Position, a.SizePercent, a.X, a.Y = "custom", 25, 0, 1 }
	rotated := func(a *PlacedAsset) { a.Position, a.SizePercent, a.RotationDeg = "top_left", 25, 90 }
	column := func(a *PlacedAsset) { a.Info.Video = &VideoInfo{Width: 2, Height: 8192} }
	cutaway := func(a *PlacedAsset) { a.VisualMode, a.RotationDeg = VisualCutaway, 30 }
	stick := func(a *PlacedAsset) { a.VisualMode, a.Info.Video = VisualCutaway, &VideoInfo{Width: 8192, Height: 2} }
	for name, test := range map[string]struct {
		aspect      string
		change      func(*PlacedAsset)
		size        [2]int
		left, top   int
		rotatedSize [2]int
		rotationDeg int
	}{
		"center":       {"16:9", nil, [2]int{960, 480}, 480, 300, [2]int{960, 480}, 0},
		"top left":     {"16:9", at("top_left", 25), [2]int{480, 240}, 43, 43, [2]int{480, 240}, 0},
		"bottom right": {"9:16", at("bottom_right", 25), [2]int{270, 136}, 767, 1741, [2]int{270, 136}, 0},
		"no room":      {"1:1", at("top_right", 100), [2]int{1080, 540}, 0, 43, [2]int{1080, 540}, 0},
		"custom":       {"16:9", custom, [2]int{480, 240}, -240, 960, [2]int{480, 240}, 0},
		"rotated":      {"16:9", rotated, [2]int{480, 240}, 43, 43, [2]int{242, 482}, 90},
		"column":       {"16:9", column, [2]int{2, 4320}, 959, -1620, [2]int{2, 4320}, 0},
		"cutaway":      {"9:16", cutaway, [2]int{3840, 1920}, -1380, 0, [2]int{3840, 1920}, 0},
		"wide cutaway": {"16:9", stick, [2]int{7680, 1080}, -2880, 0, [2]int{7680, 1080}, 0},
	} {
		plan := planOf(
			t,
			nil,
			RenderSettings{AspectRatio: test.aspect, Assets: []PlacedAsset{clipAsset(0, 4000, test.change)}},
		)
		if o := plan.Overlays[0]; [2]int{o.Width, o.Height} != test.size || o.Left != test.left || o.Top != test.top ||
			o.RotatedSize != test.rotatedSize ||
			o.RotationDeg != test.rotationDeg {
			t.Errorf("%s: %d x %d at %d, %d, rotated size %v", name, o.Width, o.Height, o.Left, o.Top, o.RotatedSize)
		}
	}
}

// The plan omits invisible overlays and inaudible audio. Silence can replace the main audio.
func TestPlanOmitsInvisibleAndInaudibleAssets(t *testing.T) {
	for name, test := range map[string]struct {
		change           func(*PlacedAsset)
		visible, audible int
	}{
		"all":                 {func(*PlacedAsset) {}, 1, 1},
		"no visual mode":      {func(a *PlacedAsset) { a.VisualMode = VisualNone }, 0, 1},
		"audio asset":         {func(a *PlacedAsset) { a.Info.Video = nil }, 0, 1},
		"transparent":         {func(a *PlacedAsset) { a.OpacityPercent = 0 }, 0, 1},
		"mute":                {func(a *PlacedAsset) { a.AudioMode = AudioMute }, 1, 0},
		"no volume":           {func(a *PlacedAsset) { a.VolumePercent = 0 }, 1, 0},
		"no audio":            {func(a *PlacedAsset) { a.Info.Audio = nil }, 1, 0},
		"replaced by silence": {func(a *PlacedAsset) { a.Info.Audio, a.AudioMode = nil, AudioReplace }, 1, 1},
	} {
		plan := planOf(t, nil, RenderSettings{Assets: []PlacedAsset{clipAsset(0, 4000, test.change)}})
		if len(plan.Overlays) != test.visible || len(plan.Audio.Assets) != test.audible {
			t.Errorf("%s: %d overlays and %d audio assets, want %d and %d",
				name, len(plan.Overlays), len(plan.Audio.Assets), test.visible, test.audible)
		}
	}
}

func TestTooManyConcurrentAssetsAreRejected(t *testing.T) {
	var list []PlacedAsset
	for i := range int64(40) {
		list = append(list, clipAsset(i/maxConcurrentAssets*5000, i/maxConcurrentAssets*5000+4000, nil))
	}
	planOf(t, nil, RenderSettings{Assets: list})
	list = append(list, clipAsset(3000, 6000, nil))
	_, err := NewRenderPlan([]RenderClip{film(20)}, nil, RenderSettings{Assets: list})
	if err == nil || !strings.Contains(err.Error(), "at most 16") {
		t.Errorf("error %v, want one with \"at most 16\"", err)
	}
}

// Composited chunks start and end exactly with the visible overlays and captions.
func TestChunksAreCompositedUnderOverlaysAndCaptions(t *testing.T) {
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
			inside = inside || (p.Start >= r.In && p.Start+p.Frames() <= r.Out)
		}
		if p.Composited != inside {
			t.Errorf("composited = %v of %+v, want %v", p.Composited, p, inside)
		}
	}
}

func TestDuckGain(t *testing.T) {
	for _, test := range []struct {
		before, after int64
		db            float64
	}{
		{-1, -1, 0},
		{0, -1, -12},
		{DuckAttack / 2, -1, -6},
		{DuckAttack, -1, 0},
		{-1, 0, -12},
		{-1, DuckRelease / 2, -6},
		{-1, DuckRelease, 0},
		{DuckAttack / 4, DuckRelease / 2, -9},
	} {
		if got := 20 * math.Log10(DuckGain(test.before, test.after)); math.Abs(got-test.db) > 0.01 {
			t.Errorf("DuckGain(%d, %d) = %.2f dB, want %.2f", test.before, test.after, got, test.db)
		}
	}
}
