package libav

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
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

// worstOffset returns how late the audio of a video is against its frames at most, in milliseconds.
// The video shows numbered frames of a source, which plays them from a time on at a rate.
func worstOffset(t *testing.T, path, source string, rate media.Rate) (worst float64) {
	t.Helper()
	const hz, window, reach = 48000, 4800, 6000
	first, start := firstTime(t, source), firstTime(t, path)
	want, got := mediatest.PCM(t, source, hz), mediatest.PCM(t, path, hz)
	numbers := mediatest.FrameNumbers(t, path)
	checked := 0
	step := max(1, int(rate.Float()))
	for n := step; n < len(numbers); n += step {
		if numbers[n] <= 0 || numbers[n-1] != numbers[n]-1 {
			continue // a join, or before the first frame
		}
		at := int(math.Round((start + float64(n)/rate.Float()) * hz))
		from := int(math.Round((first + float64(numbers[n])/rate.Float()) * hz))
		if at+window > len(got) || from+window > len(want) {
			break
		}
		lag, fit := mediatest.Lag(want, got[at:at+window], from, reach)
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
	for _, c := range []struct {
		rate, lateMS int
		container    string
	}{
		{5, 100, "mkv"}, {5, 130, "mp4"}, {24, 513, "mp4"}, {30, 12, "mkv"}, {30, 21, "mp4"}, {30, 0, "mp4"},
	} {
		t.Run(fmt.Sprintf("%d fps, %d ms, %s", c.rate, c.lateMS, c.container), func(t *testing.T) {
			t.Parallel()
			talk := mediatest.Talk(t, mediatest.TalkOptions{
				Hiss: true, Width: 320, Height: 180, Seconds: 16, RateNum: c.rate, GOP: c.rate, VideoOptions: tagged,
			})
			path, rate := lateVideo(t, talk.Path, c.lateMS, c.container), media.Rate{Num: int64(c.rate), Den: 1}
			got := ingestFile(t, path)
			if off := worstOffset(t, got.ProxyPath, path, rate); math.Abs(off) > 1 {
				t.Errorf("the audio of the proxy is %.2f ms late", off)
			}
			cuts := []media.Span{{StartMS: 3210, EndMS: 5430}, {StartMS: 8888, EndMS: 10_001}}
			for name, settings := range map[string]media.RenderSettings{
				"copied": {AspectRatio: "source"}, "drawn": {AspectRatio: "source", Watermark: true},
				"at 1:1": {AspectRatio: "1:1", Format: "mov"},
			} {
				for kind, cut := range map[string][]media.Span{"whole": nil, "cut": cuts} {
					if name != "copied" && kind == "whole" {
						continue
					}
					settings.VolumePercent = 100
					clips := []media.RenderClip{{Path: path, Info: got.Info}}
					plan, err := media.NewRenderPlan(clips, cut, settings)
					if err != nil {
						t.Fatal(err)
					}
					out, made := renderPlan(t, plan)
					if off := worstOffset(t, out, path, rate); math.Abs(off) > 1 {
						t.Errorf("%s, %s: the audio is %.2f ms late", name, kind, off)
					}
					if name == "copied" && made.Copied == 0 {
						t.Errorf("%s: nothing was copied: %+v", kind, made)
					}
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
	if off := worstOffset(t, out, path, plan.Rate); math.Abs(off-want) > 1 || want > -20 {
		t.Errorf("the audio is %.2f ms late, want %.2f", off, want)
	}
}
