package libav

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// A constant-rate copy has a constant rate. Its frame n is the one that the recording shows at the
// time of frame n, and its audio is in sync. A recording whose frames are only unevenly spaced is
// copied.
func TestConstantRateCopies(t *testing.T) {
	t.Parallel()
	uneven := append([]string{"-enc_time_base", "1/90000", "-video_track_timescale", "90000"}, tagged...)
	for name, c := range map[string]struct {
		mediatest.TalkOptions
		copied bool
	}{
		"dropped":    {mediatest.TalkOptions{Variable: true, GOP: 30, BFrames: 2, VideoOptions: tagged}, false},
		"late video": {mediatest.TalkOptions{Variable: true, VideoStartMS: 500, AudioStartMS: 300}, false},
		"rotated":    {mediatest.TalkOptions{Variable: true, Width: 360, Height: 640, RotationDeg: 90}, false},
		"hevc":       {mediatest.TalkOptions{Variable: true, VideoCodec: "libx265", VideoOptions: tagged}, false},
		"uneven": {mediatest.TalkOptions{
			Filter: "settb=1/90000,setpts='PTS+0.3*sin(N)/FRAME_RATE/TB'", VideoOptions: uneven,
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.Seconds, c.Hiss = 4, true
			talk := mediatest.Talk(t, c.TalkOptions)
			info, err := New().Probe(context.Background(), talk.Path)
			if err != nil || !info.VariableRate() {
				t.Fatalf("the recording has no variable rate: %v", err)
			}
			plan, err := media.ConstantRatePlan(media.RenderClip{Path: talk.Path, Info: info})
			if err != nil {
				t.Fatal(err)
			}
			out, made := renderPlan(t, plan)
			copied, err := New().Probe(context.Background(), out)
			if err != nil {
				t.Fatal(err)
			}
			if v, was := copied.Video, info.Video; v.VariableRate || v.Rate != media.StandardRate(was.Rate) ||
				v.Width != was.Width || v.Height != was.Height || (v.Codec != was.Codec && made.Copied > 0) {
				t.Errorf("the copy has %+v, the recording %+v", v, was)
			}
			if c.copied && made.Encoded > 0 {
				t.Errorf("%d frames are encoded: %s", made.Encoded, made.EncodedBecause)
			}
			checkStamps(t, out)
			start, counted := clipZero(t, talk.Path)
			shown := shownNumbers(t, talk.Path, plan.Rate, start, plan.Inputs[0].Frames)
			checkFrames(t, plan, mediatest.FrameNumbers(t, out), [][]int64{shown})
			shift := int(math.Round((start - counted) * media.SampleRate))
			source, heard := mediatest.PCM(t, talk.Path, media.SampleRate), mediatest.PCM(t, out, media.SampleRate)
			for at := media.SampleRate; at+media.SampleRate < len(heard); at += media.SampleRate {
				lag, fit := mediatest.Lag(source, heard[at:at+media.SampleRate/2], at+shift, media.SampleRate/10)
				if math.Abs(float64(lag)) > 2 || fit < 0.9 {
					t.Errorf("the audio at sample %d is %d samples off (fit %.2f)", at, lag, fit)
				}
			}
		})
	}
}

// channelsOf returns the samples of each audio channel of a file at media.SampleRate.
func channelsOf(t *testing.T, path string, n int) [][]float32 {
	t.Helper()
	raw, err := mediatest.Command(t, "ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-ar",
		strconv.Itoa(media.SampleRate), "-f", "f32le", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	channels := make([][]float32, n)
	for i := 0; i+4*n <= len(raw); i += 4 * n {
		for c := range n {
			channels[c] = append(channels[c], math.Float32frombits(binary.LittleEndian.Uint32(raw[i+4*c:])))
		}
	}
	return channels
}

// A constant-rate copy has all audio channels of the recording in their order, copied or encoded.
func TestConstantRateCopiesKeepChannels(t *testing.T) {
	t.Parallel()
	talk := mediatest.Talk(t, mediatest.TalkOptions{
		Seconds: 4, Width: 320, Height: 180, Variable: true, VideoOptions: tagged,
	})
	for name, c := range map[string]struct {
		layout, container string
		channels          int
		options           []string
	}{
		"5.1 AAC":       {"5.1", "mp4", 6, []string{"-c:a", "aac", "-b:a", "400k"}},
		"5.1 side FLAC": {"5.1(side)", "mkv", 6, []string{"-c:a", "flac"}},
		"5.1 44.1 kHz":  {"5.1", "mp4", 6, []string{"-c:a", "aac", "-b:a", "400k", "-ar", "44100"}},
		"7.1 PCM":       {"7.1", "mov", 8, []string{"-c:a", "pcm_s16le"}},
		"5.0 FLAC":      {"5.0(side)", "mkv", 5, []string{"-c:a", "flac"}},
		"mono AAC":      {"mono", "mp4", 1, []string{"-c:a", "aac"}},
		"mono 44.1 kHz": {"mono", "mp4", 1, []string{"-c:a", "aac", "-ar", "44100"}},
		"3 channels":    {"3.0", "mkv", 3, []string{"-c:a", "flac"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "talk."+c.container)
			args := []string{"-v", "error", "-i", talk.Path}
			graph, inputs := "", ""
			for i := range c.channels { // separate noise, so that each channel and each moment is unique
				graph += fmt.Sprintf("anoisesrc=r=48000:a=0.3:d=4:c=brown:s=%d,", i+1) +
					fmt.Sprintf("aformat=channel_layouts=mono[n%d];", i)
				inputs += fmt.Sprintf("[n%d]", i)
			}
			graph += fmt.Sprintf("%sjoin=inputs=%d:channel_layout=%s[a]", inputs, c.channels, c.layout)
			args = append(args, "-filter_complex", graph, "-map", "0:v", "-map", "[a]", "-c:v", "copy")
			args = append(append(args, c.options...), path)
			if text, err := mediatest.Command(t, "ffmpeg", args...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			info, err := New().Probe(context.Background(), path)
			if err != nil || info.Audio.Channels != c.channels {
				t.Fatalf("the recording is %+v: %v", info.Audio, err)
			}
			plan, err := media.ConstantRatePlan(media.RenderClip{Path: path, Info: info})
			if err != nil {
				t.Fatal(err)
			}
			out, _ := renderPlan(t, plan)
			copied, err := New().Probe(context.Background(), out)
			if err != nil || copied.Audio.Channels != c.channels {
				t.Fatalf("the copy has %+v: %v", copied.Audio, err)
			}
			source, heard := channelsOf(t, path, c.channels), channelsOf(t, out, c.channels)
			for i := range source {
				if i == 3 && c.channels > 5 {
					continue // encoders filter the low-frequency effects
				}
				at := 2 * media.SampleRate
				lag, fit := mediatest.Lag(source[i], heard[i][at:at+media.SampleRate], at, media.SampleRate/10)
				if math.Abs(float64(lag)) > 2 || fit < 0.9 {
					t.Errorf("channel %d is %d samples off (fit %.2f)", i, lag, fit)
				}
			}
		})
	}
}

// A constant-rate copy starts with the timecode of the recording. The label stays on its frame if
// the video of the recording starts later than its audio.
func TestConstantRateCopiesKeepTimecode(t *testing.T) {
	for name, c := range map[string]struct {
		rate        int
		label, want string
		lateMS      int
	}{
		"drop":     {30000, "01:00:00;02", "01:00:00;02", 0},
		"non-drop": {25, "10:00:00:00", "10:00:00:00", 0},
		"late":     {30, "10:00:00:00", "09:59:59:18", 400},
		"too late": {30, "00:00:00:05", "", 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			den := 1
			if c.rate == 30000 {
				den = 1001
			}
			talk := mediatest.Talk(t, mediatest.TalkOptions{
				Seconds: 3, Variable: true, RateNum: c.rate, RateDen: den, VideoStartMS: c.lateMS,
				OutputOptions: []string{"-timecode", c.label},
			})
			info, err := New().Probe(context.Background(), talk.Path)
			if err != nil || info.Timecode != c.label {
				t.Fatalf("the recording has the timecode %q: %v", info.Timecode, err)
			}
			plan, err := media.ConstantRatePlan(media.RenderClip{Path: talk.Path, Info: info})
			if err != nil {
				t.Fatal(err)
			}
			out, _ := renderPlan(t, plan)
			copied, err := New().Probe(context.Background(), out)
			if err != nil || copied.Timecode != c.want {
				t.Errorf("the copy has the timecode %q, want %q: %v", copied.Timecode, c.want, err)
			}
		})
	}
}

// A constant-rate copy has the colors of the recording.
func TestConstantRateCopiesKeepColors(t *testing.T) {
	type o = mediatest.TalkOptions
	stated := func(space, transfer, primaries string) []string {
		return []string{
			"-colorspace", space, "-color_trc", transfer, "-color_primaries", primaries, "-color_range", "tv",
		}
	}
	for name, c := range map[string]struct {
		talk                    mediatest.TalkOptions
		space, transfer, format string
	}{
		"BT.601": {o{VideoOptions: stated("smpte170m", "smpte170m", "smpte170m")}, "smpte170m", "smpte170m", "yuv420p"},
		"HLG": {
			o{
				VideoCodec: "libx265", PixelFormat: "yuv420p10le",
				VideoOptions: stated("bt2020nc", "arib-std-b67", "bt2020"),
			},
			"bt2020nc", "arib-std-b67", "yuv420p10le",
		},
		"PQ": {
			o{
				VideoCodec: "libx265", PixelFormat: "yuv420p10le",
				VideoOptions: stated("bt2020nc", "smpte2084", "bt2020"),
			},
			"bt2020nc", "smpte2084", "yuv420p10le",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.talk.Seconds, c.talk.Variable = 4, true
			talk := mediatest.Talk(t, c.talk)
			info, err := New().Probe(context.Background(), talk.Path)
			if err != nil || !info.VariableRate() {
				t.Fatalf("the recording has no variable rate: %v", err)
			}
			plan, err := media.ConstantRatePlan(media.RenderClip{Path: talk.Path, Info: info})
			if err != nil {
				t.Fatal(err)
			}
			out, _ := renderPlan(t, plan)
			s := ffprobe(t, out, "-select_streams", "v:0", "-show_streams").Streams[0]
			if s.Space != c.space || s.Transfer != c.transfer || s.PixFmt != c.format {
				t.Errorf("the copy is %s %s %s", s.Space, s.Transfer, s.PixFmt)
			}
			start, _ := clipZero(t, talk.Path)
			shown := shownNumbers(t, talk.Path, plan.Rate, start, plan.Inputs[0].Frames)
			checkFrames(t, plan, mediatest.FrameNumbers(t, out), [][]int64{shown})
		})
	}
}
