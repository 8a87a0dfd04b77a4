package libav

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// tagged are encoder options that set the colors of an export, so that the video needs no
// conversion.
var tagged = []string{"-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"}

// A phone shows frames up to an eighth of a frame too early or too late, in a fine time base.
const jitter = "settb=1/90000,setpts=PTS+360*sin(1.7*N)"

var fine = append([]string{"-enc_time_base", "1/90000", "-video_track_timescale", "90000"}, tagged...)

// copyable are recordings whose packets an export can copy.
func copyable() map[string]mediatest.TalkOptions {
	base := func(change func(*mediatest.TalkOptions)) mediatest.TalkOptions {
		o := mediatest.TalkOptions{Hiss: true, Width: 320, Height: 180, Seconds: 16, VideoOptions: tagged}
		change(&o)
		return o
	}
	type o = mediatest.TalkOptions
	return map[string]mediatest.TalkOptions{
		"phone":    base(func(o *o) { o.GOP = 30 }),
		"b-frames": base(func(o *o) { o.GOP, o.BFrames = 48, 3 }),
		"pyramid":  base(func(o *o) { o.GOP, o.BFrames, o.RateNum = 60, 7, 60 }),
		"screen":   base(func(o *o) { o.GOP, o.BFrames = 250, 3 }),
		"open gop": base(func(o *o) { o.GOP, o.BFrames, o.OpenGOP = 24, 3, true }),
		"mkv": base(
			func(o *o) { o.Container, o.GOP, o.BFrames, o.RateNum, o.RateDen = "mkv", 30, 2, 30000, 1001 },
		),
		"variable":    base(func(o *o) { o.Variable, o.GOP, o.BFrames = true, 30, 2 }),
		"audio later": base(func(o *o) { o.AudioStartMS, o.GOP = 730, 30 }),
		"jitter":      base(func(o *o) { o.GOP, o.BFrames, o.Filter, o.VideoOptions = 30, 2, jitter, fine }),
		"few gaps": base(
			func(o *o) { o.GOP, o.Filter, o.VideoOptions = 30, "select='not(eq(mod(n,101),50))',"+jitter, fine },
		),
		"half a frame": base(func(o *o) {
			o.Container = "mkv"
			o.GOP = 30
			o.BFrames = 2
			o.AudioCodec = "pcm_s16le"
			o.Filter = "settb=1/90000,setpts=PTS+1500"
			o.VideoOptions = fine
		}),
		"23.976 short": base(func(o *o) { o.RateNum, o.RateDen, o.GOP, o.BFrames = 24000, 1001, 15, 2 }),
	}
}

// copiedOnlyInLong are copyable recordings that differ from the others only in numbers.
func copiedOnlyInLong() []string {
	return []string{"b-frames", "pyramid", "mkv", "jitter", "few gaps", "23.976 short"}
}

// chunksOf plans chunks as Render does.
func chunksOf(t testing.TB, plan media.RenderPlan) (out []media.Chunk) {
	t.Helper()
	ctx, m := av.NewMeter(context.Background(), nil, time.Minute)
	defer m.Close()
	r := &render{engine: New(), ctx: ctx, plan: plan, meter: m}
	defer r.closeInputs()
	if err := r.locate(); err != nil {
		t.Fatal(err)
	}
	if err := r.planChunks(); err != nil {
		t.Fatal(err)
	}
	for _, p := range r.chunks {
		out = append(out, p.Chunk)
	}
	return out
}

// Only the few and short heads next to copies are encoded with the fast preset. A recording with a
// variable frame rate is mostly encoded, because every missing frame ends a copy.
func TestOnlyHeadsUseTheFastPreset(t *testing.T) {
	recordings := copyable()
	for name, want := range map[string]av.Effort{
		"phone": headsEffort, "audio later": headsEffort, "screen": exportEffort, "variable": exportEffort,
	} {
		talk := mediatest.Talk(t, recordings[name])
		ctx, m := av.NewMeter(context.Background(), nil, time.Minute)
		defer m.Close()
		plan := makePlan(t, somePauses, media.RenderSettings{AspectRatio: "source"}, talk.Path)
		r := &render{engine: New(), ctx: ctx, plan: plan, meter: m}
		defer r.closeInputs()
		if err := errors.Join(r.locate(), r.planChunks()); err != nil {
			t.Fatal(err)
		}
		if r.effort != want {
			t.Errorf("%s: the effort is %+v, want %+v", name, r.effort, want)
		}
	}
}

// Heads look at least as good as the other frames of an export, and copies of footage without
// B-frames show their first frame at once.
func TestHeadsLookBetter(t *testing.T) {
	talk := mediatest.Talk(t, copyable()["phone"])
	was := lumas(t, talk.Path, 320, 180)
	quality := func(e av.Effort) float64 {
		out := filepath.Join(t.TempDir(), "out.mp4")
		args := []string{"-i", talk.Path, "-preset", e.Preset, "-crf", fmt.Sprint(e.CRF), "-s", "320x180"}
		if e.NoBFrames {
			args = append(args, "-bf", "0")
		}
		mediatest.FFmpeg(t, append(args, "-fps_mode", "passthrough", out)...)
		return psnr(was, lumas(t, out, 320, 180))
	}
	if heads, rest := quality(headsEffort), quality(exportEffort); heads < rest {
		t.Errorf("heads reach %.1f dB, the rest %.1f dB", heads, rest)
	} else {
		t.Logf("heads reach %.1f dB, the rest %.1f dB", heads, rest)
	}
	out, _ := renderPlan(t, makePlan(t, somePauses, media.RenderSettings{AspectRatio: "source"}, talk.Path))
	if got := delays(t, out); !slices.Equal(got, []int{0}) {
		t.Errorf("a player decodes %v later frames before it shows one", got)
	}
}

// Copied video is bit-exact, the rest is encoded well, and no decoder reports anything.
func TestCopiedVideoIsExact(t *testing.T) {
	t.Parallel()
	others, _ := split(copyable(), copiedOnlyInLong())
	checkCopiedVideo(t, others)
}

func TestLongCopiedVideoIsExact(t *testing.T) {
	needsLong(t)
	_, named := split(copyable(), copiedOnlyInLong())
	checkCopiedVideo(t, named)
}

func checkCopiedVideo(t *testing.T, recordings map[string]mediatest.TalkOptions) {
	t.Helper()
	for name, options := range recordings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			talk := mediatest.Talk(t, options)
			plan := makePlan(t, everySecond(15500), media.RenderSettings{}, talk.Path)
			out, _ := renderPlan(t, plan)
			start, counted := clipZero(t, talk.Path)
			shown := shownNumbers(t, talk.Path, plan.Rate, start, plan.Inputs[0].Frames)
			checkFrames(t, plan, mediatest.FrameNumbers(t, out), [][]int64{shown})
			checkPackets(t, out, math.MaxInt)
			checkPlacement(t, plan, out, talk, start-counted)
			checkSilentDecoder(t, out)
			copied := checkCopies(t, plan, out, talk.Path, shown)
			t.Logf("%d of %d frames were copied", copied, plan.Frames())
			// An export has every frame of its grid, so a recording that skips frames is
			// re-encoded.
			if wanted := name != "variable"; copied > 0 != wanted {
				t.Errorf("%d frames were copied", copied)
			}
		})
	}
}

// checkSilentDecoder decodes a file with ffmpeg, which must not print anything.
func checkSilentDecoder(t *testing.T, path string) {
	t.Helper()
	decode := mediatest.Command(t, "ffmpeg", "-v", "warning", "-nostdin", "-i", path, "-f", "null", "-")
	out, err := decode.CombinedOutput()
	if err != nil || len(bytes.TrimSpace(out)) > 0 {
		t.Errorf("decoding: %v\n%.2000s", err, out)
	}
}

// checkCopies compares every frame of an export with its source. Copied frames must be identical,
// encoded ones must reach 38 dB. It returns the number of copied frames.
func checkCopies(t *testing.T, plan media.RenderPlan, out, source string, shown []int64) (copied int64) {
	t.Helper()
	a, b := lumas(t, source, plan.Width, plan.Height), lumas(t, out, plan.Width, plan.Height)
	place := map[int64]int64{} // of a frame number in the source
	for i, number := range mediatest.FrameNumbers(t, source) {
		place[number] = int64(i)
	}
	size := plan.Width * plan.Height * 3 / 2
	if int64(len(b)) != plan.Frames()*int64(size) {
		t.Fatalf("the output has %d bytes of video, want %d frames", len(b), plan.Frames())
	}
	for _, p := range chunksOf(t, plan) {
		for f := p.In; f < p.Out; f++ {
			from := place[shown[f]] * int64(size)
			to := (p.Start + f - p.In) * int64(size)
			was, is := a[from:from+int64(size)], b[to:to+int64(size)]
			if p.Copy {
				copied++
			}
			if db := psnr(was, is); (p.Copy && !math.IsInf(db, 1)) || db < 38 {
				t.Errorf("frame %d of %+v: %.1f dB", f, p, db)
				return copied
			}
		}
	}
	return copied
}

// lumas decodes all frames of a file into 4:2:0 planes.
func lumas(t *testing.T, path string, width, height int) []byte {
	t.Helper()
	var report strings.Builder
	cmd := mediatest.Command(
		t, "ffmpeg", "-v", "error", "-nostdin", "-i", path, "-map", "0:v:0", "-s",
		fmt.Sprintf("%dx%d", width, height),
		"-pix_fmt", "yuv420p", "-fps_mode", "passthrough", "-f", "rawvideo", "pipe:1",
	)
	cmd.Stderr = &report
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, report.String())
	}
	return out
}

func psnr(a, b []byte) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
	}
	return 10 * math.Log10(255*255*float64(len(a))/sum)
}

// An ingest finds the keyframes that a copy can start at. A cut that ends at one of them leaves
// nothing to encode.
func TestIngestFindsKeyframesForCopying(t *testing.T) {
	every := func(ms, first float64) (times []int64) {
		for at := first; at < 16_000; at += ms {
			times = append(times, int64(math.Round(at)))
		}
		return times
	}
	for name, want := range map[string][]int64{
		"phone": every(1000, 0), "b-frames": every(1600, 0), "mkv": every(1001, 33.4), "open gop": {0},
		"vp9": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options, ok := copyable()[name]
			if !ok {
				options = mediatest.TalkOptions{
					VideoCodec: "libvpx-vp9",
					AudioCodec: "libopus",
					Container:  "webm",
					GOP:        30,
					Width:      320,
					Height:     180,
					Seconds:    12,
					Hiss:       true,
				}
			}
			talk := mediatest.Talk(t, options)
			got, err := New().Ingest(context.Background(), media.IngestRequest{Path: talk.Path}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Keyframes, want) {
				t.Fatalf("copying begins at %v, want %v", got.Keyframes, want)
			}
			if len(want) < 2 {
				return
			}
			cuts := []media.Span{{StartMS: 500, EndMS: want[3]}, {StartMS: want[5], EndMS: want[7]}}
			plan := makePlan(t, cuts, media.RenderSettings{}, talk.Path)
			parts := chunksOf(t, plan)
			for _, s := range plan.Segments[1:] {
				if at := slices.IndexFunc(
					parts,
					func(p media.Chunk) bool { return p.Start == s.Start },
				); !parts[at].Copy {
					t.Errorf("%+v is encoded", parts[at])
				}
			}
		})
	}
}

// Of two recordings whose parameter sets have the same IDs and differ, the first is copied.
func TestConflictingParameterSetsAreEncoded(t *testing.T) {
	t.Parallel()
	first, second := boxFilm(t), boxFilm(t, "-refs", "1")
	out, made := renderPlan(t, makePlan(t, nil, media.RenderSettings{}, first, second))
	if made.Copied != 180 || made.Encoded != 180 {
		t.Errorf("%d frames are copied and %d encoded, want 180 each", made.Copied, made.Encoded)
	}
	checkSilentDecoder(t, out)
}

// A packet with a time stamp of a million years does not take memory for all those frames.
func TestHugeTimeStampsTakeNoMemory(t *testing.T) {
	begins := framesWithin([]int64{0, -1, 2, math.MaxInt64}, 5)
	if want := []bool{true, false, true, false, false, false}; !slices.Equal(begins, want) {
		t.Errorf("%v, want %v", begins, want)
	}
	if none := framesWithin([]int64{-1}, 5); !slices.Equal(none, []bool{false}) {
		t.Errorf("%v", none)
	}
}
