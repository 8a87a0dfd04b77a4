package media_test

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"roughcut/media"
)

func clip(ms int64, rate media.Rate) media.RenderClip {
	return media.RenderClip{Path: "clip.mp4", Info: media.Info{
		DurationMS: ms,
		Video: &media.VideoInfo{
			Width:  1920,
			Height: 1080,
			Rate:   rate,
		},
		Audio: &media.AudioInfo{SampleRate: 48000, Channels: 2},
	}}
}

func TestSnapRate(t *testing.T) {
	for _, c := range []struct{ num, den, wantNum, wantDen int64 }{
		{30000, 1001, 30000, 1001}, {2997, 100, 30000, 1001}, {30, 1, 30, 1}, {90000, 3003, 30000, 1001},
		{24000, 1001, 24000, 1001}, {15, 1, 15, 1}, {240, 1, 240, 1}, {0, 0, 30, 1}, {-5, 1, 30, 1},
		{1000, 33, 1000, 33}, {23976, 100, 240000, 1001}, {1000, 1, 240, 1},
	} {
		if got := media.SnapRate(c.num, c.den); got != (media.Rate{Num: c.wantNum, Den: c.wantDen}) {
			t.Errorf("SnapRate(%d, %d) = %v, want %d/%d", c.num, c.den, got, c.wantNum, c.wantDen)
		}
	}
}

// Timecode that counts more frames a second than an export has is not stated.
func TestTimecodeNeedsTheRateOfTheRecording(t *testing.T) {
	for fps, want := range map[int64]string{240: "01:00:00:00", 300: ""} {
		c := clip(2000, media.Rate{Num: fps, Den: 1})
		c.Info.Timecode = "01:00:00:00"
		plan, err := media.NewRenderPlan([]media.RenderClip{c}, nil, media.RenderSettings{VolumePercent: 100})
		if err != nil || plan.Rate != media.MaxRate || plan.Timecode != want {
			t.Errorf("%d fps: %v fps with the timecode %q, want %q; %v", fps, plan.Rate, plan.Timecode, want, err)
		}
	}
}

func TestRenderPlanSize(t *testing.T) {
	thirty := media.Rate{Num: 30, Den: 1}
	landscape := clip(1000, thirty)
	sized := func(width, height int) media.RenderClip {
		video := &media.VideoInfo{Width: width, Height: height, Rate: thirty}
		return media.RenderClip{Info: media.Info{DurationMS: 1000, Video: video}}
	}
	portrait, odd := sized(1080, 1920), sized(640, 361)
	audio := media.RenderClip{Info: media.Info{DurationMS: 1000}}
	short := func(resolution string) int {
		pixels, ok := media.ShortSide(resolution)
		if !ok {
			t.Errorf("the resolution %s is unknown", resolution)
		}
		return pixels
	}
	for _, c := range []struct {
		name          string
		clip          media.RenderClip
		shortSide     int
		aspectRatio   string
		width, height int
	}{
		{"default", landscape, 0, "", 1920, 1080},
		{"720p", portrait, 720, "", 1280, 720},
		{"vertical", landscape, 0, "9:16", 1080, 1920},
		{"square 720p", portrait, 720, "1:1", 720, 720},
		{"source", portrait, 0, "source", 1080, 1920},
		{"source scaled down", portrait, 720, "source", 720, 1280},
		{"source enlarged", sized(1280, 720), 1080, "source", 1920, 1080},
		{"source with an odd side", odd, 0, "source", 640, 362},
		{"portrait of the recorded size", sized(1280, 720), short("source"), "9:16", 720, 1280},
		{"landscape of a portrait", portrait, short("source"), "16:9", 1920, 1080},
		{"recorded size without video", audio, short("source"), "1:1", 1080, 1080},
		{"1440p", portrait, short("1440p"), "source", 1440, 2560},
		{"2160p", landscape, short("2160p"), "16:9", 3840, 2160},
		{"source without video", audio, 0, "source", 1920, 1080},
	} {
		t.Run(c.name, func(t *testing.T) {
			settings := media.RenderSettings{ShortSide: c.shortSide, AspectRatio: c.aspectRatio}
			plan, err := media.NewRenderPlan([]media.RenderClip{c.clip}, nil, settings)
			if err != nil || plan.Width != c.width || plan.Height != c.height {
				t.Errorf("got %dx%d, %v; want %dx%d", plan.Width, plan.Height, err, c.width, c.height)
			}
		})
	}
}

func TestRenderPlanRejectsInvalidInput(t *testing.T) {
	one := []media.RenderClip{clip(1000, media.Rate{Num: 30, Den: 1})}
	_, err := media.NewRenderPlan(one, []media.Span{{StartMS: 0, EndMS: 1000}}, media.RenderSettings{})
	if !errors.Is(err, media.ErrNothingLeft) {
		t.Errorf("cutting everything: error %v, want ErrNothingLeft", err)
	}
	for _, c := range []struct {
		clips    []media.RenderClip
		settings media.RenderSettings
	}{
		{nil, media.RenderSettings{}},
		{one, media.RenderSettings{AspectRatio: "4:3"}},
		{one, media.RenderSettings{ShortSide: 5}},
		{one, media.RenderSettings{Background: "red"}},
		{one, media.RenderSettings{Background: "#12345g"}},
	} {
		if _, err := media.NewRenderPlan(c.clips, nil, c.settings); err == nil {
			t.Errorf("NewRenderPlan accepts %+v with %d clips", c.settings, len(c.clips))
		}
	}
}

// For any cuts, segments are contiguous in the output and ordered in the source. Their samples meet
// without gap or overlap.
func TestSegmentsAndSamplesAreContiguous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.SampledFrom(media.StandardRates).Draw(t, "rate")
		var clips []media.RenderClip
		var total int64
		for range rapid.IntRange(1, 3).Draw(t, "clips") {
			ms := rapid.Int64Range(1, 20000).Draw(t, "ms")
			clips, total = append(clips, clip(ms, rate)), total+ms
		}
		cuts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) media.Span {
			start := rapid.Int64Range(0, total).Draw(t, "start")
			return media.Span{StartMS: start, EndMS: start + rapid.Int64Range(0, 3000).Draw(t, "length")}
		}), 0, 20).Draw(t, "cuts")
		plan, err := media.NewRenderPlan(clips, cuts, media.RenderSettings{VolumePercent: 100})
		if errors.Is(err, media.ErrNothingLeft) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		var frames, samples int64
		last := media.Segment{Input: -1}
		for _, s := range plan.Segments {
			from, at, n := plan.Samples(s)
			if s.Start != frames || s.Frames() <= 0 || s.In < 0 || s.Out > plan.Inputs[s.Input].Frames {
				length := plan.Inputs[s.Input].Frames
				t.Fatalf("segment %+v, want it at output frame %d within an input of %d frames", s, frames, length)
			}
			if s.Input < last.Input || (s.Input == last.Input && s.In <= last.Out) {
				t.Fatalf("segment %+v does not start after a gap behind %+v", s, last)
			}
			if at != samples || n < 0 || from != plan.Rate.Sample(s.In, media.SampleRate) {
				t.Fatalf("samples of %+v: from %d at %d (want %d), count %d", s, from, at, samples, n)
			}
			frames, samples, last = frames+s.Frames(), samples+n, s
		}
		if want := rate.Sample(frames, media.SampleRate); samples != want {
			t.Fatalf("%d samples for %d frames, want %d", samples, frames, want)
		}
		var kept int64
		for _, k := range media.KeptSpans(total, cuts) {
			kept += k.Duration()
		}
		if drift := plan.DurationMS() - kept; drift > int64(len(plan.Segments)+len(clips))*42 ||
			-drift > int64(len(cuts)+len(clips))*42 {
			t.Fatalf("output lasts %d ms, kept spans last %d ms", plan.DurationMS(), kept)
		}
	})
}

// The browser preview runs the same vectors, so that preview and export agree.
func TestTimelineVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/timeline_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Timelines []struct {
			Name     string          `json:"name"`
			Rate     media.Rate      `json:"rate"`
			ClipsMS  []int64         `json:"clips_ms"`
			Cuts     []media.Span    `json:"cuts"`
			Kept     []media.Span    `json:"kept"`
			Segments []media.Segment `json:"segments"`
			Samples  []vectorSamples `json:"samples"`
			Frames   int64           `json:"frames"`
			Duration int64           `json:"duration_ms"`
		} `json:"timelines"`
		Rounding []struct {
			Rate   media.Rate `json:"rate"`
			MS     int64      `json:"ms"`
			Frame  int64      `json:"frame"`
			BackMS int64      `json:"back_ms"`
			Sample int64      `json:"sample"`
		} `json:"rounding"`
		Snap []struct {
			Num     int64      `json:"num"`
			Den     int64      `json:"den"`
			Snapped media.Rate `json:"snapped"`
		} `json:"snap"`
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Timelines) == 0 || len(vectors.Rounding) == 0 || len(vectors.Snap) == 0 {
		t.Fatal("timeline_vectors.json has no vectors")
	}
	for _, r := range vectors.Rounding {
		frame := r.Rate.Frame(r.MS)
		if frame != r.Frame || r.Rate.MS(frame) != r.BackMS || r.Rate.Sample(frame, media.SampleRate) != r.Sample {
			t.Errorf("%d ms at %v: frame %d, back %d ms, sample %d; want %+v",
				r.MS, r.Rate, frame, r.Rate.MS(frame), r.Rate.Sample(frame, media.SampleRate), r)
		}
	}
	for _, r := range vectors.Snap {
		if got := media.SnapRate(r.Num, r.Den); got != r.Snapped {
			t.Errorf("SnapRate(%d, %d) = %v, want %v", r.Num, r.Den, got, r.Snapped)
		}
	}
	for _, v := range vectors.Timelines {
		t.Run(v.Name, func(t *testing.T) {
			var clips []media.RenderClip
			var total int64
			for _, ms := range v.ClipsMS {
				clips, total = append(clips, clip(ms, v.Rate)), total+ms
			}
			if diff := cmp.Diff(v.Kept, append([]media.Span{}, media.KeptSpans(total, v.Cuts)...)); diff != "" {
				t.Error("kept:", diff)
			}
			plan, err := media.NewRenderPlan(clips, v.Cuts, media.RenderSettings{VolumePercent: 100})
			if err != nil && !errors.Is(err, media.ErrNothingLeft) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(v.Segments, append([]media.Segment{}, plan.Segments...)); diff != "" {
				t.Error("segments:", diff)
			}
			samples := []vectorSamples{}
			for _, s := range plan.Segments {
				from, at, n := plan.Samples(s)
				samples = append(samples, vectorSamples{from, at, n})
			}
			if diff := cmp.Diff(v.Samples, samples); diff != "" {
				t.Error("samples:", diff)
			}
			if err == nil && (plan.Frames() != v.Frames || plan.DurationMS() != v.Duration) {
				t.Errorf("%d frames, %d ms; want %d, %d", plan.Frames(), plan.DurationMS(), v.Frames, v.Duration)
			}
		})
	}
}

type vectorSamples struct {
	From int64 `json:"from"`
	At   int64 `json:"at"`
	N    int64 `json:"n"`
}

// A crossfade continues both recordings. It is shorter at the edge of a recording and for a short
// cut, and missing where the plan silences or mutes audio.
func TestCrossfades(t *testing.T) {
	thirty := media.Rate{Num: 30, Den: 1}
	silent := clip(4000, thirty)
	silent.Info.Audio = nil
	clips := []media.RenderClip{clip(4000, thirty), clip(4000, thirty), silent}
	cuts := []media.Span{{StartMS: 1000, EndMS: 2000}, {StartMS: 5000, EndMS: 6000}, {StartMS: 7000, EndMS: 7500}}
	settings := media.RenderSettings{Muted: []media.Span{{StartMS: 6500, EndMS: 7000}}}
	plan, err := media.NewRenderPlan(clips, cuts, settings)
	if err != nil {
		t.Fatal(err)
	}
	whole := media.Crossfade{Lead: 240, Tail: 240}
	want := []media.Crossfade{{}, whole, {}, whole, {}, {}}
	if diff := cmp.Diff(want, plan.Crossfades()); diff != "" {
		t.Error(diff)
	}
	short, err := media.NewRenderPlan(clips[:1], []media.Span{{StartMS: 1000, EndMS: 1004}}, media.RenderSettings{
		AudioOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]media.Crossfade{{}, {Lead: 96, Tail: 96}}, short.Crossfades()); diff != "" {
		t.Error(diff)
	}
}
