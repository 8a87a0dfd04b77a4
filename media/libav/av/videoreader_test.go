package av

import (
	"context"
	"math"
	"testing"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// The reader seeks over a cut if there is a keyframe behind it, and decodes through it otherwise.
func TestSeeksOnlyIfCheaper(t *testing.T) {
	for _, c := range []struct {
		name      string
		container string
		gop       int
		to        int64
		seeks     bool
		within    int64 // maximum number of decoded frames before the wanted one
	}{
		{"short hop", "mp4", 30, 10, false, 10},
		{"far with keyframes", "mp4", 30, 400, true, 30},
		{"to a keyframe", "mp4", 30, 390, true, 3},
		{"far without", "mp4", 1000, 400, false, 400},
		{"matroska", "mkv", 30, 400, true, 30},
		{"avi", "avi", 30, 400, true, 30},
		{"short hop without an index", "ts", 30, 50, false, 50},
		{"far without an index", "ts", 30, 400, true, 60},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := sixteenSeconds(t, c.container, c.gop)
			if _, _, err := p.At(0); err != nil {
				t.Fatal(err)
			}
			if _, until, err := p.At(c.to); err != nil || until != c.to+1 {
				t.Fatalf("until %d, %v", until, err)
			}
			if sought := p.reader.keyPTS != NoPTS; sought != c.seeks {
				t.Errorf("sought: %v, want %v", sought, c.seeks)
			}
			if c.seeks && c.to-p.grid.Index(p.reader.keyPTS) > c.within {
				t.Errorf("decoding began at frame %d for frame %d", p.grid.Index(p.reader.keyPTS), c.to)
			}
		})
	}
}

// sixteenSeconds opens the video of a recording of 480 frames until the test ends.
func sixteenSeconds(t *testing.T, container string, gop int) *VideoReader {
	t.Helper()
	talk := mediatest.Talk(
		t,
		mediatest.TalkOptions{
			Width:     320,
			Height:    180,
			Seconds:   16,
			GOP:       gop,
			BFrames:   2,
			Hiss:      true,
			Container: container,
		},
	)
	found, err := Locate(context.Background(), talk.Path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := OpenVideo(context.Background(), talk.Path, found.Origin, media.Rate{Num: 30, Den: 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// If neither the container nor the recording shows keyframes, at most one seek leads back to the
// start.
func TestStopsSeekingWithoutKeyframeIndex(t *testing.T) {
	p := sixteenSeconds(t, "ts", 1000)
	before := p.blindReach
	for n := int64(0); n <= 400; n += 100 {
		if _, until, err := p.At(n); err != nil || until != n+1 {
			t.Fatalf("frame %d: until %d, %v", n, until, err)
		}
	}
	if p.blindReach != 2*before {
		t.Errorf("decodes through up to %d frames, at first %d", p.blindReach, before)
	}
}

// Frames that start half a frame after the audio, with time stamps rounded to milliseconds, fall on
// consecutive grid frames.
func TestFrameGridCountsFromFirstFrame(t *testing.T) {
	track := &Track{Base: astiav.NewRational(1, 1000)}
	for third := range 100 {
		start := float64(third) / 3
		g := NewGrid(track, Origin{first: int64(math.Round(start))}, media.Rate{Num: 30, Den: 1})
		for n := range int64(3000) {
			stamp := int64(math.Round(start + float64(n)*1000/30))
			if at := g.Index(stamp); at != g.Index(g.first)+n {
				t.Fatalf("%.1f ms after the audio: frame %d is at grid frame %d", start, n, at)
			}
			if off := g.PTS(g.Index(stamp)) - stamp; off < -1 || off > 1 {
				t.Fatalf("%.1f ms after the audio: the seek to frame %d is %d ms off", start, n, off)
			}
		}
	}
}

// The frame after the wanted one, here a keyframe, is decoded only if it is wanted too.
func TestNextFrameIsDecodedWhenItIsNeeded(t *testing.T) {
	all, some := sixteenSeconds(t, "mp4", 30), sixteenSeconds(t, "mp4", 30)
	some.SkipDisposable(4, func(frame int64) bool { return frame < 480 }, true)
	for _, to := range []int64{29, 29, 30, 59, 239, 240, 200, 479, 479, 0} {
		want, wantUntil, err := all.At(to)
		if err != nil {
			t.Fatal(err)
		}
		frame, until, err := some.At(to)
		if err != nil || until != wantUntil {
			t.Fatalf("frame %d is shown until %d, want %d; %v", to, until, wantUntil, err)
		}
		if db := LumaPSNR(want, frame); !math.IsInf(db, 1) {
			t.Errorf("frame %d is another one (%.1f dB)", to, db)
		}
		if some.next.Frame != nil && to < 479 {
			t.Errorf("frame %d was decoded after frame %d", some.next.Index, to)
		}
	}
}

// Disposable frames before the wanted one are skipped, and the result stays the same.
func TestDisposableFramesAreNotDecoded(t *testing.T) {
	all, some := sixteenSeconds(t, "mp4", 250), sixteenSeconds(t, "mp4", 250)
	some.SkipDisposable(4, func(frame int64) bool { return frame != 260 && frame < 480 }, true)
	decoded := 0
	some.Alive = func() { decoded++ }
	for _, c := range []struct {
		to   int64
		most int // maximum number of decoded frames
	}{{100, 75}, {101, 4}, {120, 20}, {121, 4}, {200, 70}, {260, 14}, {261, 4}, {479, 170}, {40, 40}} {
		decoded = 0
		want, wantUntil, err := all.At(c.to)
		if err != nil {
			t.Fatal(err)
		}
		got, until, err := some.At(c.to)
		if err != nil || until != wantUntil {
			t.Fatalf("frame %d is shown until %d, want %d; %v", c.to, until, wantUntil, err)
		}
		if db := LumaPSNR(want, got); !math.IsInf(db, 1) {
			t.Errorf("frame %d is another one (%.1f dB)", c.to, db)
		}
		if decoded > c.most {
			t.Errorf("decoded %d frames for frame %d, want at most %d", decoded, c.to, c.most)
		}
		t.Logf("frame %d took %d decoded frames", c.to, decoded)
	}
}
