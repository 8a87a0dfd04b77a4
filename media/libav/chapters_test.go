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

// Chapters of audio formats start at their millisecond, and are there once.
func TestAudioChaptersAreExact(t *testing.T) {
	t.Parallel()
	talk := mediatest.Talk(t, mediatest.TalkOptions{NoVideo: true, Container: "m4a", Seconds: 8})
	chapters := []media.Chapter{
		{Title: "a=b"}, {StartMS: 1499, Title: "Küche"}, {StartMS: 2500}, {StartMS: 4999, Title: "end"},
	}
	for _, format := range []string{"m4a", "mp3", "opus", "flac"} {
		plan := makePlan(t, nil, media.RenderSettings{Chapters: chapters, Format: format}, talk.Path)
		out, _ := renderPlan(t, plan)
		entries := "chapter=start_time:chapter_tags=title"
		got, err := mediatest.Command(
			t, "ffprobe", "-v", "error", "-of", "csv=p=0", "-show_entries", entries, out,
		).Output()
		want := "0.000000,a=b\n1.499000,Küche\n2.500000,Chapter 3\n4.999000,end\n"
		if err != nil || string(got) != want {
			t.Errorf("%s has the chapters %q, want %q; %v", format, got, want, err)
		}
	}
}

// The chapters of a recording are read in clip time, and leave at their new times.
func TestChaptersOfARecording(t *testing.T) {
	t.Parallel()
	talk := mediatest.Talk(t, mediatest.TalkOptions{Seconds: 8, GOP: 30, Width: 320, Height: 180, VideoOptions: tagged})
	notes := writeFile(t, "chapters.txt", []byte(`;FFMETADATA1
[CHAPTER]
TIMEBASE=1/1000
START=0
END=2500
title=Start
[CHAPTER]
TIMEBASE=1/1000
START=2500
END=3500
title=Küche \\ Bad
[CHAPTER]
TIMEBASE=1/1000
START=3500
END=6000
title=gone
[CHAPTER]
TIMEBASE=1/1000
START=6000
END=8000
title=end
`))
	for _, container := range []string{"mp4", "mov", "mkv"} {
		t.Run(container, func(t *testing.T) {
			t.Parallel()
			path := t.TempDir() + "/talk." + container
			mediatest.FFmpeg(t, "-i", talk.Path, "-i", notes, "-map", "0", "-map_metadata", "1", "-c", "copy", path)
			info := ingestFile(t, path).Info
			// The grid of Matroska starts 12 ms before the file: audio has no edit list.
			late := int64(0)
			if container == "mkv" {
				late = 12
			}
			want := []media.Chapter{
				{Title: "Start"}, {StartMS: 2500 + late, Title: `Küche \ Bad`}, {StartMS: 3500 + late, Title: "gone"},
				{StartMS: 6000 + late, Title: "end"},
			}
			if !slices.Equal(info.Chapters, want) {
				t.Fatalf("read %v, want %v", info.Chapters, want)
			}
			for i := range info.Chapters {
				info.Chapters[i].StartMS = info.Chapters[i].StartMS / 500 * 500
			}
			clips := []media.RenderClip{{Path: path, Info: info}, {Path: path, Info: info}}
			cuts := []media.Span{{StartMS: 2000, EndMS: 3000}, {StartMS: 3500, EndMS: 6000}}
			plan, err := media.NewRenderPlan(clips, cuts, media.RenderSettings{
				AspectRatio: "source", VolumePercent: 100, Chapters: media.ChaptersOf(clips), Format: container,
			})
			if err != nil {
				t.Fatal(err)
			}
			out, _ := renderPlan(t, plan)
			// The first clip is a frame longer in Matroska.
			more := plan.Inputs[0].Frames - 240
			at := func(ms int64) string { return fmt.Sprintf("%.2f", float64(ms+more*100/3)/1000) }
			made := []string{
				"0.00-2.00 Start", `2.00-2.50 Küche \ Bad`, "2.50-" + at(4500) + " end",
				at(4500) + "-" + at(7000) + " Start", at(7000) + "-" + at(8000) + ` Küche \ Bad`,
				at(8000) + "-" + at(10_500) + " gone", at(10_500) + "-" + at(12_500+more*100/3) + " end",
			}
			if got := chaptersOf(t, out); !slices.Equal(got, made) {
				t.Errorf("wrote %q, want %q", got, made)
			}
		})
	}
}
