package libav

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// A song with cover art has no video, and an animation moves.
func TestCoverArtAndAnimations(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	ffmpeg(t, "-f", "lavfi", "-i", "testsrc2=s=320x180:d=1", "-frames:v", "1", file("still.png"))
	ffmpeg(t, "-f", "lavfi", "-i", "testsrc2=s=320x180:d=1", "-frames:v", "1", file("still.jpg"))
	ffmpeg(t, "-f", "lavfi", "-i", "testsrc2=s=160x90:d=2:r=10", file("moving.gif"))
	ffmpeg(
		t, "-f", "lavfi", "-i", "sine=d=3", "-i", file("still.png"), "-map", "0", "-map", "1", "-c:v", "png",
		"-disposition:v", "attached_pic", "-c:a", "libmp3lame", file("song.mp3"),
	)
	ffmpeg(
		t, "-f", "lavfi", "-i", "testsrc2=s=320x180:d=3:r=25", "-f", "lavfi", "-i", "sine=d=3", "-f", "lavfi",
		"-i", "sine=d=3:f=880", "-map", "1", "-map", "0", "-map", "2", "-c:v", "libx264",
		"-timecode", "10:00:00:00", file("tracks.mov"),
	)
	ffmpeg(
		t, "-i", file("still.jpg"), "-i", file("tracks.mov"), "-map", "0", "-map", "1:v", "-map", "1:a:0",
		"-c", "copy", "-disposition:v:0", "0", "-disposition:v:1", "default", file("cover.mkv"),
	)
	for _, c := range []struct {
		name, contentType string
		video, audio      bool
		ms                int64
	}{
		{"moving.gif", "image/gif", true, false, 2000},
		{"song.mp3", "audio/mpeg", false, true, 3000},
		{"tracks.mov", "video/quicktime", true, true, 3000},
		{"cover.mkv", "video/x-matroska", true, true, 3000},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ingestFile(t, file(c.name))
			info := got.Info
			if info.ContentType != c.contentType || (info.Video != nil) != c.video ||
				(info.Audio != nil) != c.audio ||
				(c.video && info.Video.Still) {
				t.Errorf("got %+v %+v", info, info.Video)
			}
			if info.DurationMS < c.ms-60 || info.DurationMS > c.ms+60 {
				t.Errorf("duration %d ms, want %d", info.DurationMS, c.ms)
			}
		})
	}
}

// One frame with a damaged time stamp does not freeze the video.
func TestOutlierFilterDropsOneFrame(t *testing.T) {
	base := astiav.NewRational(1, 10)
	for _, c := range []struct {
		name     string
		in, want []int64
	}{
		{"outlier", []int64{0, 1, 9999, 2, 3}, []int64{0, 1, 2, 3}},
		{"real gap", []int64{0, 1, 500, 501, 502}, []int64{0, 1, 500, 501, 502}},
		{"gap at the end", []int64{0, 1, 500}, []int64{0, 1, 500}},
		{"reordered a little", []int64{0, 2, 1, 3}, []int64{0, 2, 1, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var filter outlierFilter
			defer filter.close()
			rest := c.in
			f := astiav.AllocFrame()
			defer f.Free()
			var got []int64
			for {
				f.Unref()
				err := filter.next(f, base, func(f *astiav.Frame) error {
					if len(rest) == 0 {
						return io.EOF
					}
					f.SetPts(rest[0])
					rest = rest[1:]
					return nil
				})
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, framePTS(f))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// The level of a mono microphone stays the same in the export.
func TestMonoKeepsItsLevel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mono.wav")
	ffmpeg(t, "-f", "lavfi", "-i", "sine=f=440:d=3,volume=6dB", "-ac", "1", path)
	out, _ := renderPlan(t, makePlan(t, nil, media.RenderSettings{ShortSide: 90, AspectRatio: "16:9"}, path))
	want := rms(mediatest.PCM(t, path, 48000))
	for _, side := range []string{"FL", "FR"} {
		one := filepath.Join(t.TempDir(), side+".wav")
		ffmpeg(t, "-i", out, "-af", "pan=mono|c0="+side, one)
		if got := rms(mediatest.PCM(t, one, 48000)); got < want*0.97 || got > want*1.03 {
			t.Errorf("level %.4f on %s, in the source %.4f", got, side, want)
		}
	}
	speech := ingestFile(t, path)
	if got := rms(speechSamples(t, speech.SpeechPath)); got < want*0.97 || got > want*1.03 {
		t.Errorf("speech has level %.4f, the source %.4f", got, want)
	}
}

// Files state the timecode of their first frame or sample: drop-frame or not, in the video or in a
// track of its own, and in Broadcast Wave.
func TestTimecodeIsRead(t *testing.T) {
	dir := t.TempDir()
	video := []string{"-f", "lavfi", "-i", "testsrc2=s=320x180:d=1:r=30000/1001", "-c:v", "libx264"}
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
		{"bext.wav", "", 1_728_000_123, []string{
			"-f", "lavfi", "-i", "sine=d=1:r=48000", "-write_bext", "1", "-metadata", "time_reference=1728000123",
		}},
		{"late.wav", "", 0, []string{ // past the end of a day
			"-f", "lavfi", "-i", "sine=d=1:r=48000", "-write_bext", "1", "-metadata", "time_reference=5000000000",
		}},
	} {
		path := filepath.Join(dir, c.name)
		ffmpeg(t, append(c.args, path)...)
		info, err := New().Probe(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Timecode != c.timecode || info.TimeReference != c.reference {
			t.Errorf("%s: timecode %q and sample %d, want %q and %d",
				c.name, info.Timecode, info.TimeReference, c.timecode, c.reference)
		}
	}
}
