package libav

import (
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// A song with cover art has no video, and an animation moves.
func TestCoverArtAndAnimations(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "testsrc2=s=320x180:d=1", "-frames:v", "1", file("still.png"))
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "testsrc2=s=320x180:d=1", "-frames:v", "1", file("still.jpg"))
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "testsrc2=s=160x90:d=2:r=10", file("moving.gif"))
	mediatest.FFmpeg(
		t, "-f", "lavfi", "-i", "sine=d=3", "-i", file("still.png"), "-map", "0", "-map", "1", "-c:v", "png",
		"-disposition:v", "attached_pic", "-c:a", "libmp3lame", file("song.mp3"),
	)
	mediatest.FFmpeg(
		t, "-f", "lavfi", "-i", "testsrc2=s=320x180:d=3:r=25", "-f", "lavfi", "-i", "sine=d=3", "-f", "lavfi",
		"-i", "sine=d=3:f=880", "-map", "1", "-map", "0", "-map", "2", "-c:v", "libx264",
		"-timecode", "10:00:00:00", file("tracks.mov"),
	)
	mediatest.FFmpeg(
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

// The level of a mono microphone stays the same in the export.
func TestMonoKeepsItsLevel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mono.wav")
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "sine=f=440:d=3,volume=6dB", "-ac", "1", path)
	out, _ := renderPlan(t, makePlan(t, nil, media.RenderSettings{ShortSide: 90, AspectRatio: "16:9"}, path))
	want := rms(mediatest.PCM(t, path, 48000))
	if got := rms(mediatest.PCM(t, out, 48000)); got < want*0.97 || got > want*1.03 {
		t.Errorf("the export has level %.4f, the source %.4f", got, want)
	}
	speech := ingestFile(t, path)
	if got := rms(speechSamples(t, speech.SpeechPath)); got < want*0.97 || got > want*1.03 {
		t.Errorf("speech has level %.4f, the source %.4f", got, want)
	}
}
