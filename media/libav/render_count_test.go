package libav

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/estimate"
	"roughcut/media/mediatest"
)

// countInput returns the input of an estimate with the keyframes that Ingest finds.
func countInput(t testing.TB, cuts []media.Span, settings media.RenderSettings, talks ...string) estimate.Input {
	t.Helper()
	in := estimate.Input{Plan: makePlan(t, cuts, settings, talks...), Aspect: settings.AspectRatio}
	for _, talk := range talks {
		found, err := New().Ingest(context.Background(), media.IngestRequest{Path: talk}, nil)
		if err != nil {
			t.Fatal(err)
		}
		in.Clips = append(in.Clips, media.RenderClip{Path: talk, Info: found.Info})
		in.Sources = append(in.Sources, estimate.Source{Name: filepath.Base(talk), Keyframes: found.Keyframes})
	}

	return in
}

// counted returns the estimate of a render from its counts.
func counted(t testing.TB, e *Engine, in estimate.Input) estimate.Result {
	t.Helper()
	counts, err := e.CountFrames(context.Background(), in.CountRequest())
	if err != nil {
		t.Fatal(err)
	}
	in.Counts = &counts
	return in.Estimate()
}

// The counts predict which frames a render copies and encodes, and the size of a file with copied
// frames. After the first render, its rates predict the size of encoded ones.
func TestCountsPredictTheRender(t *testing.T) {
	t.Parallel()
	recordings := copyable()
	hevc := mediatest.TalkOptions{
		Seconds: 16, VideoCodec: "libx265", GOP: 60,
		VideoOptions: append([]string{"-x265-params", "log-level=error", "-preset", "ultrafast"}, tagged...),
	}
	for _, c := range []struct {
		name     string
		talk     mediatest.TalkOptions
		settings media.RenderSettings
	}{
		{"copied", recordings["phone"], media.RenderSettings{}},
		{"variable rate", recordings["variable"], media.RenderSettings{}},
		{"few gaps", recordings["few gaps"], media.RenderSettings{}},
		{"smaller", recordings["screen"], media.RenderSettings{ShortSide: 120}},
		{
			"another shape", recordings["phone"],
			media.RenderSettings{AspectRatio: "9:16", ShortSide: 240, Fit: media.Crop},
		},
		{"HEVC", hevc, media.RenderSettings{KeepCodec: true}},
		{"audio", recordings["phone"], media.RenderSettings{Format: "m4a"}},
	} {
		in := countInput(t, somePauses, c.settings, mediatest.Talk(t, c.talk).Path)
		_, made := renderPlan(t, in.Plan)
		first := counted(t, New(), in)
		in.Rates = []media.RenderRates{in.Measure(made)}
		second := counted(t, New(), in)
		size := float64(made.SizeBytes)
		copied := max(first.Copied-made.Copied, made.Copied-first.Copied)
		off := func(bytes int64) bool { return float64(bytes) < 0.75*size || float64(bytes) > 1.25*size }
		if (first.Basis == estimate.BasisIndex && off(first.SizeBytes)) || off(second.SizeBytes) ||
			10*copied > in.Plan.Frames() {
			t.Errorf("%s: first %+v, then %+v; made %d copied frames, %d bytes", c.name, first, second,
				made.Copied, made.SizeBytes)
		}
	}
}

// ratedVideo writes a short video of a frame rate, with a keyframe every second.
func ratedVideo(t testing.TB, name, rate, encoder string, more ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	args := []string{"-f", "lavfi", "-i", "testsrc2=s=128x72:d=3:r=" + rate, "-c:v", encoder, "-preset", "ultrafast",
		"-pix_fmt", "yuv420p", "-g", rate}
	mediatest.FFmpeg(t, append(append(append(args, tagged...), more...), path)...)
	return path
}

// A recording that is too fast for an export loses frames, and the estimate says so.
func TestTooFastRecordingsAreReduced(t *testing.T) {
	t.Parallel()
	for name, rate := range map[string]string{"fast.mp4": "300", "fast.mkv": "300", "faster.mov": "480"} {
		in := countInput(t, nil, media.RenderSettings{}, ratedVideo(t, name, rate, "libx264"))
		said, want := counted(t, New(), in), name+" has "+rate+" frames per second, and exports have at most 240"
		out, made := renderPlan(t, in.Plan)
		if said.EncodedBecause != want || said.Copied != made.Copied || made.RepeatedBecause != "" {
			t.Errorf("said %+v, want %q; made %+v", said, want, made)
		}
		if made.Frames != 720 || len(videoPackets(t, out)) != 720 {
			t.Errorf("%s: %d frames, %d packets, want 720", name, made.Frames, len(videoPackets(t, out)))
		}
	}
}

// HEVC recordings of two frame rates stay HEVC, as said before the export.
func TestHEVCOfTwoRatesStaysHEVC(t *testing.T) {
	t.Parallel()
	quiet := []string{"-x265-params", "log-level=error"}
	for _, extension := range []string{"mp4", "mkv"} {
		paths := []string{
			ratedVideo(t, "a."+extension, "30", "libx265", quiet...),
			ratedVideo(t, "b."+extension, "25", "libx265", quiet...),
		}
		in := countInput(t, nil, media.RenderSettings{KeepCodec: true}, paths...)
		said := counted(t, New(), in)
		out, made := renderPlan(t, in.Plan)
		checkKept(t, made)
		want := "b." + extension + " has 25 frames per second instead of 30"
		if said.EncodedBecause != want || said.CopiesMost() {
			t.Errorf("half is encoded because %q, want %q", said.EncodedBecause, want)
		}
		if said.H264Because != "" || said.Copied != 90 || made.Copied < said.Copied {
			t.Errorf("%s: said %+v, made %+v", extension, said, made)
		}
		if codec := ffprobe(t, out, "-show_entries", "stream=codec_name").Streams[0].CodecName; codec != "hevc" {
			t.Errorf("%s: it is %s", extension, codec)
		}
	}
}

// A waveform that is drawn for one recording does not keep the packets of another one from being
// copied, whatever its colors and its bit depth. Bars and background have the right colors.
func TestWaveformKeepsCopiesOfOtherColors(t *testing.T) {
	t.Parallel()
	audio, peaks := soundOf(t)
	quiet := []string{"-x265-params", "log-level=error"}
	for _, c := range []struct {
		name, encoder, space, levels, format string
	}{
		{"bt601.mp4", "libx264", "smpte170m", "tv", "yuv420p"},
		{"full.mp4", "libx264", "bt470bg", "pc", "yuvj420p"},
		{"hevc.mp4", "libx265", "smpte170m", "tv", "yuv420p"},
		{"deep.mp4", "libx265", "bt709", "tv", "yuv422p10le"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			options := []string{"-pix_fmt", c.format, "-colorspace", c.space, "-color_range", c.levels}
			if c.encoder == "libx265" {
				options = append(options, quiet...)
			}
			video := ratedVideo(t, c.name, "30", c.encoder, options...)
			settings := media.RenderSettings{KeepCodec: true, Background: "#20b050",
				AudioClips: media.AudioClips{Waveform: true, Color: "#e040a0"}}
			in := countInput(t, nil, settings, video, audio)
			in.Plan.Inputs[1].PeaksPath = peaks
			said := counted(t, New(), in)
			out, made := renderPlan(t, in.Plan)
			if said.Copied != 90 || made.Copied != 90 || said.H264Because+made.H264Because != "" ||
				made.RepeatedBecause != "" {
				t.Errorf("said %+v, made %+v", said, made)
			}
			if said.EncodedBecause != "tone.wav has no video" {
				t.Errorf("most is encoded because %q", said.EncodedBecause)
			}
			s := ffprobe(t, out, "-select_streams", "v:0", "-show_streams").Streams[0]
			if s.Space != c.space || s.Range != c.levels || s.PixFmt != c.format {
				t.Errorf("the export is %s %s %s", s.Space, s.Range, s.PixFmt)
			}

			bars, _ := in.Plan.WaveformBars(in.Plan.WaveformLevels([][]byte{nil, readAll(t, peaks)}), 108)
			loud := bars[5] // 500 ms after the start of the audio clip
			pixels := colorsOf(t, out, 108)
			checkColor(t, "a played bar", pixels, 128, loud.Left+loud.Width/2, 36, [3]float64{0xe0, 0x40, 0xa0})
			for k, want := range []int{0x20, 0xb0, 0x50} { // with the matrix of BT.709, green is off by 22
				if got := int(pixels[3*(2*128+2)+k]); max(got-want, want-got) > 3 {
					t.Errorf("the background is %v", pixels[3*(2*128+2):][:3])
				}
			}
		})
	}
}

// The estimate names the recording that cannot stay HEVC, with the reason of its kind.
func TestReasonForH264NamesTheRecording(t *testing.T) {
	t.Parallel()
	x265 := func(name, format string) string {
		return ratedVideo(t, name, "30", "libx265", "-x265-params", "log-level=error", "-pix_fmt", format)
	}
	hevc := x265("phone.mp4", "yuv420p")
	for _, c := range []struct{ path, why string }{
		{x265("recorder.ts", "yuv420p"), whyNotKept},
		{x265("deep.mp4", "yuv420p12le"), whyDepth},
		{x265("gray.mp4", "gray"), whyGray},
		{x265("rgb.mp4", "gbrp"), whyRGB},
		{ratedVideo(t, "avc.mp4", "30", "libx264"), whyNotHEVC},
		{ratedVideo(t, "wide.mp4", "30", "libx264", "-pix_fmt", "yuv422p"), whyNotHEVC},
	} {
		for _, paths := range [][]string{{c.path}, {hevc, c.path}, {c.path, hevc}} {
			in := countInput(t, nil, media.RenderSettings{KeepCodec: true}, paths...)
			want := filepath.Base(c.path)
			if len(paths) == 1 {
				want = "the recording"
			}
			why := c.why
			if why == whyRGB && len(paths) > 1 {
				why = "the colors of the recordings differ"
			}
			want = "The video will be H.264, because " + want + " cannot stay HEVC: " + why + "."
			if avc := strings.HasSuffix(c.path, "avc.mp4"); avc && len(paths) == 1 {
				want = "" // H.264 stays H.264
			}
			if got := strings.Join(counted(t, New(), in).Warnings(), " "); got != want {
				t.Errorf("%v: %q, want %q", paths, got, want)
			}
		}
	}
}

// Counting writes nothing to the cache. It knows which chunks an export would take from the cache.
func TestCountsKnowTheCache(t *testing.T) {
	in := countInput(t, somePauses, media.RenderSettings{ShortSide: 120}, chunkTalk(t).Path)
	in.Plan = named(in.Plan)
	engine, dir := keeping(t, 1<<30)
	if e := counted(t, engine, in); e.Reused != 0 || len(keptFiles(t, dir, "")) > 0 {
		t.Errorf("before the render: %+v, files %v", e, keptFiles(t, dir, ""))
	}
	_, made := renderWith(t, engine, in.Plan)
	e := counted(t, engine, in)
	if off := float64(e.SizeBytes) / float64(made.SizeBytes); e.Reused != in.Plan.Frames() || off < 0.8 || off > 1.25 {
		t.Errorf("after the render of %d bytes: %+v", made.SizeBytes, e)
	}
}

// Counting ends with its context.
func TestCountingIsCancelled(t *testing.T) {
	in := countInput(t, somePauses, media.RenderSettings{ShortSide: 120}, chunkTalk(t).Path)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := New().CountFrames(ctx, in.CountRequest())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
