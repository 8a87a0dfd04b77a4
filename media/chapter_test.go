package media_test

import (
	"slices"
	"testing"

	"roughcut/media"
)

func TestChaptersFollowTheCuts(t *testing.T) {
	settings := media.RenderSettings{Chapters: []media.Chapter{
		{StartMS: 1000, Title: "Start"},
		{StartMS: 2500, Title: "Inside of a cut"},
		{StartMS: 5000},
		{StartMS: 9500, Title: "After the last cut"},
	}}
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{clip(10_000, media.Rate{Num: 25, Den: 1})},
		[]media.Span{{StartMS: 2000, EndMS: 4000}, {StartMS: 9000, EndMS: 10_000}},
		settings,
	)
	if err != nil {
		t.Fatal(err)
	}
	want := []media.Chapter{
		{Title: "Intro"},
		{StartMS: 1000, Title: "Start"},
		{StartMS: 2000, Title: "Inside of a cut"},
		{StartMS: 3000, Title: "Chapter 3"},
	}
	if !slices.Equal(plan.Chapters, want) {
		t.Errorf("got the chapters %v, want %v", plan.Chapters, want)
	}
}

func TestOfChaptersInOneCutTheLastIsLeft(t *testing.T) {
	settings := media.RenderSettings{Chapters: []media.Chapter{{StartMS: 100, Title: "a"}, {StartMS: 900, Title: "b"}}}
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{clip(4000, media.Rate{Num: 25, Den: 1})},
		[]media.Span{{StartMS: 0, EndMS: 1000}},
		settings,
	)
	if err != nil {
		t.Fatal(err)
	}
	if want := []media.Chapter{{Title: "b"}}; !slices.Equal(plan.Chapters, want) {
		t.Errorf("got the chapters %v, want %v", plan.Chapters, want)
	}
}
