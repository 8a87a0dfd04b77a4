package libav

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// recorder is a recording of a camcorder, a capture program or an editor, and what a probe reports.
type recorder struct {
	mediatest.TalkOptions
	contentType, video, audio string
	displayWidth              int // 0 for the width of the options
	interlaced                bool
}

// recorders are recordings by their name, in the containers and codecs of camcorders and editors.
func recorders() map[string]recorder {
	type o = mediatest.TalkOptions
	in := func(contentType, video, audio, container, videoCodec, audioCodec string, more ...func(*o)) recorder {
		r := recorder{contentType: contentType, video: video, audio: audio, TalkOptions: o{
			Hiss: true, Width: 320, Height: 180, Seconds: 16, RateNum: 25,
			Container: container, VideoCodec: videoCodec, AudioCodec: audioCodec,
		}}
		for _, change := range more {
			change(&r.TalkOptions)
		}
		return r
	}
	size := func(width, height int) func(*o) { return func(o *o) { o.Width, o.Height = width, height } }
	pixels := func(format string) func(*o) { return func(o *o) { o.PixelFormat = format } }
	video := func(options ...string) func(*o) { return func(o *o) { o.VideoOptions = options } }
	output := func(options ...string) func(*o) { return func(o *o) { o.OutputOptions = options } }
	bFrames := func(o *o) { o.BFrames, o.GOP = 2, 12 }
	channels := func(n int) func(*o) { return func(o *o) { o.Channels = n } }
	const stream, program = "video/mp2t", "video/mpeg"
	pal := []func(*o){size(720, 576), video("-aspect", "4:3")}

	all := map[string]recorder{
		"avchd ac3":  in(stream, "h264", "ac3", "mts", "libx264", "ac3", bFrames),
		"avchd 5.1":  in(stream, "h264", "ac3", "m2ts", "libx264", "ac3", bFrames, channels(6)),
		"avchd lpcm": in(stream, "h264", "pcm_bluray", "m2ts", "libx264", "pcm_bluray", bFrames),
		"ts eac3":    in(stream, "h264", "eac3", "ts", "libx264", "eac3"),
		"ts dts":     in(stream, "h264", "dts", "ts", "libx264", "dca", output("-b:a", "768k")),
		"ts mp2":     in(stream, "h264", "mp2", "ts", "libx264", "mp2"),
		"hdv": in(stream, "mpeg2video", "mp2", "m2t", "mpeg2video", "mp2", size(360, 270),
			video("-b:v", "3M", "-flags", "+ilme+ildct", "-aspect", "16:9", "-bf", "2", "-g", "12")),
		"mpg": in(program, "mpeg2video", "mp2", "mpg", "mpeg2video", "mp2",
			video("-b:v", "3M", "-bf", "2", "-g", "12")),
		"mpeg-1": in(program, "mpeg1video", "mp2", "mpeg", "mpeg1video", "mp2", video("-b:v", "2M", "-bf", "2")),
		"dvd ac3": in(program, "mpeg2video", "ac3", "vob", "mpeg2video", "ac3",
			video("-b:v", "3M", "-bf", "2", "-g", "12"), output("-f", "dvd")),
		"dvd lpcm": in(program, "mpeg2video", "pcm_dvd", "vob", "mpeg2video", "pcm_dvd",
			video("-b:v", "3M", "-bf", "2", "-g", "12"), output("-f", "vob")),
		"flv": in("video/x-flv", "h264", "aac", "flv", "libx264", "aac", bFrames),
		"flv mp3": in("video/x-flv", "h264", "mp3", "flv", "libx264", "libmp3lame",
			func(o *o) { o.SampleRate = 44100 }),
		"dv":     in("video/x-dv", "dvvideo", "pcm_s16le", "dv", "dvvideo", "pcm_s16le", pal...),
		"dv avi": in("video/x-msvideo", "dvvideo", "pcm_s16le", "avi", "dvvideo", "pcm_s16le", pal...),
		"dv mov": in("video/quicktime", "dvvideo", "pcm_s16le", "mov", "dvvideo", "pcm_s16le", pal...),
		"dnxhr mov": in("video/quicktime", "dnxhd", "pcm_s24le", "mov", "dnxhd", "pcm_s24le",
			video("-profile:v", "dnxhr_lb"), pixels("yuv422p")),
		"xdcam mxf": in("application/mxf", "mpeg2video", "pcm_s16le", "mxf", "mpeg2video", "pcm_s16le",
			video("-b:v", "5M", "-bf", "2", "-g", "12"), pixels("yuv422p")),
		"ffv1":    in("video/x-matroska", "ffv1", "flac", "mkv", "ffv1", "flac", video("-level", "3", "-slices", "4")),
		"huffyuv": in("video/x-msvideo", "huffyuv", "pcm_s16le", "avi", "huffyuv", "pcm_s16le", pixels("yuv422p")),
		"ffvhuff": in("video/x-msvideo", "ffvhuff", "pcm_s16le", "avi", "ffvhuff", "pcm_s16le"),
		"utvideo": in("video/x-msvideo", "utvideo", "pcm_s16le", "avi", "utvideo", "pcm_s16le"),
		"wmv 7":   in("video/x-ms-wmv", "wmv1", "wmav1", "wmv", "wmv1", "wmav1", video("-b:v", "2M")),
		"wmv 8":   in("video/x-ms-wmv", "wmv2", "wmav2", "asf", "wmv2", "wmav2", video("-b:v", "2M")),
		"dnxhd mov": in("video/quicktime", "dnxhd", "pcm_s16le", "mov", "dnxhd", "pcm_s16le", size(1920, 1080),
			video("-b:v", "36M"), pixels("yuv422p")),
		"dnxhd mxf": in("application/mxf", "dnxhd", "pcm_s16le", "mxf", "dnxhd", "pcm_s16le", size(1920, 1080),
			video("-b:v", "36M"), pixels("yuv422p")),
		"xavc mxf": in("application/mxf", "h264", "pcm_s24le", "mxf", "libx264", "pcm_s24le"),
	}
	for name, width := range map[string]int{"hdv": 480, "dv": 768, "dv avi": 768, "dv mov": 768} {
		r := all[name]
		r.displayWidth, r.interlaced = width, true
		all[name] = r
	}

	return all
}

// recordersOnlyInLong differ from others in the container or the codec alone, or are large.
func recordersOnlyInLong() []string {
	return []string{
		"dnxhd mov", "dnxhd mxf", "dv mov", "ts mp2", "avchd 5.1", "mpeg-1", "flv mp3", "ffvhuff", "wmv 7", "dvd ac3",
	}
}

func recordings(names []string) map[string]mediatest.TalkOptions {
	all := map[string]mediatest.TalkOptions{}
	for _, name := range names {
		all[name] = recorders()[name].TalkOptions
	}
	return all
}

// TestCamcordersKeepTime reads every container from the beginning, for an ingest, and from many
// places, for a render. It reads every codec in one of the two ways.
func TestCamcordersKeepTime(t *testing.T) {
	t.Parallel()
	checkIngests(t, recordings([]string{
		"avchd lpcm", "ts eac3", "ts dts", "hdv", "dvd lpcm", "flv", "dv avi", "dnxhr mov", "xavc mxf", "ffv1",
		"utvideo", "wmv 8",
	}))
	checkRenders(t, recordings([]string{"avchd ac3", "hdv", "mpg", "flv", "dv", "xdcam mxf", "huffyuv", "wmv 8"}))
}

func TestLongCamcordersKeepTime(t *testing.T) {
	needsLong(t)
	all := recordings(slices.Collect(maps.Keys(recorders())))
	checkIngests(t, all)
	checkRenders(t, all)
}

func TestProbeKnowsCamcorders(t *testing.T) {
	t.Parallel()
	for name, r := range recorders() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if slices.Contains(recordersOnlyInLong(), name) {
				needsLong(t)
			}
			info, err := New().Probe(context.Background(), mediatest.Talk(t, r.TalkOptions).Path)
			if err != nil {
				t.Fatal(err)
			}
			v, a := info.Video, info.Audio
			if v == nil || a == nil {
				t.Fatalf("got video %v and audio %v", v, a)
			}
			width := r.displayWidth
			if width == 0 {
				width = r.Width
			}
			got := fmt.Sprintf("%s %s %s %dx%d %v %v %d %d", info.ContentType, v.Codec, a.Codec, v.Width, v.Height,
				v.Rate, v.Interlaced, a.Channels, a.SampleRate)
			want := fmt.Sprintf("%s %s %s %dx%d %v %v %d %d", r.contentType, r.video, r.audio, width, r.Height,
				media.Rate{Num: 25, Den: 1}, r.interlaced, max(2, r.Channels), max(r.SampleRate, 44100))
			if r.SampleRate == 0 {
				want = strings.Replace(want, " 44100", " 48000", 1)
			}
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if info.DurationMS < 15_900 || info.DurationMS > 16_150 {
				t.Errorf("the header says %d ms", info.DurationMS)
			}
		})
	}
}

// Audio programs and phones write these files.
func TestAudioContainersKeepTime(t *testing.T) {
	t.Parallel()
	source := mediatest.Talk(t, mediatest.TalkOptions{
		NoVideo: true, Hiss: true, Seconds: 5, Container: "wav", AudioCodec: "pcm_s16le",
	}).Path
	for _, c := range []struct{ name, codec, contentType string }{
		{"a.aiff", "pcm_s16be", "audio/aiff"}, {"b.aiff", "pcm_s24be", "audio/aiff"},
		{"c.aif", "pcm_f32be", "audio/aiff"}, {"d.aif", "pcm_f64be", "audio/aiff"},
		{"e.caf", "pcm_s16le", "audio/x-caf"}, {"f.caf", "alac", "audio/x-caf"}, {"g.caf", "pcm_f32le", "audio/x-caf"},
		{"h.wma", "wmav2", "audio/x-ms-wma"}, {"i.mp2", "mp2", "audio/mpeg"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), c.name)
			mediatest.FFmpeg(t, "-i", source, "-c:a", c.codec, path)
			got := ingestFile(t, path)
			if got.Info.ContentType != c.contentType || got.Info.Audio.Codec != c.codec ||
				got.Info.Audio.Channels != 2 {
				t.Errorf("got %s %+v", got.Info.ContentType, got.Info.Audio)
			}
			if got.Info.DurationMS < 4950 || got.Info.DurationMS > 5080 {
				t.Errorf("the recording has %d ms", got.Info.DurationMS)
			}
			want, heard := mediatest.PCM(t, path, 48000), mediatest.PCM(t, got.ProxyPath, 48000)
			zero, counted := clipZero(t, path)
			from := 2*48000 + int(math.Round((zero-counted)*48000))
			lag, fit := mediatest.Lag(want, heard[2*48000:][:9600], from, 2400)
			if lag < -48 || lag > 48 || fit < 0.8 {
				t.Errorf("the proxy is %d samples off (fit %.2f)", lag, fit)
			}
		})
	}
}

// The error for a codec that is not read has its usual name and says what to do.
func TestRefusedCodecHasItsUsualName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, want string
		args       []string
	}{
		{"a.avi",
			"encoded as Microsoft MPEG-4 version 3 (DivX 3) (msmpeg4v3), which is not supported; convert it to H.264",
			[]string{"-c:v", "msmpeg4v3"}},
		{"b.flv", "Sorenson Spark (flv1)", []string{"-c:v", "flv1"}},
		{"c.avi", "uncompressed video (rawvideo)", []string{"-c:v", "rawvideo"}},
		{"d.avi", "Windows Media Video 9 (wmv3)", []string{"-c:v", "wmv2"}},
		{"e.mkv", "the audio of this recording is encoded as Microsoft ADPCM (adpcm_ms), which is not supported; " +
			"convert it to AAC", []string{"-c:v", "mpeg4", "-c:a", "adpcm_ms", "-ar", "44100"}},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), c.file)
			args := []string{"-f", "lavfi", "-i", "testsrc2=s=320x180:d=1:r=25", "-f", "lavfi", "-i", "sine=d=1"}
			mediatest.FFmpeg(t, append(append(args, c.args...), path)...)
			if strings.Contains(c.want, "wmv3") { // ffmpeg cannot encode it
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				path = writeFile(t, c.file, bytes.ReplaceAll(data, []byte("WMV2"), []byte("WMV3")))
			}
			_, err := New().Probe(context.Background(), path)
			var problem *av.MediaError
			if !errors.As(err, &problem) || !strings.Contains(problem.Message, c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
