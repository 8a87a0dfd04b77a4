package libav

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

func trim(t *testing.T, request media.TrimRequest) (media.Asset, string) {
	t.Helper()
	request.OutPath = filepath.Join(t.TempDir(), "out.mp4")
	last := 0.0
	a, err := New().Trim(context.Background(), request, func(f float64) {
		if f < last {
			t.Errorf("progress fell from %.3f to %.3f", last, f)
		}
		last = f
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != 1 {
		t.Errorf("progress ended at %.3f", last)
	}
	return a, request.OutPath
}

// numbered returns the frame numbers of several ranges.
func numbered(spans ...[2]int64) (all []int64) {
	for _, s := range spans {
		for n := s[0]; n < s[1]; n++ {
			all = append(all, n)
		}
	}
	return all
}

// An exact trim holds the requested frames at the source's own size and rate, with the audio of the
// same time.
func TestTrimIsExact(t *testing.T) {
	for name, options := range map[string]mediatest.TalkOptions{
		"b-frames":    {GOP: 250, BFrames: 3},
		"open gop":    {GOP: 24, BFrames: 3, OpenGOP: true},
		"webm":        {VideoCodec: "libvpx-vp9", AudioCodec: "libopus", Container: "webm"},
		"audio later": {AudioStartMS: 730},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options.Width = 320
			options.Height = 180
			options.Seconds = 12
			options.Hiss = true
			talk := mediatest.Talk(t, options)
			a, out := trim(
				t,
				media.TrimRequest{
					Path:    talk.Path,
					StartMS: 1500,
					EndMS:   9000,
					Cuts:    []media.Span{{StartMS: 3000, EndMS: 4000}, {StartMS: 3500, EndMS: 5200}},
				},
			)
			want := numbered([2]int64{45, 90}, [2]int64{156, 270})
			numbers := mediatest.FrameNumbers(t, out)
			if !slices.Equal(numbers, want) {
				t.Errorf("shows %d frames %v, want %d", len(numbers), numbers, len(want))
			}
			if a.Info.DurationMS != 5300 || a.Kind != "video" || a.ContentType != "video/mp4" ||
				a.Info.Video.Width != 320 ||
				a.Info.Video.Rate != (media.Rate{Num: 30, Den: 1}) {
				t.Errorf("got %+v %+v", a, a.Info.Video)
			}
			checkTogether(t, talk.Path, out, numbers, []int64{10, 30, 60, 120}, 8)
		})
	}
}

// checkTogether compares audio and video of an output at some frames. The output is a talk at 30
// frames a second.
func checkTogether(t *testing.T, source, out string, numbers []int64, at []int64, most float64) {
	t.Helper()
	heard := mediatest.PCM(t, source, 48000)[int(math.Round(max(0, firstTime(t, source))*48000)):]
	offsets := mediatest.Offsets(t, numbers, mediatest.PCM(t, out, 48000), heard, 30, 1, 48000, 200, at)
	if len(offsets) < len(at)-1 {
		t.Errorf("only %d of %d places could be compared", len(offsets), len(at))
	}
	for _, o := range offsets {
		if (o.Fit > 0.5 && math.Abs(o.MS) > most) || o.Fit <= 0.5 {
			t.Errorf("at frame %d the audio is %.2f ms late (fit %.2f)", o.Frame, o.MS, o.Fit)
		}
	}
}

// A fast trim copies packets from the keyframe before each segment on. Audio and video stay in
// sync, and time stamps increase.
func TestFastTrimCopies(t *testing.T) {
	others, _ := split(fastTrimmed(), fastTrimmedOnlyInLong())
	checkFastTrims(t, others)
}

func TestLongFastTrimCopies(t *testing.T) {
	needsLong(t)
	_, named := split(fastTrimmed(), fastTrimmedOnlyInLong())
	checkFastTrims(t, named)
}

// fastTrimmed are assets that a fast trim copies.
func fastTrimmed() map[string]mediatest.TalkOptions {
	return map[string]mediatest.TalkOptions{
		"plain":       {GOP: 30},
		"b-frames":    {GOP: 30, BFrames: 3},
		"hevc":        {VideoCodec: "libx265", GOP: 30, BFrames: 4},
		"ts":          {Container: "ts", GOP: 30, BFrames: 2},
		"mkv":         {Container: "mkv", GOP: 30, BFrames: 2},
		"vp9 opus":    {VideoCodec: "libvpx-vp9", AudioCodec: "libopus", Container: "webm", GOP: 30},
		"turned":      {RotationDeg: 90, GOP: 30},
		"fragmented":  {GOP: 30, OutputOptions: []string{"-movflags", "frag_keyframe+empty_moov"}},
		"audio later": {GOP: 30, AudioStartMS: 730},
	}
}

// fastTrimmedOnlyInLong are those whose properties are part of others.
func fastTrimmedOnlyInLong() []string { return []string{"plain", "b-frames", "mkv", "fragmented"} }

func checkFastTrims(t *testing.T, assets map[string]mediatest.TalkOptions) {
	t.Helper()
	for name, options := range assets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options.Width = 320
			options.Height = 180
			options.Seconds = 12
			options.Hiss = true
			talk := mediatest.Talk(t, options)
			a, out := trim(
				t,
				media.TrimRequest{
					Path:    talk.Path,
					Fast:    true,
					StartMS: 2500,
					EndMS:   10_100,
					Cuts:    []media.Span{{StartMS: 4000, EndMS: 7600}, {StartMS: 8100, EndMS: 8200}},
				},
			)
			codec := map[string]string{"": "h264", "libx265": "hevc", "libvpx-vp9": "vp9"}[options.VideoCodec]
			if a.Info.Video.Codec != codec || a.Info.Video.RotationDeg != options.RotationDeg ||
				a.ContentType != "video/mp4" {
				t.Errorf("got %+v %+v", a, a.Info.Video)
			}
			numbers := mediatest.FrameNumbers(t, out)
			if len(numbers) == 0 {
				t.Fatal("no frame is shown")
			}
			previous := int64(-1)
			for i, n := range numbers {
				if n < previous {
					t.Errorf("frame %d shows %d after %d", i, n, previous)
				}
				previous = n
			}
			// There is a keyframe each second. The second cut contains none and vanishes.
			// The audio of the transport stream starts first, so its frames are one later.
			late := int64(0)
			if options.Container == "ts" {
				late = 1
			}
			for _, n := range numbered([2]int64{75, 120 - late}, [2]int64{228, 303 - late}) {
				if !slices.Contains(numbers, n) {
					t.Errorf("frame %d, which was to stay, is gone", n)
				}
			}
			if numbers[0] < 30 || numbers[0] > 75 || previous > 303+8 {
				t.Errorf("shows %d to %d", numbers[0], previous)
			}
			for _, n := range numbers {
				if n > 120+8 && n < 180 {
					t.Errorf("frame %d was to be cut", n)
				}
			}
			p := ffprobe(t, out, "-show_packets")
			last := map[string]int64{}
			for _, packet := range p.Packets {
				if at, ok := last[packet.CodecType]; ok && *packet.DTS <= at {
					t.Errorf("a %s packet at %d follows one at %d", packet.CodecType, *packet.DTS, at)
				}
				last[packet.CodecType] = *packet.DTS
			}
			times := shownAt(t, out)
			if len(times) != len(numbers) {
				t.Fatalf("%d times of %d frames", len(times), len(numbers))
			}
			audio, source := mediatest.PCM(t, out, 48000), mediatest.PCM(t, talk.Path, 48000)
			filmed := shownAt(t, talk.Path)
			_, counted := clipZero(t, talk.Path)
			for _, i := range []int{20, len(numbers) - 60, len(numbers) - 20} {
				from := int(times[i] * 48000)
				seen := int((filmed[numbers[i]] - counted) * 48000)
				lag, fit := mediatest.Lag(source, audio[from:from+9600], seen, 4800)
				if ms := float64(lag) / 48; fit < 0.5 || math.Abs(ms) > 12 { // half a packet
					t.Errorf("frame %d, which shows %d: audio is %.1f ms early (fit %.2f)", i, numbers[i], ms, fit)
				}
			}
		})
	}
}

// shownAt returns the presentation time of each frame in seconds.
func shownAt(t *testing.T, path string) (times []float64) {
	t.Helper()
	for _, f := range ffprobe(t, path, "-select_streams", "v", "-show_frames").Frames {
		times = append(times, seconds(t, f.Time))
	}
	return times
}

// Codecs that an MP4 cannot hold are re-encoded, even for a fast trim.
func TestFastTrimEncodesUncopyableCodecs(t *testing.T) {
	for name, options := range map[string]mediatest.TalkOptions{
		"mjpeg avi": {Container: "avi", VideoCodec: "mjpeg", PixelFormat: "yuvj422p", AudioCodec: "pcm_s16le"},
		"open gop":  {GOP: 60, BFrames: 3, OpenGOP: true},
		"hevc open": {VideoCodec: "libx265", GOP: 30, BFrames: 4, OpenGOP: true},
		"pcm audio": {Container: "mov", AudioCodec: "pcm_s24le"},
		"vp8": {
			Container: "webm", VideoCodec: "libvpx", AudioCodec: "libopus",
			VideoOptions: []string{"-deadline", "realtime"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			options.Width = 320
			options.Height = 180
			options.Seconds = 6
			options.Hiss = true
			a, out := trim(
				t,
				media.TrimRequest{Path: mediatest.Talk(t, options).Path, StartMS: 2500, EndMS: 4500, Fast: true},
			)
			if a.Info.Video.Codec != "h264" ||
				!slices.Equal(mediatest.FrameNumbers(t, out), numbered([2]int64{75, 135})) {
				t.Errorf("got %+v", a.Info.Video)
			}
		})
	}
}

// Audio alone is trimmed to the millisecond, or to the packet in a fast trim, from recordings with
// and without video.
func TestTrimAudio(t *testing.T) {
	for name, c := range map[string]struct {
		options   mediatest.TalkOptions
		audioOnly bool
		fast      bool
	}{
		"of a video": {mediatest.TalkOptions{}, true, false},
		"fast":       {mediatest.TalkOptions{}, true, true},
		"of an mp3": {
			mediatest.TalkOptions{NoVideo: true, AudioCodec: "libmp3lame", Container: "mp3"}, false, false,
		},
		"fast, no aac": {mediatest.TalkOptions{NoVideo: true, AudioCodec: "flac", Container: "flac"}, false, true},
		"fast m4a":     {mediatest.TalkOptions{NoVideo: true, Container: "m4a"}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			c.options.Seconds, c.options.Hiss = 10, true
			if !c.options.NoVideo {
				c.options.Width, c.options.Height = 320, 180
			}
			talk := mediatest.Talk(t, c.options)
			a, out := trim(
				t,
				media.TrimRequest{
					Path:      talk.Path,
					StartMS:   1234,
					EndMS:     99_000,
					AudioOnly: c.audioOnly,
					Fast:      c.fast,
					Cuts:      []media.Span{{StartMS: 4321, EndMS: 6543}},
				},
			)
			if a.Kind != "audio" || a.ContentType != "audio/mp4" || a.Info.Audio.Codec != "aac" ||
				math.Abs(float64(a.Info.DurationMS-(10_000-1234-2222))) > 80 {
				t.Errorf("got %+v %+v", a, a.Info.Audio)
			}
			source, audio := mediatest.PCM(t, talk.Path, 48000), mediatest.PCM(t, out, 48000)
			for at, from := range map[float64]float64{0.5: 1.734, 2.8: 4.034, 3.6: 7.056, 6: 9.456} {
				lag, fit := mediatest.Lag(source, audio[int(at*48000):][:9600], int(from*48000), 4800)
				most := 1.0
				if c.fast && c.options.AudioCodec == "" {
					most = 45 // whole packets
				}
				if ms := float64(lag) / 48; fit < 0.8 || math.Abs(ms) > most {
					t.Errorf("at %.1f s audio is %.2f ms off (fit %.2f)", at, ms, fit)
				}
			}
		})
	}
}

func TestTrimRefuses(t *testing.T) {
	talk := mediatest.Talk(t, small())
	silent := small()
	silent.NoAudio = true
	still, moving := filepath.Join(t.TempDir(), "a.png"), filepath.Join(t.TempDir(), "a.gif")
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "testsrc2=s=160x90:d=1", "-frames:v", "1", still)
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "testsrc2=s=160x90:d=1:r=10", moving)
	for name, request := range map[string]media.TrimRequest{
		"image":         {Path: still},
		"animation":     {Path: moving, EndMS: 500},
		"beyond":        {Path: talk.Path, StartMS: 8000, EndMS: 9000},
		"far beyond":    {Path: talk.Path, StartMS: math.MaxInt64 - 1, Fast: true},
		"all cut":       {Path: talk.Path, StartMS: 1000, EndMS: 3000, Cuts: []media.Span{{StartMS: 0, EndMS: 3000}}},
		"less than one": {Path: talk.Path, StartMS: 1001, EndMS: 1003},
		"no audio":      {Path: mediatest.Talk(t, silent).Path, AudioOnly: true},
	} {
		t.Run(name, func(t *testing.T) {
			request.OutPath = filepath.Join(t.TempDir(), "out.mp4")
			var fault *av.MediaError
			if _, err := New().Trim(context.Background(), request, nil); !errors.As(err, &fault) {
				t.Errorf("got %v", err)
			}
			if exists(request.OutPath) {
				t.Error("a file was left")
			}
		})
	}
}

// A cancelled trim leaves no file.
func TestCancelledTrimLeavesNothing(t *testing.T) {
	talk := mediatest.Talk(t, mediatest.TalkOptions{Width: 640, Height: 360, Seconds: 30, Hiss: true})
	reason := errors.New("no longer wanted")
	for name, request := range map[string]media.TrimRequest{
		"exact": {}, "fast": {Fast: true}, "sound": {AudioOnly: true},
		"fast audio": {Fast: true, AudioOnly: true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, when := range []float64{0.01, 0.2, 0.5, 0.96} {
				dir := t.TempDir()
				request.Path, request.OutPath, request.StartMS = talk.Path, filepath.Join(dir, "out"), 1000
				ctx, cancel := context.WithCancelCause(context.Background())
				_, err := New().Trim(ctx, request, func(f float64) {
					if f >= when {
						cancel(reason)
					}
				})
				cancel(nil)
				if !errors.Is(err, reason) {
					t.Errorf("cancelled at %.2f: %v", when, err)
				}
				if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
					t.Errorf("cancelled at %.2f: left %v %v", when, left, err)
				}
			}
		})
	}
}
