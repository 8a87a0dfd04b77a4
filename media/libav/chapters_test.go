package libav

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// chaptersOf returns the chapters that ffprobe reads, as "start-end title" in seconds.
func chaptersOf(t *testing.T, path string) []string {
	t.Helper()
	out, err := mediatest.Command(t, "ffprobe", "-v", "error", "-of", "json", "-show_chapters", path).Output()
	if err != nil {
		t.Fatalf("ffprobe %s: %v", path, err)
	}
	var p struct {
		Chapters []struct {
			Start string            `json:"start_time"`
			End   string            `json:"end_time"`
			Tags  map[string]string `json:"tags"`
		} `json:"chapters"`
	}
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, c := range p.Chapters {
		list = append(list, fmt.Sprintf("%.2f-%.2f %s", seconds(t, c.Start), seconds(t, c.End), c.Tags["title"]))
	}
	return list
}

// Chapters are in the file whether the recording is copied in one pass, cut, or only audio.
func TestExportsContainChapters(t *testing.T) {
	t.Parallel()
	talk := chunkTalk(t)
	chapters := []media.Chapter{{StartMS: 1000, Title: "Küche"}, {StartMS: 4000, Title: "The “rest”"}}
	cut := []media.Span{{StartMS: 2000, EndMS: 3000}}
	for name, c := range map[string]struct {
		cuts     []media.Span
		settings media.RenderSettings
		second   float64
	}{
		"copied":     {nil, media.RenderSettings{Chapters: chapters}, 4},
		"cut":        {cut, media.RenderSettings{Chapters: chapters}, 3},
		"audio only": {cut, media.RenderSettings{Chapters: chapters, AudioOnly: true}, 3},
	} {
		plan := makePlan(t, c.cuts, c.settings, talk.Path)
		out, _ := renderPlan(t, plan)
		end := float64(plan.DurationMS()) / 1000
		want := []string{
			"0.00-1.00 Intro",
			fmt.Sprintf("1.00-%.2f Küche", c.second),
			fmt.Sprintf("%.2f-%.2f The “rest”", c.second, end),
		}
		if got := chaptersOf(t, out); !slices.Equal(got, want) {
			t.Errorf("%s: got the chapters %q, want %q", name, got, want)
		}
		checkSilentDecoder(t, out)
		if n := len(mediatest.PCM(t, out, media.SampleRate)); n == 0 {
			t.Errorf("%s: no audio", name)
		}
	}
}
