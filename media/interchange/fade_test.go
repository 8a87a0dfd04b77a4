package interchange_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/interchange"
	"roughcut/media/mediatest"
)

// fading returns a project of 2 s of black video in silence with a tone that fades in and out, and
// the folder of its files.
func fading(t *testing.T) (p interchange.Project, folder string) {
	t.Helper()
	folder = t.TempDir()
	create := func(name string, args ...string) {
		args = append([]string{"-v", "error"}, append(args, filepath.Join(folder, name))...)
		if out, err := mediatest.Command(t, "ffmpeg", args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	create("black.mov", "-f", "lavfi", "-i", "color=black:s=320x180:r=25:d=2", "-f", "lavfi", "-i",
		"anullsrc=r=48000:cl=stereo", "-shortest", "-c:v", "libx264", "-c:a", "pcm_s16le")
	create("tone.wav", "-f", "lavfi", "-i", "sine=f=1000:r=48000:d=3", "-ac", "2")
	info := video(media.Rate{Num: 25, Den: 1}, 50)
	info.Video.Width, info.Video.Height = 320, 180
	p = interchange.Project{
		Name: "Fades", VolumePercent: 100,
		Recordings: []interchange.Recording{{UUID: "c", Name: "black.mov", Info: info}},
	}
	tone := media.PlacedAsset{
		Name: "tone.wav", Path: "/tone", ID: "1", Info: audio(3000, 48000, 2),
		Span: media.Span{StartMS: 200, EndMS: 1800}, Placement: media.NewPlacement("", media.KindAudio),
	}
	tone.OffsetMS, tone.FadeInMS, tone.FadeOutMS, tone.SizePercent = 400, 400, 600, 100
	p.Assets = []media.PlacedAsset{tone}
	return p, folder
}

// MLT plays the fades of audio in files of MLT, Kdenlive and Shotcut like the render plan.
func TestLongMLTPlaysFadesOfAudio(t *testing.T) {
	mediatest.NeedsLong(t)
	p, folder := fading(t)
	line := timelineOf(t, p, interchange.Place{Folder: folder}, false)
	for _, format := range []string{"mlt", "kdenlive", "shotcut"} {
		file, played := filepath.Join(folder, format+".mlt"), filepath.Join(folder, format+".nut")
		if err := os.WriteFile(file, []byte(written(t, format, line, interchange.Options{})), 0o600); err != nil {
			t.Fatal(err)
		}
		melt := mediatest.Command(t, "melt", file, "-consumer", "avformat:"+played, "vcodec=rawvideo",
			"pix_fmt=yuv420p", "acodec=pcm_s16le", "real_time=-1", "terminate_on_pause=1")
		melt.Env = append(os.Environ(), "QT_QPA_PLATFORM=offscreen")
		if out, err := melt.CombinedOutput(); err != nil {
			t.Fatalf("melt %s: %v\n%s", format, err, out)
		}
		sound := raw(t, played, "-ac", "1", "-ar", "48000", "-f", "s16le")
		if len(sound) < 49*3840 {
			t.Fatalf("%s: melt plays %d bytes of audio", format, len(sound))
		}
		var loud [50]float64
		for i := range min(len(sound), 50*3840) / 2 {
			sample := float64(int16(uint16(sound[2*i]) | uint16(sound[2*i+1])<<8))
			loud[i/1920] = max(loud[i/1920], math.Abs(sample))
		}
		for frame := range 50 {
			want := 0.0
			if at := frame - 5; at >= 0 && at < 40 {
				want = min(1, float64(at+1)/11, float64(40-at)/16)
			}
			if got := loud[frame] / loud[25]; math.Abs(got-want) > 0.11 { // a frame is a step of a ramp
				t.Errorf("%s: frame %d has %.2f of the tone, want %.2f", format, frame, got, want)
			}
		}
	}
}

// raw returns a file as ffmpeg converts it.
func raw(t *testing.T, path string, args ...string) []byte {
	t.Helper()
	args = append([]string{"-v", "error", "-i", path}, append(args, "-")...)
	out, err := mediatest.Command(t, "ffmpeg", args...).Output()
	if err != nil {
		t.Fatalf("ffmpeg %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// The formats write the fades of placed assets in their own ways.
func TestFadesOfPlacedAssetsAreWritten(t *testing.T) {
	p, _ := fading(t)
	image := media.Info{Format: "png_pipe", Video: &media.VideoInfo{Width: 320, Height: 180, Still: true}}
	white := p.Assets[0]
	white.Name, white.Path, white.ID, white.Info = "white.png", "/white", "2", image
	white.VisualMode, white.AudioMode, white.OffsetMS = media.VisualCutaway, media.AudioMute, 0
	p.Assets = append(p.Assets, white)
	line := timelineOf(t, p, place, false)
	for format, want := range map[string][]string{
		"fcpxml": {
			`<fadeIn type="linear" duration="1000/2500s"/>`, `<fadeOut type="linear" duration="1500/2500s"/>`,
			`<adjust-blend amount="1">`,
		},
		"xmeml": {
			"<when>0</when>", "<when>39</when>", "<value>6.25</value>", // the image
			"<when>10</when>", "<when>49</when>", "<value>0.0625</value>", // the tone, from its frame 10 on
		},
		"mlt":      {`<property name="alpha">0=0.090909;10=1;24=1;39=0.0625</property>`},
		"kdenlive": {`0=0 0 320 180 0.090909;10=0 0 320 180 1;24=0 0 320 180 1;39=0 0 320 180 0.0625`},
		"shotcut":  {`<property name="alpha">0=0.090909;10=1;24=1;39=0.0625</property>`},
	} {
		text := strings.Join(strings.Fields(written(t, format, line, interchange.Options{})), " ")
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %s", format, part)
			}
		}
	}
}
