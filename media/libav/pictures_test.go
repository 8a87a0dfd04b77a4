package libav

import (
	"context"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// A cut is jumped over where a keyframe lies behind it, and decoded through where none does.
func TestSeeksOnlyWhereItPays(t *testing.T) {
	for _, c := range []struct {
		name   string
		gop    int
		to     int64
		seeks  bool
		within int64 // frames that may be decoded before the one that is wanted
	}{
		{"short hop", 30, 10, false, 10},
		{"far with keyframes", 30, 400, true, 30},
		{"far without", 1000, 400, false, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			talk := mediatest.Talk(t, mediatest.TalkOptions{Width: 320, Height: 180, Seconds: 16, GOP: c.gop, BFrames: 2, Hiss: true})
			e := New()
			found, err := e.locate(context.Background(), talk.Path)
			if err != nil {
				t.Fatal(err)
			}
			p, err := openPictures(context.Background(), talk.Path, found.origin.video, media.Rate{Num: 30, Den: 1}, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer p.close()
			if _, _, err := p.at(0); err != nil {
				t.Fatal(err)
			}
			if _, until, err := p.at(c.to); err != nil || until != c.to+1 {
				t.Fatalf("until %d, %v", until, err)
			}
			if sought := p.reader.keyPTS != noPTS; sought != c.seeks {
				t.Errorf("sought: %v, want %v", sought, c.seeks)
			}
			if c.seeks && c.to-p.grid.index(p.reader.keyPTS) > c.within {
				t.Errorf("decoding began at frame %d for frame %d", p.grid.index(p.reader.keyPTS), c.to)
			}
		})
	}
}

// Going back, which no plan of one recording does but one that uses a recording twice, works too.
func TestGoesBack(t *testing.T) {
	talk := mediatest.Talk(t, mediatest.TalkOptions{Width: 320, Height: 180, Seconds: 16, GOP: 30, Hiss: true})
	plan := makePlan(t, nil, media.PlanSettings{}, talk.Path)
	plan.Segments = []media.Segment{{In: 300, Out: 320, Start: 0}, {In: 45, Out: 70, Start: 20}, {In: 310, Out: 330, Start: 45}, {In: 0, Out: 5, Start: 65}}
	out, _ := renderPlan(t, plan)
	shown := make([]int64, 480)
	for i := range shown {
		shown[i] = int64(i)
	}
	checkFrames(t, plan, mediatest.FrameNumbers(t, out), [][]int64{shown})
	checkPlacement(t, plan, out, talk)
}
