package libav

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// Recordings of different sizes, rates, codecs and channels become one video, even if one has no
// audio and one no video.
func TestRenderMixesRecordings(t *testing.T) {
	talk := func(o mediatest.TalkOptions) string { o.Seconds, o.Hiss = 6, true; return mediatest.Talk(t, o).Path }
	paths := []string{
		talk(mediatest.TalkOptions{Width: 640, Height: 360}),
		talk(
			mediatest.TalkOptions{
				Width:       360,
				Height:      640,
				RateNum:     25,
				RotationDeg: 90,
				SampleRate:  44100,
				Channels:    1,
			},
		),
		talk(
			mediatest.TalkOptions{Width: 320, Height: 240, NoAudio: true, VideoCodec: "libvpx-vp9", Container: "webm"},
		),
		talk(mediatest.TalkOptions{NoVideo: true, Container: "wav", AudioCodec: "pcm_s16le"}),
	}
	cuts := []media.Span{
		{StartMS: 1000, EndMS: 2000},
		{StartMS: 7000, EndMS: 9000},
		{StartMS: 13000, EndMS: 14000},
		{StartMS: 20000, EndMS: 21000},
	}
	plan := makePlan(
		t,
		cuts,
		media.RenderSettings{ShortSide: 360, AspectRatio: "16:9", Background: "#204060"},
		paths...)
	out, _ := renderPlan(t, plan)
	checkPackets(t, out, int(plan.Rate.Frame(exportGOP*1000)))
	var shown [][]int64
	for i, path := range paths[:3] {
		zero, _ := clipZero(t, path)
		shown = append(shown, shownNumbers(t, path, plan.Rate, zero, plan.Inputs[i].Frames))
	}
	blank := make([]int64, plan.Inputs[3].Frames)
	for i := range blank {
		blank[i] = -1
	}
	checkFrames(t, plan, mediatest.FrameNumbers(t, out), append(shown, blank))
	audio := mediatest.PCM(t, out, 48000)
	for _, s := range plan.Segments {
		_, at, n := plan.Samples(s)
		level := rms(audio[at+n/2 : at+n/2+4800])
		if silent := level < 1e-4; silent != (s.Input == 2) {
			t.Errorf("segment of input %d has level %.5f", s.Input, level)
		}
	}
}

// A project of audio alone still becomes a video.
func TestRenderAudioOnly(t *testing.T) {
	talk := mediatest.Talk(t, mediatest.TalkOptions{NoVideo: true, Container: "m4a", Hiss: true, Seconds: 6})
	plan := makePlan(
		t,
		[]media.Span{{StartMS: 1000, EndMS: 3000}},
		media.RenderSettings{ShortSide: 360, AspectRatio: "16:9", Background: "#ff0000"},
		talk.Path,
	)
	out, rendered := renderPlan(t, plan)
	if rendered.Frames != 120 || rendered.DurationMS != 4000 {
		t.Errorf("got %+v", rendered)
	}
	p := ffprobe(t, out, "-show_streams")
	if len(p.Streams) != 2 || p.Streams[0].Frames != "120" || p.Streams[0].Width != 640 {
		t.Errorf("got %+v", p.Streams)
	}
	if r, g, b := colorAt(t, out, 320, 180); r < 240 || g > 15 || b > 15 {
		t.Errorf("the background is %d %d %d", r, g, b)
	}
}

func TestRenderWithoutAudioHasNoAudioTrack(t *testing.T) {
	talk := mediatest.Talk(t, mediatest.TalkOptions{NoAudio: true, Width: 320, Height: 180, Seconds: 6})
	plan := makePlan(t, []media.Span{{StartMS: 1000, EndMS: 3000}}, media.RenderSettings{}, talk.Path)
	out, _ := renderPlan(t, plan)
	if p := ffprobe(t, out, "-show_streams"); len(p.Streams) != 1 {
		t.Errorf("got %+v", p.Streams)
	}
}

// colorAt returns the color of one pixel of the first frame, as a player that respects the color
// tags shows it.
func colorAt(t testing.TB, path string, x, y int) (r, g, b byte) {
	t.Helper()
	return colorAtFrame(t, path, 0, x, y)
}

// colorAtFrame is colorAt for frame n.
func colorAtFrame(t testing.TB, path string, n int64, x, y int) (r, g, b byte) {
	t.Helper()
	out, err := mediatest.Command(
		t, "ffmpeg", "-v", "error", "-nostdin", "-i", path, "-frames:v", "1", "-vf",
		fmt.Sprintf(
			`select=eq(n\,%d),scale=in_color_matrix=auto:out_color_matrix=bt709,format=rgb24,crop=1:1:%d:%d:exact=1`,
			n, x, y,
		),
		"-f", "rawvideo", "pipe:1",
	).Output()
	if err != nil || len(out) < 3 {
		t.Fatalf("reading a pixel of %s: %v", path, err)
	}
	return out[0], out[1], out[2]
}

// recordedInColors makes a recording of one color with the given options of ffmpeg.
func recordedInColors(t *testing.T, color string, args []string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.mp4")
	source := []string{"-f", "lavfi", "-i", "color=c=0x" + color + ":s=320x180:d=1:r=25,format=gbrp"}
	mediatest.FFmpeg(t, slices.Concat(source, args, []string{"-c:v", "libx264", "-qp", "4", path})...)
	return path
}

// checkExportColor checks that the first and the last frame of an export show a color, and how the
// export states its colors. A copy of a recording that states a part of them repeats only that.
func checkExportColor(
	t *testing.T,
	plan media.RenderPlan,
	path, want, format, space, levels string,
) media.RenderResult {
	t.Helper()
	out, made := renderPlan(t, plan)
	for _, n := range []int64{0, plan.Frames() - 1} {
		r, g, b := colorAtFrame(t, out, n, plan.Width/2&^1, plan.Height/2&^1)
		var wantR, wantG, wantB byte
		if _, err := fmt.Sscanf(want, "%02x%02x%02x", &wantR, &wantG, &wantB); err != nil {
			t.Fatal(err)
		}
		if far(r, wantR, 5) || far(g, wantG, 5) || far(b, wantB, 5) {
			t.Errorf(
				"frame %d has the color %02x%02x%02x, want %s (plan %dx%d)", n, r, g, b, want, plan.Width, plan.Height,
			)
		}
	}
	s, recorded := ffprobe(t, out, "-show_streams").Streams[0], ffprobe(t, path, "-show_streams").Streams[0]
	if made.Copied > 0 && s.Transfer == "" && recorded.Transfer == "" && recorded.Space != "" {
		s.Transfer = "bt709"
	}
	if s.PixFmt != format || s.Space != space || s.Range != levels || s.Transfer != "bt709" || s.SAR != "1:1" ||
		s.Profile != "High" {
		t.Errorf("the output is tagged %+v", s)
	}
	return made
}

// eachColorProperty are sources that differ from BT.709 limited range in every property once.
var eachColorProperty = []string{"601 untagged", "709 full", "10 bit 4:4:4", "interlaced", "wide samples"}

func TestColorsArePreserved(t *testing.T) {
	t.Parallel()
	preservesColors(t, func(source string) bool { return slices.Contains(eachColorProperty, source) })
}

func TestLongColorsArePreserved(t *testing.T) {
	mediatest.NeedsLong(t)
	preservesColors(t, func(source string) bool { return !slices.Contains(eachColorProperty, source) })
}

// preservesColors checks that colors stay the same for any matrix, range and depth of the source.
// An export as recorded keeps the matrix and the range of footage that it copies, whether or not
// the footage states them. All other exports are BT.709 limited range.
func preservesColors(t *testing.T, chosen func(source string) bool) {
	t.Helper()
	const want = "c04060"
	type tags struct{ format, space, levels string }
	bt709 := tags{"yuv420p", "bt709", "tv"}
	for name, c := range map[string]struct {
		args []string
		kept tags // of an export that copies frames, empty if none can be copied
	}{
		"601 limited": {
			[]string{
				"-vf", "scale=out_color_matrix=bt601:out_range=tv,format=yuv420p", "-colorspace", "smpte170m",
				"-color_range", "tv",
			},
			tags{"yuv420p", "smpte170m", "tv"},
		},
		"601 untagged": {
			[]string{"-vf", "scale=out_color_matrix=bt601:out_range=tv,format=yuv420p"},
			tags{"yuv420p", "smpte170m", "tv"},
		},
		"709 limited": {
			[]string{
				"-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-colorspace", "bt709",
				"-color_range", "tv",
			},
			bt709,
		},
		"709 full": {
			[]string{
				"-vf", "scale=out_color_matrix=bt709:out_range=pc,format=yuv420p", "-colorspace", "bt709",
				"-color_range", "pc",
			},
			tags{"yuvj420p", "bt709", "pc"},
		},
		"yuvj420p": {
			[]string{"-vf", "scale=out_color_matrix=bt709:out_range=pc,format=yuvj420p", "-colorspace", "bt709"},
			tags{"yuvj420p", "bt709", "pc"},
		},
		"10 bit 4:4:4": {args: []string{
			"-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv444p10le", "-colorspace", "bt709",
		}},
		"2020 limited": {args: []string{
			"-vf", "scale=out_color_matrix=bt2020:out_range=tv,format=yuv420p10le", "-colorspace", "bt2020nc",
		}},
		"odd size": {args: []string{"-vf", "scale=321:181:out_color_matrix=bt601:out_range=tv,format=yuv444p"}},
		"interlaced": {args: []string{
			"-vf", "scale=out_color_matrix=bt601:out_range=tv,format=yuv420p", "-flags", "+ilme+ildct",
			"-x264-params", "tff=1",
		}},
		"interlaced 709": {args: []string{
			"-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-colorspace", "bt709",
			"-flags", "+ilme+ildct", "-x264-params", "tff=1",
		}},
		"wide samples": {args: []string{
			"-vf", "scale=out_color_matrix=bt601:out_range=tv,format=yuv420p,setsar=4/3",
		}},
		"sample aspect": {args: []string{
			"-vf", "scale=out_color_matrix=bt601:out_range=tv,format=yuv420p,setsar=3/4",
		}},
	} {
		if !chosen(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			path := recordedInColors(t, want, c.args)
			check := func(cuts []media.Span, settings media.RenderSettings, is tags) media.RenderResult {
				t.Helper()
				plan := makePlan(t, cuts, settings, path)
				return checkExportColor(t, plan, path, want, is.format, is.space, is.levels)
			}
			middle := []media.Span{{StartMS: 400, EndMS: 600}}
			if c.kept == (tags{}) {
				if made := check(nil, media.RenderSettings{}, bt709); made.Copied > 0 {
					t.Errorf("got %+v, want encoded frames", made)
				}
				check(middle, media.RenderSettings{}, bt709)
				return
			}
			if made := check(nil, media.RenderSettings{}, c.kept); made.Encoded > 0 {
				t.Errorf("got %+v, want a copy", made)
			}
			if made := check(middle, media.RenderSettings{}, c.kept); made.Copied == 0 || made.Encoded == 0 {
				t.Errorf("got %+v, want copied and encoded frames", made)
			}
			for _, settings := range []media.RenderSettings{{Watermark: true}, {FlipH: true}, {ShortSide: 360}} {
				if made := check(nil, settings, bt709); made.Copied > 0 {
					t.Errorf("%+v: got %+v, want encoded frames", settings, made)
				}
			}
		})
	}
}

func far(a, b byte, by int) bool { return max(int(a)-int(b), int(b)-int(a)) > by }

// HDR white and grey map to their SDR levels, and the output is not tagged as HDR.
func TestHDRIsToneMapped(t *testing.T) {
	for name, trc := range map[string]string{"pq": "smpte2084", "hlg": "arib-std-b67"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "hdr.mp4")
			mediatest.FFmpeg(
				t, "-f", "lavfi", "-i", "color=c=gray:s=320x180:d=1:r=25,format=yuv420p10le", "-c:v", "libx265",
				"-x265-params", "log-level=none", "-color_primaries", "bt2020", "-color_trc", trc,
				"-colorspace", "bt2020nc", "-color_range", "tv", path,
			)
			info, err := New().Probe(context.Background(), path)
			if err != nil || !info.Video.HDR {
				t.Fatalf("%+v %v", info.Video, err)
			}
			out, _ := renderPlan(t, makePlan(t, nil, media.RenderSettings{}, path))
			if s := ffprobe(t, out, "-show_streams").Streams[0]; s.Space != "bt709" || s.Transfer != "bt709" ||
				s.PixFmt != "yuv420p" {
				t.Errorf("the output is tagged %+v", s)
			}
			if r, g, b := colorAt(t, out, 160, 90); r < 60 || r > 235 || far(r, g, 12) || far(r, b, 12) {
				t.Errorf("mid grey became %d %d %d", r, g, b)
			}
			got := ingestFile(t, path)
			if !got.Info.Video.HDR {
				t.Error("ingest lost the HDR flag")
			}
		})
	}
}

func isBackground(r, g, b byte) bool { return !far(r, 0x5a, 6) && !far(g, 0x3c, 6) && !far(b, 0x1e, 6) }

func TestFitAndFlips(t *testing.T) {
	talk := mediatest.Talk(t, mediatest.TalkOptions{Width: 640, Height: 360, Seconds: 3})
	for _, c := range []struct {
		name     string
		settings media.RenderSettings
		undo     string
		bars     bool
	}{
		{"letterbox", media.RenderSettings{ShortSide: 360, AspectRatio: "9:16", Background: "#5a3c1e"}, "null", true},
		{"square", media.RenderSettings{ShortSide: 360, AspectRatio: "1:1", Background: "#5a3c1e"}, "null", true},
		{"flip h", media.RenderSettings{ShortSide: 360, AspectRatio: "16:9", FlipH: true}, "hflip", false},
		{"flip v", media.RenderSettings{ShortSide: 360, AspectRatio: "16:9", FlipV: true}, "vflip", false},
		{
			"both and bars",
			media.RenderSettings{ShortSide: 360, AspectRatio: "1:1", Background: "#5a3c1e", FlipH: true, FlipV: true},
			"hflip,vflip", true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := makePlan(t, nil, c.settings, talk.Path)
			out, _ := renderPlan(t, plan)
			numbers := mediatest.FrameNumbers(t, out, c.undo)
			for i, n := range numbers {
				if n != int64(i) {
					t.Fatalf("frame %d shows %d", i, n)
				}
			}
			if r, g, b := colorAt(t, out, 2, 2); c.bars != isBackground(r, g, b) {
				t.Errorf("the corner is %d %d %d", r, g, b)
			}
		})
	}
	t.Run("crop", func(t *testing.T) {
		plan := makePlan(
			t,
			nil,
			media.RenderSettings{ShortSide: 360, AspectRatio: "1:1", Fit: media.Crop, Background: "#5a3c1e"},
			talk.Path,
		)
		out, _ := renderPlan(t, plan)
		if p := ffprobe(t, out, "-show_streams").Streams[0]; p.Width != 360 || p.Height != 360 {
			t.Errorf("the output is %dx%d", p.Width, p.Height)
		}
		for _, at := range [][2]int{{2, 2}, {356, 2}, {2, 356}, {356, 356}} {
			if r, g, b := colorAt(t, out, at[0], at[1]); isBackground(r, g, b) {
				t.Errorf("there is a bar at %v", at)
			}
		}
	})
}

// A stream that changes its size, as conference recorders write it, can be rendered and ingested.
func TestSizeChangesMidStream(t *testing.T) {
	dir := t.TempDir()
	var parts []string
	for i, size := range []string{"320x180", "640x360", "160x120"} {
		part := filepath.Join(dir, fmt.Sprintf("%d.ts", i))
		mediatest.FFmpeg(
			t, "-f", "lavfi", "-i",
			"testsrc2=s="+size+":r=25:d=2",
			"-c:v", "libx264", "-bf", "0", "-output_ts_offset",
			fmt.Sprint(2*i),
			part,
		)
		parts = append(parts, part)
	}
	path := filepath.Join(dir, "all.ts")
	var all []byte
	for _, part := range parts {
		data, err := os.ReadFile(part)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	if err := os.WriteFile(path, all, 0o600); err != nil {
		t.Fatal(err)
	}
	got := ingestFile(t, path)
	if ms := got.Info.DurationMS; ms < 5900 || ms > 6100 {
		t.Errorf("duration %d ms", ms)
	}
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{{Path: path, Info: got.Info}},
		[]media.Span{{StartMS: 500, EndMS: 900}},
		media.RenderSettings{AspectRatio: "source"},
	)
	if err != nil {
		t.Fatal(err)
	}
	renderPlan(t, plan)
}

// At joins of a loud tone no sample jumps, which would be an audible click.
func TestJoinsDoNotClick(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tone.mp4")
	mediatest.FFmpeg(
		t, "-f", "lavfi", "-i", "testsrc2=s=160x90:r=30:d=10", "-f", "lavfi",
		"-i", "sine=f=220:r=48000:d=10,volume=14dB", "-c:v", "libx264", "-c:a", "aac", "-ac", "2",
		"-b:a", "192k", path,
	)
	plan := makePlan(t, everySecond(9500), media.RenderSettings{}, path)
	out, _ := renderPlan(t, plan)
	audio := mediatest.PCM(t, out, 48000)
	source := mediatest.PCM(t, path, 48000)
	steepest := mediatest.MaxSecondDifference(source[4800 : len(source)-4800])
	for _, s := range plan.Segments[1:] {
		_, at, _ := plan.Samples(s)
		if got := mediatest.MaxSecondDifference(audio[at-480 : at+480]); got > steepest*1.25 {
			t.Errorf("at output frame %d samples jump by %.4f, in the tone by %.4f", s.Start, got, steepest)
		}
	}
	middle := plan.Segments[1]
	_, at, n := plan.Samples(middle)
	if level, want := rms(audio[at+n/2-2400:at+n/2+2400]), rms(source); math.Abs(level/want-1) > 0.05 {
		t.Errorf("inside a segment the level is %.4f, in the source %.4f", level, want)
	}
}

func TestVolumeScalesAudio(t *testing.T) {
	talk := mediatest.Talk(t, small())
	levels := map[int]float64{}
	for _, percent := range []int{100, 50} {
		out, _ := renderPlan(t, makePlan(t, nil, media.RenderSettings{VolumePercent: percent}, talk.Path))
		levels[percent] = rms(mediatest.PCM(t, out, 48000))
	}
	if ratio := levels[50] / levels[100]; math.Abs(ratio-0.5) > 0.02 {
		t.Errorf("half the volume is %.3f of the full volume", ratio)
	}
}

// cancelTime is the time limit of a cancelled call: what a server that shuts down grants its work.
const cancelTime = 10 * time.Second

// A cancelled call finishes only its current step. It leaves no file and no goroutine.
func TestCancelledCallFinishesOnlyItsStep(t *testing.T) {
	cancelCalls(t, func(float64, time.Duration) {})
}

// That takes less than cancelTime.
func TestTimingCancelledCall(t *testing.T) {
	mediatest.NeedsTiming(t)
	cancelCalls(t, func(when float64, took time.Duration) {
		if took > cancelTime {
			t.Errorf("cancelled at %.1f: took %v", when, took)
		}
	})
}

// cancelCalls cancels renders and ingests at different shares of their progress. It passes each
// share to judge with the time until the call returned.
func cancelCalls(t *testing.T, judge func(when float64, took time.Duration)) {
	t.Helper()
	talk := mediatest.Talk(t, mediatest.TalkOptions{Width: 640, Height: 360, Seconds: 30, Hiss: true})
	plan := makePlan(t, everySecond(29000), media.RenderSettings{}, talk.Path)
	calls := map[string]func(ctx context.Context, out string, progress func(float64)) error{
		"render": func(ctx context.Context, out string, progress func(float64)) error {
			_, err := New().Render(ctx, plan, out, progress)
			return err
		},
		"ingest": func(ctx context.Context, out string, progress func(float64)) error {
			_, err := New().Ingest(
				ctx,
				media.IngestRequest{
					Path:       talk.Path,
					ProxyPath:  out,
					SpeechPath: out + ".raw",
					SpritePath: out + ".jpg",
				},
				progress,
			)
			return err
		},
	}
	reason := errors.New("the user changed her mind")
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			for _, when := range []float64{0, 0.1, 0.5} {
				ctx, cancel := context.WithCancelCause(context.Background())
				dir := t.TempDir()
				var asked time.Time
				last := 0.0
				if when == 0 {
					asked = time.Now()
					cancel(reason)
				}
				err := call(ctx, filepath.Join(dir, "out.mp4"), func(f float64) {
					last = f
					if f >= when && asked.IsZero() {
						asked = time.Now()
						cancel(reason)
					}
				})
				took := time.Since(asked)
				cancel(nil)
				if !errors.Is(err, reason) {
					t.Errorf("cancelled at %.1f: %v", when, err)
				}
				judge(when, took)
				if last > when+0.2 {
					t.Errorf("cancelled at %.1f: continued to %.2f", when, last)
				}
				if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
					t.Errorf("cancelled at %.1f: left %v %v", when, left, err)
				}
			}
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			// goroutines that are told to end need some time
			for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before+1; <-tick.C {
				if time.Now().After(deadline) {
					stacks := make([]byte, 1<<16)
					t.Fatalf(
						"%d goroutines before, %d after\n%s",
						before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)],
					)
				}
			}
		})
	}
}

// The start of the index holds what players need to start at once.
func TestExportStartsWithItsIndex(t *testing.T) {
	out, _ := renderPlan(t, makePlan(t, nil, media.RenderSettings{}, mediatest.Talk(t, small()).Path))
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	moov, mdat := strings.Index(string(data), "moov"), strings.Index(string(data), "mdat")
	if moov < 0 || mdat < moov {
		t.Errorf("the index is at %d, the samples at %d", moov, mdat)
	}
	p := ffprobe(t, out, "-show_packets", "-show_entries", "packet=codec_type,pos,pts,dts")
	kinds := map[string]int{}
	longest, run := 0, 0
	slices.SortFunc(p.Packets, func(a, b packet) int { return int(seconds(t, a.Pos) - seconds(t, b.Pos)) })
	for i, packet := range p.Packets {
		kinds[packet.CodecType]++
		if run++; i > 0 && p.Packets[i-1].CodecType != packet.CodecType {
			run = 1
		}
		longest = max(longest, run)
	}
	if kinds["video"] == 0 || kinds["audio"] == 0 || longest > 100 {
		t.Errorf("packets %v, at most %d of one kind in a row", kinds, longest)
	}
}
