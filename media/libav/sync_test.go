package libav

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// lateVideo remuxes a talk so that its video starts later against its audio.
func lateVideo(t *testing.T, talk string, lateMS int, container string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "late."+container)
	args := []string{
		"-i", talk, "-itsoffset", fmt.Sprintf("%.3f", float64(lateMS)/1000), "-i", talk,
		"-map", "1:v:0", "-map", "0:a:0", "-c", "copy",
	}
	if container == "mp4" {
		args = append(args, "-movflags", "frag_keyframe+delay_moov+default_base_moof")
	}
	mediatest.FFmpeg(t, append(args, path)...)
	return path
}

// firstTime returns when the first video frame of a file is shown, counted from the start of the
// file as players do.
func firstTime(t *testing.T, path string) float64 {
	t.Helper()
	_, video, counted := firstTimes(t, path)
	return video - counted
}

// source is a recording with numbered frames, which it shows from its first time on.
type source struct {
	first float64
	audio []float32 // at media.SampleRate
}

func sourceOf(t *testing.T, path string) source {
	t.Helper()
	return source{firstTime(t, path), mediatest.PCM(t, path, media.SampleRate)}
}

// worstOffset returns how late the audio of a video is against its frames at most, in milliseconds.
// The video shows frames of a source at a rate.
func worstOffset(t *testing.T, path string, from source, rate media.Rate) (worst float64) {
	t.Helper()
	const hz, window, reach = media.SampleRate, 4800, 6000
	want, got, start := from.audio, mediatest.PCM(t, path, hz), firstTime(t, path)
	numbers := mediatest.FrameNumbers(t, path)
	checked := 0
	step := max(1, int(rate.Float()))
	for n := step; n < len(numbers); n += step {
		if numbers[n] <= 0 || numbers[n-1] != numbers[n]-1 {
			continue // a join, or before the first frame
		}
		at := int(math.Round((start + float64(n)/rate.Float()) * hz))
		seen := int(math.Round((from.first + float64(numbers[n])/rate.Float()) * hz))
		if at+window > len(got) || seen+window > len(want) {
			break
		}
		lag, fit := mediatest.Lag(want, got[at:at+window], seen, reach)
		if fit < 0.8 {
			continue // behind a join within the window
		}
		checked++
		if ms := -float64(lag) / hz * 1000; math.Abs(ms) > math.Abs(worst) {
			worst = ms
		}
	}
	if checked < 5 {
		t.Errorf("only %d places of %s can be compared", checked, filepath.Base(path))
	}
	return worst
}

// Audio and video of a recording whose video starts at any time after its audio are in sync, in its
// proxy and in exports, copied and encoded.
func TestLateVideoStaysInSync(t *testing.T) {
	t.Parallel()
	checkLateVideo(t, false)
}

func TestLongLateVideoStaysInSync(t *testing.T) {
	needsLong(t)
	checkLateVideo(t, true)
}

// checkLateVideo checks a cut copy of every recording, and one of the other exports or all of them.
func checkLateVideo(t *testing.T, all bool) {
	t.Helper()
	type export struct {
		name     string
		settings media.RenderSettings
		cuts     []media.Span
		copies   bool
	}
	cuts := []media.Span{{StartMS: 2210, EndMS: 4430}, {StartMS: 6888, EndMS: 8001}}
	copied := media.RenderSettings{AspectRatio: "source", VolumePercent: 100}
	drawn := copied
	drawn.Watermark = true
	square := media.RenderSettings{AspectRatio: "1:1", ShortSide: 180, Format: "mov", VolumePercent: 100}
	cutCopy := []export{{"copied, cut", copied, cuts, true}}
	others := []export{
		{"copied, whole", copied, nil, true},
		{"drawn, cut", drawn, cuts, false},
		{"at 1:1, cut", square, cuts, false},
	}
	for i, c := range []struct {
		rate, lateMS int
		container    string
	}{
		{5, 100, "mkv"}, {5, 130, "mp4"}, {24, 513, "mp4"}, {30, 12, "mkv"}, {30, 21, "mp4"}, {30, 0, "mp4"},
	} {
		t.Run(fmt.Sprintf("%d fps, %d ms, %s", c.rate, c.lateMS, c.container), func(t *testing.T) {
			t.Parallel()
			talk := mediatest.Talk(t, mediatest.TalkOptions{
				Hiss: true, Width: 320, Height: 180, Seconds: 12, RateNum: c.rate, GOP: c.rate, VideoOptions: tagged,
			})
			path, rate := lateVideo(t, talk.Path, c.lateMS, c.container), media.Rate{Num: int64(c.rate), Den: 1}
			got, recording := ingestFile(t, path), sourceOf(t, path)
			if off := worstOffset(t, got.ProxyPath, recording, rate); math.Abs(off) > 1 {
				t.Errorf("the audio of the proxy is %.2f ms late", off)
			}
			for _, e := range slices.Concat(cutCopy, everyOrOne(others, i, all)) {
				plan, err := media.NewRenderPlan([]media.RenderClip{{Path: path, Info: got.Info}}, e.cuts, e.settings)
				if err != nil {
					t.Fatal(err)
				}
				out, made := renderPlan(t, plan)
				if off := worstOffset(t, out, recording, rate); math.Abs(off) > 1 {
					t.Errorf("%s: the audio is %.2f ms late", e.name, off)
				}
				if e.copies && made.Copied == 0 {
					t.Errorf("%s: nothing was copied: %+v", e.name, made)
				}
			}
		})
	}
}

// The audio of a clip from before grids were aligned stays where its edits are.
func TestUnalignedClipsKeepTheirPlace(t *testing.T) {
	t.Parallel()
	talk := mediatest.Talk(t, mediatest.TalkOptions{
		Hiss: true, Width: 320, Height: 180, Seconds: 16, RateNum: 5, GOP: 5, VideoOptions: tagged,
	})
	path := lateVideo(t, talk.Path, 130, "mkv")
	info, err := New().Probe(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if !info.Video.Aligned || info.Video.StartUS != 200_000 {
		t.Fatalf("the video starts at %d µs, aligned %v", info.Video.StartUS, info.Video.Aligned)
	}
	info.Video.Aligned, info.Video.StartUS = false, 130_000
	info.DurationMS = 15_000
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{{Path: path, Info: info}}, nil,
		media.RenderSettings{AspectRatio: "source", VolumePercent: 100},
	)
	if err != nil {
		t.Fatal(err)
	}
	out, _ := renderPlan(t, plan)
	first, video, _ := firstTimes(t, path)
	want := (video - first - 0.2) * 1000
	if off := worstOffset(t, out, sourceOf(t, path), plan.Rate); math.Abs(off-want) > 1 || want > -20 {
		t.Errorf("the audio is %.2f ms late, want %.2f", off, want)
	}
}
