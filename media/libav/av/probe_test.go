package av

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// A probe finds the first video frame after the start of the recording, on the grid.
func TestProbeFindsTheFirstFrame(t *testing.T) {
	for want, options := range map[int64]mediatest.TalkOptions{
		0: {Seconds: 2, AudioStartMS: 300}, 233_333: {Seconds: 2, VideoStartMS: 500, AudioStartMS: 300},
	} {
		info, err := Probe(context.Background(), mediatest.Talk(t, options).Path)
		if err != nil {
			t.Fatal(err)
		}
		// With the delay of the encoder of audio, the second one starts 221 ms late.
		if got := info.Video.StartUS; got != want || !info.Video.Aligned {
			t.Errorf("the first frame is at %d µs, want %d", got, want)
		}
	}
}

// A probe lists the audio tracks of a file with several, and which of them Roughcut plays.
func TestProbeListsTheAudioTracks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "screen.mkv")
	ffmpeg := mediatest.Command(t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x64:d=1",
		"-f", "lavfi", "-i", "sine=d=1", "-map", "0", "-map", "1", "-map", "1", "-c:v", "libx264", "-c:a", "aac",
		"-ac:a:1", "2", "-metadata:s:a:0", "title=Desktop", "-metadata:s:a:1", "language=ger",
		"-disposition:a:0", "0", "-disposition:a:1", "default", path)
	if text, err := ffmpeg.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	info, err := Probe(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	want := []media.AudioTrack{
		{Stream: 1, Channels: 1, SampleRate: 44100, Codec: "aac", Title: "Desktop"},
		{Stream: 2, Channels: 2, SampleRate: 44100, Codec: "aac", Language: "ger", Played: true},
	}
	if !slices.Equal(info.AudioTracks, want) || info.Audio.Channels != 2 {
		t.Errorf("the tracks are %+v, want %+v; %d channels are played", info.AudioTracks, want, info.Audio.Channels)
	}
	one, err := Probe(context.Background(), mediatest.Talk(t, mediatest.TalkOptions{Seconds: 2}).Path)
	if err != nil || len(one.AudioTracks) != 1 || one.HeardTracks() != nil {
		t.Errorf("a file with one audio track has the list %+v, heard %v: %v", one.AudioTracks, one.HeardTracks(), err)
	}
}

func TestRatesAreSnapped(t *testing.T) {
	for _, c := range []struct{ num, den, wantNum, wantDen int64 }{
		{30000, 1001, 30000, 1001},
		{2997, 100, 30000, 1001},
		{30, 1, 30, 1},
		{15, 1, 15, 1},
		{283_000_000_000, 18_870_000_000, 15, 1},
		{283_000_000_001, 23_583_333_331, 12, 1},
		{12_345_678_901, 1_000_000_000, 6173, 500}, // 12.346
		{120, 1, 120, 1},
		{240_100, 1000, 240, 1},
		{300, 1, 300, 1},
		{299_700, 1000, 300, 1},
		{90_000, 1, 1000, 1},
		{0, 1, 30, 1},
	} {
		if got := tidyRate(c.num, c.den); got != (media.Rate{Num: c.wantNum, Den: c.wantDen}) {
			t.Errorf("tidyRate(%d, %d) = %s", c.num, c.den, got)
		}
	}
}

func TestVariableRatesGetAGrid(t *testing.T) {
	for _, c := range []struct {
		average, believed float64
		want              media.Rate
	}{
		{29.4, 30, media.Rate{Num: 30, Den: 1}},
		{29.5, 90000, media.Rate{Num: 30000, Den: 1001}},
		{12.3, 0, media.Rate{Num: 30, Den: 1}},
		{44, 0, media.Rate{Num: 60, Den: 1}},
		{58, 60, media.Rate{Num: 60, Den: 1}},
		{241, 0, media.Rate{Num: 240, Den: 1}},
		{290.4, 0, media.Rate{Num: 290, Den: 1}},
		{math.Inf(1), 90000, media.Rate{Num: 1000, Den: 1}},
	} {
		if got := variableRate(c.average, c.believed); got != c.want {
			t.Errorf("variableRate(%v, %v) = %s, want %s", c.average, c.believed, got, c.want)
		}
	}
}

func TestSteadyRate(t *testing.T) {
	ms := astiav.NewRational(1, 1000)
	var even, coarse, dropped []int64
	for i := range int64(200) {
		even = append(even, i*40)
		coarse = append(coarse, (i*1001*1000+15000)/30000) // 29.97 in whole milliseconds
		if i%9 != 4 {
			dropped = append(dropped, i*40)
		}
	}
	if steady, num, den := steadyRate(even, ms); !steady || media.SnapRate(num, den) != (media.Rate{Num: 25, Den: 1}) {
		t.Errorf("even: %v %d/%d", steady, num, den)
	}
	if steady, num, den := steadyRate(coarse, ms); !steady ||
		media.SnapRate(num, den) != (media.Rate{Num: 30000, Den: 1001}) {
		t.Errorf("coarse: %v %d/%d", steady, num, den)
	}
	if steady, _, _ := steadyRate(dropped, ms); steady {
		t.Error("dropped frames count as a steady rate")
	}
}

// Reading stops after ten seconds, in the middle of reordered frames. Their rate is still steady.
func TestReorderedFramesHaveASteadyRate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pal.mp4")
	mediatest.FFmpeg(
		t, "-f", "lavfi", "-i", "testsrc=s=160x90:r=25:d=14", "-c:v", "libx264", "-preset", "ultrafast",
		"-bf", "3", "-b_strategy", "0", "-x264-params", "b-pyramid=normal", path,
	)
	info, err := Probe(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if v := info.Video; v.VariableRate || v.Rate != (media.Rate{Num: 25, Den: 1}) {
		t.Errorf("the rate is %v, variable: %v", v.Rate, v.VariableRate)
	}
}

// Files state the timecode of their first frame or sample: drop-frame or not, in the video, in a
// separate track, in the stream of MPEG-2, and in Broadcast Wave.
func TestTimecodeIsRead(t *testing.T) {
	dir := t.TempDir()
	video := []string{"-f", "lavfi", "-i", "testsrc2=s=320x180:d=1:r=30000/1001", "-c:v", "libx264"}
	mpeg2 := []string{"-f", "lavfi", "-i", "testsrc2=s=320x180:d=1:r=25", "-c:v", "mpeg2video", "-bf", "2"}
	for _, c := range []struct {
		name, timecode string
		reference      int64
		args           []string
	}{
		{"df.mov", "01:00:00;02", 0, append(video, "-timecode", "01:00:00;02")},
		{"ndf.mov", "10:00:00:00", 0, append(video, "-timecode", "10:00:00:00")},
		{"df.mp4", "00:59:59;28", 0, append(video, "-timecode", "00:59:59;28")},
		{"df.mkv", "01:02:03;04", 0, append(video, "-metadata:s:v:0", "timecode=01:02:03;04")},
		{"none.mp4", "", 0, video},
		{"hdv.m2t", "03:04:05:06", 0, append(mpeg2, "-gop_timecode", "03:04:05:06", "-f", "mpegts")},
		{"dvd.mpg", "03:04:05;06", 0, append(mpeg2, "-r", "30000/1001", "-gop_timecode", "03:04:05;06", "-f", "vob")},
		{"none.m2t", "", 0, append(mpeg2, "-f", "mpegts")},
		{"bext.wav", "", 1_728_000_123, []string{
			"-f", "lavfi", "-i", "sine=d=1:r=48000", "-write_bext", "1", "-metadata", "time_reference=1728000123",
		}},
		{"late.wav", "", 0, []string{ // past the end of a day
			"-f", "lavfi", "-i", "sine=d=1:r=48000", "-write_bext", "1", "-metadata", "time_reference=5000000000",
		}},
	} {
		path := filepath.Join(dir, c.name)
		mediatest.FFmpeg(t, append(c.args, path)...)
		info, err := Probe(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Timecode != c.timecode || info.TimeReference != c.reference {
			t.Errorf("%s: timecode %q and sample %d, want %q and %d",
				c.name, info.Timecode, info.TimeReference, c.timecode, c.reference)
		}
	}
}
