package libav

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// hevcTalk is a talk as HEVC whose packets an export that keeps the codec can copy.
func hevcTalk(change func(*mediatest.TalkOptions)) mediatest.TalkOptions {
	o := mediatest.TalkOptions{
		Hiss:         true,
		Width:        320,
		Height:       180,
		Seconds:      10,
		VideoCodec:   "libx265",
		VideoOptions: tagged,
		GOP:          30,
	}
	change(&o)
	return o
}

// x265 returns options of x265 in addition to the options of all talks.
func x265(bFrames, gop int, more string) []string {
	return append(
		[]string{"-x265-params", fmt.Sprintf("log-level=none:bframes=%d:keyint=%d:%s", bFrames, gop, more)},
		tagged...)
}

// longHEVC are HEVC recordings for the long tests only.
func longHEVC() map[string]mediatest.TalkOptions {
	type o = mediatest.TalkOptions
	return map[string]mediatest.TalkOptions{
		"10 bits":     hevcTalk(func(o *o) { o.BFrames, o.OpenGOP, o.PixelFormat = 4, true, "yuv420p10le" }),
		"8-bit 4:2:2": hevcTalk(func(o *o) { o.PixelFormat = "yuv422p" }),
		"4:4:4":       hevcTalk(func(o *o) { o.BFrames, o.PixelFormat = 4, "yuv444p" }),
		"deep 4:4:4":  hevcTalk(func(o *o) { o.BFrames, o.PixelFormat = 4, "yuv444p10le" }),
		"full range": hevcTalk(func(o *o) {
			o.PixelFormat, o.VideoOptions = "yuvj420p", append(slices.Clone(tagged), "-color_range", "pc")
		}),
		"closed gop": hevcTalk(func(o *o) { o.GOP, o.BFrames = 48, 4 }),
		"screen":     hevcTalk(func(o *o) { o.GOP, o.BFrames = 250, 3 }),
		"mkv open": hevcTalk(
			func(o *o) { o.Container, o.BFrames, o.OpenGOP, o.RateNum, o.RateDen = "mkv", 4, true, 30000, 1001 },
		),
		"mov 60": hevcTalk(
			func(o *o) { o.Container, o.GOP, o.BFrames, o.OpenGOP, o.RateNum = "mov", 60, 4, true, 60 },
		),
		"jitter":      hevcTalk(func(o *o) { o.BFrames, o.Filter, o.VideoOptions = 2, jitter, fine }),
		"audio later": hevcTalk(func(o *o) { o.AudioStartMS, o.BFrames = 730, 2 }),
		"sets in band": hevcTalk(func(o *o) {
			o.VideoOptions = append(x265(4, 30, "aud=1:repeat-headers=1:open-gop=1"), "-tag:v", "hev1")
		}),
		"many slices":    hevcTalk(func(o *o) { o.VideoOptions = x265(4, 30, "slices=4:open-gop=1") }),
		"layers of time": hevcTalk(func(o *o) { o.VideoOptions = x265(4, 30, "temporal-layers=1:open-gop=1") }),
		"decodable lead": hevcTalk(func(o *o) { o.VideoOptions = x265(4, 30, "radl=2:open-gop=0") }),
		"buffer model": hevcTalk(func(o *o) {
			o.VideoOptions = x265(4, 30, "hrd=1:vbv-maxrate=2000:vbv-bufsize=2000:open-gop=1:repeat-headers=1")
		}),
	}
}

// Copied HEVC is bit-exact, the rest is encoded well as HEVC, and no decoder reports anything.
func TestCopiedHEVCIsExact(t *testing.T) {
	type o = mediatest.TalkOptions
	checkHEVC(t, map[string]mediatest.TalkOptions{
		"phone":    hevcTalk(func(*o) {}),
		"open gop": hevcTalk(func(o *o) { o.GOP, o.BFrames, o.OpenGOP = 24, 4, true }),
		"4:2:2":    hevcTalk(func(o *o) { o.BFrames, o.OpenGOP, o.PixelFormat = 4, true, "yuv422p10le" }),
	})
}

func TestLongCopiedHEVCIsExact(t *testing.T) {
	needsLong(t)
	checkHEVC(t, longHEVC())
}

func checkHEVC(t *testing.T, recordings map[string]mediatest.TalkOptions) {
	t.Helper()
	for name, options := range recordings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			talk := mediatest.Talk(t, options)
			plan := makePlan(t, everySecond(9500), media.RenderSettings{KeepCodec: true}, talk.Path)
			out, made := renderPlan(t, plan)
			checkKept(t, made)
			start, counted := clipZero(t, talk.Path)
			shown := shownNumbers(t, talk.Path, plan.Rate, start, plan.Inputs[0].Frames)
			checkFrames(t, plan, mediatest.FrameNumbers(t, out), [][]int64{shown})
			checkStamps(t, out)
			checkPlacement(t, plan, out, talk, start-counted)
			checkSilentDecoder(t, out)
			checkWithoutSets(t, out)
			if format := ffprobe(
				t, out, "-select_streams", "v:0", "-show_entries", "stream=pix_fmt",
			).Streams[0].PixFmt; format != cmp.Or(
				options.PixelFormat,
				"yuv420p",
			) {
				t.Errorf("its pixel format is %s", format)
			}
			copied := checkCopies(t, plan, out, talk.Path, shown)
			t.Logf("%d of %d frames were copied", copied, plan.Frames())
			if copied == 0 {
				t.Error("nothing was copied")
			}
			// Too little of the screen recording is copied. For many slices behind an open GOP,
			// ffmpeg reports errors in the recording itself.
			if name != "screen" && name != "many slices" {
				checkStarts(t, out)
			}
		})
	}
}

// checkKept checks that an export stayed HEVC on the first attempt.
func checkKept(t *testing.T, made media.RenderResult) {
	t.Helper()
	if made.Codec != "hevc" || made.H264Because != "" || made.RepeatedBecause != "" {
		t.Errorf("made %+v", made)
	}
}

// checkStarts checks that players can start at keyframes all over an export. From there on they
// must show the same frames as from the beginning, and decoders must miss nothing.
func checkStarts(t *testing.T, path string) {
	t.Helper()
	whole := frameSums(t, path, "0")
	packets := videoPackets(t, path)
	base := seconds(
		t,
		ffprobe(t, path, "-select_streams", "v:0", "-show_entries", "stream=duration").Streams[0].Duration,
	) / float64(len(packets))
	var shown []int64
	for _, p := range packets {
		shown = append(shown, *p.PTS)
	}
	slices.Sort(shown)
	var keys []int
	for _, p := range packets {
		if p.Flags[0] == 'K' {
			keys = append(keys, slices.Index(shown, *p.PTS))
		}
	}
	if len(keys) < 8 {
		t.Fatalf("only %d keyframes", len(keys))
	}
	for i := range 8 {
		key := keys[i*(len(keys)-1)/7]
		from := frameSums(t, path, fmt.Sprintf("%.6f", (float64(key)-0.4)*base))
		if n := min(len(from), 12); n == 0 || !slices.Equal(from[:n], whole[key:key+n]) {
			t.Errorf("from frame %d on, other frames are shown", key)
		}
	}
}

// frameSums returns checksums of the first frames that ffmpeg shows from a time on, or of all
// frames from the beginning.
func frameSums(t *testing.T, path, from string) (sums []string) {
	t.Helper()
	args := []string{"-v", "warning", "-nostdin", "-ss", from, "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough"}
	if from != "0" {
		args = append(args, "-frames:v", "12")
	}
	var report strings.Builder
	cmd := mediatest.Command(t, "ffmpeg", append(args, "-f", "framemd5", "-")...)
	cmd.Stderr = &report
	out, err := cmd.Output()
	if err != nil || report.Len() > 0 {
		t.Errorf("decoding from %s s: %v\n%.2000s", from, err, report.String())
	}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Split(strings.TrimSpace(line), ","); line[0] != '#' {
			sums = append(sums, fields[len(fields)-1])
		}
	}
	return sums
}

// checkRemuxed checks that an export shows the same frames in a container without a decoder
// configuration.
func checkRemuxed(t *testing.T, path string) {
	t.Helper()
	stream := filepath.Join(t.TempDir(), "stream.ts")
	if out, err := mediatest.Command(
		t, "ffmpeg", "-v", "error", "-nostdin", "-i", path, "-c", "copy", stream,
	).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !slices.Equal(frameSums(t, path, "0"), frameSums(t, stream, "0")) {
		t.Error("as a transport stream it shows other frames")
	}
}

// checkWithoutSets checks that the decoder configuration of an export holds all parameter sets, as
// Apple's players need it. Packets then show the same frames without theirs.
func checkWithoutSets(t *testing.T, path string) {
	t.Helper()
	tag, err := mediatest.Command(
		t, "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=codec_tag_string",
		"-of", "csv=p=0", path,
	).Output()
	if got := strings.TrimSpace(string(tag)); err != nil || (got != "hvc1" && filepath.Ext(path) != ".mkv") {
		t.Errorf("its tag is %q, %v", got, err)
	}
	bare := filepath.Join(t.TempDir(), "bare"+filepath.Ext(path))
	mediatest.FFmpeg(
		t, "-i", path, "-map", "0:v:0", "-c", "copy", "-tag:v", "hvc1",
		"-bsf:v", "filter_units=remove_types=32-34", bare,
	)
	if !slices.Equal(frameSums(t, path, "0"), frameSums(t, bare, "0")) {
		t.Error("without parameter sets in packets it shows other frames")
	}
}

// A copied recording whose parameter sets have the IDs of another one shows the same frames.
func TestHEVCWithOtherSetsIsExact(t *testing.T) {
	t.Parallel()
	type o = mediatest.TalkOptions
	// Both are decoded with the same delay.
	first := mediatest.Talk(t, hevcTalk(func(o *o) { o.BFrames = 4 })).Path
	for name, options := range map[string][]string{
		"weighted":  x265(3, 30, "weightp=1:weightb=1:open-gop=1:fades=1"),
		"slices":    x265(2, 30, "slices=3:ref=4:open-gop=1:rect=1"),
		"layers":    x265(4, 30, "temporal-layers=1:open-gop=0:hrd=1:vbv-maxrate=2000:vbv-bufsize=2000"),
		"no waves":  x265(4, 30, "wpp=0:b-pyramid=1:cbqpoffs=3:no-deblock=1"),
		"scaling":   x265(2, 30, "scaling-list=default:tskip=1:constrained-intra=1:no-sao=1:temporal-mvp=0"),
		"deblocked": x265(2, 30, "deblock=-2,-2:qg-size=8:ctu=16:repeat-headers=1:hash=1"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			second := mediatest.Talk(t, hevcTalk(func(o *o) { o.Seconds, o.VideoOptions = 6, options })).Path
			cuts := []media.Span{{StartMS: 1300, EndMS: 9500}, {StartMS: 12_300, EndMS: 13_100}}
			plan := makePlan(t, cuts, media.RenderSettings{KeepCodec: true, Format: "mov"}, first, second)
			out, made := renderPlan(t, plan)
			checkKept(t, made)
			checkSilentDecoder(t, out)
			checkWithoutSets(t, out)
			copied, least := checkAgainstDrawn(t, plan, out)
			t.Logf("%d of %d frames were copied, the worst of the others has %.1f dB", copied, plan.Frames(), least)
			if copied < 120 {
				t.Error("the second recording was not copied")
			}
		})
	}
}

// An export stays HEVC if requested and if all its footage is HEVC that can be copied. Otherwise it
// is H.264 and says why.
func TestExportKeepsHEVC(t *testing.T) {
	t.Parallel()
	checkKeptHEVC(
		t, "two kinds of HEVC", "HEVC and H.264", "10 bits and 8", "10 bits and a watermark", "another size",
	)
}

func TestLongExportKeepsHEVC(t *testing.T) {
	needsLong(t)
	checkKeptHEVC(t, "requested", "not requested", "HEVC and audio", "H.264", "10 bits and audio", "a mirrored video")
}

// keptHEVC is an export with or without HEVC, and why it has none.
type keptHEVC struct {
	paths    []string
	settings media.RenderSettings
	codec    string
	why      string
	copies   bool
}

func checkKeptHEVC(t *testing.T, names ...string) {
	t.Helper()
	type o = mediatest.TalkOptions
	hevc := mediatest.Talk(t, hevcTalk(func(*o) {})).Path
	other := mediatest.Talk(t, hevcTalk(func(o *o) { o.VideoOptions = x265(0, 24, "open-gop=1:ctu=16:ref=1") })).Path
	avc := mediatest.Talk(
		t,
		mediatest.TalkOptions{Hiss: true, Width: 320, Height: 180, Seconds: 10, VideoOptions: tagged, GOP: 30},
	).Path
	deep := mediatest.Talk(t, hevcTalk(func(o *o) { o.PixelFormat = "yuv420p10le" })).Path
	audio := mediatest.Talk(t, mediatest.TalkOptions{NoVideo: true, Container: "m4a", Seconds: 10}).Path
	keep := media.RenderSettings{KeepCodec: true}
	exports := map[string]keptHEVC{
		"not requested":     {[]string{hevc}, media.RenderSettings{}, "h264", "", false},
		"requested":         {[]string{hevc}, keep, "hevc", "", true},
		"two kinds of HEVC": {[]string{hevc, other}, keep, "hevc", "", true},
		"HEVC and audio":    {[]string{hevc, audio}, keep, "hevc", "", true},
		"HEVC and H.264":    {[]string{hevc, avc}, keep, "h264", whyNotHEVC, true},
		"H.264":             {[]string{avc}, keep, "h264", "", true},
		"10 bits and 8":     {[]string{deep, hevc}, keep, "h264", whyMixed, false},
		"10 bits and audio": {[]string{deep, audio}, keep, "hevc", "", true},
		"10 bits and a watermark": {
			[]string{deep}, media.RenderSettings{KeepCodec: true, Watermark: true}, "h264", whyDrawn, false,
		},
		"another size": {
			[]string{hevc}, media.RenderSettings{KeepCodec: true, ShortSide: 120}, "h264",
			"the export is 214×120, the recording is 320×180", false,
		},
		"a mirrored video": {
			[]string{hevc}, media.RenderSettings{KeepCodec: true, FlipH: true}, "h264", whyFlipped, false,
		},
	}
	for _, name := range names {
		c := exports[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := makePlan(
				t,
				[]media.Span{
					{StartMS: 1300, EndMS: 2900},
					{StartMS: 5100, EndMS: 6700},
					{StartMS: 12_300, EndMS: 13_100},
				},
				c.settings,
				c.paths...)
			counts, err := New().CountFrames(context.Background(), media.CountRequest{Plan: plan})
			if err != nil || counts.H264Because != c.why {
				t.Errorf("before the render: %q, %v, want %q", counts.H264Because, err, c.why)
			}
			out, made := renderPlan(t, plan)
			if made.Codec != c.codec || made.H264Because != c.why || (made.Copied > 0) != c.copies ||
				made.RepeatedBecause != "" {
				t.Errorf("made %+v", made)
			}
			if codec := ffprobe(
				t, out, "-select_streams", "v:0", "-show_entries", "stream=codec_name",
			).Streams[0].CodecName; codec != c.codec {
				t.Errorf("it is %s", codec)
			}
			if got := mediatest.FrameNumbers(t, out); int64(len(got)) != plan.Frames() {
				t.Errorf("%d frames of %d", len(got), plan.Frames())
			}
			checkSilentDecoder(t, out)
			checkStamps(t, out)
			if c.copies && !slices.Contains(c.paths, audio) {
				checkAgainstDrawn(t, plan, out)
			}
			if c.codec == "hevc" {
				checkRemuxed(t, out)
				checkWithoutSets(t, out)
			}
		})
	}
}

// Only frames with captions are re-encoded as HEVC, in the same track. Encoded chunks are cached
// and pre-rendered.
func TestCaptionsOnHEVCEncodeOnlyTheirFrames(t *testing.T) {
	t.Parallel()
	talk := mediatest.Talk(t, hevcTalk(func(o *mediatest.TalkOptions) { o.GOP, o.BFrames, o.OpenGOP = 24, 4, true }))
	settings := media.RenderSettings{KeepCodec: true, Captions: &media.CaptionTrack{
		Options: media.CaptionOptions{StyleName: boxedStyle(t), Position: "top", Color: [3]uint8{255, 255, 255}},
		Lines: []media.CaptionLine{
			{Text: "the first line of two", StartMS: 700, EndMS: 2600},
			{Text: "and the other", StartMS: 7000, EndMS: 8000},
		},
	}}
	plan := named(
		makePlan(t, []media.Span{{StartMS: 3103, EndMS: 3852}, {StartMS: 5107, EndMS: 5590}}, settings, talk.Path),
	)
	e, _ := keeping(t, 1<<30)
	if err := e.Prerender(context.Background(), plan); err != nil {
		t.Fatal(err)
	}
	var sums [2][]string
	for i := range sums {
		out, made := renderWith(t, e, plan)
		checkKept(t, made)
		if made.Copied == 0 || made.Reused == 0 || made.Encoded > 0 {
			t.Errorf("made %+v", made)
		}
		checkSilentDecoder(t, out)
		checkStarts(t, out)
		checkWithoutSets(t, out)
		copied, least := checkAgainstDrawn(t, plan, out)
		t.Logf("%d of %d frames were copied, the worst of the others has %.1f dB", copied, plan.Frames(), least)
		sums[i] = frameSums(t, out, "0")
		// An H.264 export does not reuse HEVC chunks.
		usual := plan
		usual.KeepCodec = false
		if _, made := renderWith(t, e, usual); made.Codec != "h264" || (made.Reused > 0 && i == 0) {
			t.Errorf("as H.264: %+v", made)
		}
	}
	if !slices.Equal(sums[0], sums[1]) {
		t.Error("the second shows other frames")
	}
}

// Without cuts, HEVC is copied completely, with the tag that Apple's players need.
func TestUnchangedHEVCIsCopied(t *testing.T) {
	talk := mediatest.Talk(t, hevcTalk(func(o *mediatest.TalkOptions) { o.GOP, o.BFrames, o.OpenGOP = 24, 4, true }))
	plan := makePlan(t, nil, media.RenderSettings{KeepCodec: true}, talk.Path)
	out, made := renderPlan(t, plan)
	checkKept(t, made)
	if made.Copied != plan.Frames() {
		t.Errorf("made %+v of %d frames", made, plan.Frames())
	}
	checkWithoutSets(t, out)
	if !slices.Equal(frameSums(t, talk.Path, "0"), frameSums(t, out, "0")) {
		t.Error("it shows other frames")
	}
	checkSilentDecoder(t, out)
}

// A copy may follow another copy. Pictures that refer to removed ones are numbered from the start
// again.
func TestHEVCCopyFollowsAnother(t *testing.T) {
	talk := mediatest.Talk(t, hevcTalk(func(o *mediatest.TalkOptions) { o.GOP, o.BFrames, o.OpenGOP = 24, 4, true }))
	plan := makePlan(t, []media.Span{{StartMS: 4200, EndMS: 8800}}, media.RenderSettings{KeepCodec: true}, talk.Path)
	parts := chunksOf(t, plan)
	if n := len(parts); n < 2 || !parts[n-1].Copy || !parts[n-2].Copy || parts[n-1].In != 264 {
		t.Fatalf("the chunks are %+v, so this test proves nothing", parts)
	}
	out, made := renderPlan(t, plan)
	checkKept(t, made)
	start, _ := clipZero(t, talk.Path)
	checkFrames(
		t, plan, mediatest.FrameNumbers(t, out),
		[][]int64{shownNumbers(t, talk.Path, plan.Rate, start, plan.Inputs[0].Frames)},
	)
	checkStamps(t, out)
	checkSilentDecoder(t, out)
	checkAgainstDrawn(t, plan, out)
}
