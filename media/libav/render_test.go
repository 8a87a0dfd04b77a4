package libav

import (
	"maps"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// sources are recordings as cameras, phones, screen recorders and browsers make them.
func sources() map[string]mediatest.TalkOptions {
	base := func(change func(*mediatest.TalkOptions)) mediatest.TalkOptions {
		o := mediatest.TalkOptions{Hiss: true, Width: 320, Height: 180, Seconds: 16}
		change(&o)
		return o
	}
	type o = mediatest.TalkOptions
	return map[string]mediatest.TalkOptions{
		"phone":         base(func(o *o) { o.GOP = 30 }),
		"b-frames":      base(func(o *o) { o.GOP, o.BFrames = 250, 3 }),
		"open gop":      base(func(o *o) { o.GOP, o.BFrames, o.OpenGOP = 24, 3, true }),
		"hevc open gop": base(func(o *o) { o.VideoCodec, o.GOP, o.BFrames, o.OpenGOP = "libx265", 24, 4, true }),
		"vp9 webm":      base(func(o *o) { o.VideoCodec, o.AudioCodec, o.Container = "libvpx-vp9", "libopus", "webm" }),
		"mkv":           base(func(o *o) { o.Container, o.BFrames, o.RateNum, o.RateDen = "mkv", 2, 30000, 1001 }),
		"mpegts":        base(func(o *o) { o.Container, o.BFrames, o.RateNum = "ts", 2, 25 }),
		"avi mjpeg": base(func(o *o) {
			o.Container = "avi"
			o.VideoCodec = "mjpeg"
			o.PixelFormat = "yuvj422p"
			o.AudioCodec = "pcm_s16le"
		}),
		"prores pcm": base(func(o *o) {
			o.Container = "mov"
			o.VideoCodec = "prores_ks"
			o.PixelFormat = "yuv422p10le"
			o.AudioCodec = "pcm_s24le"
		}),
		"variable rate": base(func(o *o) { o.Variable, o.GOP, o.BFrames = true, 90, 2 }),
		"turned 90":     base(func(o *o) { o.RotationDeg, o.GOP = 90, 30 }),
		"turned 270":    base(func(o *o) { o.RotationDeg, o.BFrames = 270, 2 }),
		"23.976":        base(func(o *o) { o.RateNum, o.RateDen, o.BFrames = 24000, 1001, 2 }),
		"60":            base(func(o *o) { o.RateNum, o.BFrames = 60, 2 }),
		"audio later":   base(func(o *o) { o.AudioStartMS = 730 }),
		"video later":   base(func(o *o) { o.VideoStartMS = 410 }),
		"44.1 mono":     base(func(o *o) { o.SampleRate, o.Channels = 44100, 1 }),
		"5.1":           base(func(o *o) { o.Channels = 6 }),
		"96k pcm mkv":   base(func(o *o) { o.SampleRate, o.AudioCodec, o.Container = 96000, "pcm_f32le", "mkv" }),
		"4:4:4 10 bit":  base(func(o *o) { o.PixelFormat = "yuv444p10le" }),
		"interlaced": base(func(o *o) {
			o.RateNum, o.VideoOptions = 25, []string{"-flags", "+ilme+ildct", "-x264-params", "tff=1"}
		}),
		"fragmented": base(func(o *o) { o.OutputOptions = []string{"-movflags", "frag_keyframe+empty_moov"} }),
	}
}

// renderOnlyInLong are the sources that TestIngestKeepsTime, the matrix or the tests of copies also
// read, or that differ in a way that a render does not see.
func renderOnlyInLong() []string {
	return []string{
		"phone", "b-frames", "open gop", "hevc open gop", "mkv", "avi mjpeg", "prores pcm", "turned 90", "turned 270",
		"23.976", "video later", "44.1 mono", "5.1", "96k pcm mkv", "4:4:4 10 bit", "fragmented",
	}
}

// split divides recordings into those without and those with the given names.
func split(all map[string]mediatest.TalkOptions, names []string) (others, named map[string]mediatest.TalkOptions) {
	others, named = maps.Clone(all), map[string]mediatest.TalkOptions{}
	for _, name := range names {
		named[name] = others[name]
		delete(others, name)
	}
	return others, named
}

// everyOrOne returns all choices, or the one for case i of a matrix, so that the cases together use
// each of them.
func everyOrOne[T any](choices []T, i int, all bool) []T {
	if all {
		return choices
	}
	return choices[i%len(choices):][:1]
}

// Every frame of an output is the planned one, and audio and video are in sync at every join.
func TestRenderIsExact(t *testing.T) {
	t.Parallel()
	others, _ := split(sources(), renderOnlyInLong())
	checkRenders(t, others)
}

func TestLongRenderIsExact(t *testing.T) {
	needsLong(t)
	_, named := split(sources(), renderOnlyInLong())
	checkRenders(t, named)
}

func checkRenders(t *testing.T, sources map[string]mediatest.TalkOptions) {
	t.Helper()
	for name, options := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			talk := mediatest.Talk(t, options)
			plan := makePlan(t, everySecond(15500), media.RenderSettings{}, talk.Path)
			if (plan.Rate.Num != int64(max(options.RateNum, 1)) && options.RateNum != 0) || len(plan.Segments) < 8 {
				t.Fatalf("the plan has rate %s and %d segments", plan.Rate, len(plan.Segments))
			}
			out, rendered := renderPlan(t, plan)
			if rendered.Frames != plan.Frames() {
				t.Errorf("reported %d frames, want %d", rendered.Frames, plan.Frames())
			}
			start, counted := clipZero(t, talk.Path)
			numbers := mediatest.FrameNumbers(t, out)
			shown := shownNumbers(t, talk.Path, plan.Rate, start, plan.Inputs[0].Frames)
			checkFrames(t, plan, numbers, [][]int64{shown})
			checkPackets(t, out, int(plan.Rate.Frame(exportGOP*1000)))
			checkPlacement(t, plan, out, talk, start-counted)
		})
	}
}

// Every browser can seek in exports, even if frames are reordered, and in proxies, whose frames are
// in order. A copied recording keeps its own keyframes.
func TestGOPsAreClosed(t *testing.T) {
	const recordedGOP = 250
	talk := mediatest.Talk(
		t,
		mediatest.TalkOptions{Hiss: true, Width: 320, Height: 180, Seconds: 16, GOP: recordedGOP, BFrames: 3},
	)
	encoded, made := renderPlan(t, makePlan(t, nil, media.RenderSettings{FlipH: true}, talk.Path))
	if made.Encoded != made.Frames || made.Frames != 480 {
		t.Fatalf("got %+v, want 480 encoded frames", made)
	}
	copied, made := renderPlan(t, makePlan(t, nil, media.RenderSettings{}, talk.Path))
	if made.Copied != made.Frames {
		t.Fatalf("got %+v, want copied frames", made)
	}
	proxy := ingestFile(t, talk.Path).ProxyPath
	for path, apart := range map[string]int{encoded: 60, copied: recordedGOP, proxy: 15} {
		frames := videoPackets(t, path)
		if n := checkKeyframes(t, frames, apart); n < 480/apart {
			t.Errorf("%s has %d keyframes", path, n)
		}
		reordered := false
		for _, packet := range frames {
			reordered = reordered || *packet.PTS != *packet.DTS
		}
		if reordered == (path == proxy) {
			t.Errorf("%s has reordered frames: %v", path, reordered)
		}
	}
}

// priming returns how long before the video the first audio packet of a Matroska file is, in
// seconds. Decoders discard this time, but ffmpeg counts its times from there.
func priming(t *testing.T, path string) float64 {
	if filepath.Ext(path) != ".mkv" {
		return 0
	}
	out, err := mediatest.Command(
		t, "ffprobe", "-v", "error", "-show_entries", "format=start_time", "-of", "csv=p=0", path,
	).Output()
	if err != nil {
		t.Fatal(err)
	}
	start, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil || start > 0 {
		t.Fatalf("the file starts at %v: %v", start, err)
	}
	return -start
}

// checkPlacement compares the audio of each segment with ffmpeg's decoding at the same clip time.
// ffmpeg's decoding starts zero seconds before clip time 0.
func checkPlacement(t *testing.T, plan media.RenderPlan, out string, talk mediatest.TalkFixture, zero float64) {
	t.Helper()
	const hz, window = 48000, 120
	source, audio := mediatest.PCM(t, talk.Path, hz), mediatest.PCM(t, out, hz)
	audio = audio[int(math.Round(priming(t, out)*hz)):]
	if want := plan.Rate.Sample(plan.Frames(), hz); int64(len(audio)) < want-hz/100 {
		t.Fatalf("the audio has %d samples, want %d", len(audio), want)
	}
	shift := int64(math.Round(zero * hz)) // clip time 0 in source
	worst, checked := 0.0, 0
	for _, s := range plan.Segments {
		from, at, n := plan.Samples(s)
		const length = window * hz / 1000
		if n < 2*length || from < hz { // if audio starts later than video, there is nothing to compare at first
			continue
		}
		for _, in := range []int64{480, n - length - 480} {
			if from+in+length+shift > int64(len(source))-hz/10 {
				continue // the audio of the source ends here
			}
			lag, fit := mediatest.Lag(source, audio[at+in:at+in+length], int(from+in+shift), hz/50)
			if fit < 0.8 {
				t.Errorf("segment at output frame %d: the audio is wrong (fit %.2f)", s.Start, fit)
			}
			if ms := float64(lag) / hz * 1000; ms > 2 || ms < -2 {
				t.Errorf("segment at output frame %d: the audio is %.2f ms off", s.Start, ms)
			} else {
				worst = max(worst, ms, -ms)
			}
			checked++
		}
	}
	if checked < min(6, len(plan.Segments)) {
		t.Errorf("only %d places were compared", checked)
	}
	t.Logf("%d places, worst %.2f ms", checked, worst)
}

// Reading backwards works. Only a plan that uses a recording twice needs it.
func TestReadsBackwards(t *testing.T) {
	talk := mediatest.Talk(t, mediatest.TalkOptions{Width: 320, Height: 180, Seconds: 16, GOP: 30, Hiss: true})
	plan := makePlan(t, nil, media.RenderSettings{}, talk.Path)
	plan.Segments = []media.Segment{
		{In: 300, Out: 320, Start: 0},
		{In: 45, Out: 70, Start: 20},
		{In: 310, Out: 330, Start: 45},
		{In: 0, Out: 5, Start: 65},
	}
	out, _ := renderPlan(t, plan)
	shown := make([]int64, 480)
	for i := range shown {
		shown[i] = int64(i)
	}
	checkFrames(t, plan, mediatest.FrameNumbers(t, out), [][]int64{shown})
	zero, counted := clipZero(t, talk.Path)
	checkPlacement(t, plan, out, talk, zero-counted)
}
