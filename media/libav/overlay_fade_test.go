package libav

import (
	"math"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// A placed video fades in and out with its audio. It starts again at its end if it loops.
func TestAssetsFadeAndLoop(t *testing.T) {
	film, asset := filepath.Join(t.TempDir(), "film.mp4"), filepath.Join(t.TempDir(), "asset.mp4")
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "color=black:s=320x180:r=30:d=6", "-f", "lavfi", "-i",
		"anullsrc=r=48000:cl=stereo:d=6", "-shortest", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "30", film)
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "color=white:s=320x180:r=30:d=1", "-f", "lavfi", "-i",
		"sine=f=500:r=48000:d=1,volume=12dB", "-c:v", "libx264", "-pix_fmt", "yuv420p", asset)
	info, err := New().Probe(t.Context(), asset)
	if err != nil {
		t.Fatal(err)
	}
	placed := media.PlacedAsset{Path: asset, Name: "white", Info: info, Span: media.Span{StartMS: 1000, EndMS: 5000},
		Placement: media.NewPlacement("", media.KindVideo)}
	placed.VisualMode, placed.AudioMode, placed.Loop = media.VisualCutaway, media.AudioMix, true
	placed.FadeInMS, placed.FadeOutMS = 1000, 2000
	out, _ := renderPlan(t, makePlan(t, nil, media.RenderSettings{ShortSide: 180,
		Assets: []media.PlacedAsset{placed}}, film))
	for _, c := range []struct {
		frame       int
		least, most float64 // brightness
	}{{29, 0, 5}, {45, 115, 140}, {75, 250, 255}, {120, 115, 140}, {149, 0, 10}, {155, 0, 5}} {
		if got := brightness(t, out, c.frame); got < c.least || got > c.most {
			t.Errorf("frame %d has brightness %.0f, want %.0f to %.0f", c.frame, got, c.least, c.most)
		}
	}
	sound := mediatest.PCM(t, out, 48000)
	level := func(ms int) float64 { return rms(sound[ms*48:][:4800]) }
	whole := level(2400)
	for _, c := range []struct {
		ms          int
		least, most float64 // of the whole level
	}{{800, 0, 0.01}, {1450, 0.4, 0.6}, {2700, 0.9, 1.1}, {3950, 0.4, 0.6}, {4880, 0, 0.03}, {5100, 0, 0.01}} {
		if got := level(c.ms) / whole; got < c.least || got > c.most {
			t.Errorf("at %d ms the level is %.3f of the whole, want %.2f to %.2f", c.ms, got, c.least, c.most)
		}
	}
}

// brightness returns the mean of the pixels of a frame, 0 to 255.
func brightness(t *testing.T, path string, frame int) float64 {
	t.Helper()
	sum, pixels := 0.0, grayFrame(t, path, frame)
	for _, p := range pixels {
		sum += float64(p)
	}
	return sum / float64(len(pixels))
}

// Music with the options that the page gives it is 18 dB quieter than its file, 12 dB lower still
// while someone speaks, fades at both ends, starts again at its end and lasts until the last frame.
func TestMusicUnderSpeech(t *testing.T) {
	film := made(t, "film.mp4", "-f", "lavfi", "-i", "color=black:s=64x64:r=30:d=10", "-f", "lavfi", "-i",
		"anullsrc=r=48000:cl=stereo:d=10", "-shortest", "-c:v", "libx264", "-pix_fmt", "yuv420p")
	song := made(t, "song.wav", "-f", "lavfi", "-i", "sine=f=500:r=48000:d=3,volume=12dB", "-ac", "2")
	music := placed(t, song, 1000, 10_000, func(a *media.PlacedAsset) {
		a.AudioMode, a.VisualMode, a.VolumePercent = media.AudioMix, media.VisualNone, 13
		a.DuckUnderVoice, a.Loop, a.FadeInMS, a.FadeOutMS = true, true, 1000, 3000
	})
	plan := makePlan(t, nil, media.RenderSettings{
		Assets: []media.PlacedAsset{music}, Voice: []media.Span{{StartMS: 3000, EndMS: 5000}},
	}, film)
	plan.Mono = false
	out, _ := renderPlan(t, plan)
	sound := mediatest.PCM(t, out, 48000)
	own := level(mediatest.PCM(t, song, 48000), 500, 2500)
	for _, c := range []struct {
		ms   int
		want float64 // dB over the file
	}{{1450, -17.7 - 6}, {2300, -17.7}, {3500, -29.7}, {4500, -29.7}, {6000, -17.7}, {8450, -17.7 - 6}} {
		if got := level(sound, c.ms, c.ms+100) - own; math.Abs(got-c.want) > 0.5 {
			t.Errorf("at %d ms the music is %.1f dB over its file, want %.1f", c.ms, got, c.want)
		}
	}
	for _, ms := range []int{500, 9900} {
		if got := level(sound, ms, ms+50) - own; got > -55 {
			t.Errorf("at %d ms the music is %.1f dB over its file, want silence", ms, got)
		}
	}
	if got := level(sound, 9500, 9600) - own; got < -50 {
		t.Errorf("half a second before the end, the music is over already: %.1f dB", got)
	}
}
